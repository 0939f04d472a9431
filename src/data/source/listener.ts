import { openPool, sourceError } from './connection.ts'

const channel = 'cageside'
const pingEveryMs = 20_000
const deadlineMs = 5000
const minDelayMs = 250
const maxDelayMs = 30_000

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Listens on a connection of its own for the notifications that the tables send at each commit. A lost connection is
 * opened again, with delays that double up to 30 s; a silent one is pinged every 20 s. `address` gives the connection
 * URL at each attempt. `onNotify` is also called once it listens, because commits may have come before.
 */
export const openListener = (
  address: () => string,
  { onNotify, onLost }: { onNotify: () => void; onLost: (reason: string) => void },
) => {
  let isListening = false
  let isClosed = false
  let failures = 0
  let url = address()
  let end: () => void = () => undefined

  /** Resolves when the connection is lost or given up. */
  const listen = async (): Promise<void> => {
    const lost = Promise.withResolvers<void>()
    end = lost.resolve
    url = address()
    const pool = openPool(url, {
      max: 1,
      connectSeconds: deadlineMs / 1000,
      session: { onnotify: onNotify, onclose: lost.resolve },
    })
    const query = async (statement: string): Promise<void> => {
      await within(deadlineMs, pool.unsafe(statement).execute())
    }
    let timer: Timer | undefined
    try {
      const isListed = query(`LISTEN ${channel}`).then(() => true)
      if (!(await Promise.race([isListed, lost.promise])))
        throw new Error('the connection was lost')
      isListening = true
      failures = 0
      onNotify()
      timer = setInterval(() => void query('SELECT 1').catch(lost.resolve), pingEveryMs)
      await lost.promise
      if (!isClosed) onLost('the connection was lost')
    } catch (error) {
      if (!isClosed && failures === 0) onLost(sourceError(error).message)
    } finally {
      isListening = false
      clearInterval(timer)
      await pool.end({ timeout: 0 }).catch(() => undefined)
    }
  }

  const run = async (): Promise<void> => {
    while (!isClosed) {
      await listen()
      if (isClosed) return
      const woken = Promise.withResolvers<void>()
      end = woken.resolve
      const timer = setTimeout(woken.resolve, Math.min(maxDelayMs, minDelayMs * 2 ** failures))
      failures += 1
      await woken.promise
      clearTimeout(timer)
    }
  }
  const running = run()

  return {
    /** True while notifications arrive. */
    isListening: () => isListening,
    /** Connects again if the address has changed. */
    checkAddress: () => {
      if (address() !== url) end()
    },
    close: async (): Promise<void> => {
      isClosed = true
      end()
      await running
    },
  }
}

import { projectFolder } from '../process.ts'
import type { LoadReply, LoadResult, LoadTask } from './loadWorker.ts'
import { cores, familyMs, pinned } from './machine.ts'
import { inTurns } from './stats.ts'

export const connections = 32

/** Connections of a load with a rate: enough that late responses do not delay requests. */
export const maxConnections = 128

/** Throws if a response was missing or had an unexpected status. */
export const requireNoFailures = (result: LoadResult): LoadResult => {
  const { failures, responses, examples } = result
  if (failures === 0) return result
  throw new Error(`${failures} of ${responses} failed: ${examples.join(', ')}`)
}

/** A process on the core of the load that runs one task at a time. */
export interface LoadWorker extends AsyncDisposable {
  readonly run: (task: LoadTask) => Promise<LoadResult>
}

export const startLoadWorker = (): LoadWorker => {
  let reply: PromiseWithResolvers<LoadResult> | undefined
  const child = Bun.spawn(pinned(cores.load, [process.execPath, 'test/bench/loadWorker.ts']), {
    cwd: projectFolder,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    ipc: (message: LoadReply) => {
      if ('result' in message) reply?.resolve(message.result)
      else reply?.reject(new Error(message.error))
    },
    onExit: () => reply?.reject(new Error('the load worker ended')),
  })
  return {
    run: (task) => {
      reply = Promise.withResolvers()
      child.send(task)
      return reply.promise
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** A measured server. */
export interface Server {
  readonly url: string
  readonly pid: number
}

/**
 * Responses of a URL by each server, measured in turns: per second, and per second of CPU time of the server, which is
 * the capacity of a core on a busy machine too.
 */
export const ratesOf = async (
  servers: Readonly<Record<string, Server>>,
  path: string,
  { rounds, seconds, headers = {}, status }: RateOptions,
) => {
  await using worker = startLoadWorker()
  const rates = async ({ url, pid }: Server) => {
    const task = {
      url: url + path,
      traffic: 'single',
      seed: 0,
      connections,
      headers,
      ...(status !== undefined && { status }),
    } as const
    const before = await familyMs(pid)
    const result = requireNoFailures(await worker.run({ ...task, ms: seconds * 1000 }))
    const cpuSeconds = ((await familyMs(pid)) - before) / 1000
    return { perSecond: result.perSecond, perCPUSecond: result.responses / cpuSeconds }
  }
  await inTurns(1, servers, rates)
  return await inTurns(rounds, servers, rates)
}

interface RateOptions {
  readonly rounds: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
  /** Expected status of the responses; 200 or 304 by default. */
  readonly status?: number
}

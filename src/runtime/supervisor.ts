import { dlopen } from 'bun:ffi'
import type { Log } from './log.ts'

/** Pings per watchdog interval. */
const pingsPerInterval = 3
/** Start timeout after each ping while the data is awaited. */
const extendedStartMs = 60_000
const startPingMs = 10_000

/** State messages to the supervisor that started the process. */
export interface Supervisor {
  /** Reports that the service is ready; from now on pings show that the event loop runs. */
  readonly ready: () => void
  readonly stopping: () => void
}

const none: Supervisor = { ready: () => undefined, stopping: () => undefined }

/** Opens the library of systemd, because Bun has no Unix datagram sockets. Throws if it is missing. */
const openSystemd = (): ((state: string) => boolean) => {
  const { symbols } = dlopen('libsystemd.so.0', {
    sd_notify: { args: ['i32', 'cstring'], returns: 'i32' },
  })
  return (state) => symbols.sd_notify(0, Buffer.from(`${state}\0`)) >= 0
}

/**
 * Notifies systemd (`Type=notify`). Without `NOTIFY_SOCKET` it does nothing. A load that waits for its database extends
 * the start timeout. `status` is the line that `systemctl status` shows, sent with each ping.
 */
export const openSupervisor = (
  { NOTIFY_SOCKET, WATCHDOG_USEC }: Readonly<Record<string, string | undefined>>,
  status: () => string,
  log: Log,
  open = openSystemd,
): Supervisor => {
  if (!NOTIFY_SOCKET) return none
  let isSent: (state: string) => boolean
  try {
    isSent = open()
  } catch {
    log('warn', 'systemd cannot be notified: libsystemd.so.0 is missing')
    return none
  }
  const notify = (state: string): void => {
    if (!isSent(state)) log('warn', 'systemd cannot be notified', { state })
  }
  const send = (state: string): void => notify(`${state}\nSTATUS=${status()}`)
  const extendStart = (): void => send(`EXTEND_TIMEOUT_USEC=${extendedStartMs * 1000}`)
  extendStart()
  let timer = setInterval(extendStart, startPingMs)
  timer.unref()
  const watchdogMs = Number(WATCHDOG_USEC ?? 0) / 1000
  return {
    ready: () => {
      clearInterval(timer)
      send('READY=1')
      if (!(watchdogMs > 0)) return
      timer = setInterval(() => send('WATCHDOG=1'), watchdogMs / pingsPerInterval)
      timer.unref()
    },
    stopping: () => {
      clearInterval(timer)
      notify('STOPPING=1')
    },
  }
}

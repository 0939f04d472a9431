import type { Log } from '../../runtime/log.ts'

/** Time after which a failure is logged again while nothing is served. */
const repeatMs = 60_000

/** A reason for `/health`, and details for the log. */
export interface Failure {
  readonly reason: string
  readonly detail?: string | undefined
  /** True if waiting does not help. */
  readonly isLasting?: boolean
  /** True if the source has logged it. */
  readonly isLogged?: boolean
}

/** Logs why refreshes fail: each new reason once, and again every minute while nothing is served. */
export const createFailureLog = (
  log: Log,
  isServing: () => boolean,
  clockMs = () => performance.now(),
) => {
  let last: string | null = null
  let loggedAt = 0
  return {
    failed: ({ reason, detail }: Failure): void => {
      const isRepeated = !isServing() && clockMs() - loggedAt >= repeatMs
      if (reason === last && !isRepeated) return
      last = reason
      loggedAt = clockMs()
      const message = isServing() ? 'refresh failed' : 'nothing to serve yet, waiting'
      log('error', message, { reason, detail })
    },
    succeeded: (): void => {
      last = null
    },
  }
}

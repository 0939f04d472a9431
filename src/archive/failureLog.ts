import type { Log } from '../log.ts'
import type { Failure } from './follow.ts'

/** While nothing is served, a failure is logged again after this time. */
const repeatMs = 60_000

/** Logs why refreshes fail: each new reason once, and again every minute while nothing is served. */
export const createFailureLog = (log: Log, isServing: () => boolean) => {
  let last: string | null = null
  let loggedAt = 0
  return {
    failed: ({ reason, detail }: Failure): void => {
      const isRepeated = !isServing() && performance.now() - loggedAt >= repeatMs
      if (reason === last && !isRepeated) return
      last = reason
      loggedAt = performance.now()
      const message = isServing() ? 'refresh failed' : 'nothing to serve yet, waiting'
      log('error', message, { reason, detail })
    },
    succeeded: (): void => {
      last = null
    },
  }
}

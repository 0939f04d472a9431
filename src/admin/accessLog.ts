import type { Observer } from '../http/recordUsage.ts'
import type { Log } from '../log.ts'

/** Logs one line per response at `debug`: route template instead of address and query. */
export const createAccessLog =
  (log: Log): Observer =>
  ({ durationUs, ...answered }) =>
    log('debug', 'request', { ...answered, ms: durationUs / 1000 })

import type { Log } from '../../runtime/log.ts'
import type { Observer } from '../recordUsage.ts'

/** Logs one line per response at `debug`: the route template instead of URL and query. */
export const createAccessLog =
  (log: Log): Observer =>
  ({ durationUs, ...answered }) =>
    log('debug', 'request', { ...answered, ms: durationUs / 1000 })

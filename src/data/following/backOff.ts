const defaultMaxDelayMs = 30_000
/** Retries after a failure begin here at the latest: a first load must not wait for a refresh that is an hour away. */
const maxFirstRetryMs = 2000

/** Delay to the next refresh: `refreshMs` after a success, doubled with each consecutive failure up to `maxDelayMs`. */
export const delayAfter = (
  refreshMs: number,
  failures: number,
  maxDelayMs = defaultMaxDelayMs,
): number =>
  failures === 0
    ? refreshMs
    : Math.min(maxDelayMs, Math.min(refreshMs, maxFirstRetryMs) * 2 ** failures)

const defaultMaxDelayMs = 30_000

/** Delay to the next refresh: doubles with each consecutive failure, up to `maxDelayMs`. */
export const delayAfter = (
  refreshMs: number,
  failures: number,
  maxDelayMs = defaultMaxDelayMs,
): number => Math.max(refreshMs, Math.min(maxDelayMs, refreshMs * 2 ** failures))

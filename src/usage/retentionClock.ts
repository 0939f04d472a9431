/**
 * Max speed relative to the monotonic clock: after an outage the clock catches up in the outage's
 * own length.
 */
const maxSpeed = 2

export interface RetentionClock {
  /** Time by which the age of files is computed, in milliseconds since the epoch. */
  readonly now: () => number
  /** Advances the clock; returns the value to save for the next process. */
  readonly advance: (wallMs: number, monotonicMs: number) => number
}

/**
 * Creates a clock for deletion: it follows the system clock, never past it and at most at twice the
 * speed of the monotonic clock, so a temporary jump of the system clock removes little. `savedMs`
 * is the value saved by the previous process.
 */
export const createRetentionClock = (
  savedMs: number,
  wallMs: number,
  monotonicMs: number,
): RetentionClock => {
  let reachedMs = savedMs
  let [lastWallMs, lastSteadyMs] = [wallMs, monotonicMs]
  return {
    now: () => Math.min(reachedMs, lastWallMs),
    advance: (wall, steady) => {
      const limitMs = reachedMs + maxSpeed * Math.max(0, steady - lastSteadyMs)
      ;[lastWallMs, lastSteadyMs] = [wall, steady]
      reachedMs = Math.max(reachedMs, Math.min(wall, limitMs))
      return reachedMs
    },
  }
}

/** How fast days may age, against the time that the process runs: an outage is made up for in its own length. */
const maxSpeed = 2

export interface RetentionClock {
  /** The time by which files are old enough to be removed, in milliseconds since the epoch. */
  readonly now: () => number
  /** What a later process must begin with. */
  readonly advance: (wallMs: number, monotonicMs: number) => number
}

/**
 * A clock for deleting: it follows the system's, but advances at most at twice the speed of the steady
 * clock, and never past the system's. A system clock that jumps ahead for a while then costs nothing
 * that would not have been removed soon. `savedMs` is where the process before left it.
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

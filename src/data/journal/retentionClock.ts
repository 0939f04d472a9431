import { dayOf } from './day.ts'

/**
 * Max speed relative to the monotonic clock: after an outage the clock catches up in the outage's
 * own length.
 */
const maxSpeed = 2

/**
 * Clock for deletion: it follows the system clock, never past it and at most at twice the speed of
 * the monotonic clock, so a temporary jump of the system clock removes little.
 */
export interface RetentionClock {
  /** The latest time reached; the next process continues from it. */
  readonly reachedMs: number
  /** Both system clocks at the last step. */
  readonly wallMs: number
  readonly monotonicMs: number
}

export const step = (
  { reachedMs, monotonicMs: lastMs }: RetentionClock,
  wallMs: number,
  monotonicMs: number,
): RetentionClock => {
  const limitMs = reachedMs + maxSpeed * Math.max(0, monotonicMs - lastMs)
  return { reachedMs: Math.max(reachedMs, Math.min(wallMs, limitMs)), wallMs, monotonicMs }
}

/** Today, by which the age of files is computed. */
export const todayOf = ({ reachedMs, wallMs }: RetentionClock): number =>
  dayOf(Math.min(reachedMs, wallMs))

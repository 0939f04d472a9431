import type { Fight } from '../league/types.ts'
import { fightSeconds } from './bots.ts'

/** How long fights took, of those that took time. */
export interface Durations {
  readonly measured: number
  readonly totalSeconds: number
  /** To a hundredth; 0 when nothing was measured. */
  readonly averageSeconds: number
  readonly medianSeconds: number
  /** Of equally long ones the first in the list given. */
  readonly longest: Fight | undefined
  readonly shortest: Fight | undefined
}

export const hundredths = (value: number): number => Math.round(value * 100) / 100

/** A share of a whole, from 0 to 1, to four decimals; 0 of nothing. */
export const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000

export const buildDurations = (fights: readonly Fight[]): Durations => {
  const measured = fights.flatMap((fight) => {
    const seconds = fightSeconds(fight)
    return seconds === null ? [] : [{ fight, seconds }]
  })
  const sorted = measured.map(({ seconds }) => seconds).sort((a, b) => a - b)
  const totalSeconds = sorted.reduce((sum, seconds) => sum + seconds, 0)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? 0
  const high = sorted[Math.floor(middle)] ?? 0
  const first = (better: (a: number, b: number) => boolean): Fight | undefined =>
    measured.reduce<(typeof measured)[number] | undefined>(
      (best, each) => (best && !better(each.seconds, best.seconds) ? best : each),
      undefined,
    )?.fight
  return {
    measured: sorted.length,
    totalSeconds,
    averageSeconds: sorted.length === 0 ? 0 : hundredths(totalSeconds / sorted.length),
    medianSeconds: (low + high) / 2,
    longest: first((a, b) => a > b),
    shortest: first((a, b) => a < b),
  }
}

/**
 * How many of these fights ended by each method, the most frequent first (but for methods
 * that are numbers, which objects keep in front). A fight without an annotation counts as `Unknown`.
 */
export const countMethods = (fights: readonly Fight[]): Record<string, number> => {
  const byMethod = Map.groupBy(fights, ({ winAnnotation }) => winAnnotation || 'Unknown')
  return Object.fromEntries(
    [...byMethod]
      .map(([method, list]) => [method, list.length] as const)
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)),
  )
}

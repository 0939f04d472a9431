import type { Fight } from '../../data/league/types.ts'
import { fightSeconds, type Totals } from './bots.ts'

/** Durations in seconds, over fights with a known one. */
export interface Durations {
  readonly measured: number
  readonly totalSeconds: number
  /** Rounded to 0.01; 0 without fights. */
  readonly averageSeconds: number
  readonly medianSeconds: number
  /** The first of equally long fights. */
  readonly longest: Fight | undefined
  readonly shortest: Fight | undefined
}

export const hundredths = (value: number): number => Math.round(value * 100) / 100

/** A ratio from 0 to 1, to four decimals; 0 when the whole is 0. */
export const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000

/** Wins per outcome: a fight of a bot against itself counts as a win and a loss. */
export const winRateOf = ({ wins, losses, draws }: Totals): number =>
  share(wins, wins + losses + draws)

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
 * Counts fights by method, the most frequent first (integer methods come before, as in every object). A fight without
 * an annotation counts as `Unknown`.
 */
export const countMethods = (fights: readonly Fight[]): Record<string, number> => {
  const byMethod = Map.groupBy(fights, ({ winAnnotation }) => winAnnotation || 'Unknown')
  return Object.fromEntries(
    [...byMethod]
      .map(([method, list]) => [method, list.length] as const)
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)),
  )
}

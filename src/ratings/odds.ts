import type { Bout, Odds, Score } from './filter.ts'

/** Numbers kept of a fight: 36 bytes, in the order of {@link FightOdds}; the result is one with the slot of red. */
export const oddsStride = 9

/** A completed fight as it is kept. */
export interface FightOdds {
  readonly red: number
  readonly score: Score
  readonly blue: number
  /** Chances of red before it. */
  readonly chance: number
  readonly winRate: number
  readonly elo: number
  /** Strengths after it. */
  readonly redMean: number
  readonly redDeviation: number
  readonly blueMean: number
  readonly blueDeviation: number
}

const scores: readonly Score[] = [0, 1, 0.5, null]

export const writeOdds = (
  odds: Float32Array,
  index: number,
  { red, blue, score }: Omit<Bout, 'place'>,
  { chance, winRate, elo, redAfter, blueAfter }: Odds,
): void => {
  odds.set(
    [
      scores.length * red + scores.indexOf(score),
      blue,
      chance,
      winRate,
      elo,
      redAfter.mean,
      Math.sqrt(redAfter.variance),
      blueAfter.mean,
      Math.sqrt(blueAfter.variance),
    ],
    index * oddsStride,
  )
}

/** The fight at an index of `boutsOf` its tournament. */
export const readOdds = (odds: Float32Array, index: number): FightOdds => {
  const at = index * oddsStride
  const packed = odds[at] ?? 0
  return {
    red: Math.floor(packed / scores.length),
    score: scores[packed % scores.length] ?? null,
    blue: odds[at + 1] ?? 0,
    chance: odds[at + 2] ?? 0.5,
    winRate: odds[at + 3] ?? 0.5,
    elo: odds[at + 4] ?? 0.5,
    redMean: odds[at + 5] ?? 0,
    redDeviation: odds[at + 6] ?? 0,
    blueMean: odds[at + 7] ?? 0,
    blueDeviation: odds[at + 8] ?? 0,
  }
}

/** Number of fights in the odds of a tournament. */
export const oddsLength = (odds: Float32Array): number => odds.length / oddsStride

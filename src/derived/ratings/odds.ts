/** Result for red: 1 won, 0 lost, 0.5 drawn; null, as of a double forfeit, teaches nothing. */
export type Score = 1 | 0 | 0.5 | null
const scores: readonly Score[] = [0, 1, 0.5, null]

/** The slot of red with the result. */
export const packScore = (red: number, score: Score): number =>
  scores.length * red + (score === null ? 3 : score === 0.5 ? 2 : score)

/** Numbers kept of a fight: 28 bytes, in the order of {@link FightOdds}; the result is one with the slot of red. */
export const oddsStride = 7

/** A completed fight as it is kept. */
export interface FightOdds {
  readonly red: number
  readonly score: Score
  readonly blue: number
  /** Chance of red before it. */
  readonly chance: number
  /** Strengths after it. */
  readonly redMean: number
  readonly redDeviation: number
  readonly blueMean: number
  readonly blueDeviation: number
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
    redMean: odds[at + 3] ?? 0,
    redDeviation: odds[at + 4] ?? 0,
    blueMean: odds[at + 5] ?? 0,
    blueDeviation: odds[at + 6] ?? 0,
  }
}

/** Number of fights in the odds of a tournament. */
export const oddsLength = (odds: Float32Array): number => odds.length / oddsStride

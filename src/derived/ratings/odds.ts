/** Result for red: 1 won, 0 lost, 0.5 drawn; null, as for a double forfeit, has no effect. */
export type Score = 1 | 0 | 0.5 | null

/** A completed fight with its ratings; chance and strengths are rounded to 32 bits. */
export interface FightOdds {
  /** Clean names of both bots. */
  readonly red: string
  readonly blue: string
  readonly score: Score
  /** Chance of red before the fight. */
  readonly chance: number
  /** Chances by the win rate and by Elo. */
  readonly simpleChances: readonly [winRate: number, elo: number]
  /** Strengths after the fight. */
  readonly redMean: number
  readonly redDeviation: number
  readonly blueMean: number
  readonly blueDeviation: number
}

/** Odds of the rated fights of a tournament by fight id, in order of play. */
export type TournamentOdds = ReadonlyMap<string, FightOdds>

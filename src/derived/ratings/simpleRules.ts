import type { Score } from './odds.ts'

/** Rules that are compared; the first one gives the published chances. */
export const rules = ['ratings', 'winRate', 'elo', 'coin'] as const

/** Record of a bot in a class, for the simple rules. */
export interface SimpleRecord {
  readonly fights: number
  /** A draw is half a win. */
  readonly wins: number
  readonly elo: number
}

export const noRecord: SimpleRecord = { fights: 0, wins: 0, elo: 0 }

/** Chance of red by shares of wins, each with two virtual wins and losses. */
export const winRateChance = (red: SimpleRecord, blue: SimpleRecord): number => {
  const own = (red.wins + 2) / (red.fights + 4)
  const other = (blue.wins + 2) / (blue.fights + 4)
  return (own * (1 - other)) / (own * (1 - other) + other * (1 - own))
}

/** Default factor, as in the Brazilian ranking. */
export const eloChance = (red: SimpleRecord, blue: SimpleRecord, scale = 600): number =>
  1 / (1 + 10 ** ((blue.elo - red.elo) / scale))

/** Both records after a fight; `chance` is red's by Elo. */
export const recordsAfter = (
  red: SimpleRecord,
  blue: SimpleRecord,
  score: Score,
  chance: number,
  k = 35,
): { readonly red: SimpleRecord; readonly blue: SimpleRecord } => {
  const gain = score === null ? 0 : k * (score - chance)
  const after = ({ fights, wins, elo }: SimpleRecord, won: number, gained: number) => ({
    fights: fights + 1,
    wins: wins + won,
    elo: elo + gained,
  })
  return {
    red: after(red, score ?? 0, gain),
    blue: after(blue, score === null ? 0 : 1 - score, -gain),
  }
}

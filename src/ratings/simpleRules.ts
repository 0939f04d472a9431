/** Rules that are compared: the first is that of the published chances. */
export const rules = ['ratings', 'winRate', 'elo', 'coin'] as const
export type Rule = (typeof rules)[number]

/** Elo with K = 35 and scale 600 from 1200, as the Brazilian ranking uses it. */
export const eloStart = 1200
const eloScale = 600
const eloK = 35

export const eloChance = (red: number, blue: number): number =>
  1 / (1 + 10 ** ((blue - red) / eloScale))

/** Points that red gains and blue loses. */
export const eloGain = (chance: number, score: number): number => eloK * (score - chance)

/** Chance by shares of wins, each with two virtual wins and losses; a draw is half a win. */
export const winRateChance = (
  redWins: number,
  redFights: number,
  blueWins: number,
  blueFights: number,
): number => {
  const own = (redWins + 2) / (redFights + 4)
  const other = (blueWins + 2) / (blueFights + 4)
  return (own * (1 - other)) / (own * (1 - other) + other * (1 - own))
}

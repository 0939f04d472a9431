import type { Score } from './odds.ts'

/** Rules that are compared: the first is that of the published chances. */
export const rules = ['ratings', 'winRate', 'elo', 'coin'] as const

/** Chance of red before a fight between two bots, by number; then takes in its result. */
export type Foretell = (red: number, blue: number, score: Score) => number

/** By default as the Brazilian ranking uses it. */
export const createElo = (k = 35, scale = 600): Foretell => {
  const ratings: number[] = []
  return (red, blue, score) => {
    const [own, other] = [ratings[red] ?? 0, ratings[blue] ?? 0]
    const chance = 1 / (1 + 10 ** ((other - own) / scale))
    const gain = score === null ? 0 : k * (score - chance)
    ratings[red] = own + gain
    ratings[blue] = other - gain
    return chance
  }
}

/** By shares of wins, each with two virtual wins and losses; a draw is half a win. */
export const createWinRate = (): Foretell => {
  const fights: number[] = []
  const wins: number[] = []
  const shareOf = (bot: number): number => ((wins[bot] ?? 0) + 2) / ((fights[bot] ?? 0) + 4)
  const count = (bot: number, won: number): void => {
    fights[bot] = (fights[bot] ?? 0) + 1
    wins[bot] = (wins[bot] ?? 0) + won
  }
  return (red, blue, score) => {
    const [own, other] = [shareOf(red), shareOf(blue)]
    count(red, score ?? 0)
    count(blue, score === null ? 0 : 1 - score)
    return (own * (1 - other)) / (own * (1 - other) + other * (1 - own))
  }
}

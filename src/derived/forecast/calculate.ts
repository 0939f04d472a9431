import type { Steps } from '../../runtime/timeSlice.ts'
import type { Strength } from '../ratings/state.ts'
import type { Chances } from './chances.ts'
import type { Plan, Seat } from './plan.ts'

/** The bots that may come to a seat. */
interface Arrivals {
  /** Probability that a bot reaches the seat, for each strength of the grid. */
  readonly byBot: ReadonlyMap<number, Float64Array>
  /** All bots of the fights that lead to the seat. */
  readonly bots: ReadonlySet<number>
}

const sum = (values: Float64Array): number => values.reduce((total, each) => total + each, 0)

/** Number of deviations beyond the means that the grid covers: one of 10 million strengths is outside. */
const gridDeviations = 5.5
/** Bounds of the distance between two strengths of the grid, in logits. */
const [minStep, maxStep] = [0.02, 0.25]

/**
 * Strengths at equal distances. For smooth functions their sums are as exact as integrals if no step exceeds a
 * deviation.
 */
const buildGrid = (strengths: readonly Strength[]): Float64Array => {
  const deviations = strengths.map(({ variance }) => Math.sqrt(variance))
  const step = Math.max(minStep, Math.min(maxStep, ...deviations))
  const end = (sign: 1 | -1): readonly number[] =>
    strengths.map(
      ({ mean, variance }) => mean + sign * gridDeviations * Math.max(Math.sqrt(variance), step),
    )
  const least = Math.min(...end(-1))
  const size = Math.ceil((Math.max(...end(1)) - least) / step) + 1
  return Float64Array.from({ length: size }, (_, index) => least + index * step)
}

/** Probability of each strength of the grid. */
const weigh = ({ mean, variance }: Strength, grid: Float64Array): Float64Array => {
  const spread = Math.max(variance, minStep ** 2)
  const density = grid.map((strength) => Math.exp(-((strength - mean) ** 2) / (2 * spread)))
  const whole = sum(density)
  return density.map((each) => each / whole)
}

/**
 * Chances by integration over the strengths of the bots. Given its own strength, the opponent of a bot in one fight is
 * independent of earlier opponents, as long as the bots that may come to the two corners have met nobody in common: so
 * it is in single elimination. Undefined for other plans, for one without a game, and if a bot may have
 * several games in a round.
 */
export function* calculate(
  { bots, games, walkovers, reached, winner }: Plan,
  strengths: readonly Strength[],
): Steps<Chances | undefined> {
  // A decided rest has no strength to make a grid of: one run without a game gives the result.
  if (games.length === 0 || (winner && 'wins' in winner)) return undefined
  const grid = buildGrid(strengths)
  const size = grid.length
  const step = (grid[1] ?? 0) - (grid[0] ?? 0)
  const weights = strengths.map((strength) => weigh(strength, grid))
  /** Chance to win by distance on the grid. */
  const winsBy = Float64Array.from(
    { length: 2 * size - 1 },
    (_, place) => 1 / (1 + Math.exp((size - 1 - place) * step)),
  )
  /** Chance to beat the opponent, at each strength. */
  const beating = ({ byBot }: Arrivals): Float64Array => {
    const opponent = new Float64Array(size)
    for (const [bot, chances] of byBot) {
      const own = weights[bot]
      for (let at = 0; at < size; at++)
        opponent[at] = (opponent[at] ?? 0) + (own?.[at] ?? 0) * (chances[at] ?? 0)
    }
    return opponent.map((_, at) =>
      opponent.reduce(
        (total, each, other) => total + each * (winsBy[size - 1 + at - other] ?? 0),
        0,
      ),
    )
  }
  const total = (bot: number, chances: Float64Array): number =>
    sum(chances.map((each, at) => each * (weights[bot]?.[at] ?? 0)))

  const arrivals = new Map<Seat, Arrivals>(
    bots.map((_, bot) => [
      bot,
      { byBot: new Map([[bot, new Float64Array(size).fill(1)]]), bots: new Set([bot]) },
    ]),
  )
  const reaching = Float64Array.from(reached)
  /** False if a bot may come to the round twice. */
  const reach = ({ byBot }: Arrivals, round: number): boolean => {
    for (const [bot, chances] of byBot) {
      const place = round * bots.length + bot
      if (reached[place] !== 0) continue
      if (reaching[place] !== 0) return false
      reaching[place] = total(bot, chances)
    }
    return true
  }
  /** Seats that matter later: the losers of most games have none. */
  const taken = new Set([
    ...games.flatMap(({ red, blue }) => [red, blue]),
    ...walkovers.map(({ seat }) => seat),
    winner?.seat,
  ])
  for (const [index, { red, blue, round, isSecond }] of games.entries()) {
    const [reds, blues] = [arrivals.get(red), arrivals.get(blue)]
    if (isSecond || !reds || !blues || !reds.bots.isDisjointFrom(blues.bots)) return undefined
    const seats = [0, 1].map((loses) => bots.length + 2 * index + loses)
    const byBots = seats.map(() => new Map<number, Float64Array>())
    for (const [own, other] of [
      [reds, blues],
      [blues, reds],
    ] as const) {
      if (!reach(own, round)) return undefined
      const wins = beating(other)
      for (const [loses, byBot] of byBots.entries()) {
        yield
        if (!taken.has(seats[loses])) continue
        const factors = loses ? wins.map((chance) => 1 - chance) : wins
        for (const [bot, chances] of own.byBot) {
          byBot.set(
            bot,
            chances.map((each, at) => each * (factors[at] ?? 0)),
          )
        }
      }
    }
    const both = reds.bots.union(blues.bots)
    for (const [loses, byBot] of byBots.entries()) {
      arrivals.set(bots.length + 2 * index + loses, { byBot, bots: both })
    }
  }
  for (const { seat, round } of walkovers) {
    const comers = arrivals.get(seat)
    if (comers && !reach(comers, round)) return undefined
  }
  const winning = new Float64Array(bots.length)
  const champions = winner && arrivals.get(winner.seat)
  for (const [bot, chances] of champions?.byBot ?? []) winning[bot] = total(bot, chances)
  return { runs: 0, winning, reaching }
}

import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { Steps } from '../../runtime/timeSlice.ts'
import type { Strength } from '../ratings/state.ts'
import type { Chances } from './chances.ts'
import type { Meeting, Plan } from './plan.ts'

/** Number of runs; the standard error of a chance of one half is then 0.005. */
const enoughRuns = 10_000
/** Number of games between two yields, 0.1 ms. */
const stepGames = 2000
const seed = 1952

/** A uniform value between 0 and 1, both excluded, at each call. */
const createUniform = (): (() => number) => {
  const generator = xoroshiro128plus(seed)
  return () => ((generator.next() >>> 0) + 0.5) / 2 ** 32
}

/** Keeps the items with the largest value. */
const bestOf = (bots: readonly number[], value: (bot: number) => number): readonly number[] => {
  const best = bots.reduce((most, bot) => Math.max(most, value(bot)), Number.NEGATIVE_INFINITY)
  return bots.filter((bot) => value(bot) === best)
}

/** The leaders of a table by the rule of its standings; tied ones share the win. */
const shareWin = (
  wins: Uint16Array,
  losses: Uint16Array,
  meetings: () => Iterable<Meeting>,
  winning: Float64Array,
): void => {
  let first = bestOf([...wins.keys()], (bot) => wins[bot] ?? 0)
  if (first.length > 1) {
    const among = new Map(first.map((bot) => [bot, 0]))
    for (const { winner, loser } of meetings()) {
      const own = among.get(winner)
      if (own !== undefined && among.has(loser)) among.set(winner, own + 1)
    }
    first = bestOf(first, (bot) => among.get(bot) ?? 0)
    first = bestOf(first, (bot) => -(losses[bot] ?? 0))
  }
  for (const bot of first) winning[bot] = (winning[bot] ?? 0) + 1 / first.length
}

/**
 * Chances by playing the open games with a fixed seed. Each run draws the strength of each bot once and keeps it
 * for all of its fights: with the mean as the strength in every run, favourites would win too often.
 */
export function* simulate(
  { bots, games, walkovers, reached, losses, winner }: Plan,
  strengths: readonly Strength[],
): Steps<Chances> {
  const runs = games.length === 0 ? 1 : enoughRuns
  const uniform = createUniform()
  const count = bots.length
  const playing = [...new Set(games.flatMap(({ red, blue }) => [red, blue]))].filter(
    (seat) => seat < count,
  )
  /** Exponentials of strengths: a bot wins in proportion to its own. */
  const factors = new Float64Array(count)
  /** Bot of each seat. */
  const seats = Int32Array.from({ length: count + 2 * games.length }, (_, seat) => seat)
  const lost = new Uint16Array(count)
  const won = new Uint16Array(count)
  const winning = new Float64Array(count)
  const reaching = new Float64Array(reached.length)
  /** The last run that counted, by place: a bot can have several games in a round. */
  const counted = new Int32Array(reached.length).fill(-1)
  const reach = (bot: number, round: number, run: number): void => {
    const place = round * count + bot
    if (counted[place] === run) return
    counted[place] = run
    reaching[place] = (reaching[place] ?? 0) + 1
  }
  const stepRuns = Math.max(1, Math.floor(stepGames / (games.length + 1)))
  for (let run = 0; run < runs; run++) {
    if (run % stepRuns === 0) yield
    for (const bot of playing) {
      const { mean, variance } = strengths[bot] ?? { mean: 0, variance: 0 }
      // Box and Muller 1958.
      const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
      factors[bot] = Math.exp(mean + Math.sqrt(variance) * normal)
    }
    lost.set(losses)
    if (winner && 'wins' in winner) won.set(winner.wins)
    let seat = count
    for (const game of games) {
      const red = seats[game.red] ?? 0
      const blue = seats[game.blue] ?? 0
      const isRedOut = game.isSecond && (lost[red] ?? 0) >= 2
      const isFought = !isRedOut && !(game.isSecond && (lost[blue] ?? 0) >= 2)
      const strength = factors[red] ?? 0
      const isRed = isFought ? uniform() * (strength + (factors[blue] ?? 0)) < strength : !isRedOut
      const [winning, losing] = isRed ? [red, blue] : [blue, red]
      seats[seat++] = winning
      seats[seat++] = losing
      won[winning] = (won[winning] ?? 0) + 1
      lost[losing] = (lost[losing] ?? 0) + 1
      if (!isFought || game.round < 0) continue
      reach(red, game.round, run)
      reach(blue, game.round, run)
    }
    for (const { seat, round } of walkovers) reach(seats[seat] ?? 0, round, run)
    if (winner && 'wins' in winner) {
      // The two seats of each open game stand for its winner and its loser.
      const played = function* (): Generator<Meeting> {
        yield* winner.meetings
        for (let at = count; at < seat; at += 2)
          yield { winner: seats[at] ?? 0, loser: seats[at + 1] ?? 0 }
      }
      shareWin(won, lost, played, winning)
    } else if (winner) {
      const champion = seats[winner.seat] ?? 0
      winning[champion] = (winning[champion] ?? 0) + 1
    }
  }
  return {
    runs: games.length === 0 ? 0 : runs,
    winning: winning.map((times) => times / runs),
    reaching: reaching.map((times, place) => (reached[place] ? 1 : times / runs)),
  }
}

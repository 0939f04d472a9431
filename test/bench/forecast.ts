import { generateLeague } from '../../scripts/league/league.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import { historyOf } from '../../src/data/replay/history.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { forecastSteps } from '../../src/derived/forecast/forecast.ts'
import { buildPlan, type Plan } from '../../src/derived/forecast/plan.ts'
import type { Strength } from '../../src/derived/ratings/state.ts'
import { atOnce } from '../../src/runtime/timeSlice.ts'
import { bracketOf, everyPair, knockout } from '../brackets.ts'
import { type Extent, type Row, rounded, rowsOf, stepsMs } from './stats.ts'

const planOf = (rows: TournamentRows): Plan => {
  const plan = buildPlan(buildTournament(rows))
  if ('reason' in plan) throw new Error(plan.reason)
  return plan
}

/** The largest double elimination of the sample league, before its first fight. */
const doubleElimination = (): Plan => {
  const { tournaments, capturedAt } = generateLeague({ seed: 1, scale: 'sample' })
  const plans = [...tournaments]
    .filter(({ tournament }) => tournament.formatType === 'double_elimination')
    .flatMap((rows) => {
      const { instants, rowsAt } = historyOf(rows, capturedAt)
      return instants.flatMap((unix) => {
        const then = rowsAt(unix)
        const plan = then && buildPlan(buildTournament(then))
        return plan && !('reason' in plan) ? [plan] : []
      })
    })
    .sort((a, b) => b.games.length - a.games.length)
  const [largest] = plans
  if (!largest) throw new Error('the sample has no double elimination')
  return largest
}

const evenly = ({ bots }: Plan): readonly Strength[] =>
  bots.map((_, bot) => ({ mean: 1 - (2 * bot) / bots.length, variance: 0.4 }))

/**
 * Favourites of brackets of 16 whose strengths are known with an error: how often they win, and their chance by mean
 * strengths and by distributions.
 */
const favourites = (brackets: number) => {
  const random = createRandom(7)
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const plan = planOf(bracketOf(16, knockout(16)))
  let [won, means, whole] = [0, 0, 0]
  for (let bracket = 0; bracket < brackets; bracket += 1) {
    // Strengths of deviation 1, measured with an error of deviation 0.9.
    const shrinkage = 1 / (1 + 0.9 ** 2)
    const bots = plan.bots.map(() => {
      const strength = normal()
      const measured = strength + 0.9 * normal()
      return { strength, mean: shrinkage * measured, variance: 1 - shrinkage }
    })
    const best = bots.reduce(
      (most, { mean }, bot) => (mean > (bots[most]?.mean ?? 0) ? bot : most),
      0,
    )
    const chanceBy = (strengths: readonly Strength[]): number =>
      atOnce(forecastSteps(plan, strengths)).winning[best] ?? 0
    whole += chanceBy(bots)
    means += chanceBy(bots.map(({ mean }) => ({ mean, variance: 0 })))
    let left = bots.map((_, bot) => bot)
    left = plan.games.slice(0, 8).flatMap(({ red, blue }) => [red, blue])
    while (left.length > 1) {
      left = Array.from({ length: left.length / 2 }, (_, pair) => {
        const [red = 0, blue = 0] = left.slice(2 * pair, 2 * pair + 2)
        const ahead = (bots[red]?.strength ?? 0) - (bots[blue]?.strength ?? 0)
        return random.chance(1 / (1 + Math.exp(-ahead))) ? red : blue
      })
    }
    won += Number(left[0] === best)
  }
  return { won: won / brackets, means: means / brackets, whole: whole / brackets }
}

export const benchForecast = ({ scale, rounds }: Extent): Row[] => {
  const row = rowsOf(scale)
  const plans: readonly (readonly [string, Plan])[] = [
    ['single elimination of 256', planOf(bracketOf(256, knockout(256)))],
    ['largest double elimination of the sample', doubleElimination()],
    ['round robin of 63', planOf(bracketOf(63, everyPair(63), { formatType: 'round_robin' }))],
  ]
  const costs = plans.map(([name, plan]): Row => {
    const all = Array.from({ length: rounds }, () => stepsMs(forecastSteps(plan, evenly(plan))))
    const whole = all.map((steps) => steps.reduce((sum, ms) => sum + ms, 0))
    return row(`forecast, ${name}`, 'ms CPU', whole, {
      beside: {
        'longest step': all.map((steps) => Math.max(...steps)),
        'open games': plan.games.length,
      },
    })
  })
  const { won, means, whole } = favourites(40 * rounds)
  return [
    ...costs,
    row('favourite of 16, chance by distributions of strength', 'share', rounded(whole), {
      beside: { 'has won': rounded(won), 'chance by mean strengths': rounded(means) },
    }),
  ]
}

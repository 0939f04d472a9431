import type { Tournament } from '../../data/league/types.ts'
import { perValue } from '../../runtime/once.ts'
import { inSlices, type Steps } from '../../runtime/timeSlice.ts'
import { ratingClassOf } from '../ratings/bouts.ts'
import { presentUnix, type RatedLeague, strengthOf } from '../ratings/ratings.ts'
import type { Strength } from '../ratings/state.ts'
import { calculate } from './calculate.ts'
import type { Chances } from './chances.ts'
import { buildPlan, type Plan, type Refusal } from './plan.ts'
import { simulate } from './simulate.ts'

/** Chances of the outcomes of a bracket. */
export interface Forecast extends Chances {
  readonly plan: Plan
}

/** The chances of a plan: calculated if that is possible, simulated otherwise. */
export function* forecastSteps(plan: Plan, strengths: readonly Strength[]): Steps<Forecast> {
  const chances = (yield* calculate(plan, strengths)) ?? (yield* simulate(plan, strengths))
  return { plan, ...chances }
}

const planOf = perValue(buildPlan)

/** Number of digits; with few, most results in the league change no forecast of other bots. */
const rounded = (value: number): number => Math.round(1000 * value) / 1000

const isDecided = ({ info, brackets }: Tournament): boolean =>
  !info.active && brackets.every(({ games }) => games.every(({ state }) => state === 'done'))

/** Strengths of the bots of a tournament for its forecast; empty if nothing is left to be played. */
export const forecastStrengths = (
  tournament: Tournament,
  league: RatedLeague,
): readonly Strength[] => {
  // Called for each cached forecast after a change, and a plan takes 0.3 ms.
  if (isDecided(tournament)) return []
  const plan = planOf(tournament)
  if ('reason' in plan || plan.games.length === 0) return []
  const [ratingClass, unix] = [ratingClassOf(tournament.info), presentUnix(league.ratings)]
  return plan.bots.map((bot) => {
    const { mean, variance } = strengthOf(league, ratingClass, bot, unix)
    return { mean: rounded(mean), variance: rounded(variance) }
  })
}

interface Made {
  /** Strengths as JSON. */
  readonly key: string
  readonly forecast: Promise<Forecast>
}

const lastByPlan = new WeakMap<Plan, Made>()

/** The forecast of a tournament by {@link forecastStrengths}, made once for simultaneous requests. */
export const forecastOf = async (
  tournament: Tournament,
  strengths: readonly Strength[],
): Promise<Forecast | Refusal> => {
  const plan = planOf(tournament)
  if ('reason' in plan) return plan
  const key = JSON.stringify(strengths)
  const before = lastByPlan.get(plan)
  if (before?.key === key) return before.forecast
  const forecast = inSlices(forecastSteps(plan, strengths))
  lastByPlan.set(plan, { key, forecast })
  return forecast
}

/** Standard error of the least certain chance; 0 if they are calculated. */
export const standardErrorOf = ({ runs, winning, reaching }: Chances): number => {
  const variance = [winning, reaching].reduce(
    (most, values) => values.reduce((most, each) => Math.max(most, each * (1 - each)), most),
    0,
  )
  return runs === 0 ? 0 : Math.sqrt(variance / runs)
}

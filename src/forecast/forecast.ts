import { isOver } from '../league/stages.ts'
import type { Tournament } from '../league/types.ts'
import { ratingClassOf } from '../ratings/bouts.ts'
import { presentUnix, type Ratings, strengthOf } from '../ratings/ratings.ts'
import type { Strength } from '../ratings/state.ts'
import { inSlices, type Steps } from '../timeSlice.ts'
import { calculate } from './calculate.ts'
import type { Chances } from './chances.ts'
import { buildPlan, type Plan, type Refusal } from './plan.ts'
import { simulate } from './simulate.ts'

/** What may become of a bracket. */
export interface Forecast extends Chances {
  readonly plan: Plan
}

/** The chances of a plan: calculated where that is possible, simulated otherwise. */
export function* forecastSteps(plan: Plan, strengths: readonly Strength[]): Steps<Forecast> {
  const chances = (yield* calculate(plan, strengths)) ?? (yield* simulate(plan, strengths))
  return { plan, ...chances }
}

interface Made {
  /** Weak, so that a forecast of before keeps no ratings of before. */
  readonly ratings: WeakRef<Ratings>
  readonly forecast: Promise<Forecast | Refusal>
}

const known = new WeakMap<Tournament, Made>()

const makeForecast = async (
  tournament: Tournament,
  ratings: Ratings,
): Promise<Forecast | Refusal> => {
  const plan = buildPlan(tournament)
  if ('reason' in plan) return plan
  const [ratingClass, unix] = [ratingClassOf(tournament.info), presentUnix(ratings)]
  const strengths = plan.bots.map((bot) => strengthOf(ratings, ratingClass, bot, unix))
  return inSlices(forecastSteps(plan, strengths))
}

/** The forecast of a tournament by all ratings, made once for all that ask at a time. */
export const forecastOf = (
  tournament: Tournament,
  ratings: Ratings | undefined,
): Promise<Forecast | Refusal> => {
  if (!ratings) return Promise.resolve({ reason: 'ratings are turned off' })
  const before = known.get(tournament)
  if (before?.ratings.deref() === ratings) return before.forecast
  const forecast = makeForecast(tournament, ratings)
  // Those of tournaments that are over take no time, and there are many.
  if (!isOver(tournament)) known.set(tournament, { ratings: new WeakRef(ratings), forecast })
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

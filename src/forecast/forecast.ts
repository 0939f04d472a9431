import type { Player, Tournament } from '../league/types.ts'
import type { Steps } from '../timeSlice.ts'
import { calculate } from './calculate.ts'
import type { Chances, Strength } from './chances.ts'
import { buildPlan, type Plan, type Refusal } from './plan.ts'
import { simulate } from './simulate.ts'

/** What may become of a bracket. */
export interface Forecast extends Chances {
  readonly plan: Plan
}

/** The chances of a bracket: calculated where that is possible, simulated otherwise. */
export function* forecastSteps(
  tournament: Tournament,
  strengthOf: (player: Player) => Strength,
): Steps<Forecast | Refusal> {
  const plan = buildPlan(tournament)
  if ('reason' in plan) return plan
  const strengths = plan.bots.map(strengthOf)
  const chances = (yield* calculate(plan, strengths)) ?? (yield* simulate(plan, strengths))
  return { plan, ...chances }
}

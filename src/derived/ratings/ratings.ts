import type { Dataset, Fight } from '../../data/league/types.ts'
import { atOnce, type Steps } from '../../runtime/timeSlice.ts'
import { type Bots, buildBots } from '../careers/bots.ts'
import { boutOf, boutsOf, type Rated, type RatingClass, teachesSame } from './bouts.ts'
import { chanceAt, createFilter, meetingTime, strengthAt } from './filter.ts'
import type { FightOdds, TournamentOdds } from './odds.ts'
import { originOf } from './origins.ts'
import { bandDeviations } from './points.ts'
import type { Entrant } from './sides.ts'
import { emptyState, type FilterState, type Strength } from './state.ts'

/**
 * Strengths of all bots, and the chances before each fight: a function only of the completed fights of the league in
 * the order of their end.
 */
export interface Ratings {
  /** The rated fights in order of play. */
  readonly bouts: readonly Fight[]
  readonly state: FilterState
  /** Odds by tournament id, of tournaments with a rated fight. */
  readonly odds: ReadonlyMap<string, TournamentOdds>
}

export const noRatings: Ratings = { bouts: [], state: emptyState, odds: new Map() }

/** Ratings, and the bots of their league. */
export interface RatedLeague {
  readonly ratings: Ratings
  readonly bots: Bots
}

/** Number of fights in one step, which takes a tenth of a millisecond. */
const stepFights = 20

/** Takes in fights that are later than every fight in `before`. */
function* takeSteps(before: Ratings, bouts: readonly Fight[], bots: Bots): Steps<Ratings> {
  const filter = createFilter(before.state, bots)
  const odds = new Map(before.odds)
  const changed = new Map<string, Map<string, FightOdds>>()
  for (let index = before.bouts.length; index < bouts.length; index += 1) {
    if (index % stepFights === 0) yield
    const fight = bouts[index]
    if (!fight) break
    const { id } = fight.tournament
    const own = changed.getOrInsertComputed(id, () => new Map(odds.get(id)))
    own.set(fight.id, filter.take(boutOf(fight)))
    odds.set(id, own)
  }
  return { bouts, state: filter.state(), odds }
}

/**
 * The ratings after a change, equal to a new build: new fights at the end are taken in, at their own cost; any other
 * change rebuilds all. Equal odds stay the same objects.
 */
export function* updateRatings(before: Ratings, dataset: Dataset, bots: Bots): Steps<Ratings> {
  const bouts = boutsOf(dataset, before.bouts)
  const isLonger = before.bouts.every((fight, index) => {
    const other = bouts[index]
    return other !== undefined && teachesSame(fight, other)
  })
  if (isLonger && bouts.length === before.bouts.length) return before
  if (isLonger) return yield* takeSteps(before, bouts, bots)
  const rebuilt = yield* takeSteps(noRatings, bouts, bots)
  const odds = new Map(rebuilt.odds)
  for (const [id, own] of odds) {
    yield
    const known = before.odds.get(id)
    if (known && Bun.deepEquals(known, own)) odds.set(id, known)
  }
  return { ...rebuilt, odds }
}

export const ratingSteps = (dataset: Dataset, bots: Bots): Steps<Ratings> =>
  updateRatings(noRatings, dataset, bots)
export const buildRatings = (
  dataset: Dataset,
  bots: Bots = buildBots(dataset.tournaments),
): Ratings => atOnce(ratingSteps(dataset, bots))

/** A bot in a class, as it enters a fight. */
const entrant = (
  { ratings: { state }, bots }: RatedLeague,
  ratingClass: RatingClass,
  rated: Rated,
  startUnix: number | null,
): Entrant => {
  const bot = state.classes.get(ratingClass)?.bots.get(rated.cleanName)
  if (bot) return { bot, origin: bot.origin }
  const entry = { startUnix, endUnix: Infinity, atUnix: meetingTime(state, startUnix) }
  return { bot, origin: originOf(state.classes, bots, ratingClass, rated, entry) }
}

/**
 * Strength of a bot in a fight at a time, from all completed fights, its form at this event included: the natural
 * logarithm of the odds against a bot of strength 0, normally distributed. A bot without a fight is a newcomer.
 */
export const strengthOf = (
  league: RatedLeague,
  ratingClass: RatingClass,
  bot: Rated,
  atUnix: number,
): Strength => strengthAt(league.ratings.state, entrant(league, ratingClass, bot, null), atUnix)

/**
 * Chance that the first of two bots wins a fight at a time: from fights decided before it if it has begun,
 * else from all completed fights. 0.5 between newcomers without a team.
 */
export const chanceOf = (
  league: RatedLeague,
  ratingClass: RatingClass,
  red: Rated,
  blue: Rated,
  startUnix: number | null,
): number =>
  chanceAt(
    league.ratings.state,
    entrant(league, ratingClass, red, startUnix),
    entrant(league, ratingClass, blue, startUnix),
    startUnix,
  )

/** 95 % range of that chance now, from the uncertainty of both strengths. */
export const chanceRange = (
  league: RatedLeague,
  ratingClass: RatingClass,
  red: Rated,
  blue: Rated,
): { readonly low: number; readonly high: number } => {
  const [one, other] = [red, blue].map((bot) =>
    strengthOf(league, ratingClass, bot, presentUnix(league.ratings)),
  )
  const mean = (one?.mean ?? 0) - (other?.mean ?? 0)
  const band = bandDeviations * Math.sqrt((one?.variance ?? 0) + (other?.variance ?? 0))
  const chance = (difference: number): number => 1 / (1 + Math.exp(-difference))
  return { low: chance(mean - band), high: chance(mean + band) }
}

/** End of the newest completed fight, the present of all ratings; 0 without one. */
export const presentUnix = ({ state }: Ratings): number => state.presentUnix

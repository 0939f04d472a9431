import type { TournamentChange } from '../../data/league/merge.ts'
import { inOrderOfPlay } from '../../data/league/order.ts'
import { positionAfter } from '../../data/league/sortedList.ts'
import type { Dataset, Fight, Tournament, TournamentInfo } from '../../data/league/types.ts'
import { atOnce, type Steps } from '../../runtime/timeSlice.ts'
import { type Bot, type Bots, buildBots, findBot } from '../careers/bots.ts'
import {
  boutsAfter,
  boutsOf,
  hasOdds,
  newestSession,
  type RatingClass,
  ratingClassOf,
  scoreOf,
  teachesSame,
} from './bouts.ts'
import { chanceAt, createFilter, meetingTime, type Rated, strengthAt } from './filter.ts'
import { oddsLength, oddsStride } from './odds.ts'
import { bandDeviations } from './points.ts'
import type { Entrant } from './sides.ts'
import { createSlots, noSlots, type Slots } from './slots.ts'
import {
  emptyState,
  type FilterState,
  fightsOfSlot,
  meanOfSlotBefore,
  type Place,
  rewind,
  type SlotValues,
  type Strength,
  startOfDay,
} from './state.ts'
import { originOf, teamKey } from './teams.ts'

/**
 * Strengths of all bots, and the chances before each fight: a function of the completed fights of the league in the
 * order of their end, and of nothing else.
 */
export interface Ratings {
  readonly slots: Slots
  readonly state: FilterState
  /** By tournament id, of those with a completed fight: rows of `boutsOf`, see {@link readOdds}. */
  readonly odds: ReadonlyMap<string, Float32Array>
}

export const noRatings: Ratings = { slots: noSlots, state: emptyState, odds: new Map() }

/** Ratings, and the bots of their league. */
export interface RatedLeague {
  readonly ratings: Ratings
  readonly bots: Bots
}

/** Newest fights of a bot that decide which class it comes from. */
const maxOriginFights = 64

/**
 * Strength of a bot in its other class with the most fights, or the later one on a tie; 0 without another class. Only
 * fights before the day of `startUnix` count, or all if it is null: no fight in another class that day changes a chance.
 */
const inheritedStrength = (
  slots: Slots,
  values: SlotValues,
  ratingClass: RatingClass,
  { cleanName, fights }: Bot,
  { startUnix, endUnix }: { readonly startUnix: number | null; readonly endUnix: number },
): number => {
  const beforeUnix = startUnix === null ? endUnix : startOfDay(startUnix)
  const isLater = ({ isCompleted, momentUnix }: Fight): boolean =>
    !isCompleted || momentUnix >= beforeUnix
  const first = positionAfter(fights, isLater)
  const counts = new Map<RatingClass, number>()
  // Those that teach nothing must not count: a change of them alone is no change of the ratings.
  for (let index = first, left = maxOriginFights; left > 0 && index < fights.length; index += 1) {
    const fight = fights[index]
    if (!fight?.isCompleted || !hasOdds(fight)) continue
    left -= 1
    const other = ratingClassOf(fight.tournament)
    if (other !== ratingClass) counts.set(other, (counts.get(other) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  const [origin] = [...counts].find(([, count]) => count === most) ?? []
  const slot = origin === undefined ? undefined : slots.get(origin)?.get(cleanName)
  const mean = slot === undefined ? 0 : meanOfSlotBefore(values, slot, startUnix)
  return Number.isNaN(mean) ? 0 : mean
}

/** A tournament whose fights are taken in. */
interface Field {
  readonly ratingClass: RatingClass
  /** One row for each fight, of which the first ones are written. */
  readonly values: Float32Array
  rows: number
}

/** Takes in all fights after the newest of `before`. */
function* takeSteps(before: Ratings, dataset: Dataset, bots: Bots): Steps<Ratings> {
  const { newest, checkpoint } = before.state
  const session = yield* newestSession(dataset, newest)
  const slots = createSlots(before.slots)
  /** Where all bots are new: those that have fought in any class. */
  const names = before.slots.size === 0 ? new Set<string>() : undefined
  const filter = createFilter(
    before.state,
    (values, { ratingClass, place, startUnix }, cleanName) => {
      if (names?.has(cleanName) === false) {
        names.add(cleanName)
        return 0
      }
      const bot = findBot(bots, cleanName)
      const times = { startUnix, endUnix: place.momentUnix }
      return bot ? inheritedStrength(slots.slots(), values, ratingClass, bot, times) : 0
    },
  )
  const odds = new Map(before.odds)
  const fields = new Map<TournamentInfo, Field>()
  const enterField = (fight: Fight): Field => {
    const { tournament } = fight
    const { id } = tournament
    const whole = dataset.tournamentsByID.get(id) ?? { fights: [], completedFights: 0 }
    const values = new Float32Array(whole.completedFights * oddsStride)
    const kept = odds.get(id)
    const rows = kept ? boutsOf(whole).indexOf(fight) : 0
    if (kept) values.set(kept.subarray(0, rows * oddsStride))
    const field = { ratingClass: ratingClassOf(tournament), values, rows }
    fields.set(tournament, field)
    odds.set(id, values)
    return field
  }
  let needsCheckpoint = !session && !checkpoint
  const take = (fight: Fight): void => {
    const field = fields.get(fight.tournament) ?? enterField(fight)
    const { ratingClass } = field
    const redPlayer = fight.red.player
    const bluePlayer = fight.blue.player
    const red = slots.slot(ratingClass, redPlayer.cleanName)
    const blue = slots.slot(ratingClass, bluePlayer.cleanName)
    if (fight === session || needsCheckpoint) filter.keepCheckpoint()
    needsCheckpoint = false
    const score = scoreOf(fight)
    const { momentUnix, startUnix, tournament } = fight
    const place = { momentUnix, playIndex: field.rows, tournament: { id: tournament.id } }
    const bout = { ratingClass, red, blue, redPlayer, bluePlayer, score, startUnix, place }
    filter.take(bout, field.values, field.rows)
    field.rows += 1
  }
  for (const fights of boutsAfter(dataset, newest)) {
    for (const fight of fights) take(fight)
    yield
  }
  for (const [{ id }, { values, rows }] of fields) {
    const length = rows * oddsStride
    if (length < values.length) odds.set(id, values.slice(0, length))
  }
  return { slots: slots.slots(), state: filter.state(), odds }
}

export const ratingSteps = (dataset: Dataset, bots: Bots): Steps<Ratings> =>
  takeSteps(noRatings, dataset, bots)
export const buildRatings = (
  dataset: Dataset,
  bots: Bots = buildBots(dataset.tournaments),
): Ratings => atOnce(ratingSteps(dataset, bots))

/** The first of the fights that teach something else than before. */
function* firstDifference({ removed, added }: TournamentChange): Steps<Place | undefined> {
  let first: Place | undefined
  const before = new Map(removed.map((tournament) => [tournament.info.id, tournament]))
  const after = new Map(added.map((tournament) => [tournament.info.id, tournament]))
  const none: Pick<Tournament, 'fights'> = { fights: [] }
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    yield
    const [one, other] = [before.get(id), after.get(id)]
    const was = boutsOf(one ?? none)
    const is = boutsOf(other ?? none)
    const isOneClass = one && other && ratingClassOf(one.info) === ratingClassOf(other.info)
    const length = Math.max(was.length, is.length)
    for (let index = 0; index < length; index += 1) {
      const [a, b] = [was[index], is[index]]
      if (isOneClass && a && b && teachesSame(a, b)) continue
      for (const fight of [a, b]) {
        if (!fight) continue
        const place = { momentUnix: fight.momentUnix, playIndex: index, tournament: { id } }
        if (!first || inOrderOfPlay(place, first) < 0) first = place
      }
      break
    }
  }
  return first
}

/** The newest known ratings that a difference leaves as they are. */
const ratingsBefore = (ratings: Ratings, difference: Place): Ratings => {
  const precedes = (place: Place | undefined): boolean =>
    place !== undefined && inOrderOfPlay(place, difference) < 0
  if (precedes(ratings.state.newest)) return ratings
  if (precedes(ratings.state.checkpoint?.newest)) {
    return { ...ratings, state: rewind(ratings.state) }
  }
  return noRatings
}

/**
 * The ratings after a change, equal to those of a new load. New fights cost no more than themselves; other changes
 * repeat the newest session, or if they are older the whole league.
 */
export function* updateRatings(
  before: Ratings,
  dataset: Dataset,
  change: TournamentChange,
  bots: Bots,
): Steps<Ratings> {
  const difference = yield* firstDifference(change)
  if (!difference) return before
  const { odds, ...base } = ratingsBefore(before, difference)
  const kept = new Map(odds)
  for (const { info } of change.removed) {
    const own = kept.get(info.id)
    if (!own) continue
    yield
    const tournament = dataset.tournamentsByID.get(info.id)
    const length = tournament ? boutsOf(tournament).length : 0
    if (length === 0) kept.delete(info.id)
    else if (oddsLength(own) > length) kept.set(info.id, own.slice(0, length * oddsStride))
  }
  return yield* takeSteps({ ...base, odds: kept }, dataset, bots)
}

/** A bot in a class, as it enters a fight. */
const entrant = (
  { ratings: { slots, state }, bots }: RatedLeague,
  ratingClass: RatingClass,
  { cleanName, team }: Rated,
  startUnix: number | null,
): Entrant => {
  const slot = slots.get(ratingClass)?.get(cleanName)
  if (slot !== undefined && fightsOfSlot(state, slot) > 0) return { slot, inherited: 0, team: 0 }
  const bot = findBot(bots, cleanName)
  const times = { startUnix, endUnix: Infinity }
  const inherited = bot ? inheritedStrength(slots, state, ratingClass, bot, times) : 0
  return {
    slot,
    ...originOf(state, inherited, teamKey(ratingClass, team), meetingTime(state, startUnix)),
  }
}

/**
 * Strength of a bot in a fight at a time, from all completed fights, its form at this event included: the natural
 * logarithm of the odds against a bot of strength 0, normally distributed. A bot without a fight has that of a newcomer.
 */
export const strengthOf = (
  league: RatedLeague,
  ratingClass: RatingClass,
  bot: Rated,
  atUnix: number,
): Strength => strengthAt(league.ratings.state, entrant(league, ratingClass, bot, null), atUnix)

/**
 * Chance that the first of two bots wins a fight at a time: from what was decided before it if the fight has begun,
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

/** 95 % range of that chance now, by what is not known of their strengths. */
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
export const presentUnix = ({ state }: Ratings): number => state.newest?.momentUnix ?? 0

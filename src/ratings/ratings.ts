import type { TournamentChange } from '../league/merge.ts'
import type { Dataset, Fight, Player, Tournament } from '../league/types.ts'
import { atOnce, type Steps } from '../timeSlice.ts'
import {
  boutsAfter,
  boutsOf,
  inOrderOfEnd,
  type RatingClass,
  ratingClassOf,
  scoreOf,
  teachesSame,
} from './bouts.ts'
import { chanceAt, createFilter, strengthAt } from './filter.ts'
import { oddsLength, oddsStride, writeOdds } from './odds.ts'
import { bandDeviations } from './points.ts'
import type { Entrant } from './sides.ts'
import { createSlots, noSlots, type Slots } from './slots.ts'
import {
  emptyState,
  type FilterState,
  fightsOfSlot,
  type Place,
  rewind,
  type SlotValues,
  type Strength,
  strengthOfSlot,
} from './state.ts'
import { createTeamKeys, originOf, teamKey } from './teams.ts'

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

/** A bot as it enters a fight: by its team alone if it is new. */
export type Rated = Pick<Player, 'cleanName' | 'team'>

/** Fights of one step, which takes less than a millisecond. */
const stepFights = 100

/** The strength of a bot in the other class in which it has fought most, of equal ones the larger; 0 without one. */
const inheritedStrength = (
  slots: Slots,
  values: SlotValues,
  ratingClass: RatingClass,
  cleanName: string,
): number => {
  let most = 0
  let mean = 0
  for (const [other, own] of slots) {
    const slot = other === ratingClass ? undefined : own.get(cleanName)
    const strength = slot === undefined ? undefined : strengthOfSlot(values, slot)
    if (slot === undefined || !strength) continue
    const fights = fightsOfSlot(values, slot)
    if (fights < most || (fights === most && strength.mean <= mean)) continue
    most = fights
    mean = strength.mean
  }
  return mean
}

const placeOf = ({ finishUnix, startUnix, tournament, round, id }: Fight): Place => ({
  finishUnix,
  startUnix,
  tournament: { id: tournament.id },
  round,
  id,
})

/** Fights further apart belong to different sessions. */
const sessionSeconds = 12 * 3600

/** Index of the first fight of the newest session; -1 if that had begun before and has its checkpoint. */
const newestSession = (fights: readonly Fight[], { newest, checkpoint }: FilterState): number => {
  const start = fights.findLastIndex((fight, index) => {
    const before = index === 0 ? newest : fights[index - 1]
    return (fight.finishUnix ?? 0) - (before?.finishUnix ?? 0) > sessionSeconds
  })
  return start === -1 && !checkpoint ? 0 : start
}

/** What is written of a tournament. */
interface Rows {
  readonly ratingClass: RatingClass
  readonly values: Float32Array
  next: number
}

/** Takes in all fights after the newest of `before`. */
function* takeSteps(before: Ratings, dataset: Dataset): Steps<Ratings> {
  const fights = yield* boutsAfter(dataset, before.state.newest)
  yield
  const slots = createSlots(before.slots)
  const filter = createFilter(before.state)
  const session = newestSession(fights, before.state)
  const odds = new Map(before.odds)
  const rows = new Map<string, Rows>()
  const keyOf = createTeamKeys()
  const rowsOf = (fight: Fight): Rows => {
    const { id } = fight.tournament
    const known = rows.get(id)
    if (known) return known
    const tournament = dataset.tournamentsByID.get(id)
    const bouts = tournament ? boutsOf(tournament) : []
    const values = new Float32Array(bouts.length * oddsStride)
    const next = bouts.indexOf(fight)
    values.set((odds.get(id) ?? values).subarray(0, next * oddsStride))
    const own = { ratingClass: ratingClassOf(fight.tournament), values, next }
    rows.set(id, own)
    odds.set(id, values)
    return own
  }
  for (const [index, fight] of fights.entries()) {
    const own = rowsOf(fight)
    const { ratingClass } = own
    const names = [fight.red.player.cleanName, fight.blue.player.cleanName] as const
    const red = slots.slot(ratingClass, names[0])
    const blue = slots.slot(ratingClass, names[1])
    if (index === session) filter.keepCheckpoint()
    const bout = {
      red,
      blue,
      redTeam: keyOf(ratingClass, fight.red.player.team),
      blueTeam: keyOf(ratingClass, fight.blue.player.team),
      score: scoreOf(fight),
      place: placeOf(fight),
    }
    const result = filter.take(bout, (slot) =>
      inheritedStrength(slots.slots(), filter.values(), ratingClass, names[slot === red ? 0 : 1]),
    )
    writeOdds(own.values, own.next, bout, result)
    own.next += 1
    if (index % stepFights === stepFights - 1) yield
  }
  return { slots: slots.slots(), state: filter.state(), odds }
}

export const ratingSteps = (dataset: Dataset): Steps<Ratings> => takeSteps(noRatings, dataset)
export const buildRatings = (dataset: Dataset): Ratings => atOnce(ratingSteps(dataset))

/** The first of the fights that teach something else than before. */
const firstDifference = ({ removed, added }: TournamentChange): Place | undefined => {
  let first: Place | undefined
  const before = new Map(removed.map((tournament) => [tournament.info.id, tournament]))
  const after = new Map(added.map((tournament) => [tournament.info.id, tournament]))
  const none: Pick<Tournament, 'fights'> = { fights: [] }
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(id), after.get(id)]
    const was = boutsOf(one ?? none)
    const is = boutsOf(other ?? none)
    const isOneClass = one && other && ratingClassOf(one.info) === ratingClassOf(other.info)
    const length = Math.max(was.length, is.length)
    for (let index = 0; index < length; index += 1) {
      const [a, b] = [was[index], is[index]]
      if (isOneClass && a && b && teachesSame(a, b)) continue
      for (const fight of [a, b]) {
        if (fight && (!first || inOrderOfEnd(fight, first) < 0)) first = fight
      }
      break
    }
  }
  return first
}

/** The newest known ratings that a difference leaves as they are. */
const ratingsBefore = (ratings: Ratings, difference: Place): Ratings => {
  const precedes = (place: Place | undefined): boolean =>
    place !== undefined && inOrderOfEnd(place, difference) < 0
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
): Steps<Ratings> {
  const difference = firstDifference(change)
  if (!difference) return before
  yield
  const { odds, ...base } = ratingsBefore(before, difference)
  const kept = new Map(odds)
  for (const { info } of change.removed) {
    const tournament = dataset.tournamentsByID.get(info.id)
    const length = tournament ? boutsOf(tournament).length : 0
    const own = kept.get(info.id)
    if (length === 0) kept.delete(info.id)
    else if (own && oddsLength(own) > length) kept.set(info.id, own.slice(0, length * oddsStride))
  }
  return yield* takeSteps({ ...base, odds: kept }, dataset)
}

/** A bot in a class, as it enters a fight. */
const entrant = (
  { slots, state }: Ratings,
  ratingClass: RatingClass,
  { cleanName, team }: Rated,
  startUnix: number | null,
): Entrant => {
  const slot = slots.get(ratingClass)?.get(cleanName)
  if (slot !== undefined && fightsOfSlot(state, slot) > 0) return { slot, inherited: 0, team: 0 }
  const inherited = inheritedStrength(slots, state, ratingClass, cleanName)
  return {
    slot,
    ...originOf(state, inherited, teamKey(ratingClass, team), startUnix),
  }
}

/**
 * Strength of a bot in a fight at a time, from all completed fights, its form at this event included: the natural
 * logarithm of the odds against a bot of strength 0, normally distributed. A bot without a fight has that of a newcomer.
 */
export const strengthOf = (
  ratings: Ratings,
  ratingClass: RatingClass,
  bot: Rated,
  atUnix: number,
): Strength => strengthAt(ratings.state, entrant(ratings, ratingClass, bot, null), atUnix)

/**
 * Chance that the first of two bots wins a fight at a time: from what was decided before it if the fight has begun,
 * else from all completed fights. 0.5 between newcomers without a team.
 */
export const chanceOf = (
  ratings: Ratings,
  ratingClass: RatingClass,
  red: Rated,
  blue: Rated,
  startUnix: number | null,
): number =>
  chanceAt(
    ratings.state,
    entrant(ratings, ratingClass, red, startUnix),
    entrant(ratings, ratingClass, blue, startUnix),
    startUnix,
  )

/** 95 % range of that chance now, by what is not known of their strengths. */
export const chanceRange = (
  ratings: Ratings,
  ratingClass: RatingClass,
  red: Rated,
  blue: Rated,
): { readonly low: number; readonly high: number } => {
  const [one, other] = [red, blue].map((bot) =>
    strengthOf(ratings, ratingClass, bot, presentUnix(ratings)),
  )
  const mean = (one?.mean ?? 0) - (other?.mean ?? 0)
  const band = bandDeviations * Math.sqrt((one?.variance ?? 0) + (other?.variance ?? 0))
  const chance = (difference: number): number => 1 / (1 + Math.exp(-difference))
  return { low: chance(mean - band), high: chance(mean + band) }
}

/** End of the newest completed fight, the present of all ratings; 0 without one. */
export const presentUnix = ({ state }: Ratings): number => state.newest?.finishUnix ?? 0

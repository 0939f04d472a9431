import type { TournamentChange } from '../league/merge.ts'
import type { Dataset, Fight, Tournament } from '../league/types.ts'
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
import { chanceAt, createFilter, type Odds, strengthAt } from './filter.ts'
import type { Entrant } from './sides.ts'
import { createSlots, noSlots, otherSlots, type Slots } from './slots.ts'
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

/**
 * Strengths of all bots, and the chances before each fight: a function of the completed fights of the league in the
 * order of their end, and of nothing else.
 */
export interface Ratings {
  readonly slots: Slots
  readonly state: FilterState
  /** By tournament id, of those with a completed fight: see {@link oddsOf}. */
  readonly odds: ReadonlyMap<string, Float32Array>
}

export const noRatings: Ratings = { slots: noSlots, state: emptyState, odds: new Map() }

/** Numbers kept of a fight: three chances, then mean and deviation of red and of blue after it. */
const oddsStride = 7
const oddsValues = ({ chance, winRate, elo, red, blue }: Odds): readonly number[] => [
  chance,
  winRate,
  elo,
  red.mean,
  Math.sqrt(red.variance),
  blue.mean,
  Math.sqrt(blue.variance),
]

/** Fights of one step, which takes less than a millisecond. */
const stepFights = 100

/** The strength of a bot in the other class in which it has fought most; 0 without one. */
const inheritedStrength = (
  slots: Slots,
  values: SlotValues,
  ratingClass: RatingClass,
  cleanName: string,
): number => {
  let most = 0
  let mean = 0
  for (const slot of otherSlots(slots, ratingClass, cleanName)) {
    const fights = fightsOfSlot(values, slot)
    if (fights <= most) continue
    most = fights
    mean = strengthOfSlot(values, slot)?.mean ?? 0
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

/** Takes in all fights after the newest of `before`. */
function* takeSteps(before: Ratings, dataset: Dataset): Steps<Ratings> {
  const fights = boutsAfter(dataset, before.state.newest)
  yield
  const slots = createSlots(before.slots)
  const filter = createFilter(before.state)
  const odds = new Map(before.odds)
  const rows = new Map<string, { readonly values: Float32Array; next: number }>()
  const rowsOf = ({ tournament: { id } }: Fight) => {
    const known = rows.get(id)
    if (known) return known
    const tournament = dataset.tournamentsByID.get(id)
    const bouts = tournament ? boutsOf(tournament).length : 0
    const values = new Float32Array(bouts * oddsStride)
    const isNewer = (fight: Fight) =>
      !before.state.newest || inOrderOfEnd(before.state.newest, fight) < 0
    const next = tournament ? boutsOf(tournament).findIndex(isNewer) : 0
    values.set((odds.get(id) ?? values).subarray(0, next * oddsStride))
    const own = { values, next }
    rows.set(id, own)
    odds.set(id, values)
    return own
  }
  for (const [index, fight] of fights.entries()) {
    const ratingClass = ratingClassOf(fight.tournament)
    const names = [fight.red.player.cleanName, fight.blue.player.cleanName] as const
    const red = slots.slot(ratingClass, names[0])
    const blue = slots.slot(ratingClass, names[1])
    const own = rowsOf(fight)
    const result = filter.take(
      { red, blue, score: scoreOf(fight), place: placeOf(fight) },
      (slot) =>
        inheritedStrength(slots.slots(), filter.values(), ratingClass, names[slot === red ? 0 : 1]),
    )
    own.values.set(oddsValues(result), own.next * oddsStride)
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
    const was = boutsOf(before.get(id) ?? none)
    const is = boutsOf(after.get(id) ?? none)
    const length = Math.max(was.length, is.length)
    for (let index = 0; index < length; index += 1) {
      const [a, b] = [was[index], is[index]]
      if (a && b && teachesSame(a, b)) continue
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
    if (!tournament || boutsOf(tournament).length === 0) kept.delete(info.id)
  }
  return yield* takeSteps({ ...base, odds: kept }, dataset)
}

/** A bot in a class, as it enters a fight. */
const entrant = (
  { slots, state }: Ratings,
  ratingClass: RatingClass,
  cleanName: string,
): Entrant => ({
  slot: slots.get(ratingClass)?.get(cleanName),
  inherited: inheritedStrength(slots, state, ratingClass, cleanName),
})

/**
 * Strength of a bot in a fight at a time, from all completed fights, its form at this event included: the natural
 * logarithm of the odds against a bot of strength 0, normally distributed. A bot without a fight has that of a newcomer.
 */
export const strengthOf = (
  ratings: Ratings,
  ratingClass: RatingClass,
  cleanName: string,
  atUnix: number,
): Strength => strengthAt(ratings.state, entrant(ratings, ratingClass, cleanName), atUnix)

/** Chance that the first of two bots wins a fight at a time, from all completed fights; 0.5 between newcomers. */
export const chanceOf = (
  ratings: Ratings,
  ratingClass: RatingClass,
  red: string,
  blue: string,
  atUnix: number,
): number =>
  chanceAt(
    ratings.state,
    entrant(ratings, ratingClass, red),
    entrant(ratings, ratingClass, blue),
    atUnix,
  )

/** End of the newest completed fight, the present of all ratings; 0 without one. */
export const presentUnix = ({ state }: Ratings): number => state.newest?.finishUnix ?? 0

/** Values of a completed fight, as they were then; strengths are those after it. */
export interface FightOdds {
  readonly chance: number
  readonly winRate: number
  readonly elo: number
  readonly red: { readonly mean: number; readonly deviation: number }
  readonly blue: { readonly mean: number; readonly deviation: number }
}

/** The values of the fight at an index of `boutsOf` its tournament. */
export const oddsOf = (odds: Float32Array, index: number): FightOdds => {
  const at = index * oddsStride
  return {
    chance: odds[at] ?? 0.5,
    winRate: odds[at + 1] ?? 0.5,
    elo: odds[at + 2] ?? 0.5,
    red: { mean: odds[at + 3] ?? 0, deviation: odds[at + 4] ?? 0 },
    blue: { mean: odds[at + 5] ?? 0, deviation: odds[at + 6] ?? 0 },
  }
}

import type { Dataset, Tournament } from '../../data/league/types.ts'
import { distinctClasses, type WeightClass } from '../../data/league/weightClass.ts'
import type { Steps } from '../../runtime/timeSlice.ts'
import type { Bot } from '../careers/bots.ts'
import { type RatingClass, ratingClassOf } from './bouts.ts'
import { oddsLength, readOdds } from './odds.ts'
import { lowOf } from './points.ts'
import type { Ratings } from './ratings.ts'
import type { Strength } from './state.ts'

/** A bot after a tournament. */
export interface RatedEvent {
  readonly tournament: Tournament
  /** End of its last fight there. */
  readonly unix: number
  readonly strength: Strength
  /** Fights in this class so far. */
  readonly fights: number
  /** Among the bots that had fought in the class within {@link rankedDays} before; equal ones share a rank. */
  readonly rank: number
}

export interface ClassHistory {
  readonly weightClass: WeightClass
  /** Oldest first. */
  readonly events: readonly RatedEvent[]
}

const rankedDays = 730

/**
 * A tournament of a class after those that ended before it: the same object in all ratings that have the same up to
 * there, so that a history depends on no later result.
 */
export interface Held {
  readonly id: string
  /** End of its last fight. */
  readonly unix: number
  readonly odds: Float32Array
  readonly before: Held | undefined
}

const heldBy = new WeakMap<Float32Array, WeakMap<object, Held>>()
const nothing = {}

const heldAfter = (before: Held | undefined, own: Omit<Held, 'before'>): Held => {
  const byBefore = heldBy.getOrInsertComputed(own.odds, () => new WeakMap())
  return byBefore.getOrInsertComputed(before ?? nothing, () => ({ ...own, before }))
}

const classesOf = new WeakMap<
  Dataset['tournaments'],
  ReadonlyMap<RatingClass, readonly Tournament[]>
>()
const knownHeld = new WeakMap<Ratings, Map<RatingClass, readonly Held[]>>()

/** The tournaments of a class in the order of their ends. */
const heldIn = (
  { tournaments }: Dataset,
  ratings: Ratings,
  ratingClass: RatingClass,
): readonly Held[] => {
  // A league can have thousands of classes: the tournaments of others are not looked at.
  const classes = classesOf.getOrInsertComputed(tournaments, () =>
    Map.groupBy(tournaments, ({ info }) => ratingClassOf(info)),
  )
  const known = knownHeld.getOrInsertComputed(ratings, () => new Map())
  return known.getOrInsertComputed(ratingClass, () => {
    const ended = (classes.get(ratingClass) ?? []).flatMap(({ info, fights }) => {
      const odds = ratings.odds.get(info.id)
      const unix = fights.find(({ isCompleted }) => isCompleted)?.finishUnix ?? 0
      return odds ? { id: info.id, unix, odds } : []
    })
    const held: Held[] = []
    for (const own of ended.sort((a, b) => a.unix - b.unix)) held.push(heldAfter(held.at(-1), own))
    return held
  })
}

/** Sources of a history in a class. */
export interface HistorySource {
  /** See {@link lastHeld}. */
  readonly last: Held | undefined
  readonly slot: number | undefined
  /** Variance that a strength gains in a second. */
  readonly drift: number
}

/** Classes of a bot, lightest first. */
export const ratedClasses = ({ classes }: Bot): readonly WeightClass[] =>
  distinctClasses(classes.map((own) => own.weightClass))

/** The last tournament of a bot in a class. */
export const lastHeld = (
  dataset: Dataset,
  ratings: Ratings,
  { entries }: Bot,
  ratingClass: RatingClass,
): Held | undefined => {
  const own = new Set(entries.map(({ tournament }) => tournament.info.id))
  return heldIn(dataset, ratings, ratingClass).findLast(({ id }) => own.has(id))
}

/** One pass over the fights of the class; takes milliseconds in a league of 120,000. */
function* historyIn(
  { entries, fights: ownFights }: Bot,
  weightClass: WeightClass,
  { last, slot: own, drift }: HistorySource,
): Steps<ClassHistory> {
  // Of tournaments held at one time the later is that of its last fight.
  const ownUnix = new Map(
    ownFights.toReversed().map(({ tournament, finishUnix }) => [tournament.id, finishUnix]),
  )
  const ownTournaments = new Map(entries.map(({ tournament }) => [tournament.info.id, tournament]))
  const tournaments: { readonly held: Held; readonly unix: number }[] = []
  for (let held = last; held; held = held.before) {
    tournaments.push({ held, unix: ownUnix.get(held.id) ?? held.unix })
  }
  tournaments.reverse().sort((a, b) => a.unix - b.unix)
  /** By slot: mean and variance, and when the tournament in which each fought last counts. */
  const bots = new Map<number, { mean: number; variance: number; unix: number }>()
  const events: RatedEvent[] = []
  const classKey = ratingClassOf(weightClass)
  /** Number of fights in the class up to a time, including those against names that cannot be rated. */
  const fightsUntil = (unix: number): number =>
    ownFights.filter(
      ({ tournament }) =>
        ratingClassOf(tournament) === classKey && (ownUnix.get(tournament.id) ?? 0) <= unix,
    ).length
  for (const { held, unix } of tournaments) {
    let isRated = false
    for (let index = 0; index < oddsLength(held.odds); index += 1) {
      const { red, blue, ...after } = readOdds(held.odds, index)
      bots.set(red, { mean: after.redMean, variance: after.redDeviation ** 2, unix })
      bots.set(blue, { mean: after.blueMean, variance: after.blueDeviation ** 2, unix })
      isRated ||= red === own || blue === own
    }
    yield
    const strength = own === undefined ? undefined : bots.get(own)
    const tournament = ownTournaments.get(held.id)
    if (!strength || !tournament || !isRated) continue
    const low = lowOf(strength)
    let rank = 1
    for (const other of bots.values()) {
      const elapsed = unix - other.unix
      const isRanked = elapsed <= rankedDays * 86_400
      const variance = other.variance + drift * elapsed
      if (isRanked && lowOf({ mean: other.mean, variance }) > low) rank += 1
    }
    const { mean, variance } = strength
    events.push({ tournament, unix, strength: { mean, variance }, fights: fightsUntil(unix), rank })
  }
  return { weightClass, events }
}

/** How the ratings of a bot came about, by class as in {@link ratedClasses}. */
export function* historySteps(
  bot: Bot,
  sources: readonly HistorySource[],
): Steps<readonly ClassHistory[]> {
  const histories: ClassHistory[] = []
  for (const [index, weightClass] of ratedClasses(bot).entries()) {
    const source = sources[index]
    if (source) histories.push(yield* historyIn(bot, weightClass, source))
  }
  return histories
}

import type { Dataset, Tournament } from '../../data/league/types.ts'
import { distinctClasses, type WeightClass } from '../../data/league/weightClass.ts'
import type { Steps } from '../../runtime/timeSlice.ts'
import type { Bot } from '../careers/bots.ts'
import { type RatingClass, ratingClassOf } from './bouts.ts'
import type { TournamentOdds } from './odds.ts'
import { lowOf } from './points.ts'
import type { Ratings } from './ratings.ts'
import { driftVariance, type Strength } from './state.ts'

/** A bot after a tournament. */
export interface RatedEvent {
  readonly tournament: Tournament
  /** End of its last fight there. */
  readonly unix: number
  readonly strength: Strength
  /** Number of fights in this class so far. */
  readonly fights: number
  /** Rank among the bots that had fought in the class within {@link rankedDays} before; equal ones share a rank. */
  readonly rank: number
}

export interface ClassHistory {
  readonly weightClass: WeightClass
  /** Events, oldest first. */
  readonly events: readonly RatedEvent[]
}

const rankedDays = 730

/** Classes of a bot, lightest first. */
const ratedClasses = ({ classes }: Bot): readonly WeightClass[] =>
  distinctClasses(classes.map((own) => own.weightClass))

/** A tournament of a class, and the time at which it counts. */
interface Held {
  readonly odds: TournamentOdds
  readonly id: string
  /** End of its last fight. */
  readonly unix: number
}

/**
 * Tournaments of a class in the order of their ends, up to the last one of a bot: no later result changes its history.
 */
const heldUntil = (
  { tournaments }: Dataset,
  ratings: Ratings,
  classKey: RatingClass,
  ownIDs: ReadonlySet<string>,
): readonly Held[] => {
  const ended = tournaments.flatMap(({ info, fights }): readonly Held[] => {
    const odds = ratingClassOf(info) === classKey ? ratings.odds.get(info.id) : undefined
    const unix = fights.find(({ isCompleted }) => isCompleted)?.finishUnix ?? 0
    return odds ? [{ id: info.id, unix, odds }] : []
  })
  ended.sort((a, b) => a.unix - b.unix)
  return ended.slice(0, 1 + ended.findLastIndex(({ id }) => ownIDs.has(id)))
}

/** One pass over the fights of the class, which takes milliseconds in a league of 120,000. */
function* historyIn(
  { cleanName, entries, fights: ownFights }: Bot,
  weightClass: WeightClass,
  dataset: Dataset,
  ratings: Ratings,
): Steps<ClassHistory> {
  const drift = driftVariance(ratings.state, 1)
  const classKey = ratingClassOf(weightClass)
  // The later of overlapping tournaments is the one with the later last fight.
  const ownUnix = new Map(
    ownFights.toReversed().map(({ tournament, finishUnix }) => [tournament.id, finishUnix]),
  )
  const ownTournaments = new Map(entries.map(({ tournament }) => [tournament.info.id, tournament]))
  const tournaments = heldUntil(dataset, ratings, classKey, new Set(ownTournaments.keys()))
    .map((held) => ({ ...held, unix: ownUnix.get(held.id) ?? held.unix }))
    .sort((a, b) => a.unix - b.unix)
  /** Mean and variance, and the time at which the last tournament of each counts. */
  const bots = new Map<string, { mean: number; variance: number; unix: number }>()
  const events: RatedEvent[] = []
  /** Number of fights in the class up to a time, including fights against names that cannot be rated. */
  const fightsUntil = (unix: number): number =>
    ownFights.filter(
      ({ tournament }) =>
        ratingClassOf(tournament) === classKey && (ownUnix.get(tournament.id) ?? 0) <= unix,
    ).length
  for (const { odds, id, unix } of tournaments) {
    let isRated = false
    for (const { red, blue, ...after } of odds.values()) {
      bots.set(red, { mean: after.redMean, variance: after.redDeviation ** 2, unix })
      bots.set(blue, { mean: after.blueMean, variance: after.blueDeviation ** 2, unix })
      isRated ||= red === cleanName || blue === cleanName
    }
    yield
    const strength = bots.get(cleanName)
    const tournament = ownTournaments.get(id)
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

/** History of the ratings of a bot, by class as in {@link ratedClasses}. */
export function* historySteps(
  bot: Bot,
  dataset: Dataset,
  ratings: Ratings,
): Steps<readonly ClassHistory[]> {
  const histories: ClassHistory[] = []
  for (const weightClass of ratedClasses(bot)) {
    histories.push(yield* historyIn(bot, weightClass, dataset, ratings))
  }
  return histories
}

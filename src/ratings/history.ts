import type { Bot } from '../careers/bots.ts'
import type { Dataset, Tournament } from '../league/types.ts'
import { distinctClasses, type WeightClass } from '../league/weightClass.ts'
import type { Steps } from '../timeSlice.ts'
import { ratingClassOf } from './bouts.ts'
import { oddsLength, readOdds } from './odds.ts'
import { lowOf } from './ranking.ts'
import type { Ratings } from './ratings.ts'
import { driftVariance, type Strength } from './state.ts'

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

const lastUnixOf = ({ fights }: Tournament): number =>
  fights.find(({ isCompleted }) => isCompleted)?.finishUnix ?? 0

/** One pass over the fights of the class; takes milliseconds in a league of 120,000. */
function* historyIn(
  dataset: Dataset,
  ratings: Ratings,
  { cleanName, fights: ownFights }: Bot,
  weightClass: WeightClass,
): Steps<ClassHistory> {
  const ratingClass = ratingClassOf(weightClass)
  // Of tournaments held at one time the later is that of its last fight.
  const ownUnix = new Map(
    ownFights.toReversed().map(({ tournament, finishUnix }) => [tournament.id, finishUnix]),
  )
  const own = ratings.slots.get(ratingClass)?.get(cleanName)
  const slots = [...(ratings.slots.get(ratingClass)?.values() ?? [])]
  const size = slots.reduce((most, slot) => Math.max(most, slot + 1), 0)
  const [means, variances] = [new Float64Array(size), new Float64Array(size)]
  /** When the tournament in which each fought last counts. */
  const latest = new Float64Array(size).fill(Number.NEGATIVE_INFINITY)
  const drift = driftVariance(ratings.state, 1)
  const events: RatedEvent[] = []
  let fights = 0
  const lowAt = (slot: number, unix: number): number => {
    const elapsed = unix - (latest[slot] ?? 0)
    if (elapsed > rankedDays * 86_400) return Number.NEGATIVE_INFINITY
    return lowOf({ mean: means[slot] ?? 0, variance: (variances[slot] ?? 0) + drift * elapsed })
  }
  const tournaments = dataset.tournaments
    .filter(({ info }) => ratings.odds.has(info.id) && ratingClassOf(info) === ratingClass)
    .map((tournament) => ({
      tournament,
      unix: ownUnix.get(tournament.info.id) ?? lastUnixOf(tournament),
    }))
    .sort((a, b) => a.unix - b.unix)
  for (const { tournament, unix } of tournaments) {
    const odds = ratings.odds.get(tournament.info.id) ?? new Float32Array(0)
    const before = fights
    for (let index = 0; index < oddsLength(odds); index += 1) {
      const { red, blue, redMean, redDeviation, blueMean, blueDeviation } = readOdds(odds, index)
      means[red] = redMean
      variances[red] = redDeviation ** 2
      latest[red] = unix
      means[blue] = blueMean
      variances[blue] = blueDeviation ** 2
      latest[blue] = unix
      fights += Number(red === own || blue === own)
    }
    yield
    if (own === undefined || fights === before) continue
    const low = lowAt(own, unix)
    const rank = 1 + slots.filter((slot) => lowAt(slot, unix) > low).length
    const strength = { mean: means[own] ?? 0, variance: variances[own] ?? 0 }
    events.push({ tournament, unix, strength, fights, rank })
  }
  return { weightClass, events }
}

/** How the ratings of a bot came about, by class, lightest first. */
export function* historySteps(
  dataset: Dataset,
  ratings: Ratings,
  bot: Bot,
): Steps<readonly ClassHistory[]> {
  const histories: ClassHistory[] = []
  for (const weightClass of distinctClasses(bot.classes.map((own) => own.weightClass))) {
    histories.push(yield* historyIn(dataset, ratings, bot, weightClass))
  }
  return histories
}

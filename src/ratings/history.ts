import type { Bot } from '../careers/bots.ts'
import type { Dataset, Tournament } from '../league/types.ts'
import { distinctClasses, type WeightClass } from '../league/weightClass.ts'
import { ratingClassOf } from './bouts.ts'
import { oddsLength, readOdds } from './odds.ts'
import { bandDeviations } from './points.ts'
import type { Ratings } from './ratings.ts'
import { driftVariance, type Strength } from './state.ts'

/** A bot after a tournament. */
export interface RatedEvent {
  readonly tournament: Tournament
  /** End of the last fight of the tournament. */
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
const historyIn = (
  dataset: Dataset,
  ratings: Ratings,
  cleanName: string,
  weightClass: WeightClass,
): ClassHistory => {
  const ratingClass = ratingClassOf(weightClass)
  const own = ratings.slots.get(ratingClass)?.get(cleanName)
  const latest = new Map<number, { mean: number; variance: number; unix: number }>()
  const events: RatedEvent[] = []
  let fights = 0
  const lowOf = (slot: number, unix: number): number => {
    const known = latest.get(slot)
    if (!known || known.unix < unix - rankedDays * 86_400) return Number.NEGATIVE_INFINITY
    const variance = known.variance + driftVariance(ratings.state, unix - known.unix)
    return known.mean - bandDeviations * Math.sqrt(variance)
  }
  const tournaments = dataset.tournaments
    .filter(({ info }) => ratings.odds.has(info.id) && ratingClassOf(info) === ratingClass)
    .map((tournament) => ({ tournament, unix: lastUnixOf(tournament) }))
    .sort((a, b) => a.unix - b.unix)
  for (const { tournament, unix } of tournaments) {
    const odds = ratings.odds.get(tournament.info.id) ?? new Float32Array(0)
    const before = fights
    for (let index = 0; index < oddsLength(odds); index += 1) {
      const { red, blue, redMean, redDeviation, blueMean, blueDeviation } = readOdds(odds, index)
      latest.set(red, { mean: redMean, variance: redDeviation ** 2, unix })
      latest.set(blue, { mean: blueMean, variance: blueDeviation ** 2, unix })
      fights += Number(red === own || blue === own)
    }
    const strength = own === undefined ? undefined : latest.get(own)
    if (own === undefined || fights === before || !strength) continue
    const low = lowOf(own, unix)
    let rank = 1
    for (const slot of latest.keys()) if (lowOf(slot, unix) > low) rank += 1
    const { mean, variance } = strength
    events.push({ tournament, unix, strength: { mean, variance }, fights, rank })
  }
  return { weightClass, events }
}

/** How the ratings of a bot came about, by class, lightest first. */
export const historyOf = (
  dataset: Dataset,
  ratings: Ratings,
  { cleanName, classes }: Bot,
): readonly ClassHistory[] =>
  distinctClasses(classes.map(({ weightClass }) => weightClass)).map((weightClass) =>
    historyIn(dataset, ratings, cleanName, weightClass),
  )

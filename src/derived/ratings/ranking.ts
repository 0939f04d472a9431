import type { Fight, Tournament } from '../../data/league/types.ts'
import { distinctClasses, isOfClass, type WeightClass } from '../../data/league/weightClass.ts'
import { inSlices, type Steps } from '../../runtime/timeSlice.ts'
import type { Bot, Bots } from '../careers/bots.ts'
import { boutsOf, hasOdds, ratingClassOf } from './bouts.ts'
import { readOdds } from './odds.ts'
import { lowOf } from './points.ts'
import { presentUnix, type Ratings } from './ratings.ts'
import {
  driftVariance,
  estimateOf,
  lastUnixOfSlot,
  type Strength,
  strengthOfSlot,
} from './state.ts'

/** Strength of a bot in one class, at the time of the newest fight of the league. */
export interface ClassRating {
  readonly weightClass: WeightClass
  readonly strength: Strength
  /** Completed fights in the class, including those against names that cannot be rated. */
  readonly fights: number
  /** End of the last of these fights. */
  readonly lastUnix: number
  /** The deviation is above {@link provisionalShare}. */
  readonly isProvisional: boolean
}

/** A rating is provisional while its deviation is above this share of that of a newcomer. */
const provisionalShare = 0.75

/** Values common to the ratings of all bots, computed once. */
const createRater = (ratings: Ratings) => {
  const { state, slots } = ratings
  const present = presentUnix(ratings)
  const driftRate = driftVariance(state, 1)
  const provisionalFrom = provisionalShare * estimateOf(state, 0)
  return (
    weightClass: WeightClass,
    { cleanName, classes, fights }: Bot,
  ): ClassRating | undefined => {
    const slot = slots.get(ratingClassOf(weightClass))?.get(cleanName)
    const known = slot === undefined ? undefined : strengthOfSlot(state, slot)
    if (slot === undefined || !known) return undefined
    const lastUnix = lastUnixOfSlot(state, slot)
    const key = ratingClassOf(weightClass)
    const own = classes.filter((each) => ratingClassOf(each.weightClass) === key)
    const last = fights.find(({ tournament }) => ratingClassOf(tournament) === key)
    const variance = known.variance + driftRate * Math.max(0, present - lastUnix)
    return {
      weightClass,
      strength: { mean: known.mean, variance },
      fights: own.reduce((sum, { totals }) => sum + totals.fights, 0),
      lastUnix: last?.finishUnix ?? lastUnix,
      isProvisional: Math.sqrt(variance) > provisionalFrom,
    }
  }
}

/** Ratings of a bot in each of its classes, lightest first. */
export const ratingsOfBot = (
  ratings: Ratings,
  bot: Bot,
  rate = createRater(ratings),
): readonly ClassRating[] => {
  const own = bot.classes.map(({ weightClass }) => weightClass)
  // Most bots have one.
  const distinct = own.length > 1 ? distinctClasses(own) : own
  return distinct.flatMap((weightClass) => rate(weightClass, bot) ?? [])
}

export interface RankedBot extends ClassRating {
  readonly bot: Bot
  /** Equal ones share a rank: 1, 2, 2, 4. */
  readonly rank: number
}

/**
 * Bots by the lower end of their band, so that two lucky wins are no first place; then by fights and clean name. With
 * `wanted` those of a class; `activeDays` leaves out bots without a fight in this many days before the newest, 0 none.
 */
export const rankBots = (...input: Parameters<typeof rankSteps>): Promise<readonly RankedBot[]> =>
  inSlices(rankSteps(...input))

/** Ratings of one step, about, which takes less than 2 ms. */
const stepRatings = 500

function* rankSteps(
  bots: Bots,
  ratings: Ratings,
  wanted: string | number | undefined,
  activeDays: number,
): Steps<readonly RankedBot[]> {
  const sinceUnix = activeDays === 0 ? 0 : presentUnix(ratings) - activeDays * 86_400
  const rate = createRater(ratings)
  /** By low, in steps of four points: each list is sorted in a step of its own. */
  const lists = new Map<number, { readonly low: number; readonly own: Omit<RankedBot, 'rank'> }[]>()
  let inStep = 0
  for (const bot of bots) {
    inStep += 1 + bot.classes.length
    if (inStep > stepRatings) {
      inStep = 0
      yield
    }
    for (const own of ratingsOfBot(ratings, bot, rate)) {
      if (own.lastUnix < sinceUnix) continue
      if (wanted !== undefined && !isOfClass(own.weightClass, wanted)) continue
      const low = lowOf(own.strength)
      const key = Math.floor(low / 4)
      lists.getOrInsertComputed(key, () => []).push({ low, own: { ...own, bot } })
    }
  }
  const ranked: RankedBot[] = []
  for (const [, list] of [...lists].sort(([a], [b]) => b - a)) {
    // Stable: bots are in the order of their clean names.
    list.sort((a, b) => b.low - a.low || b.own.fights - a.own.fights)
    for (const [index, { low, own }] of list.entries()) {
      const rank = list[index - 1]?.low === low ? ranked.at(-1)?.rank : undefined
      ranked.push({ ...own, rank: rank ?? ranked.length + 1 })
    }
    yield
  }
  return ranked
}

/**
 * The last fight of a bot in a tournament, and its strength after it; `odds` are the values of the tournament in
 * {@link Ratings}.
 */
export const lastFightIn = (
  tournament: Tournament,
  odds: Float32Array | undefined,
  cleanName: string,
): { readonly fight: Fight; readonly strength: Strength } | undefined => {
  const bouts = boutsOf(tournament)
  const index = bouts.findLastIndex(({ red, blue }) =>
    [red, blue].some(({ player }) => player.cleanName === cleanName),
  )
  const fight = bouts[index]
  if (!fight || !odds) return undefined
  const { redMean, redDeviation, blueMean, blueDeviation } = readOdds(odds, index)
  const strength =
    fight.red.player.cleanName === cleanName
      ? { mean: redMean, variance: redDeviation ** 2 }
      : { mean: blueMean, variance: blueDeviation ** 2 }
  return { fight, strength }
}

/** Gain of a rating in its last event in units of strength, since the event before or as a newcomer. */
export const lastChange = (
  { odds }: Ratings,
  { bot, weightClass, strength }: Pick<RankedBot, 'bot' | 'weightClass' | 'strength'>,
): number => {
  const ratingClass = ratingClassOf(weightClass)
  const own = bot.fights.filter(
    (fight) => hasOdds(fight) && ratingClassOf(fight.tournament) === ratingClass,
  )
  const before = own.find(({ tournament }) => tournament.id !== own[0]?.tournament.id)
  const tournament = bot.entries.find(
    ({ tournament: { info } }) => info.id === before?.tournament.id,
  )?.tournament
  const then = tournament && lastFightIn(tournament, odds.get(tournament.info.id), bot.cleanName)
  return strength.mean - (then?.strength.mean ?? 0)
}

import type { Fight, Tournament } from '../../data/league/types.ts'
import { distinctClasses, isOfClass, type WeightClass } from '../../data/league/weightClass.ts'
import type { Bot, Bots } from '../careers/bots.ts'
import { hasOdds, isBout, ratingClassOf } from './bouts.ts'
import type { TournamentOdds } from './odds.ts'
import { lowOf } from './points.ts'
import { presentUnix, type Ratings } from './ratings.ts'
import { driftVariance, estimateOf, type Strength } from './state.ts'

/** Strength of a bot in one class, at the time of the newest fight of the league. */
export interface ClassRating {
  readonly weightClass: WeightClass
  readonly strength: Strength
  /** Completed fights in the class, including fights against names that cannot be rated. */
  readonly fights: number
  /** End of the last of these fights. */
  readonly lastUnix: number
  /** True if the deviation is above {@link provisionalShare}. */
  readonly isProvisional: boolean
}

/** A rating is provisional while its deviation is above this share of a newcomer's. */
const provisionalShare = 0.75

/** Values common to the ratings of all bots, computed once. */
const createRater = (ratings: Ratings) => {
  const { state } = ratings
  const present = presentUnix(ratings)
  const driftRate = driftVariance(state, 1)
  const provisionalFrom = provisionalShare * estimateOf(state, 'width')
  return (
    weightClass: WeightClass,
    { cleanName, classes, fights }: Bot,
  ): ClassRating | undefined => {
    const key = ratingClassOf(weightClass)
    const rated = state.classes.get(key)?.bots.get(cleanName)
    if (!rated) return undefined
    const { strength, lastUnix } = rated
    const own = classes.filter((each) => ratingClassOf(each.weightClass) === key)
    const last = fights.find(({ tournament }) => ratingClassOf(tournament) === key)
    const variance = strength.variance + driftRate * Math.max(0, present - lastUnix)
    return {
      weightClass,
      strength: { mean: strength.mean, variance },
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
  // Most bots have one class.
  const distinct = own.length > 1 ? distinctClasses(own) : own
  return distinct.flatMap((weightClass) => rate(weightClass, bot) ?? [])
}

export interface RankedBot extends ClassRating {
  readonly bot: Bot
  /** Equal bots share a rank: 1, 2, 2, 4. */
  readonly rank: number
}

/**
 * Bots by the lower end of their band, so that two lucky wins give no first place; then by fights and clean name.
 * `wanted` selects a class; `activeDays` leaves out bots without a fight in this many days before the newest, 0 none.
 */
export const rankBots = (
  bots: Bots,
  ratings: Ratings,
  wanted: string | number | undefined,
  activeDays: number,
): readonly RankedBot[] => {
  const sinceUnix = activeDays === 0 ? 0 : presentUnix(ratings) - activeDays * 86_400
  const rate = createRater(ratings)
  const rated = bots
    .flatMap((bot) => ratingsOfBot(ratings, bot, rate).map((own) => ({ ...own, bot })))
    .filter(
      ({ lastUnix, weightClass }) =>
        lastUnix >= sinceUnix && (wanted === undefined || isOfClass(weightClass, wanted)),
    )
    .map((own) => ({ own, low: lowOf(own.strength) }))
    // Stable: bots are in the order of their clean names.
    .sort((a, b) => b.low - a.low || b.own.fights - a.own.fights)
  let rank = 0
  return rated.map(({ own, low }, index) => {
    if (low !== rated[index - 1]?.low) rank = index + 1
    return { ...own, rank }
  })
}

/** The last rated fight of a bot in a tournament with these odds, and its strength after it. */
export const lastFightIn = (
  tournament: Tournament,
  odds: TournamentOdds | undefined,
  cleanName: string,
): { readonly fight: Fight; readonly strength: Strength } | undefined => {
  const fight = tournament.fights.find(
    (each) =>
      isBout(each) && [each.red, each.blue].some(({ player }) => player.cleanName === cleanName),
  )
  const own = fight && odds?.get(fight.id)
  if (!own) return undefined
  const { redMean, redDeviation, blueMean, blueDeviation } = own
  const strength =
    own.red === cleanName
      ? { mean: redMean, variance: redDeviation ** 2 }
      : { mean: blueMean, variance: blueDeviation ** 2 }
  return { fight, strength }
}

/** Gain of a rating in its last event, in units of strength. */
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

import type { Dataset, Tournament } from '../../data/league/types.ts'
import type { WeightClass } from '../../data/league/weightClass.ts'
import type { Bot } from '../../derived/careers/bots.ts'
import { meetingsOf } from '../../derived/careers/headToHead.ts'
import { ratingClassOf } from '../../derived/ratings/bouts.ts'
import { calibrationSteps } from '../../derived/ratings/calibration.ts'
import { historySteps } from '../../derived/ratings/history.ts'
import { toPoints, toRating } from '../../derived/ratings/points.ts'
import {
  type ClassRating,
  lastChange,
  type RankedBot,
  ratingsOfBot,
} from '../../derived/ratings/ranking.ts'
import {
  chanceOf,
  chanceRange,
  type RatedLeague,
  type Ratings,
} from '../../derived/ratings/ratings.ts'
import { estimateOf, growthOf } from '../../derived/ratings/state.ts'
import { inSlices } from '../../runtime/timeSlice.ts'
import { toProbability } from '../fields.ts'
import type { WantedClass } from '../weightClass.ts'
import type {
  BotRating,
  CalibrationReport,
  HeadToHeadChance,
  Ranking,
  RatingHistory,
} from './schema.ts'

const classOf = ({ weightClassPounds, weightClassName }: WeightClass) => ({
  weightClass: weightClassPounds,
  weightClassName,
})

const wantedOf = (wanted: WantedClass | undefined) => ({
  weightClass: wanted?.weightClassPounds ?? null,
  weightClassName: wanted?.weightClassName ?? null,
})

export const botRating = ({
  weightClass,
  strength,
  fights,
  lastUnix,
  isProvisional,
}: ClassRating): BotRating => ({
  ...classOf(weightClass),
  ...toRating(strength),
  fights,
  lastFightTime: lastUnix,
  provisional: isProvisional,
})

export const rankingView = (
  ratings: Ratings,
  wanted: WantedClass | undefined,
  ranked: readonly RankedBot[],
  { active, limit, offset }: Pick<Ranking, 'active' | 'limit' | 'offset'>,
): Ranking => ({
  ...wantedOf(wanted),
  active,
  entries: ranked.slice(offset, offset + limit).map((entry) => ({
    rank: entry.rank,
    cleanName: entry.bot.cleanName,
    name: entry.bot.name,
    ...botRating(entry),
    change: toPoints(lastChange(ratings, entry)),
  })),
  total: ranked.length,
  limit,
  offset,
})

export const ratingHistory = async (
  bot: Bot,
  dataset: Dataset,
  ratings: Ratings,
): Promise<RatingHistory> => ({
  botName: bot.name,
  cleanName: bot.cleanName,
  classes: (await inSlices(historySteps(bot, dataset, ratings))).map(({ weightClass, events }) => ({
    ...classOf(weightClass),
    events: events.map(({ tournament: { info }, unix, strength, rank, fights }) => ({
      tournamentID: info.id,
      tournamentName: info.name,
      time: unix,
      ...toRating(strength),
      rank,
      fights,
    })),
  })),
})

const sixDecimals = (value: number): number => Number(value.toFixed(6))

export const calibrationReport = async (
  ratings: Ratings,
  wanted: WantedClass | undefined,
  from: string | undefined,
  tournaments: readonly Tournament[],
): Promise<CalibrationReport> => {
  const { fights, scores, bins } = await inSlices(calibrationSteps(ratings, tournaments))
  const { state } = ratings
  return {
    ...wantedOf(wanted),
    from: from ?? null,
    fights,
    rules: scores.map(({ rule, logLoss, brier }) => ({
      rule,
      logLoss: sixDecimals(logLoss),
      brier: sixDecimals(brier),
    })),
    bins: bins.map(({ predicted, observed, low, high, ...bin }) => ({
      ...bin,
      predicted: toProbability(predicted),
      observed: toProbability(observed),
      low: toProbability(low),
      high: toProbability(high),
    })),
    estimates: {
      width: toPoints(estimateOf(state, 'width')),
      drift: toPoints(estimateOf(state, 'drift')),
      form: toPoints(estimateOf(state, 'form')),
      growth: toPoints(growthOf(state)),
    },
  }
}

/**
 * The class that two bots would meet in: the class of their last meeting, else the one that both have fought in most.
 */
const sharedClass = (ratings: Ratings, one: Bot, other: Bot): WeightClass | undefined => {
  const [last] = meetingsOf(one, other)
  if (last) return last.tournament
  const fights = new Map(
    ratingsOfBot(ratings, other).map((own) => [ratingClassOf(own.weightClass), own.fights]),
  )
  const both = ratingsOfBot(ratings, one).map((own) => ({
    weightClass: own.weightClass,
    fights: Math.min(own.fights, fights.get(ratingClassOf(own.weightClass)) ?? 0),
  }))
  return both.filter((each) => each.fights > 0).sort((a, b) => b.fights - a.fights)[0]?.weightClass
}

/** Chance of the first of two bots in a fight now; null without a common class, and for a bot against itself. */
export const headToHeadChance = (league: RatedLeague, one: Bot, other: Bot): HeadToHeadChance => {
  const weightClass = one === other ? undefined : sharedClass(league.ratings, one, other)
  if (!weightClass) return null
  const sides = [ratingClassOf(weightClass), one, other] as const
  const { low, high } = chanceRange(league, ...sides)
  return {
    ...classOf(weightClass),
    bot1: toProbability(chanceOf(league, ...sides, null)),
    low: toProbability(low),
    high: toProbability(high),
  }
}

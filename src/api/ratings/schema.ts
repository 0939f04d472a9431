import { type Static, Type } from '@sinclair/typebox'
import { rules } from '../../derived/ratings/simpleRules.ts'
import { ofRatings } from '../../http/openapi/ofRatings.ts'
import {
  closed,
  closedList,
  count,
  listOf,
  literals,
  named,
  orNull,
  pounds,
  share,
  timestamp,
  total,
  weightClassName,
} from '../fields.ts'

const points = (description: string) => Type.Number({ description })

const ratingFields = {
  rating: points('1500 is a new bot; 400 points are a factor of ten in odds'),
  deviation: points('standard deviation of the rating'),
  low: points('the rating is above this with a chance of 97.5 %'),
  high: points('the rating is below this with a chance of 97.5 %'),
}
const classFields = { weightClass: pounds, weightClassName }

/** Rating of a bot in one weight class, as of the newest completed fight of the league. */
const classRating = {
  ...classFields,
  ...ratingFields,
  fights: Type.Integer({ minimum: 1, description: 'completed fights in this class' }),
  lastFightTime: timestamp('end of the last of them'),
  provisional: Type.Boolean({
    description: 'the deviation is still above three quarters of the deviation of a new bot',
  }),
}
export const BotRating = named('BotRating', classRating)
export type BotRating = Static<typeof BotRating>

export const Ranking = named('Ranking', {
  weightClass: orNull(Type.Integer(), 'in pounds; null for all classes'),
  weightClassName,
  active: total('days; 0 for all bots'),
  entries: closedList({
    rank: Type.Integer({ minimum: 1, description: 'equal values of low share a rank' }),
    cleanName: Type.String(),
    name: Type.String(),
    ...classRating,
    change: points('points gained in its last tournament; of a new bot since 1500'),
  }),
  total: total('bots in the whole list'),
  limit: Type.Integer({ minimum: 1 }),
  offset: count,
})
export type Ranking = Static<typeof Ranking>
export const RankingBody = named('RankingBody', { ratings: Ranking })

export const RatingHistory = named('RatingHistory', {
  botName: Type.String(),
  cleanName: Type.String(),
  classes: listOf('lightest first', {
    ...classFields,
    events: listOf('oldest first', {
      tournamentID: Type.String(),
      tournamentName: Type.String(),
      time: timestamp('end of the last fight of the bot there'),
      ...ratingFields,
      rank: Type.Integer({
        minimum: 1,
        description: 'among the bots with a fight within two years before',
      }),
      fights: Type.Integer({ minimum: 1, description: 'in this class so far' }),
    }),
  }),
})
export type RatingHistory = Static<typeof RatingHistory>

export const CalibrationReport = named('Calibration', {
  weightClass: orNull(Type.Integer(), 'in pounds; null for all classes'),
  weightClassName,
  from: orNull(Type.String(), 'first day of the tournaments counted; null for all'),
  fights: total('fights that one of the corners won'),
  rules: listOf(
    'ratings: those published; winRate: by shares of wins, each with two virtual wins and losses; elo: K 35, scale 600; coin: always 0.5',
    {
      rule: literals(rules),
      logLoss: Type.Number({
        minimum: 0,
        description:
          'mean of the negative logarithm of the chance that the winner had; less is better',
      }),
      brier: Type.Number({
        minimum: 0,
        description: 'mean square of chance minus result; less is better',
      }),
    },
  ),
  bins: closedList({
    from: share('lower bound of the chance of the likelier corner'),
    to: share('upper bound'),
    fights: Type.Integer({ minimum: 1 }),
    predicted: share('mean chance'),
    observed: share('share of the fights that it won'),
    low: share('lower end of the 95 % range of observed'),
    high: share('upper end of it'),
  }),
  estimates: closed({
    width: points('standard deviation of the ratings of new bots'),
    drift: points('standard deviation of the change of a rating in a year'),
    form: points('standard deviation of the form of a bot at one event'),
    growth: points('what a bot gains over its first fights'),
  }),
})
export type CalibrationReport = Static<typeof CalibrationReport>
export const CalibrationBody = named('CalibrationBody', { calibration: CalibrationReport })

export const HeadToHeadChance = orNull(
  closed({
    ...classFields,
    bot1: share('chance that the first bot wins a fight now'),
    low: share('lower end of its 95 % range'),
    high: share('upper end of it'),
  }),
  'in the class of their last meeting, else in the class that both have fought in most; null without one',
  { title: 'HeadToHeadChance', ...ofRatings },
)
export type HeadToHeadChance = Static<typeof HeadToHeadChance>

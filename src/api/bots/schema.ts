import { type Static, Type } from '@sinclair/typebox'
import { ofRatings } from '../../http/openapi/ofRatings.ts'
import { Pagination } from '../../http/paging.ts'
import { closed, count, driver, named, orNull, team, timestamp, total } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'
import { ScheduledMatch } from '../live/schema.ts'
import { BotRating } from '../ratings/schema.ts'
import { NextGame } from '../tournaments/schema.ts'

export const rate = (description: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `${description}, four decimals` })
export const seconds = Type.Number({
  minimum: 0,
  description: 'seconds; 0 if no fight was measured',
})
export const classFields = {
  weightClasses: Type.Array(Type.Integer(), {
    description: 'weight classes of the fights in pounds, ascending',
  }),
  weightClassNames: Type.Array(Type.String(), {
    description: 'those that have a name, as the league writes it; lightest first',
  }),
}
export const methods = Type.Record(Type.String(), count, {
  description: 'fights by win type, the most frequent first',
})

/** Time of a fight: its stop, else its end, else its start, else the start of its tournament. */
export const finishTime = (which: 'first' | 'last') =>
  timestamp(`stop of the ${which} completed fight, else its end, start or tournament's start`)

/** One bot in a list; every number counts completed fights. */
export const BotSummary = named('BotSummary', {
  cleanName: Type.String({ description: 'name for URLs' }),
  name: Type.String({ description: 'display name in the newest tournament' }),
  totalFights: total('completed fights'),
  totalWins: total('fights won'),
  totalLosses: total('fights lost'),
  winRate: rate('wins per fight'),
  totalTournaments: total('tournaments with a fight'),
  ...classFields,
  lastFightTime: finishTime('last'),
  team,
  driver,
  totalDraws: total('completed fights without a winner, including double forfeits'),
})
export type BotSummary = Static<typeof BotSummary>

export const FightRef = named('FightRef', {
  tournamentID: Type.String(),
  tournamentName: Type.String(),
  gameID: Type.String(),
  player1: Type.String(),
  player2: Type.String(),
  opponent: Type.String({ description: 'the other bot; empty in statistics of a tournament' }),
  opponentClean: Type.String(),
  matchLength: total('seconds'),
  winAnnotation: Type.String(),
  stopTime: timestamp('end of the fighting'),
})
export type FightRef = Static<typeof FightRef>
export const fightRefOrNull = Type.Union([FightRef, Type.Null()], { title: 'FightRefOrNull' })

export const BotStats = named('BotStats', {
  botName: Type.String(),
  cleanName: Type.String(),
  totalWins: count,
  totalLosses: total(
    'fights the opponent won; draws and double forfeits are neither wins nor losses',
  ),
  totalDraws: total('completed fights without a winner, including double forfeits'),
  totalFights: count,
  totalTournaments: count,
  winRate: rate('wins per fight'),
  winMethodBreakdown: methods,
  lossMethodBreakdown: methods,
  koRate: rate('wins by KO or TKO per fight'),
  durationStats: closed({
    averageSeconds: seconds,
    medianSeconds: seconds,
    totalFightTimeSeconds: seconds,
    fightsMeasured: total('fights with a duration'),
    longest: fightRefOrNull,
    shortest: fightRefOrNull,
  }),
  avgMatchDurationSeconds: seconds,
  longestFight: fightRefOrNull,
  shortestFight: fightRefOrNull,
  recentFights: Type.Array(FightSummary, { maxItems: 10 }),
  picture: orNull(Type.String(), 'address of the newest hero still; null without one'),
  ...classFields,
  currentStreak: closed({
    type: Type.Union([Type.Literal('W'), Type.Literal('L'), Type.Null()]),
    length: count,
  }),
  longestWinStreak: count,
  firstFightTime: finishTime('first'),
  lastFightTime: finishTime('last'),
  team,
  driver,
  ratings: Type.Optional(
    Type.Array(BotRating, {
      ...ofRatings,
      description: 'ratings by weight class, lightest first; absent if ratings are turned off',
    }),
  ),
})
export type BotStats = Static<typeof BotStats>

export const BotPage = named('BotPage', { bots: Type.Array(BotSummary), pagination: Pagination })
export const BotBody = named('BotBody', { bot: BotStats })
export const UpcomingFights = named('UpcomingFights', {
  botName: Type.String(),
  matches: Type.Array(ScheduledMatch),
  count,
  next: Type.Array(NextGame, {
    description: 'games that wait for its opponent, and games that its own games lead to',
  }),
})
export const BotFights = named('BotFights', {
  botName: Type.String(),
  fights: Type.Array(FightSummary),
})

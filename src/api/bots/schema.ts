import { type Static, Type } from '@sinclair/typebox'
import { Pagination } from '../../http/paging.ts'
import { closed, named, timestamp, total } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'
import { ScheduledMatch } from '../live/schema.ts'

export const count = Type.Integer({ minimum: 0 })
export const rate = (description: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `${description}, four decimals` })
export const seconds = Type.Number({
  minimum: 0,
  description: 'seconds; 0 if no fight was measured',
})
export const weightClasses = Type.Array(Type.Integer(), {
  description: 'weight classes of the fights in pounds, ascending',
})
export const methods = Type.Record(Type.String(), count, {
  description: 'fights by win type, the most frequent first',
})

/** Time of a fight: its stop, else its end, else its start, else the start of its tournament. */
export const finishTime = (which: 'first' | 'last') =>
  timestamp(`stop of the ${which} completed fight, else its end, start or tournament's start`)

/** One bot in a list; every number counts completed fights. */
export const BotSummary = Type.Object(
  {
    cleanName: Type.String({ description: 'name for URLs' }),
    name: Type.String({ description: 'display name in the newest tournament' }),
    totalFights: total('completed fights'),
    totalWins: total('fights won'),
    totalLosses: total('fights lost'),
    winRate: rate('wins per fight'),
    totalTournaments: Type.Integer({ minimum: 0, description: 'tournaments with a fight' }),
    weightClasses,
    lastFightTime: finishTime('last'),
  },
  named('BotSummary'),
)
export type BotSummary = Static<typeof BotSummary>

/** A notable fight. */
export const FightRef = Type.Object(
  {
    tournamentID: Type.String(),
    tournamentName: Type.String(),
    gameID: Type.String(),
    player1: Type.String(),
    player2: Type.String(),
    opponent: Type.String({ description: 'the other bot; empty in statistics of a tournament' }),
    opponentClean: Type.String(),
    matchLength: Type.Integer({ minimum: 0, description: 'seconds' }),
    winAnnotation: Type.String(),
    stopTime: timestamp('end of the fighting'),
  },
  named('FightRef'),
)
export type FightRef = Static<typeof FightRef>
export const fightRefOrNull = Type.Union([FightRef, Type.Null()], { title: 'FightRefOrNull' })

/** A career. */
export const BotStats = Type.Object(
  {
    botName: Type.String(),
    cleanName: Type.String(),
    totalWins: count,
    totalLosses: Type.Integer({
      minimum: 0,
      description: 'fights the opponent won; draws and double forfeits are neither wins nor losses',
    }),
    totalFights: count,
    totalTournaments: count,
    winRate: rate('wins per fight'),
    winMethodBreakdown: methods,
    lossMethodBreakdown: methods,
    koRate: rate('wins by KO or TKO per fight'),
    durationStats: Type.Object(
      {
        averageSeconds: seconds,
        medianSeconds: seconds,
        totalFightTimeSeconds: seconds,
        fightsMeasured: Type.Integer({ minimum: 0, description: 'fights with a duration' }),
        longest: fightRefOrNull,
        shortest: fightRefOrNull,
      },
      closed,
    ),
    avgMatchDurationSeconds: seconds,
    longestFight: fightRefOrNull,
    shortestFight: fightRefOrNull,
    recentFights: Type.Array(FightSummary, { maxItems: 10 }),
    picture: Type.Union([Type.String(), Type.Null()], {
      description: 'address of the newest hero still; null without one',
    }),
    weightClasses,
    currentStreak: Type.Object(
      {
        type: Type.Union([Type.Literal('W'), Type.Literal('L'), Type.Null()]),
        length: count,
      },
      closed,
    ),
    longestWinStreak: count,
    firstFightTime: finishTime('first'),
    lastFightTime: finishTime('last'),
  },
  named('BotStats'),
)
export type BotStats = Static<typeof BotStats>

export const BotPage = Type.Object(
  { bots: Type.Array(BotSummary), pagination: Pagination },
  named('BotPage'),
)
export const BotBody = Type.Object({ bot: BotStats }, named('BotBody'))
export const UpcomingFights = Type.Object(
  {
    botName: Type.String(),
    matches: Type.Array(ScheduledMatch),
    count,
  },
  named('UpcomingFights'),
)
export const BotFights = Type.Object(
  { botName: Type.String(), fights: Type.Array(FightSummary) },
  named('BotFights'),
)

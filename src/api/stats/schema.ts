import { type Static, Type } from '@sinclair/typebox'
import {
  BotStats,
  count,
  fightRefOrNull,
  finishTime,
  methods,
  seconds,
  weightClasses,
} from '../bots/schema.ts'
import { closed, flag, named, timestamp } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'

const secondsOrNull = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: `${description} in seconds; null when unknown`,
  })

export const FightStats = Type.Object(
  {
    tournamentID: Type.String(),
    gameID: Type.String(),
    roundName: Type.String(),
    matchDurationSeconds: Type.Integer({ minimum: 0, description: 'stop minus start' }),
    timerDuration: secondsOrNull('time on the fight clock, without pauses,'),
    countdown: secondsOrNull('the fight clock as set,'),
    wasPaused: Type.Boolean(),
    pauseCount: count,
    pausedSeconds: count,
    pauses: Type.Array(
      Type.Object(
        {
          startTime: timestamp('start of the pause'),
          seconds: Type.Integer({ minimum: 0, description: '0 while the pause is going on' }),
        },
        closed,
      ),
    ),
    winMethod: Type.String({ description: 'win type; empty until decided' }),
    judgesScorecard: Type.Array(
      Type.Object(
        {
          judge: Type.String(),
          bot: Type.String({ description: 'display name' }),
          category: Type.String(),
          rating: Type.Number({ minimum: 0 }),
        },
        closed,
      ),
    ),
    players: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          cleanName: Type.String(),
          score: Type.Union([Type.Integer(), Type.Null()]),
          isWinner: flag('1 when this corner won'),
          unstickTime: secondsOrNull('unstick allowance used,'),
          showMotionTime: secondsOrNull('time under a show-motion count,'),
        },
        closed,
      ),
      { minItems: 2, maxItems: 2, description: 'red, then blue' },
    ),
    cameraCount: count,
  },
  named('FightStats'),
)
export type FightStats = Static<typeof FightStats>

export const TournamentStats = Type.Object(
  {
    tournamentID: Type.String(),
    tournamentName: Type.String(),
    totalPlayers: count,
    totalFights: Type.Integer({ minimum: 0, description: 'played or not' }),
    completedFights: count,
    averageMatchDurationSeconds: seconds,
    medianMatchDurationSeconds: seconds,
    totalFightTimeSeconds: seconds,
    winMethodBreakdown: methods,
    longestFight: fightRefOrNull,
    shortestFight: fightRefOrNull,
    pausedFights: count,
    totalPauses: count,
    totalPausedSeconds: count,
  },
  named('TournamentStats'),
)
export type TournamentStats = Static<typeof TournamentStats>

const Side = Type.Object(
  { name: Type.String(), cleanName: Type.String(), wins: count },
  { ...named('HeadToHeadSide'), description: 'an unknown bot has no name' },
)
export const HeadToHead = Type.Object(
  {
    bot1: Side,
    bot2: Side,
    totalFights: count,
    winMethodBreakdown: methods,
    averageMatchDurationSeconds: seconds,
    firstMeeting: finishTime('first'),
    lastMeeting: finishTime('last'),
    fights: Type.Array(FightSummary, { description: 'completed, newest first' }),
  },
  named('HeadToHead'),
)
export type HeadToHead = Static<typeof HeadToHead>

export const MetricName = Type.Union(
  [
    Type.Literal('wins'),
    Type.Literal('winRate'),
    Type.Literal('koRate'),
    Type.Literal('avgMatchDuration'),
  ],
  { title: 'MetricName', default: 'wins' },
)
export const Leaderboard = Type.Object(
  {
    metric: MetricName,
    order: Type.Union([Type.Literal('desc'), Type.Literal('asc')]),
    weightClass: Type.Union([Type.Integer(), Type.Null()]),
    minFights: count,
    entries: Type.Array(
      Type.Object(
        {
          rank: Type.Integer({ minimum: 1, description: 'equal values share a rank' }),
          cleanName: Type.String(),
          name: Type.String(),
          value: Type.Number(),
          totalWins: count,
          totalLosses: count,
          totalFights: count,
          weightClasses,
        },
        closed,
      ),
    ),
  },
  named('Leaderboard'),
)
export type Leaderboard = Static<typeof Leaderboard>

export const FightStatsBody = Type.Object({ fightStats: FightStats }, named('FightStatsBody'))
export const BotStatsBody = Type.Object({ botStats: BotStats }, named('BotStatsBody'))
export const TournamentStatsBody = Type.Object(
  { tournamentStats: TournamentStats },
  named('TournamentStatsBody'),
)
export const HeadToHeadBody = Type.Object({ headToHead: HeadToHead }, named('HeadToHeadBody'))
export const LeaderboardBody = Type.Object({ leaderboard: Leaderboard }, named('LeaderboardBody'))

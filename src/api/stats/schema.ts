import { type Static, Type } from '@sinclair/typebox'
import {
  BotStats,
  classFields,
  fightRefOrNull,
  finishTime,
  methods,
  seconds,
} from '../bots/schema.ts'
import {
  chanceFields,
  closed,
  closedList,
  count,
  flag,
  literals,
  named,
  openText,
  orNull,
  timestamp,
  total,
  weightClassName,
} from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'
import { HeadToHeadChance } from '../ratings/schema.ts'

const secondsOrNull = (description: string) =>
  orNull(count, `${description} in seconds; null when unknown`)

export const FightStats = named('FightStats', {
  tournamentID: Type.String(),
  gameID: Type.String(),
  roundName: Type.String(),
  matchDurationSeconds: total('stop minus start'),
  timerDuration: secondsOrNull('time on the fight clock, without pauses,'),
  countdown: secondsOrNull('the fight clock as set,'),
  wasPaused: Type.Boolean(),
  pauseCount: count,
  pausedSeconds: count,
  pauses: closedList({
    startTime: timestamp('start of the pause'),
    seconds: total('0 while the pause is going on'),
  }),
  winMethod: Type.String({ description: 'win type; empty until decided' }),
  judgesScorecard: closedList({
    judge: Type.String(),
    bot: Type.String({ description: 'display name' }),
    category: Type.String(),
    rating: Type.Number({ minimum: 0 }),
  }),
  players: Type.Array(
    closed({
      name: Type.String(),
      cleanName: Type.String(),
      score: Type.Union([Type.Integer(), Type.Null()]),
      isWinner: flag('1 when this corner won'),
      unstickTime: secondsOrNull('unstick allowance used,'),
      showMotionTime: secondsOrNull('time under a show-motion count,'),
    }),
    { minItems: 2, maxItems: 2, description: 'red, then blue' },
  ),
  cameraCount: count,
  ...chanceFields,
})
export type FightStats = Static<typeof FightStats>

export const TournamentStats = named('TournamentStats', {
  tournamentID: Type.String(),
  tournamentName: Type.String(),
  totalPlayers: count,
  totalFights: total('played or not'),
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
})
export type TournamentStats = Static<typeof TournamentStats>

const Side = named(
  'HeadToHeadSide',
  { name: Type.String(), cleanName: Type.String(), wins: count },
  { description: 'an unknown bot has no name' },
)
export const HeadToHead = named('HeadToHead', {
  bot1: Side,
  bot2: Side,
  totalFights: count,
  winMethodBreakdown: methods,
  averageMatchDurationSeconds: seconds,
  firstMeeting: finishTime('first'),
  lastMeeting: finishTime('last'),
  fights: Type.Array(FightSummary, { description: 'completed, newest first' }),
  chance: Type.Optional(HeadToHeadChance),
})
export type HeadToHead = Static<typeof HeadToHead>

const metrics = ['wins', 'winRate', 'koRate', 'avgMatchDuration'] as const
export const MetricName = literals(metrics, { title: 'MetricName', default: 'wins' })
export const Leaderboard = named('Leaderboard', {
  metric: openText(metrics, 'what the bots are ranked by'),
  order: literals(['desc', 'asc']),
  weightClass: Type.Union([Type.Integer(), Type.Null()]),
  weightClassName,
  minFights: count,
  entries: closedList({
    rank: Type.Integer({ minimum: 1, description: 'equal values share a rank' }),
    cleanName: Type.String(),
    name: Type.String(),
    value: Type.Number(),
    totalWins: count,
    totalLosses: count,
    totalFights: count,
    ...classFields,
  }),
})
export type Leaderboard = Static<typeof Leaderboard>

export const FightStatsBody = named('FightStatsBody', { fightStats: FightStats })
export const BotStatsBody = named('BotStatsBody', { botStats: BotStats })
export const TournamentStatsBody = named('TournamentStatsBody', {
  tournamentStats: TournamentStats,
})
export const HeadToHeadBody = named('HeadToHeadBody', { headToHead: HeadToHead })
export const LeaderboardBody = named('LeaderboardBody', { leaderboard: Leaderboard })

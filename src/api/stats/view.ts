import type { Fight, Pause, Tournament } from '../../data/league/types.ts'
import type { WeightClass } from '../../data/league/weightClass.ts'
import { type Bot, classFields, wonBy } from '../../derived/careers/bots.ts'
import { buildDurations, countMethods } from '../../derived/careers/durations.ts'
import { meetingsOf } from '../../derived/careers/headToHead.ts'
import { type Metric, metricRules, type Place } from '../../derived/careers/leaderboard.ts'
import { parseJudgeLine } from '../../derived/careers/scorecard.ts'
import { fightRef } from '../bots/view.ts'
import { toFlag, toTimestamp } from '../fields.ts'
import { fightSummary, matchLength } from '../fights/view.ts'
import type { FightStats, HeadToHead, Leaderboard, TournamentStats } from './schema.ts'

const pauseSeconds = ({ startUnix, stopUnix }: Pause): number =>
  stopUnix === null ? 0 : Math.max(0, stopUnix - startUnix)

const sumPauses = (pauses: readonly Pause[]): number =>
  pauses.reduce((sum, pause) => sum + pauseSeconds(pause), 0)

export const fightStats = (fight: Fight): FightStats => ({
  tournamentID: fight.tournament.id,
  gameID: fight.id,
  roundName: fight.roundName,
  matchDurationSeconds: matchLength(fight),
  timerDuration: fight.timerSeconds,
  countdown: fight.countdownSeconds,
  wasPaused: fight.pauses.length > 0,
  pauseCount: fight.pauses.length,
  pausedSeconds: sumPauses(fight.pauses),
  pauses: fight.pauses.map((pause) => ({
    startTime: pause.startUnix,
    seconds: pauseSeconds(pause),
  })),
  winMethod: fight.winAnnotation ?? '',
  judgesScorecard: fight.judgeLines.flatMap(parseJudgeLine).flatMap((score) => [
    { judge: score.judge, bot: fight.red.player.name, category: score.category, rating: score.red },
    {
      judge: score.judge,
      bot: fight.blue.player.name,
      category: score.category,
      rating: score.blue,
    },
  ]),
  players: [fight.red, fight.blue].map((corner) => ({
    name: corner.player.name,
    cleanName: corner.player.cleanName,
    score: corner.score,
    isWinner: toFlag(corner.isWinner),
    unstickTime: corner.unstickSeconds,
    showMotionTime: corner.showMotionSeconds,
  })),
  cameraCount: fight.recordings.length,
})

const wonBySomebody = ({ red, blue }: Fight): boolean => red.isWinner || blue.isWinner

export const tournamentStats = ({ info, fights }: Tournament): TournamentStats => {
  const completed = fights.filter(({ isCompleted }) => isCompleted)
  const durations = buildDurations(completed)
  return {
    tournamentID: info.id,
    tournamentName: info.name,
    totalPlayers: info.numPlayers,
    totalFights: fights.length,
    completedFights: completed.length,
    averageMatchDurationSeconds: durations.averageSeconds,
    medianMatchDurationSeconds: durations.medianSeconds,
    totalFightTimeSeconds: durations.totalSeconds,
    winMethodBreakdown: countMethods(completed.filter(wonBySomebody)),
    longestFight: fightRef(durations.longest),
    shortestFight: fightRef(durations.shortest),
    pausedFights: completed.filter(({ pauses }) => pauses.length > 0).length,
    totalPauses: completed.reduce((sum, { pauses }) => sum + pauses.length, 0),
    totalPausedSeconds: completed.reduce((sum, { pauses }) => sum + sumPauses(pauses), 0),
  }
}

/** Side of a head-to-head record; the bot can be unknown. */
export interface NamedBot {
  readonly cleanName: string
  readonly bot: Bot | undefined
}

/** Completed fights between two bots; none if one is unknown. */
export const headToHead = (one: NamedBot, other: NamedBot): HeadToHead => {
  const fights = one.bot && other.bot ? meetingsOf(one.bot, other.bot) : []
  const side = ({ cleanName, bot }: NamedBot) => ({
    name: bot?.name ?? '',
    cleanName,
    wins: fights.filter((fight) => wonBy(fight, cleanName)).length,
  })
  return {
    bot1: side(one),
    bot2: side(other),
    totalFights: fights.length,
    winMethodBreakdown: countMethods(fights.filter(wonBySomebody)),
    averageMatchDurationSeconds: buildDurations(fights).averageSeconds,
    firstMeeting: toTimestamp(fights.at(-1)?.finishUnix ?? null),
    lastMeeting: toTimestamp(fights[0]?.finishUnix ?? null),
    fights: fights.map(fightSummary),
  }
}

export const leaderboardView = (
  metric: Metric,
  wanted: WeightClass | undefined,
  places: readonly Place[],
): Leaderboard => ({
  metric,
  order: metricRules[metric].order,
  weightClass: wanted?.weightClassPounds ?? null,
  weightClassName: wanted?.weightClassName ?? null,
  minFights: metricRules[metric].minFights,
  entries: places.map(({ rank, bot, totals, value }) => ({
    rank,
    cleanName: bot.cleanName,
    name: bot.name,
    value,
    totalWins: totals.wins,
    totalLosses: totals.losses,
    totalFights: totals.fights,
    ...classFields(bot),
  })),
})

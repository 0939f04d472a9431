import { asEntered } from '../../data/league/mistypedYears.ts'
import type { Fight } from '../../data/league/types.ts'
import { type Bot, classFields, lostBy, opponentOf, wonBy } from '../../derived/careers/bots.ts'
import { buildDurations, countMethods, share, winRateOf } from '../../derived/careers/durations.ts'
import { buildStreaks } from '../../derived/careers/streaks.ts'
import { toTimestamp } from '../fields.ts'
import { fightSummary, matchLength } from '../fights/view.ts'
import type { BotStats, BotSummary, FightRef } from './schema.ts'

export const botSummary = (bot: Bot): BotSummary => ({
  cleanName: bot.cleanName,
  name: bot.name,
  totalFights: bot.totals.fights,
  totalWins: bot.totals.wins,
  totalLosses: bot.totals.losses,
  totalDraws: bot.totals.draws,
  winRate: winRateOf(bot.totals),
  totalTournaments: bot.tournamentCount,
  ...classFields(bot),
  lastFightTime: toTimestamp(bot.fights[0]?.finishUnix ?? null),
  team: bot.team,
  driver: bot.driver,
})

/** `cleanName` is the bot whose view it is, if any. */
export const fightRef = (fight: Fight | undefined, cleanName?: string): FightRef | null => {
  if (!fight) return null
  const opponent = cleanName === undefined ? undefined : opponentOf(fight, cleanName).player
  return {
    tournamentID: fight.tournament.id,
    tournamentName: fight.tournament.name,
    gameID: fight.id,
    player1: fight.red.player.name,
    player2: fight.blue.player.name,
    opponent: opponent?.name ?? '',
    opponentClean: opponent?.cleanName ?? '',
    matchLength: matchLength(fight),
    winAnnotation: fight.winAnnotation ?? '',
    stopTime: toTimestamp(asEntered(fight).stopUnix),
  }
}

/** `picture` is the address of the bot's newest hero still. */
export const botStats = (bot: Bot, picture: string | null): BotStats => {
  const { cleanName, fights, totals } = bot
  const durations = buildDurations(fights)
  const streaks = buildStreaks(bot)
  const longest = fightRef(durations.longest, cleanName)
  const shortest = fightRef(durations.shortest, cleanName)
  return {
    botName: bot.name,
    cleanName,
    totalWins: totals.wins,
    totalLosses: totals.losses,
    totalFights: totals.fights,
    totalTournaments: bot.tournamentCount,
    totalDraws: totals.draws,
    winRate: winRateOf(totals),
    winMethodBreakdown: countMethods(fights.filter((fight) => wonBy(fight, cleanName))),
    lossMethodBreakdown: countMethods(fights.filter((fight) => lostBy(fight, cleanName))),
    koRate: share(totals.koWins, totals.fights),
    durationStats: {
      averageSeconds: durations.averageSeconds,
      medianSeconds: durations.medianSeconds,
      totalFightTimeSeconds: durations.totalSeconds,
      fightsMeasured: durations.measured,
      longest,
      shortest,
    },
    avgMatchDurationSeconds: durations.averageSeconds,
    longestFight: longest,
    shortestFight: shortest,
    recentFights: fights.slice(0, 10).map(fightSummary),
    picture,
    ...classFields(bot),
    currentStreak: { ...streaks.current },
    longestWinStreak: streaks.longestWin,
    firstFightTime: toTimestamp(fights.at(-1)?.finishUnix ?? null),
    lastFightTime: toTimestamp(fights[0]?.finishUnix ?? null),
    team: bot.team,
    driver: bot.driver,
  }
}

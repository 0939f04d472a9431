import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Bot } from '../../careers/bots.ts'
import { buildLeaderboard } from '../../careers/leaderboard.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { limitParameter } from '../../http/paging.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { findBotWithPicture, findNamedBot } from '../bots/lookup.ts'
import { botStats } from '../bots/view.ts'
import { findFight, findTournament } from '../tournaments/lookup.ts'
import { findClass, weightClassParameter } from '../weightClass.ts'
import {
  BotStatsBody,
  FightStatsBody,
  HeadToHeadBody,
  LeaderboardBody,
  MetricName,
  TournamentStatsBody,
} from './schema.ts'
import { fightStats, headToHead, leaderboardView, tournamentStats } from './view.ts'

/** Max characters of an unknown name repeated in the response. */
const maxNameLength = 64

export const statsRoutes = () =>
  new Elysia({ prefix: '/stats', tags: ['stats'] })
    .use(archived)
    .get(
      '/fight/:tournamentID/:gameID',
      ({ archive, cached, params }) => {
        const found = findFight(archive, params)
        return found ? cached({ fightStats: fightStats(found.fight) }) : notFound('fight')
      },
      {
        response: { 200: FightStatsBody, 404: ErrorBody },
        detail: {
          operationId: 'getFightStats',
          summary: 'Timing, pauses and scorecard of one fight',
          description:
            "The fight clock excludes pauses. The scorecard excludes judges' lines that cannot be parsed.",
        },
      },
    )
    .get(
      '/bot/:bot',
      ({ archive, cached, params: { bot: cleanName } }) => {
        const found = findBotWithPicture(archive, cleanName)
        return found ? cached({ botStats: botStats(found.bot, found.picture) }) : notFound('bot')
      },
      {
        ...parameters({ hasBotsInPath: true }),
        response: { 200: BotStatsBody, 404: ErrorBody },
        detail: {
          operationId: 'getBotStats',
          summary: 'The career of one bot, by clean or display name',
          description: 'Equal to `/bots/{bot}`, under the key `botStats`.',
        },
      },
    )
    .get(
      '/tournament/:tournamentID',
      ({ archive, cached, params: { tournamentID } }) => {
        const tournament = findTournament(archive, tournamentID)
        return tournament
          ? cached({ tournamentStats: tournamentStats(tournament) })
          : notFound('tournament')
      },
      {
        response: { 200: TournamentStatsBody, 404: ErrorBody },
        detail: {
          operationId: 'getTournamentStats',
          summary: 'Counts, durations, win types and pauses of one tournament',
          description: 'Durations include completed fights with a known duration.',
        },
      },
    )
    .get(
      '/head-to-head/:bot1/:bot2',
      ({ archive, cached, params }) => {
        const { bot1, bot2 } = params
        const [one, other] = [findNamedBot(archive, bot1), findNamedBot(archive, bot2)]
        const named = (bot: Bot | undefined, name: string) => ({
          bot,
          cleanName: bot?.cleanName ?? name.slice(0, maxNameLength),
        })
        const body = { headToHead: headToHead(named(one, bot1), named(other, bot2)) }
        // Not cached: the number of unknown names is unbounded, and the response is cheap.
        return one && other ? cached(body) : body
      },
      {
        ...parameters({ hasBotsInPath: true }),
        response: { 200: HeadToHeadBody },
        detail: {
          operationId: 'getHeadToHead',
          summary: 'Head-to-head record of two bots; zeros for unknown ones',
          description: 'Completed fights of the two across all tournaments, newest first.',
        },
      },
    )
    .get(
      '/leaderboard',
      ({ archive, cached, query: { metric, weightClass, limit } }) => {
        const wanted = findClass(archive, weightClass)
        const places = buildLeaderboard(archive.bots, metric, wanted?.key, limit)
        const body = { leaderboard: leaderboardView(metric, wanted, places) }
        // Not cached: the number of unknown weight classes is large, and the response is cheap.
        return places.length === 0 || (weightClass !== undefined && !wanted) ? body : cached(body)
      },
      {
        ...parameters({
          query: Type.Object({
            metric: MetricName,
            weightClass: weightClassParameter('only fights of this class'),
            limit: limitParameter(100, 20),
          }),
        }),
        response: { 200: LeaderboardBody },
        detail: {
          operationId: 'getLeaderboard',
          summary: 'The best bots by a metric',
          description:
            '`winRate`, `koRate` and `avgMatchDuration` (shortest first) need five completed fights. Equal values share a rank. With `weightClass`, only fights of that class count: of all classes of a number of pounds, or of the one with a name; a name that no tournament has is ignored.',
        },
      },
    )

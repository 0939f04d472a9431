import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { dayOfDate } from '../../data/journal/day.ts'
import { tournamentStart } from '../../data/league/order.ts'
import { isOfClass } from '../../data/league/weightClass.ts'
import type { Bot } from '../../derived/careers/bots.ts'
import { buildLeaderboard } from '../../derived/careers/leaderboard.ts'
import { rankBots } from '../../derived/ratings/ranking.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { limitParameter } from '../../http/paging.ts'
import { ignore, parameters, textParameter } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import type { DayIn } from '../../runtime/timeZone.ts'
import { botCareer, findBotWithPicture, findNamedBot } from '../bots/lookup.ts'
import { findChances, findHeadToHeadChance, findRatings } from '../ratings/lookup.ts'
import { CalibrationBody, RankingBody } from '../ratings/schema.ts'
import { calibrationReport, rankingView } from '../ratings/view.ts'
import { findFight, findTournament } from '../tournaments/lookup.ts'
import { classOrIgnored, weightClassParameter } from '../weightClass.ts'
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

export const statsRoutes = (dayIn: DayIn) =>
  new Elysia({ prefix: '/stats', tags: ['stats'] })
    .use(archived)
    .get(
      '/fight/:tournamentID/:gameID',
      ({ archive, cached, params }) => {
        const found = findFight(archive, params)
        return found
          ? cached({
              fightStats: { ...fightStats(found.fight), ...findChances(archive)(found.fight) },
            })
          : notFound('fight')
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
        return found ? cached({ botStats: botCareer(archive, found) }) : notFound('bot')
      },
      {
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
        const [red, blue] = [named(one, bot1), named(other, bot2)]
        const chance = findHeadToHeadChance(archive, red.cleanName, blue.cleanName)
        const body = { headToHead: { ...headToHead(red, blue), ...chance } }
        // Not cached: the number of unknown names is unbounded, and the response is cheap.
        return one && other ? cached(body) : body
      },
      {
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
      ({ archive, cached, query: { metric, weightClass, limit }, set }) => {
        const wanted = classOrIgnored(archive, weightClass, set)
        const places = buildLeaderboard(archive.bots, metric, wanted?.key, limit)
        const body = { leaderboard: leaderboardView(metric, wanted, places) }
        // Not cached: the number of unknown weight classes is large, and the response is cheap.
        return places.length === 0 || (weightClass !== undefined && !wanted) ? body : cached(body)
      },
      {
        ...parameters({
          metric: MetricName,
          weightClass: weightClassParameter('only fights of this class'),
          limit: limitParameter(100, 20),
        }),
        response: { 200: LeaderboardBody },
        detail: {
          operationId: 'getLeaderboard',
          summary: 'The best bots by a metric',
          description:
            '`winRate`, `koRate` and `avgMatchDuration` (shortest first) need five completed fights. Equal values share a rank. With `weightClass`, only fights of that class count: a weight selects all classes of that weight, a name one class; other values are ignored.',
        },
      },
    )
    .get(
      '/ratings',
      ({ archive, cached, query: { weightClass, active, limit, offset }, set }) => {
        const ratings = findRatings(archive)
        if (!ratings) return notFound('rating')
        const wanted = classOrIgnored(archive, weightClass, set)
        const ranked = rankBots(archive.bots, ratings, wanted?.key, active)
        const body = {
          ratings: rankingView(ratings, wanted, ranked, { active, limit, offset }),
        }
        // Not cached: the number of lists is unbounded, and an empty one is cheap.
        return ranked.length <= offset || (weightClass !== undefined && !wanted)
          ? body
          : cached(body)
      },
      {
        ...parameters({
          weightClass: weightClassParameter('only bots of this class'),
          active: Type.Integer({
            minimum: 0,
            maximum: 36_500,
            default: 730,
            description: 'only bots with a fight within so many days before the newest; 0 for all',
          }),
          limit: limitParameter(100, 20),
          offset: Type.Integer({
            minimum: 0,
            maximum: 2 ** 31 - 1,
            default: 0,
            description: 'entries to leave out at the beginning',
          }),
        }),
        response: { 200: RankingBody, 404: ErrorBody },
        detail: {
          operationId: 'getRatings',
          summary: 'Bots by rating with its uncertainty',
          description:
            'Ordered by `low`, below which the rating is with a chance of 2.5 %: two lucky wins are no first place. From completed fights alone, as of the newest one. Ratings compare within a weight class at one time; without `weightClass` a bot has an entry for each of its classes.',
        },
      },
    )
    .get(
      '/ratings/calibration',
      async ({ archive, cached, query: { weightClass, from }, set }) => {
        const ratings = findRatings(archive)
        if (!ratings) return notFound('rating')
        const wanted = classOrIgnored(archive, weightClass, set)
        const since = from !== undefined && dayOfDate(from) !== undefined ? from : undefined
        if (from !== undefined && since === undefined) ignore(set, 'from')
        const { dataset } = archive
        const counted = dataset.tournaments
          .filter(({ info }) => wanted === undefined || isOfClass(info, wanted.key))
          .filter(({ info }) => since === undefined || dayIn(tournamentStart(info)) >= since)
        const body = {
          calibration: await calibrationReport(ratings, wanted, since, counted),
        }
        // Not cached: the number of days and names is unbounded.
        return since === undefined && (weightClass === undefined || wanted) ? cached(body) : body
      },
      {
        ...parameters({
          weightClass: weightClassParameter('only fights of this class'),
          from: textParameter(
            'only tournaments that began on this day or later, in the time zone of the events, `2026-03-14`',
          ),
        }),
        response: { 200: CalibrationBody, 404: ErrorBody },
        detail: {
          operationId: 'getCalibration',
          summary: 'How good the chances before fights were',
          description:
            'Log loss and Brier score of the published chances beside three simple rules, each from the fights before, and how often the likelier corner won at a given chance. Draws and fights without a winner are left out.',
        },
      },
    )

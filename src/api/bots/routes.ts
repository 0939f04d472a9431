import { Elysia } from 'elysia'
import { cleanName } from '../../data/league/cleanName.ts'
import { filterBots } from '../../derived/search/botFilter.ts'
import { caching } from '../../http/caching.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { limitParameter, pageLinks, pageParameter, paginate } from '../../http/paging.ts'
import { parameters, textParameter } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { fightSummary } from '../fights/view.ts'
import { findNextGames, findUpcoming } from '../live/lookup.ts'
import { scheduledMatch } from '../live/view.ts'
import { findChances, findRatings } from '../ratings/lookup.ts'
import { RatingHistory } from '../ratings/schema.ts'
import { ratingHistory } from '../ratings/view.ts'
import { nextGame } from '../tournaments/view.ts'
import { botCareer, findBotWithPicture, findNamedBot } from './lookup.ts'
import { Redirect, redirectToPicture } from './picture.ts'
import { BotBody, BotFights, BotPage, UpcomingFights } from './schema.ts'
import { botSummary } from './view.ts'

/** `basePath` is the mount path of the group, for links between pages. */
export const botRoutes = (basePath: string) =>
  new Elysia({ prefix: '/bots', tags: ['bots'] })
    .use(archived)
    .get(
      '',
      ({ archive, query, cached, set }) => {
        const bots =
          query.q === undefined ? archive.bots : filterBots(archive.bots, cleanName(query.q))
        const { entries, pagination } = paginate(bots, query)
        set.headers.link = pageLinks(`${basePath}/bots`, pagination, { q: query.q })
        const body = { bots: entries.map(botSummary), pagination }
        // Not cached: the number of pages past the end is unbounded, and they are cheap.
        return entries.length === 0 ? body : cached(body)
      },
      {
        ...parameters({
          q: textParameter('part of the clean name; prefix matches come first'),
          page: pageParameter,
          limit: limitParameter(200, 50),
        }),
        response: { 200: BotPage },
        detail: {
          operationId: 'listBots',
          summary: 'All bots by clean name',
          description:
            'With `q`, bots whose clean name begins with the clean text come first, then those that contain it elsewhere.',
        },
      },
    )
    .get(
      '/:bot',
      ({ archive, cached, params: { bot: cleanName } }) => {
        const found = findBotWithPicture(archive, cleanName)
        return found ? cached({ bot: botCareer(archive, found) }) : notFound('bot')
      },
      {
        response: { 200: BotBody, 404: ErrorBody },
        detail: {
          operationId: 'getBot',
          summary: 'The career of one bot, by clean or display name',
          description:
            'Totals, methods, durations and streaks over all completed fights of the bot; consistent with `/bots/{bot}/fights`.',
        },
      },
    )
    .get(
      '/:bot/ratings',
      async ({ archive, cached, params: { bot: cleanName } }) => {
        const bot = findNamedBot(archive, cleanName)
        if (!bot) return notFound('bot')
        const ratings = findRatings(archive)
        if (!ratings) return notFound('rating')
        return cached(await ratingHistory(bot, archive.dataset, ratings))
      },
      {
        response: { 200: RatingHistory, 404: ErrorBody },
        detail: {
          operationId: 'listBotRatings',
          summary: 'Rating of one bot after each of its tournaments, by weight class',
          description:
            'Each as it was then, from the fights up to the end of the tournament. Ratings compare within a class at one time.',
        },
      },
    )
    .get(
      '/:bot/fights',
      ({ archive, cached, params: { bot: cleanName } }) => {
        const bot = findNamedBot(archive, cleanName)
        if (!bot) return notFound('bot')
        return cached({ botName: bot.name, fights: bot.fights.map(fightSummary) })
      },
      {
        response: { 200: BotFights, 404: ErrorBody },
        detail: {
          operationId: 'listBotFights',
          summary: 'Completed fights of one bot, newest first',
          description:
            'All fights counted in the statistics of the bot, with the number of recordings of each.',
        },
      },
    )
    .get(
      '/:bot/upcoming',
      ({ archive, cached, set, params: { bot: cleanName } }) => {
        const bot = findNamedBot(archive, cleanName)
        if (!bot) return notFound('bot')
        set.headers['cache-control'] = caching.live
        const chanceOf = findChances(archive)
        const upcoming = findUpcoming(archive, bot)
        const matches = upcoming.map((each) => scheduledMatch(each, chanceOf))
        const next = findNextGames(archive, bot).map(nextGame)
        return cached({ botName: bot.name, matches, count: matches.length, next })
      },
      {
        response: { 200: UpcomingFights, 404: ErrorBody },
        detail: {
          operationId: 'listUpcomingBotFights',
          summary: 'Fights of one bot under way or to come, soonest first',
          description:
            'Ordered by status (in the cage, loading in, called), then by expected, else scheduled start. `next` has the games after them. Can be polled, at most every 5 seconds.',
        },
      },
    )
    .get(
      '/:bot/picture',
      ({ archive, params: { bot: cleanName } }) =>
        redirectToPicture(findBotWithPicture(archive, cleanName)),
      {
        response: { 302: Redirect, 404: ErrorBody },
        detail: {
          operationId: 'getBotPicture',
          summary: 'Redirect to the newest hero still of one bot',
          description:
            'Usable as `src` of an image. 404 for an unknown bot and for one without a hero still.',
        },
      },
    )

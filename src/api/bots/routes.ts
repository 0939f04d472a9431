import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { filterBots } from '../../derived/botFilter.ts'
import { caching } from '../../http/caching.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { archived } from '../../http/exchange.ts'
import { limitParameter, pageLinks, pageParameter, paginate } from '../../http/paging.ts'
import { lenient } from '../../http/parameters.ts'
import { cleanName } from '../../league/cleanName.ts'
import { fightSummary } from '../fights/view.ts'
import { scheduledMatch } from '../live/view.ts'
import { byCleanName, findNamedBot, findPicturedBot, findUpcoming } from './lookup.ts'
import { Redirect, redirectToPicture } from './picture.ts'
import { BotBody, BotFights, BotPage, UpcomingFights } from './schema.ts'
import { botStats, botSummary } from './view.ts'

/** `basePath` is where the group is mounted, for the links between pages. */
export const botRoutes = (basePath: string) =>
  new Elysia({ prefix: '/bots', tags: ['bots'] })
    .use(archived)
    .get(
      '',
      ({ archive, query, exchange, set }) => {
        const bots =
          query.q === undefined ? archive.bots : filterBots(archive.bots, cleanName(query.q))
        const { entries, pagination } = paginate(bots, query)
        set.headers.link = pageLinks(`${basePath}/bots`, pagination, { q: query.q })
        // Texts and pages past the end are endless in number and cheap to answer.
        if (entries.length === 0 || query.q !== undefined) exchange.validUntil = 0
        return { bots: entries.map(botSummary), pagination }
      },
      {
        ...lenient(
          Type.Object({
            q: Type.Optional(
              Type.String({ description: 'part of the clean name; beginnings come first' }),
            ),
            page: pageParameter,
            limit: limitParameter(200, 50),
          }),
        ),
        response: { 200: BotPage },
        detail: {
          operationId: 'listBots',
          summary: 'All bots by clean name',
          description:
            'With `q`, bots whose clean names begin with the clean text come first, then those that hold it elsewhere.',
        },
      },
    )
    .get(
      '/:bot',
      ({ archive, exchange, params: { bot: cleanName } }) => {
        const found = findPicturedBot({ archive, exchange }, cleanName)
        return found ? { bot: botStats(found.bot, found.picture) } : notFound('bot')
      },
      {
        ...byCleanName,
        response: { 200: BotBody, 404: ErrorBody },
        detail: {
          operationId: 'getBot',
          summary: 'The career of one bot, by clean or display name',
          description:
            'Totals, methods, durations and streaks over all completed fights of the bot: counting `/bots/{bot}/fights` gives the same numbers.',
        },
      },
    )
    .get(
      '/:bot/fights',
      ({ archive, exchange, params: { bot: cleanName } }) => {
        const bot = findNamedBot({ archive, exchange }, cleanName)
        return bot ? { botName: bot.name, fights: bot.fights.map(fightSummary) } : notFound('bot')
      },
      {
        ...byCleanName,
        response: { 200: BotFights, 404: ErrorBody },
        detail: {
          operationId: 'listBotFights',
          summary: 'Completed fights of one bot, newest first',
          description:
            'All fights behind the numbers of the bot, with the number of cameras of each.',
        },
      },
    )
    .get(
      '/:bot/upcoming',
      ({ archive, now, exchange, set, params: { bot: cleanName } }) => {
        const found = findUpcoming({ archive, now, exchange }, cleanName)
        if (!found) return notFound('bot')
        set.headers['cache-control'] = caching.live
        const matches = found.upcoming.map(scheduledMatch)
        return { botName: found.bot.name, matches, count: matches.length }
      },
      {
        ...byCleanName,
        response: { 200: UpcomingFights, 404: ErrorBody },
        detail: {
          operationId: 'listUpcomingBotFights',
          summary: 'Fights of one bot under way or to come, soonest first',
          description:
            'In the cage, loading in, called, then by scheduled time. May be polled, at most every 5 seconds.',
        },
      },
    )
    .get(
      '/:bot/picture',
      ({ archive, exchange, params: { bot: cleanName } }) =>
        redirectToPicture(findPicturedBot({ archive, exchange }, cleanName)),
      {
        ...byCleanName,
        response: { 302: Redirect, 404: ErrorBody },
        detail: {
          operationId: 'getBotPicture',
          summary: 'Redirect to the newest hero still of one bot',
          description:
            'For `src` of an image. 404 for an unknown bot and for one without a hero still.',
        },
      },
    )

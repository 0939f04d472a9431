import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { limitParameter, pageLinks, pageParameter, paginate } from '../../http/paging.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { fightFilters, filterFights, isFiltered } from './filter.ts'
import { findDayFights, findRecentFights } from './lookup.ts'
import { FightPage, Last24h, RecentFights } from './schema.ts'
import { fightSummary, recentFight } from './view.ts'

/** `path` is the mount path of the group, for links between pages. */
export const fightRoutes = (basePath: string) =>
  new Elysia({ prefix: '/fights', tags: ['fights'] })
    .use(archived)
    .get(
      '',
      ({ archive, query, cached, set }) => {
        const { bot, tournament } = query
        const { entries, pagination } = paginate(filterFights(archive, query), query)
        set.headers.link = pageLinks(`${basePath}/fights`, pagination, { bot, tournament })
        const body = { fights: entries.map(fightSummary), pagination }
        // Not cached: the number of pages past the end is unbounded, and they are cheap.
        return entries.length === 0 ? body : cached(body)
      },
      {
        ...parameters({
          page: pageParameter,
          limit: limitParameter(100, 100),
          ...fightFilters,
        }),
        response: { 200: FightPage },
        detail: {
          operationId: 'listFights',
          summary: 'All fights, newest first, upcoming ones last',
          description:
            'Every fight of the league, in pages. The order is stable while the data is unchanged.',
        },
      },
    )
    .get(
      '/recent',
      ({ archive, query, cached, set }) => {
        set.headers['cache-control'] = caching.live
        const dataset = { fights: filterFights(archive, query) }
        const fights = findRecentFights({ dataset }, query.limit)
        const body = { fights: fights.map(recentFight) }
        // Not cached: the number of names that find nothing is unbounded.
        return isFiltered(query) && fights.length === 0 ? body : cached(body)
      },
      {
        ...parameters({ limit: limitParameter(100, 20), ...fightFilters }),
        response: { 200: RecentFights },
        detail: {
          operationId: 'listRecentFights',
          summary: 'The last completed fights',
          description: 'Made to be polled, at most every 5 seconds; send `If-None-Match`.',
        },
      },
    )
    .get(
      '/last24h',
      ({ archive, cached, set }) => {
        set.headers['cache-control'] = caching.live
        return cached(findDayFights(archive))
      },
      {
        response: { 200: Last24h },
        detail: {
          operationId: 'listFightsOfLast24Hours',
          summary: 'Every fight that ended within the last 24 hours',
          description: 'Made to be polled, at most every 5 seconds; send `If-None-Match`.',
        },
      },
    )

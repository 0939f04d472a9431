import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { limitParameter, pageLinks, pageParameter, paginate } from '../../http/paging.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { findDayFights, findRecentFights } from './lookup.ts'
import { FightPage, Last24h, RecentFights } from './schema.ts'
import { fightSummary, last24hFight, recentFight } from './view.ts'

/** `path` is the mount path of the group, for links between pages. */
export const fightRoutes = (basePath: string) =>
  new Elysia({ prefix: '/fights', tags: ['fights'] })
    .use(archived)
    .get(
      '',
      ({ archive, query, cached, set }) => {
        const { entries, pagination } = paginate(archive.dataset.fights, query)
        set.headers.link = pageLinks(`${basePath}/fights`, pagination)
        const body = { fights: entries.map(fightSummary), pagination }
        // Not cached: the number of pages past the end is unbounded, and they are cheap.
        return entries.length === 0 ? body : cached(body)
      },
      {
        ...parameters({
          query: Type.Object({ page: pageParameter, limit: limitParameter(100, 100) }),
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
        return cached({ fights: findRecentFights(archive, query.limit).map(recentFight) })
      },
      {
        ...parameters({ query: Type.Object({ limit: limitParameter(100, 20) }) }),
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
        const { dataset } = archive
        const fights = archive.timed((now) => findDayFights(dataset, now))
        return cached({ fights: fights.map(last24hFight), count: fights.length })
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

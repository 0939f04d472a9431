import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { closed, named } from '../api/fields.ts'
import { findRecentFights } from '../api/fights/lookup.ts'
import { RecentFight } from '../api/fights/schema.ts'
import { matchLength, recentFight } from '../api/fights/view.ts'
import { caching } from '../http/caching.ts'
import { limitParameter } from '../http/paging.ts'
import { parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import { type Mount, successor, superseded } from './mount.ts'

const RecentFights = named('LegacyRecentFights', {
  fights: Type.Array(
    closed({
      ...RecentFight.properties,
      fightDuration: Type.Integer({ description: 'the same as matchLength' }),
    }),
  ),
})

/** The only list of fights here with numbers as numbers. */
export const recentFights = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/recentFights${mount.suffix}`,
    ({ archive, cached, query: { limit }, set }) => {
      set.headers['cache-control'] = caching.live
      set.headers.link = successor(mount, `/fights/recent?limit=${limit}`)
      return cached({
        fights: findRecentFights(archive, limit).map((fight) => ({
          ...recentFight(fight),
          fightDuration: matchLength(fight),
        })),
      })
    },
    {
      ...parameters({ query: Type.Object({ limit: limitParameter(100, 20) }) }),
      response: { 200: RecentFights },
      detail: superseded(mount, 'recentFights', 'The last completed fights'),
    },
  )

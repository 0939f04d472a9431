import { Elysia } from 'elysia'
import { findDayFights } from '../api/fights/lookup.ts'
import { Last24h } from '../api/fights/schema.ts'
import { last24hFight } from '../api/fights/view.ts'
import { caching } from '../http/caching.ts'
import { archived } from '../http/requestContext.ts'
import { type Mount, successor, superseded } from './mount.ts'

export const fightsLast24Hours = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/fightsLast24Hours${mount.suffix}`,
    ({ archive, cached, set }) => {
      set.headers['cache-control'] = caching.live
      set.headers.link = successor(mount, '/fights/last24h')
      const { dataset } = archive
      const fights = archive.timed((now) => findDayFights(dataset, now))
      return cached({ fights: fights.map(last24hFight), count: fights.length })
    },
    {
      response: { 200: Last24h },
      detail: superseded(
        mount,
        'fightsLast24Hours',
        'Every fight that ended within the last 24 hours',
      ),
    },
  )

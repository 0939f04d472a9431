import { Elysia } from 'elysia'
import { findSchedule } from '../api/live/lookup.ts'
import { Schedule } from '../api/live/schema.ts'
import { scheduledMatch } from '../api/live/view.ts'
import { findChances } from '../api/ratings/lookup.ts'
import { caching } from '../http/caching.ts'
import { archived } from '../http/requestContext.ts'
import { type Mount, successor, superseded } from './mount.ts'

export const scheduledMatches = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/scheduledMatches${mount.suffix}`,
    ({ archive, cached, set }) => {
      set.headers['cache-control'] = caching.live
      set.headers.link = successor(mount, '/schedule')
      const schedule = archive.timed((now) => findSchedule(archive, now))
      const chanceOf = findChances(archive)
      const matches = schedule.map((each) => scheduledMatch(each, chanceOf))
      return cached({ matches, count: matches.length })
    },
    {
      response: { 200: Schedule },
      detail: superseded(
        mount,
        'scheduledMatches',
        'Fights of active tournaments under way or to come',
      ),
    },
  )

import { Elysia } from 'elysia'
import { findSchedule } from '../api/live/lookup.ts'
import { Schedule } from '../api/live/schema.ts'
import { scheduledMatch } from '../api/live/view.ts'
import { caching } from '../http/caching.ts'
import { archived } from '../http/requestContext.ts'
import { documented, type Mount, successor } from './mount.ts'

export const scheduledMatches = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/scheduledMatches${mount.suffix}`,
    ({ archive, cached, set }) => {
      set.headers['cache-control'] = caching.live
      set.headers.link = successor(mount, '/schedule')
      const schedule = archive.timed((now) => findSchedule(archive, now))
      return cached({ matches: schedule.map(scheduledMatch), count: schedule.length })
    },
    {
      response: { 200: Schedule },
      detail: documented(
        mount,
        'scheduledMatches',
        'Fights of active tournaments under way or to come',
        {
          superseded: true,
        },
      ),
    },
  )

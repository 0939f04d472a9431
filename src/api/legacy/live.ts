import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { parameters, textParameter } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { findCage, findSchedule, viewCages } from '../live/lookup.ts'
import { CageState, Schedule, StandardCages } from '../live/schema.ts'
import { standardCages } from '../live/view.ts'
import { findChances } from '../ratings/lookup.ts'
import { type Mount, successor, superseded } from './mount.ts'

export const liveScripts = (mount: Mount) =>
  new Elysia()
    .use(archived)
    .get(
      `/cageJSON${mount.suffix}`,
      ({ archive, cached, query: { cage: number }, set }) => {
        const { cages } = archive
        const one = number === undefined ? undefined : findCage(cages, number)
        if (!one && number !== undefined) return notFound('cage')
        set.headers['cache-control'] = caching.live
        set.headers.link = successor(mount, one ? `/cages/${one.number}` : '/cages')
        return cached(
          viewCages<CageState | StandardCages>(
            archive,
            (stateOf) => (one ? stateOf(one) : standardCages(cages, stateOf)),
            findChances(archive),
          ),
        )
      },
      {
        ...parameters(
          {
            all: Type.Boolean({
              default: false,
              description: 'cages 1, 2, 4, 5 and 6; the default',
            }),
            cage: textParameter('number of one cage'),
          },
          { normalize: ({ all, cage }) => ({ all: false, cage: all ? undefined : cage }) },
        ),
        response: {
          200: Type.Union([StandardCages, CageState], { title: 'LegacyCages' }),
          404: ErrorBody,
        },
        detail: superseded(mount, 'cageJSON', 'Live state of the cages'),
      },
    )
    .get(
      `/scheduledMatches${mount.suffix}`,
      ({ archive, cached, set }) => {
        set.headers['cache-control'] = caching.live
        set.headers.link = successor(mount, '/schedule')
        return cached(findSchedule(archive))
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

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findCage, findCages } from '../api/live/find.ts'
import { CageState, CageStates } from '../api/live/schema.ts'
import { cageState, cageStates } from '../api/live/view.ts'
import { caching } from '../http/caching.ts'
import { ErrorBody, notFound } from '../http/errors.ts'
import { archived } from '../http/exchange.ts'
import { lenient } from '../http/parameters.ts'
import { documented, type Mount, successor } from './mount.ts'

/** All cages unless one is asked for. */
export const cageJSON = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/cageJSON${mount.suffix}`,
    ({ archive, now, query: { all, cage: number }, exchange, set }) => {
      const cages = findCages({ archive, now, exchange })
      const one = all || number === undefined ? undefined : findCage(cages, number)
      if (!one && !all && number !== undefined) return notFound('cage')
      set.headers['cache-control'] = caching.live
      exchange.query = one ? `cage=${one.number}` : 'all=true'
      set.headers.link = successor(mount, one ? `/cages/${one.number}` : '/cages')
      return one ? cageState(one, cages, now) : cageStates(cages, now)
    },
    {
      ...lenient(
        Type.Object({
          all: Type.Boolean({ default: false, description: 'all cages, as without parameters' }),
          cage: Type.Optional(
            Type.String({ description: 'one cage instead of all: 1, 2, 4, 5 or 6' }),
          ),
        }),
      ),
      response: {
        200: Type.Union([CageStates, CageState], { title: 'LegacyCages' }),
        404: ErrorBody,
      },
      detail: documented(mount, 'cageJSON', 'What goes on in the cages', { superseded: true }),
    },
  )

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findCage, findCages } from '../api/live/lookup.ts'
import { CageState, StandardCages } from '../api/live/schema.ts'
import { cageState, standardCages } from '../api/live/view.ts'
import { caching } from '../http/caching.ts'
import { ErrorBody, notFound } from '../http/errors.ts'
import { archived } from '../http/exchange.ts'
import { lenient } from '../http/parameters.ts'
import { documented, type Mount, successor } from './mount.ts'

/** The five standard cages, or any one by its number. */
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
      return one ? cageState(one, cages, now) : standardCages(cages, now)
    },
    {
      ...lenient(
        Type.Object({
          all: Type.Boolean({
            default: false,
            description: 'cages 1, 2, 4, 5 and 6, as without parameters',
          }),
          cage: Type.Optional(
            Type.String({ description: 'number of one cage of the league instead' }),
          ),
        }),
      ),
      response: {
        200: Type.Union([StandardCages, CageState], { title: 'LegacyCages' }),
        404: ErrorBody,
      },
      detail: documented(mount, 'cageJSON', 'What goes on in the cages', { superseded: true }),
    },
  )

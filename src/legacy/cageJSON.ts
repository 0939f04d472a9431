import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findCage, viewCages } from '../api/live/lookup.ts'
import { CageState, StandardCages } from '../api/live/schema.ts'
import { cageState, standardCages } from '../api/live/view.ts'
import { findChances } from '../api/ratings/lookup.ts'
import { caching } from '../http/caching.ts'
import { ErrorBody, notFound } from '../http/errors.ts'
import { parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import { type Mount, successor, superseded } from './mount.ts'

/** The five standard cages, or one cage by its number. */
export const cageJSON = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/cageJSON${mount.suffix}`,
    ({ archive, cached, query: { cage: number }, set }) => {
      const { cages } = archive
      const one = number === undefined ? undefined : findCage(cages, number)
      if (!one && number !== undefined) return notFound('cage')
      set.headers['cache-control'] = caching.live
      set.headers.link = successor(mount, one ? `/cages/${one.number}` : '/cages')
      const chanceOf = findChances(archive)
      return cached(
        archive.timed(
          viewCages(archive, (...at) =>
            one ? cageState(one, cages, ...at, chanceOf) : standardCages(cages, ...at, chanceOf),
          ),
        ),
      )
    },
    {
      ...parameters({
        query: Type.Object({
          all: Type.Boolean({
            default: false,
            description: 'cages 1, 2, 4, 5 and 6; the default',
          }),
          cage: Type.Optional(Type.String({ description: 'number of one cage' })),
        }),
        normalize: ({ all, cage }) => ({ all: false, cage: all ? undefined : cage }),
      }),
      response: {
        200: Type.Union([StandardCages, CageState], { title: 'LegacyCages' }),
        404: ErrorBody,
      },
      detail: superseded(mount, 'cageJSON', 'Live state of the cages'),
    },
  )

import { Elysia, status } from 'elysia'
import { caching } from '../../http/caching.ts'
import { ErrorBody } from '../../http/errors.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { fightFilters, isFiltered, passes } from '../fights/filter.ts'
import { findChances } from '../ratings/lookup.ts'
import { findCage, findSchedule, viewCages } from './lookup.ts'
import { CageBody, CagesBody, Schedule } from './schema.ts'
import { cageStates } from './view.ts'

export const liveRoutes = () =>
  new Elysia({ tags: ['live'] })
    .use(archived)
    .get(
      '/cages',
      ({ archive, cached, set }) => {
        set.headers['cache-control'] = caching.live
        const { cages } = archive
        return cached({
          cages: viewCages(archive, (stateOf) => cageStates(cages, stateOf), findChances(archive)),
        })
      },
      {
        response: { 200: CagesBody },
        detail: {
          operationId: 'getCages',
          summary: 'State and queue of every cage',
          description:
            'Cages 1, 2, 4, 5 and 6, and all others of the league. Can be polled, at most every 5 seconds.',
        },
      },
    )
    .get(
      '/cages/:cageNumber',
      ({ archive, cached, set, params: { cageNumber } }) => {
        const { cages } = archive
        const cage = findCage(cages, cageNumber)
        if (!cage) {
          const numbers = Object.values(cages).map(({ number }) => number)
          return status(400, { error: `the cage number must be one of ${numbers.join(', ')}` })
        }
        set.headers['cache-control'] = caching.live
        return cached({
          cage: viewCages(archive, (stateOf) => stateOf(cage), findChances(archive)),
        })
      },
      {
        response: { 200: CageBody, 400: ErrorBody },
        detail: {
          operationId: 'getCage',
          summary: 'State and queue of one cage',
          description:
            'Cages 1, 2, 4, 5 and 6, and all other numbers in `/cages`. Can be polled, at most every 5 seconds.',
        },
      },
    )
    .get(
      '/schedule',
      ({ archive, query, cached, set }) => {
        set.headers['cache-control'] = caching.live
        const body = findSchedule(archive, passes(query))
        // Not cached: the number of names that find nothing is unbounded.
        return isFiltered(query) && body.count === 0 ? body : cached(body)
      },
      {
        ...parameters(fightFilters),
        response: { 200: Schedule },
        detail: {
          operationId: 'getSchedule',
          summary: 'Fights of active tournaments under way or to come, by their time',
          description:
            'Ordered by scheduled time (fights without one last), then cage, then game. `expectedStart` follows from the pace of the cages, before the first fight of a day from the plan. Can be polled, at most every 5 seconds.',
        },
      },
    )

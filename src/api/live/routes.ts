import { Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import { caching } from '../../http/caching.ts'
import { ErrorBody } from '../../http/errors.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { fightFilters, isFiltered, passes } from '../fights/filter.ts'
import { findChances } from '../ratings/lookup.ts'
import { cageNumbers, findCage, findSchedule, viewCages } from './lookup.ts'
import { CageBody, CagesBody, Schedule } from './schema.ts'
import { cageState, cageStates, scheduledMatch } from './view.ts'

export const liveRoutes = () =>
  new Elysia({ tags: ['live'] })
    .use(archived)
    .get(
      '/cages',
      ({ archive, cached, set }) => {
        set.headers['cache-control'] = caching.live
        const { cages } = archive
        const chanceOf = findChances(archive)
        return cached({
          cages: archive.timed(viewCages(archive, (...at) => cageStates(cages, ...at, chanceOf))),
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
          const numbers = cageNumbers(cages).join(', ')
          return status(400, { error: `the cage number must be one of ${numbers}` })
        }
        set.headers['cache-control'] = caching.live
        const chanceOf = findChances(archive)
        return cached({
          cage: archive.timed(
            viewCages(archive, (...at) => cageState(cage, cages, ...at, chanceOf)),
          ),
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
        const schedule = archive.timed((now) => findSchedule(archive, now))
        const isWanted = passes(query)
        const found = schedule.filter(({ fight }) => isWanted(fight))
        const chanceOf = findChances(archive)
        const body = {
          matches: found.map((each) => scheduledMatch(each, chanceOf)),
          count: found.length,
        }
        // Not cached: the number of names that find nothing is unbounded.
        return isFiltered(query) && found.length === 0 ? body : cached(body)
      },
      {
        ...parameters({ query: Type.Object(fightFilters) }),
        response: { 200: Schedule },
        detail: {
          operationId: 'getSchedule',
          summary: 'Fights of active tournaments under way or to come, by their time',
          description:
            'Ordered by scheduled time (fights without one last), then cage, then game. `expectedStart` follows from the pace of the cages, before the first fight of a day from the plan. Can be polled, at most every 5 seconds.',
        },
      },
    )

import { Elysia, status } from 'elysia'
import type { Cages } from '../../dataset/types.ts'
import { buildSchedule } from '../../derived/schedule.ts'
import { caching } from '../../http/caching.ts'
import { ErrorBody } from '../../http/errors.ts'
import { archived, dependsOnCages } from '../../http/exchange.ts'
import { CageBody, CagesBody, Schedule } from './schema.ts'
import { cageState, cageStates, cagesValidUntil, scheduledMatch } from './view.ts'

const cageNames: ReadonlyMap<string, keyof Cages> = new Map([
  ['1', 'cage1'],
  ['2', 'cage2'],
  ['4', 'cage4'],
  ['5', 'cage5'],
  ['6', 'cage6'],
])

export const liveRoutes = () =>
  new Elysia({ tags: ['live'] })
    .use(archived)
    .get(
      '/cages',
      ({ archive: { version, cages }, now, exchange, set }) => {
        set.headers['cache-control'] = caching.live
        dependsOnCages(exchange, version)
        exchange.validUntil = cagesValidUntil(cages, now)
        return { cages: cageStates(cages, now) }
      },
      {
        response: { 200: CagesBody },
        detail: {
          operationId: 'getCages',
          summary: 'What goes on in each cage, and which fights wait for it',
          description: 'The five cages at once. Made to be polled, at most every 5 seconds.',
        },
      },
    )
    .get(
      '/cages/:cageNumber',
      ({ archive: { version, cages }, now, exchange, set, params: { cageNumber } }) => {
        const name = cageNames.get(cageNumber)
        if (!name) return status(400, { error: 'the cage number must be 1, 2, 4, 5 or 6' })
        set.headers['cache-control'] = caching.live
        dependsOnCages(exchange, version)
        exchange.validUntil = cagesValidUntil(cages, now)
        return { cage: cageState(cages[name], cages, now) }
      },
      {
        response: { 200: CageBody, 400: ErrorBody },
        detail: {
          operationId: 'getCage',
          summary: 'What goes on in one cage',
          description:
            'Cages are numbered 1, 2, 4, 5 and 6. Made to be polled, at most every 5 seconds.',
        },
      },
    )
    .get(
      '/schedule',
      ({ archive: { version, dataset, cages }, now, exchange, set }) => {
        set.headers['cache-control'] = caching.live
        dependsOnCages(exchange, version)
        const schedule = buildSchedule(dataset, cages, now)
        exchange.validUntil = Math.min(...schedule.map(({ validUntil }) => validUntil))
        return { matches: schedule.map(scheduledMatch), count: schedule.length }
      },
      {
        response: { 200: Schedule },
        detail: {
          operationId: 'getSchedule',
          summary: 'Fights of active tournaments under way or to come, by their time',
          description:
            'Ordered by scheduled time, then cage, then game. Made to be polled, at most every 5 seconds.',
        },
      },
    )

import { Elysia, status } from 'elysia'
import { caching } from '../../http/caching.ts'
import { ErrorBody } from '../../http/errors.ts'
import { ungated } from '../../http/gate.ts'
import type { LiveStreams } from './liveStreams.ts'
import { LiveStreamGroups } from './schema.ts'
import { liveStreamGroups } from './view.ts'

/** Needs no archive: available during the first load. */
export const streamRoutes = (liveStreams: LiveStreams) =>
  new Elysia({ prefix: '/live', tags: ['live'] }).get(
    '/streams',
    async ({ set }) => {
      const broadcasts = await liveStreams()
      if (!broadcasts) return status(502, { error: 'the live streaming server cannot be reached' })
      set.headers['cache-control'] = caching.live
      return liveStreamGroups(broadcasts)
    },
    {
      response: { 200: LiveStreamGroups, 502: ErrorBody },
      detail: {
        ...ungated,
        operationId: 'getLiveStreams',
        summary: 'Live streams, by location',
        description:
          'Each stream has an HLS URL to play. Empty if no streaming server is configured; 502 while the configured one is unreachable.',
      },
    },
  )

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { archived } from '../../http/exchange.ts'
import { limitParameter, pageLinks, pageParameter, paginate } from '../../http/paging.ts'
import { lenient } from '../../http/parameters.ts'
import { findClip } from '../../media/clips.ts'
import { dependsOn } from '../tournaments/lookup.ts'
import { ClipBody, ClipPage } from './schema.ts'
import { clipView } from './view.ts'

/** `basePath` is where the group is mounted, for the links between pages. */
export const clipRoutes = (basePath: string) =>
  new Elysia({ prefix: '/clips', tags: ['clips'] })
    .use(archived)
    .get(
      '',
      ({ archive, query, exchange, set }) => {
        const { entries, pagination } = paginate(archive.clips.newestFirst, query)
        set.headers.link = pageLinks(`${basePath}/clips`, pagination)
        // Pages past the end are endless in number and cheap to make.
        if (entries.length === 0) exchange.validUntil = 0
        return { clips: entries.map(clipView), pagination }
      },
      {
        ...lenient(Type.Object({ page: pageParameter, limit: limitParameter(100, 20) })),
        response: { 200: ClipPage },
        detail: {
          operationId: 'listClips',
          summary: 'All completed public clips, newest first',
          description: 'Clips of public tournaments that are ready to be watched, in three sizes.',
        },
      },
    )
    .get(
      '/:token',
      ({ archive, exchange, params: { token } }) => {
        const clip = findClip(archive.clips, token)
        if (clip) dependsOn({ archive, exchange }, clip.fight.tournament)
        return clip ? { clip: clipView(clip) } : notFound('clip')
      },
      {
        response: { 200: ClipBody, 404: ErrorBody },
        detail: {
          operationId: 'getClip',
          summary: 'One clip',
          description: 'A clip by its public share token.',
        },
      },
    )

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { clipView } from '../api/clips/view.ts'
import { limitParameter } from '../http/paging.ts'
import { parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import { ClipFeed } from './clipFeed.ts'
import { type Mount, successor, superseded } from './mount.ts'

export const recentClips = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/recentClips${mount.suffix}`,
    ({ archive, cached, query: { limit }, set }) => {
      set.headers.link = successor(mount, `/clips?limit=${limit}`)
      return cached({
        success: true as const,
        clips: archive.clips.newestFirst.slice(0, limit).map(clipView),
      })
    },
    {
      ...parameters({ query: Type.Object({ limit: limitParameter(100, 20) }) }),
      response: { 200: ClipFeed },
      detail: superseded(mount, 'recentClips', 'The newest clips'),
    },
  )

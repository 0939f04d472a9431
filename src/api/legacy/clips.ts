import { randomInt } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { limitParameter } from '../../http/paging.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { Clip } from '../clips/schema.ts'
import { clipView } from '../clips/view.ts'
import { named } from '../fields.ts'
import { documented, type Mount, successor, superseded } from './mount.ts'

const ClipFeed = named('LegacyClipFeed', {
  success: Type.Literal(true),
  clips: Type.Array(Clip),
})

const randomCount = 10

export const clipScripts = (mount: Mount) =>
  new Elysia()
    .use(archived)
    .get(
      `/recentClips${mount.suffix}`,
      ({ archive, cached, query: { limit }, set }) => {
        set.headers.link = successor(mount, `/clips?limit=${limit}`)
        const clips = archive.clips.newestFirst.slice(0, limit).map(clipView)
        return cached({ success: true as const, clips })
      },
      {
        ...parameters({ limit: limitParameter(100, 20) }),
        response: { 200: ClipFeed },
        detail: superseded(mount, 'recentClips', 'The newest clips'),
      },
    )
    .get(
      `/randomClips${mount.suffix}`,
      ({ archive, set }) => {
        set.headers['cache-control'] = caching.none
        const { curated } = archive.clips
        const drawn = new Set<number>()
        while (drawn.size < Math.min(randomCount, curated.length))
          drawn.add(randomInt(curated.length))
        const clips = [...drawn].flatMap((index) => curated.slice(index, index + 1)).map(clipView)
        return { success: true as const, clips }
      },
      {
        response: { 200: ClipFeed },
        detail: documented(mount, 'randomClips', 'Ten curated clips at random'),
      },
    )

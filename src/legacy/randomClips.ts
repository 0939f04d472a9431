import { randomInt } from 'node:crypto'
import { Elysia } from 'elysia'
import { clipView } from '../api/clips/view.ts'
import { caching } from '../http/caching.ts'
import { archived } from '../http/requestContext.ts'
import { ClipFeed } from './clipFeed.ts'
import { draw } from './draw.ts'
import { documented, type Mount } from './mount.ts'

const clipsPerResponse = 10

/** Curated clips, drawn anew for each request. */
export const randomClips = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/randomClips${mount.suffix}`,
    ({ archive, set }) => {
      set.headers['cache-control'] = caching.none
      return {
        success: true as const,
        clips: draw(archive.clips.curated, clipsPerResponse, (n) => randomInt(n)).map(clipView),
      }
    },
    {
      response: { 200: ClipFeed },
      detail: documented(mount, 'randomClips', 'Ten curated clips at random'),
    },
  )

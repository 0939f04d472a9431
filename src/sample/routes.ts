import { join } from 'node:path'
import { Elysia } from 'elysia'
import { caching } from '../http/caching.ts'
import { notFound } from '../http/errors.ts'
import { sendFile } from '../http/fileResponse.ts'
import { archived, requestContext } from '../http/requestContext.ts'
import type { Data } from '../http/trackedArchive.ts'
import { findStill } from '../media/stills.ts'
import { drawStill } from './drawing.ts'

const stillOf = ({ stills }: Data, token: string) => findStill(stills, token)

/**
 * Films and pictures of a generated league. `…/NAME-FILM_72p.mp4` is a film of the folder, at 72 lines or
 * for all other sizes 360; `stills/TOKEN.svg` is drawn.
 */
export const sampleRoutes = (basePath: string, folder: string) =>
  new Elysia({ prefix: `${basePath}/media`, tags: ['pages'] })
    .use(
      new Elysia().use(archived).get(
        '/stills/:file',
        ({ archive, cached, set, params: { file } }) => {
          const [, token = ''] = /^(.+)\.svg$/.exec(file) ?? []
          const still = archive.lookup(stillOf, token)
          if (!still) return notFound('still')
          set.headers['content-type'] = 'image/svg+xml'
          set.headers['content-security-policy'] = "default-src 'none'; sandbox"
          return cached(new Response(drawStill(still)))
        },
        { detail: { hide: true } },
      ),
    )
    .use(requestContext)
    .get(
      '/*',
      async ({ request, set, moment, params: { '*': path } }) => {
        const [, film, lines] = /-([a-z]+)(?:_(\d+)p)?\.mp4$/.exec(path) ?? []
        const file = Bun.file(join(folder, `${film}_${lines === '72' ? 72 : 360}p.mp4`))
        if (film === undefined || !(await file.exists())) return notFound('film')
        const bytes = await file.bytes()
        return sendFile(request, set, {
          etag: `"${Bun.hash.xxHash64(bytes).toString(16)}"`,
          pieces: [{ size: bytes.length, read: () => [bytes] }],
          contentType: 'video/mp4',
          cacheControl: caching.film,
          version: moment.headers['x-data-version'],
        })
      },
      { detail: { hide: true } },
    )

import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Elysia } from 'elysia'
import { findStill } from '../../derived/media/stills.ts'
import { caching } from '../../http/caching.ts'
import { notFound } from '../../http/errors.ts'
import { sendFile } from '../../http/fileResponse.ts'
import { archived, requestContext } from '../../http/requestContext.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { isEmbedded } from '../../runtime/files.ts'
import { drawStill } from './drawing.ts'

const stillOf = ({ stills }: Data, token: string) => findStill(stills, token)

const pieceBytes = 1024 * 1024

/** Path of a file in a folder; undefined if it does not exist or a link leads out of the folder. */
const fileIn = async (folder: string, name: string): Promise<Bun.BunFile | undefined> => {
  try {
    const path = join(folder, name)
    const isInside =
      isEmbedded(folder) || (await realpath(path)).startsWith(join(await realpath(folder), sep))
    const file = isInside ? Bun.file(path) : undefined
    return (await file?.exists()) ? file : undefined
  } catch {
    return undefined
  }
}

/** A video or picture in a folder, streamed from disk; undefined for other files and outside the folder. */
const findFile = async (folder: string, name: string) => {
  if (!name.split('/').every((part) => /^[^.\p{Cc}][^\p{Cc}]*$/u.test(part))) return undefined
  const file = await fileIn(folder, name)
  if (!file || !/^(video|image)\//.test(file.type)) return undefined
  const { size, lastModified } = file
  const starts = Array.from({ length: Math.ceil(size / pieceBytes) }, (_, at) => at * pieceBytes)
  return {
    // Hashing a film would read all of it.
    etag: `"${size.toString(36)}-${Math.floor(lastModified).toString(36)}"`,
    contentType: file.type,
    cacheControl: caching.archive,
    pieces: starts.map((start) => {
      const piece = file.slice(start, start + pieceBytes)
      return { size: Math.min(pieceBytes, size - start), read: async () => [await piece.bytes()] }
    }),
  }
}

/** The film behind an address of a generated league. */
const findDrawn = async (folder: string, path: string) => {
  const [, film, lines] = /-([a-z]+)(?:_(\d+)p)?\.mp4$/.exec(path) ?? []
  const file = film && (await fileIn(folder, `${film}_${lines === '72' ? 72 : 360}p.mp4`))
  if (!file) return undefined
  const bytes = await file.bytes()
  return {
    etag: `"${Bun.hash.xxHash64(bytes).toString(16)}"`,
    contentType: 'video/mp4',
    cacheControl: caching.film,
    pieces: [{ size: bytes.length, read: () => [bytes] }],
  }
}

/**
 * Films and pictures of a folder, or of a generated league. `…/NAME-FILM_72p.mp4` is a film of the folder, at 72 lines
 * or for all other sizes 360; `stills/TOKEN.svg` is drawn.
 */
export const sampleRoutes = (folder: string) =>
  new Elysia({ prefix: '/media', tags: ['pages'] })
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
        const file =
          (await findFile(folder, decodeURIComponent(path))) ?? (await findDrawn(folder, path))
        if (!file) return notFound('film')
        set.headers['content-security-policy'] = "default-src 'none'; sandbox"
        const version = moment.headers['x-data-version']
        return sendFile(request, set, { ...file, version })
      },
      { detail: { hide: true } },
    )

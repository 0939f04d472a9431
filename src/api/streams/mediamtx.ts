import { type Static, Type } from '@sinclair/typebox'
import { RequestError } from '../../data/remote/request.ts'
import { compiled } from '../../runtime/once.ts'
import { type Broadcast, fetchText, playlistUrl, type StreamSource } from './streamSource.ts'

const nullable = <T extends Parameters<typeof Type.Array>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/**
 * A path as `/v3/paths/list` describes it. Releases since 1.0 have `ready` and `tracks`; newer ones also have `online`
 * and `tracks2`, and call a path ready while it plays a filler.
 */
const Path = Type.Object({
  name: Type.String(),
  ready: Type.Optional(Type.Boolean()),
  readyTime: nullable(Type.String()),
  online: Type.Optional(Type.Boolean()),
  onlineTime: nullable(Type.String()),
  tracks: nullable(Type.Array(Type.String())),
  tracks2: nullable(Type.Array(Type.Object({ codec: Type.String() }))),
  readers: nullable(Type.Array(Type.Unknown())),
})
type Path = Static<typeof Path>

const PathList = compiled(
  Type.Object({
    pageCount: Type.Integer({ minimum: 0 }),
    items: Type.Union([Type.Array(Path), Type.Null()]),
  }),
)

/** Default page size of the server. */
const itemsPerPage = 100
/** Maximum number of pages: up to two thousand paths. */
const maxPages = 20

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestError('the answer is not JSON')
  }
}

/** Unix seconds of a time; null for an invalid one and for Go's zero time. */
const toUnix = (time: string | null | undefined): number | null => {
  const unix = Math.floor(Date.parse(time ?? '') / 1000)
  return unix > 0 ? unix : null
}

const isPublished = ({ online, ready }: Path): boolean => {
  const published = online ?? ready
  if (published === undefined) throw new RequestError('a path is neither ready nor not')
  return published
}

const broadcastOf = (path: Path, hlsUrl: string): Broadcast => ({
  path: path.name,
  hlsUrl,
  readyUnix: toUnix(path.onlineTime ?? path.readyTime),
  viewers: path.readers?.length ?? 0,
  tracks: path.tracks ?? path.tracks2?.map(({ codec }) => codec) ?? [],
})

/** MediaMTX, by its control API at `apiUrl`. A path plays at `HLS/PATH/index.m3u8`. */
export const createMediaMtx = (apiUrl: string, hlsUrl: string): StreamSource => {
  const readPage = async (page: number, signal: AbortSignal) => {
    const address = new URL(apiUrl)
    address.pathname = `${address.pathname.replace(/\/+$/, '')}/v3/paths/list`
    address.search = new URLSearchParams({
      page: String(page),
      itemsPerPage: String(itemsPerPage),
    }).toString()
    const answer = parseJson(await fetchText(address, ['application/json'], signal))
    if (!PathList().Check(answer)) {
      const where = PathList().Errors(answer).First()?.path
      throw new RequestError(`the answer is not a list of paths (at ${where || '/'})`)
    }
    if (answer.pageCount > maxPages) throw new RequestError('there are too many pages')
    return answer
  }

  return async (signal) => {
    const broadcasts = new Map<string, Broadcast>()
    let pageCount = 1
    for (let page = 0; page < pageCount; page += 1) {
      const answer = await readPage(page, signal)
      pageCount = answer.pageCount
      for (const path of answer.items?.filter(isPublished) ?? []) {
        const playlist = playlistUrl(hlsUrl, path.name, '/index.m3u8')
        if (playlist) broadcasts.set(path.name, broadcastOf(path, playlist))
      }
    }
    return [...broadcasts.values()]
  }
}

import type { TimeSlice } from '../timeSlice.ts'
import { type ProxyAddress, type ProxyHeight, proxyAddress } from './proxies.ts'
import type { RecordingRow } from './rows.ts'
import { columnsOf, readExpressions } from './tables.ts'

type Row = Readonly<Record<string, unknown>>

/** Rows between two looks at the clock. */
export const sliceRows = 32

/** Short forms of the proxies of a recording. */
export const shortProxies = ({ videoUrl, proxy720Url, proxy360Url, proxy72Url }: Row) => {
  const short = (height: ProxyHeight, url: unknown): unknown =>
    typeof videoUrl === 'string' && typeof url === 'string'
      ? proxyAddress(videoUrl, height, url)
      : url
  return {
    proxy720Url: short(720, proxy720Url),
    proxy360Url: short(360, proxy360Url),
    proxy72Url: short(72, proxy72Url),
  }
}

/** Between the texts of a column. A text that contains it is noticed, as there is one too many. */
const separator = '\x01'
/** Sent instead of the standard proxy of a film, which follows from it: two thirds of all bytes. */
const standard = '*'

const proxyHeights: Readonly<Record<string, ProxyHeight>> = {
  proxy720Url: 720,
  proxy360Url: 360,
  proxy72Url: 72,
}

/** SQL for the texts of each column of the recordings of a tournament, in their order. */
export const recordingTexts = (version: number): readonly string[] => {
  const columns = columnsOf('recordings')
  return readExpressions('recordings', version).map((read, index) => {
    const height = proxyHeights[columns[index]?.property ?? '']
    const sent =
      height === undefined
        ? `(${read})::text`
        : `CASE WHEN video_url LIKE '%.mp4' AND ${read} = left(video_url, -4) || '_${height}p.mp4'
           THEN '${standard}' WHEN ${read} = '${standard}' THEN '${separator}' ELSE ${read} END`
    return `string_agg(coalesce(${sent}, ''), '${separator}')`
  })
}

const proxyOf = (
  text: string | undefined,
  videoUrl: string | null,
  height: ProxyHeight,
): ProxyAddress => {
  if (text === standard) return true
  return text ? proxyAddress(videoUrl, height, text) : null
}

const numberOrNull = (text: string | undefined): number | null => (text ? Number(text) : null)

/**
 * Recordings of a tournament from one text for each column; undefined where a text contains the
 * separator. Where null is possible, the empty text is no valid value.
 */
export const recordingsOf = async (
  count: number,
  columns: readonly unknown[],
  { isOver, next }: TimeSlice,
): Promise<Row[] | undefined> => {
  const texts = new Map(
    columnsOf('recordings').map(({ property }, index) => [
      property,
      String(columns[index]).split(separator),
    ]),
  )
  if (texts.values().some(({ length }) => length !== count)) return undefined
  const column = (name: keyof RecordingRow): readonly string[] => texts.get(name) ?? []
  const [ids, gameIds, cages, cameras] = [
    column('id'),
    column('gameId'),
    column('cage'),
    column('camera'),
  ]
  const [videoUrls, statuses, starts] = [
    column('videoUrl'),
    column('httpStatus'),
    column('startMs'),
  ]
  const [urls720, urls360, urls72] = [
    column('proxy720Url'),
    column('proxy360Url'),
    column('proxy72Url'),
  ]
  const rows: Row[] = []
  for (let at = 0; at < count; at += 1) {
    if (at % sliceRows === 0 && isOver()) await next()
    const videoUrl = videoUrls[at] || null
    rows.push({
      id: numberOrNull(ids[at]),
      gameId: gameIds[at],
      cage: cages[at],
      camera: cameras[at],
      videoUrl,
      httpStatus: numberOrNull(statuses[at]),
      startMs: numberOrNull(starts[at]),
      proxy720Url: proxyOf(urls720[at], videoUrl, 720),
      proxy360Url: proxyOf(urls360[at], videoUrl, 360),
      proxy72Url: proxyOf(urls72[at], videoUrl, 72),
    } satisfies Record<keyof RecordingRow, unknown>)
  }
  return rows
}

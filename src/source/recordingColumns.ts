import type { TimeSlice } from '../timeSlice.ts'
import { type ProxyHeight, proxyAddress } from './proxies.ts'
import type { RecordingRow } from './rows.ts'
import { columnsOf } from './tables.ts'

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
export const columnText = (expression: string): string =>
  `string_agg(coalesce((${expression})::text, ''), '${separator}')`

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
    const urls = {
      videoUrl: videoUrls[at] || null,
      proxy720Url: urls720[at] || null,
      proxy360Url: urls360[at] || null,
      proxy72Url: urls72[at] || null,
    }
    rows.push({
      id: numberOrNull(ids[at]),
      gameId: gameIds[at],
      cage: cages[at],
      camera: cameras[at],
      videoUrl: urls.videoUrl,
      httpStatus: numberOrNull(statuses[at]),
      startMs: numberOrNull(starts[at]),
      ...shortProxies(urls),
    } satisfies Record<keyof RecordingRow, unknown>)
  }
  return rows
}

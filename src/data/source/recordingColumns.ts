import { Type } from '@sinclair/typebox'
import { compiled } from '../../runtime/once.ts'
import { type ProxyHeight, proxyAddress } from './proxies.ts'
import { type PackedRecordings, packColumns } from './recordingTable.ts'
import { RecordingRow } from './rows.ts'
import { columnsOf, readExpressions } from './tables.ts'

const heights: readonly ProxyHeight[] = [720, 360, 72]
const proxyNames = heights.map((height) => `proxy_${height}_url`)
const extension = '.mp4'
/** Text that replaces the extension of a film in the URL of its proxy. */
const endingOf = (height: ProxyHeight): string => `_${height}p${extension}`

const followFilm = heights
  .map(
    (height, at) => `${proxyNames[at]} = replace(video_url, '${extension}', '${endingOf(height)}')`,
  )
  .join(' AND ')

/**
 * SQL for the columns of recordings. Their proxies, the last three columns, are sent as one: true if all follow from
 * the film, which saves two thirds of all bytes.
 */
export const recordingExpressions = (version: number): readonly string[] => [
  ...readExpressions('recordings', version).slice(0, -heights.length),
  `CASE WHEN ${followFilm} THEN 'true' ELSE json_build_array(${proxyNames.join(', ')}) END`,
]

const filmColumn = columnsOf('recordings').findIndex(({ property }) => property === 'videoUrl')

/** Short form of a proxy as sent; true means the standard address only if the film has one extension, at its end. */
const shortProxy = (film: unknown, height: ProxyHeight, sent: unknown): unknown => {
  if (typeof film !== 'string') return sent
  if (sent !== true) return typeof sent === 'string' ? proxyAddress(film, height, sent) : sent
  return (
    film.indexOf(extension) === film.length - extension.length ||
    proxyAddress(film, height, film.replaceAll(extension, endingOf(height)))
  )
}

/** Columns of recordings from the values that {@link recordingExpressions} sends. */
export const recordingColumns = (
  sent: readonly (readonly unknown[])[],
): readonly (readonly unknown[])[] => {
  const films = sent[filmColumn] ?? []
  const proxies = sent.at(-1) ?? []
  const proxyColumns = heights.map((height, index) =>
    proxies.map((each, at) =>
      shortProxy(films[at], height, Array.isArray(each) ? each[index] : each),
    ),
  )
  return [...sent.slice(0, -1), ...proxyColumns]
}

const RecordingColumns = Type.Mapped(Type.KeyOf(RecordingRow), (name) =>
  Type.Array(Type.Index(RecordingRow, name)),
)
const columnsCheck = compiled(RecordingColumns)

/** Packed recordings; undefined if a row is invalid. */
export const packValid = (
  columns: readonly (readonly unknown[])[],
): PackedRecordings | undefined => {
  const named: unknown = Object.fromEntries(
    columnsOf('recordings').map(({ property }, index) => [property, columns[index]]),
  )
  return columnsCheck().Check(named) ? packColumns(named) : undefined
}

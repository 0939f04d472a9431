import { type ProxyAddress, type ProxyHeight, proxyUrl } from '../source/proxies.ts'
import type { RecordingRow } from '../source/rows.ts'
import { intern } from './intern.ts'
import { lowerBound } from './sortedList.ts'
import type { Fight, Recording, RecordingIndex, Recordings, RecordingTable } from './types.ts'

/** Flags of a recording, in one byte. */
const flags = {
  usual720: 1,
  usual360: 2,
  usual72: 4,
  hasUrl: 8,
  namesCamera: 16,
  hasCustomProxy: 32,
} as const
/** A proxy's bit among the flags of a row, and its place among those of a row. */
const proxies = {
  720: { usual: flags.usual720, index: 0 },
  360: { usual: flags.usual360, index: 1 },
  72: { usual: flags.usual72, index: 2 },
} as const
/** The number of a proxy in a table. */
const proxyKey = (at: number, height: ProxyHeight): number => at * 3 + proxies[height].index

/** The folder that all these addresses begin with, its slash included; empty when there is none. */
const commonFolder = (rows: readonly RecordingRow[]): string => {
  const folderOf = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1)
  let folder: string | undefined
  for (const { videoUrl } of rows) {
    if (videoUrl === null) continue
    folder ??= folderOf(videoUrl)
    while (!videoUrl.startsWith(folder)) folder = folderOf(folder.slice(0, -1))
  }
  return folder ?? ''
}

/** Numbers for texts, in order of appearance. */
const numbering = () => {
  const texts: string[] = []
  const numbers = new Map<string, number>()
  let last = -1
  const numberOf = (text: string): number => {
    // Usually equal to the one before.
    if (texts[last] === text) return last
    const known = numbers.get(text)
    last = known ?? texts.push(text) - 1
    if (known === undefined) numbers.set(text, last)
    return last
  }
  return { texts, numberOf }
}

/** A copy of a text that may be a slice, which keeps all of the text in memory that it was cut from. */
const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** Packs rows in this order. */
const pack = (rows: readonly RecordingRow[]): RecordingTable => {
  const count = rows.length
  const labels = numbering()
  const folder = commonFolder(rows)
  const names = new Array<string>(count)
  const columns = {
    ids: new Float64Array(count),
    startMs: new Float64Array(count),
    statuses: new Uint16Array(count),
    flags: new Uint8Array(count),
    cages: new Uint32Array(count),
    cameras: new Uint32Array(count),
    nameEnds: new Uint32Array(count),
  }
  const customProxies = new Map<number, string>()
  /** The flags that a proxy sets; an unusual address is kept as it is. */
  const keepProxy = (at: number, height: ProxyHeight, address: ProxyAddress): number => {
    if (address === null) return 0
    if (address === true) return proxies[height].usual
    customProxies.set(proxyKey(at, height), copyOf(address))
    return flags.hasCustomProxy
  }
  let nameEnd = 0
  let at = 0
  // One pass over all columns: a third of the time of a pass for each.
  for (const row of rows) {
    const { videoUrl, camera } = row
    // Most files are named after their camera.
    const namesCamera = videoUrl?.startsWith(camera, folder.length) ?? false
    const name = videoUrl?.slice(folder.length + (namesCamera ? camera.length : 0)) ?? ''
    names[at] = name
    nameEnd += name.length
    columns.nameEnds[at] = nameEnd
    columns.ids[at] = row.id
    columns.startMs[at] = row.startMs ?? -1
    columns.statuses[at] = row.httpStatus ?? 0
    columns.flags[at] =
      keepProxy(at, 720, row.proxy720Url) |
      keepProxy(at, 360, row.proxy360Url) |
      keepProxy(at, 72, row.proxy72Url) |
      (videoUrl === null ? 0 : flags.hasUrl) |
      (namesCamera ? flags.namesCamera : 0)
    columns.cages[at] = labels.numberOf(row.cage)
    columns.cameras[at] = labels.numberOf(camera)
    at += 1
  }
  return {
    ...columns,
    labels: labels.texts.map((text) => intern(copyOf(text))),
    folder: copyOf(folder),
    names: names.join(''),
    customProxies,
  }
}

/** Packs the rows of a tournament's recordings: those of each game that has any. */
export const packRecordings = (
  rows: readonly RecordingRow[],
): { readonly table: RecordingTable; readonly byGame: ReadonlyMap<string, Recordings> } => {
  const rowsByGame = Map.groupBy(rows, ({ gameId }) => gameId)
  const table = pack([...rowsByGame.values()].flat())
  const byGame = new Map<string, Recordings>()
  let first = 0
  for (const [gameID, { length }] of rowsByGame) {
    byGame.set(gameID, { table, first, length })
    first += length
  }
  return { table, byGame }
}

const recordingAt = (table: RecordingTable, at: number): Recording => {
  const bits = table.flags[at] ?? 0
  const status = table.statuses[at] ?? 0
  const startMs = table.startMs[at] ?? -1
  const camera = table.labels[table.cameras[at] ?? 0] ?? ''
  const name = table.names.slice(table.nameEnds[at - 1] ?? 0, table.nameEnds[at])
  const videoUrl =
    bits & flags.hasUrl ? table.folder + (bits & flags.namesCamera ? camera : '') + name : null
  const proxy = (height: ProxyHeight): string | null => {
    if (bits & proxies[height].usual) return proxyUrl(videoUrl, height, true)
    if (!(bits & flags.hasCustomProxy)) return null
    return table.customProxies.get(proxyKey(at, height)) ?? null
  }
  return {
    id: table.ids[at] ?? 0,
    cage: table.labels[table.cages[at] ?? 0] ?? '',
    camera,
    videoUrl,
    httpStatus: status === 0 ? null : status,
    startMs: startMs < 0 ? null : startMs,
    proxy720Url: proxy(720),
    proxy360Url: proxy(360),
    proxy72Url: proxy(72),
  }
}

/** The recordings of one game, by id, unpacked. */
export const recordingsOf = ({ table, first, length }: Recordings): readonly Recording[] =>
  Array.from({ length }, (_, index) => recordingAt(table, first + index))

/** The characters of the names of a stretch of recordings. */
const namesOf = ({ table, first, length }: Recordings): string =>
  table.names.slice(table.nameEnds[first - 1] ?? 0, table.nameEnds[first + length - 1] ?? 0)

const sameNumbers = (a: ArrayBufferView, b: ArrayBufferView): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  )

/** Whether two tables hold the same, byte by byte. */
export const sameTable = (a: RecordingTable, b: RecordingTable): boolean =>
  a === b ||
  (a.folder === b.folder &&
    a.names === b.names &&
    sameNumbers(a.ids, b.ids) &&
    sameNumbers(a.startMs, b.startMs) &&
    sameNumbers(a.statuses, b.statuses) &&
    sameNumbers(a.flags, b.flags) &&
    sameNumbers(a.cages, b.cages) &&
    sameNumbers(a.cameras, b.cameras) &&
    sameNumbers(a.nameEnds, b.nameEnds) &&
    Bun.deepEquals(a.labels, b.labels) &&
    Bun.deepEquals(a.customProxies, b.customProxies))

/** Whether two stretches hold the same recordings in the same order, compared without unpacking. */
export const sameRecordings = (a: Recordings, b: Recordings): boolean => {
  if (a.length !== b.length) return false
  if (a.length === 0 || (a.table === b.table && a.first === b.first)) return true
  const [one, other] = [a.table, b.table]
  if (one.folder !== other.folder || namesOf(a) !== namesOf(b)) return false
  const nameStarts = (one.nameEnds[a.first - 1] ?? 0) - (other.nameEnds[b.first - 1] ?? 0)
  for (let index = 0; index < a.length; index += 1) {
    const [at, otherAt] = [a.first + index, b.first + index]
    const bits = one.flags[at] ?? 0
    if (
      bits !== other.flags[otherAt] ||
      one.ids[at] !== other.ids[otherAt] ||
      one.startMs[at] !== other.startMs[otherAt] ||
      one.statuses[at] !== other.statuses[otherAt] ||
      (one.nameEnds[at] ?? 0) - (other.nameEnds[otherAt] ?? 0) !== nameStarts ||
      one.labels[one.cages[at] ?? 0] !== other.labels[other.cages[otherAt] ?? 0] ||
      one.labels[one.cameras[at] ?? 0] !== other.labels[other.cameras[otherAt] ?? 0]
    ) {
      return false
    }
    if (!(bits & flags.hasCustomProxy)) continue
    for (const height of [720, 360, 72] as const) {
      const key = one.customProxies.get(proxyKey(at, height))
      if (key !== other.customProxies.get(proxyKey(otherAt, height))) return false
    }
  }
  return true
}

/** Where to find the recordings of these fights by id; all of them are in one table. */
export const indexRecordings = (
  table: RecordingTable,
  fights: readonly Fight[],
): RecordingIndex => {
  const recorded = fights
    .filter(({ recordings }) => recordings.length > 0)
    .sort((a, b) => a.recordings.first - b.recordings.first)
  const places = new Uint32Array(
    recorded.reduce((sum, { recordings }) => sum + recordings.length, 0),
  )
  let end = 0
  let lastID = 0
  let isSorted = true
  for (const { recordings } of recorded) {
    for (let index = 0; index < recordings.length; index += 1) {
      const place = recordings.first + index
      const id = table.ids[place] ?? 0
      places[end] = place
      end += 1
      if (id < lastID) isSorted = false
      lastID = id
    }
  }
  // Ids are usually assigned in the order of the fights.
  if (!isSorted) places.sort((a, b) => (table.ids[a] ?? 0) - (table.ids[b] ?? 0))
  return { table, places, fights: recorded }
}

/** The last of these indexes whose key is not after the wanted one, by ascending keys; -1 for none. */
const lastNotAfter = (length: number, wanted: number, keyAt: (index: number) => number): number =>
  lowerBound((index) => keyAt(index) <= wanted, 0, length) - 1

/** The recording with this id and its fight, if it is among these. */
export const findIndexed = (
  { table, places, fights }: RecordingIndex,
  id: number,
): { fight: Fight; recording: Recording } | undefined => {
  const idAt = (at: number): number => table.ids[places[at] ?? 0] ?? 0
  const found = lastNotAfter(places.length, id, idAt)
  if (found < 0 || idAt(found) !== id) return undefined
  const place = places[found] ?? 0
  const fight =
    fights[lastNotAfter(fights.length, place, (at) => fights[at]?.recordings.first ?? 0)]
  return fight && { fight, recording: recordingAt(table, place) }
}

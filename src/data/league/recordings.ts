import { proxyUrl } from '../source/proxies.ts'
import {
  flags,
  type PackedRecordings,
  packRecordings,
  proxyKey,
  type RecordingTable,
  recordingAt as rowAt,
} from '../source/recordingTable.ts'
import type { RecordingRow } from '../source/rows.ts'
import { lowerBound } from './sortedList.ts'
import type { Fight, Recording, RecordingIndex, Recordings } from './types.ts'

/** The table of a tournament's recordings, and the recordings of each game that has any. */
export const recordingsByGame = (
  rows: readonly RecordingRow[] | PackedRecordings,
): { readonly table: RecordingTable; readonly byGame: ReadonlyMap<string, Recordings> } => {
  const { table, games, counts } = packRecordings(rows)
  const byGame = new Map<string, Recordings>()
  let first = 0
  for (const [index, gameID] of games.entries()) {
    const length = counts[index] ?? 0
    byGame.set(gameID, { table, first, length })
    first += length
  }
  return { table, byGame }
}

const recordingAt = (table: RecordingTable, at: number): Recording => {
  const row = rowAt(table, at)
  return {
    ...row,
    proxy720Url: proxyUrl(row.videoUrl, 720, row.proxy720Url),
    proxy360Url: proxyUrl(row.videoUrl, 360, row.proxy360Url),
    proxy72Url: proxyUrl(row.videoUrl, 72, row.proxy72Url),
  }
}

/** The recordings of one game, by id, unpacked. */
export const recordingsOf = ({ table, first, length }: Recordings): readonly Recording[] =>
  Array.from({ length }, (_, index) => recordingAt(table, first + index))

/** Characters in the names of a stretch of recordings. */
const namesOf = ({ table, first, length }: Recordings): string =>
  table.names.slice(table.nameEnds[first - 1] ?? 0, table.nameEnds[first + length - 1] ?? 0)

const sameNumbers = (a: ArrayBufferView, b: ArrayBufferView): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  )

/** True if two tables are equal, byte by byte. */
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

/** True if two stretches hold the same recordings in the same order; nothing is unpacked. */
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

/** Places of the recordings of these fights by id; all are in one table. */
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

/** Ids of indexed recordings. */
export const recordingIDs = ({ table, places }: RecordingIndex): readonly number[] =>
  Array.from(places, (place) => table.ids[place] ?? 0)

/** Index of the last entry whose key is not after the wanted one, by ascending keys; -1 if there is none. */
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

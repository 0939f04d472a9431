import type { RecordingRow } from '../source/rows.ts'
import { intern } from './intern.ts'
import type { Game, Recording, RecordingIndex, Recordings, RecordingTable } from './types.ts'

/** What a row of a table holds in one byte. */
const flags = { has720: 1, has360: 2, has72: 4, hasUrl: 8, namesCamera: 16 } as const

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The folder that all these addresses begin with, its slash included; empty when there is none. */
const commonFolder = (urls: readonly string[]): string => {
  const folderOf = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1)
  let folder = folderOf(urls[0] ?? '')
  for (const url of urls) {
    while (!url.startsWith(folder)) folder = folderOf(folder.slice(0, -1))
  }
  return folder
}

/** Numbers for texts, in order of appearance. */
const numbering = () => {
  const texts: string[] = []
  const numbers = new Map<string, number>()
  const numberOf = (text: string): number => {
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, texts.length)
    return texts.push(intern(text)) - 1
  }
  return { texts, numberOf }
}

/** Packs the rows of a tournament's recordings, in this order. */
export const packRecordings = (rows: readonly RecordingRow[]): RecordingTable => {
  const labels = numbering()
  const folder = commonFolder(rows.flatMap(({ videoUrl }) => videoUrl ?? []))
  // A file is named after its camera, as a rule.
  const names = rows.map(({ videoUrl, camera }) => {
    const file = videoUrl?.slice(folder.length) ?? ''
    const namesCamera = file.startsWith(camera)
    return { namesCamera, rest: encoder.encode(namesCamera ? file.slice(camera.length) : file) }
  })
  let end = 0
  return {
    ids: Float64Array.from(rows, ({ id }) => id),
    startMs: Float64Array.from(rows, ({ startMs }) => startMs ?? -1),
    statuses: Uint16Array.from(rows, ({ httpStatus }) => httpStatus ?? 0),
    flags: Uint8Array.from(
      rows,
      (row, index) =>
        (row.has720 ? flags.has720 : 0) |
        (row.has360 ? flags.has360 : 0) |
        (row.has72 ? flags.has72 : 0) |
        (row.videoUrl === null ? 0 : flags.hasUrl) |
        (names[index]?.namesCamera ? flags.namesCamera : 0),
    ),
    cages: Uint32Array.from(rows, ({ cage }) => labels.numberOf(cage)),
    cameras: Uint32Array.from(rows, ({ camera }) => labels.numberOf(camera)),
    labels: labels.texts,
    folder,
    names: Buffer.concat(names.map(({ rest }) => rest)),
    nameEnds: Uint32Array.from(names, ({ rest }) => (end += rest.length)),
  }
}

const recordingAt = (table: RecordingTable, at: number): Recording => {
  const bits = table.flags[at] ?? 0
  const status = table.statuses[at] ?? 0
  const startMs = table.startMs[at] ?? -1
  const camera = table.labels[table.cameras[at] ?? 0] ?? ''
  const name = decoder.decode(table.names.subarray(table.nameEnds[at - 1] ?? 0, table.nameEnds[at]))
  return {
    id: table.ids[at] ?? 0,
    cage: table.labels[table.cages[at] ?? 0] ?? '',
    camera,
    videoUrl:
      bits & flags.hasUrl ? table.folder + (bits & flags.namesCamera ? camera : '') + name : null,
    httpStatus: status === 0 ? null : status,
    startMs: startMs < 0 ? null : startMs,
    has720: (bits & flags.has720) !== 0,
    has360: (bits & flags.has360) !== 0,
    has72: (bits & flags.has72) !== 0,
  }
}

/** The recordings of one game, by id, unpacked. */
export const recordingsOf = ({ table, first, length }: Recordings): readonly Recording[] =>
  Array.from({ length }, (_, index) => recordingAt(table, first + index))

/** Where to find the recordings of these games by id; all of them are in one table. */
export const indexRecordings = (table: RecordingTable, games: readonly Game[]): RecordingIndex => {
  const filmed = games
    .filter(({ recordings }) => recordings.length > 0)
    .sort((a, b) => a.recordings.first - b.recordings.first)
  const places = filmed.flatMap(({ recordings }) =>
    Array.from({ length: recordings.length }, (_, index) => recordings.first + index),
  )
  places.sort((a, b) => (table.ids[a] ?? 0) - (table.ids[b] ?? 0))
  return { table, places: Uint32Array.from(places), games: filmed }
}

/** The place of the last entry that is not after the wanted one, by a key that grows; -1 for none. */
const lastNotAfter = (length: number, wanted: number, keyAt: (at: number) => number): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keyAt(middle) <= wanted) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The recording with this id and its game, if it is among these. */
export const findIndexed = (
  { table, places, games }: RecordingIndex,
  id: number,
): { game: Game; recording: Recording } | undefined => {
  const idAt = (at: number): number => table.ids[places[at] ?? 0] ?? 0
  const found = lastNotAfter(places.length, id, idAt)
  if (found < 0 || idAt(found) !== id) return undefined
  const place = places[found] ?? 0
  const game = games[lastNotAfter(games.length, place, (at) => games[at]?.recordings.first ?? 0)]
  return game && { game, recording: recordingAt(table, place) }
}

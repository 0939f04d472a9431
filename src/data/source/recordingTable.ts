import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { intern } from '../league/intern.ts'
import { isWebAddress } from './fields.ts'
import type { ProxyAddress, ProxyHeight } from './proxies.ts'
import { RecordingRow, type TournamentRows } from './rows.ts'

/**
 * The recordings of one tournament, sorted by game and id. Packed, because recordings are the most numerous entity and
 * one object for each takes three times the memory.
 */
export interface RecordingTable {
  readonly ids: Float64Array
  /** Starts in milliseconds; -1 if unknown. */
  readonly startMs: Float64Array
  /** HTTP statuses; 0 if unknown. */
  readonly statuses: Uint16Array
  readonly flags: Uint8Array
  /** Indexes into `labels`. */
  readonly cages: Uint32Array
  readonly cameras: Uint32Array
  readonly labels: readonly string[]
  /** Common prefix of all addresses. */
  readonly folder: string
  /** The remainders of the addresses, concatenated. */
  readonly names: string
  readonly nameEnds: Uint32Array
  /** Addresses of smaller files that break the naming rule, by row and height. */
  readonly customProxies: ReadonlyMap<number, string>
}

/** A table, its games in the order of their rows, and the number of recordings of each game. */
export class PackedRecordings {
  readonly table: RecordingTable
  readonly games: readonly string[]
  readonly counts: readonly number[]

  constructor(table: RecordingTable, games: readonly string[], counts: readonly number[]) {
    this.table = table
    this.games = games
    this.counts = counts
  }
}

/**
 * Rows of a tournament with packed recordings: no row object is made for them at a start, which saves a third of the
 * time.
 */
export type PackedRows = Omit<TournamentRows, 'recordings'> & {
  readonly recordings: PackedRecordings
}

/** Flags of a recording, in one byte. */
export const flags = {
  usual720: 1,
  usual360: 2,
  usual72: 4,
  hasUrl: 8,
  namesCamera: 16,
  hasCustomProxy: 32,
} as const
/** Bit of a proxy among the flags of a row, and its index among the proxies of a row. */
const proxies = {
  720: { usual: flags.usual720, index: 0 },
  360: { usual: flags.usual360, index: 1 },
  72: { usual: flags.usual72, index: 2 },
} as const
/** Number of a proxy in a table. */
export const proxyKey = (at: number, height: ProxyHeight): number => at * 3 + proxies[height].index

/** An array for each column of rows. */
export type RecordingColumns = {
  readonly [Name in keyof RecordingRow]: readonly RecordingRow[Name][]
}

/** The folder that all these addresses begin with, with its slash; empty if there is none. */
const commonFolder = ({ videoUrl: urls }: RecordingColumns): string => {
  const folderOf = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1)
  let folder: string | undefined
  for (const url of urls) {
    if (url === null) continue
    folder ??= folderOf(url)
    while (!url.startsWith(folder)) folder = folderOf(folder.slice(0, -1))
  }
  return folder ?? ''
}

/** Numbers for texts, in order of appearance. */
const numbering = () => {
  const texts: string[] = []
  const numbers = new Map<string, number>()
  let last = -1
  const numberOf = (text: string): number => {
    // Usually equal to the address before.
    if (texts[last] === text) return last
    const known = numbers.get(text)
    last = known ?? texts.push(text) - 1
    if (known === undefined) numbers.set(text, last)
    return last
  }
  return { texts, numberOf }
}

/** A copy of a text. A slice would keep the whole text in memory that it was cut from. */
const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** Packs rows in the order of these indexes. */
const pack = (given: RecordingColumns, order: readonly number[]): RecordingTable => {
  const count = order.length
  const labels = numbering()
  const folder = commonFolder(given)
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
  /** Flags that a proxy sets; an unusual address is kept as it is. */
  const keepProxy = (at: number, height: ProxyHeight, address: ProxyAddress): number => {
    if (address === null) return 0
    if (address === true) return proxies[height].usual
    customProxies.set(proxyKey(at, height), copyOf(address))
    return flags.hasCustomProxy
  }
  let nameEnd = 0
  let at = 0
  // One pass over all columns takes a third of the time of one pass for each.
  for (const from of order) {
    const [videoUrl = null, camera = ''] = [given.videoUrl[from], given.camera[from]]
    // Most files are named after their camera.
    const namesCamera = videoUrl?.startsWith(camera, folder.length) ?? false
    const name = videoUrl?.slice(folder.length + (namesCamera ? camera.length : 0)) ?? ''
    names[at] = name
    nameEnd += name.length
    columns.nameEnds[at] = nameEnd
    columns.ids[at] = given.id[from] ?? 0
    columns.startMs[at] = given.startMs[from] ?? -1
    columns.statuses[at] = given.httpStatus[from] ?? 0
    columns.flags[at] =
      keepProxy(at, 720, given.proxy720Url[from] ?? null) |
      keepProxy(at, 360, given.proxy360Url[from] ?? null) |
      keepProxy(at, 72, given.proxy72Url[from] ?? null) |
      (videoUrl === null ? 0 : flags.hasUrl) |
      (namesCamera ? flags.namesCamera : 0)
    columns.cages[at] = labels.numberOf(given.cage[from] ?? '')
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

/** A row of a table, without its game. */
export const recordingAt = (table: RecordingTable, at: number): Omit<RecordingRow, 'gameId'> => {
  const bits = table.flags[at] ?? 0
  const status = table.statuses[at] ?? 0
  const startMs = table.startMs[at] ?? -1
  const camera = table.labels[table.cameras[at] ?? 0] ?? ''
  const name = table.names.slice(table.nameEnds[at - 1] ?? 0, table.nameEnds[at])
  const proxy = (height: ProxyHeight): ProxyAddress => {
    if (bits & proxies[height].usual) return true
    if (!(bits & flags.hasCustomProxy)) return null
    return table.customProxies.get(proxyKey(at, height)) ?? null
  }
  return {
    id: table.ids[at] ?? 0,
    cage: table.labels[table.cages[at] ?? 0] ?? '',
    camera,
    videoUrl:
      bits & flags.hasUrl ? table.folder + (bits & flags.namesCamera ? camera : '') + name : null,
    httpStatus: status === 0 ? null : status,
    startMs: startMs < 0 ? null : startMs,
    proxy720Url: proxy(720),
    proxy360Url: proxy(360),
    proxy72Url: proxy(72),
  }
}

/** Order by id. */
export const unpackRecordings = ({ table, games, counts }: PackedRecordings): RecordingRow[] =>
  games
    .flatMap((gameId, game) => Array<string>(counts[game] ?? 0).fill(gameId))
    .map((gameId, at) => {
      const { id, ...rest } = recordingAt(table, at)
      return { id, gameId, ...rest }
    })
    .sort((a, b) => a.id - b.id)

/** Equal rows give equal tables, in whatever order they come. */
export const packColumns = (columns: RecordingColumns): PackedRecordings => {
  const { id, gameId } = columns
  // The rows of an imported file can have any order; rows read from a frame are sorted by id.
  const order = [...id.keys()].sort((a, b) => (id[a] ?? 0) - (id[b] ?? 0))
  const byGame = Map.groupBy(order, (at) => gameId[at] ?? '')
  const games = [...byGame.values()]
  return new PackedRecordings(
    pack(columns, games.flat()),
    [...byGame.keys()],
    games.map(({ length }) => length),
  )
}

export const packRecordings = (
  recordings: readonly RecordingRow[] | PackedRecordings,
): PackedRecordings => {
  if (recordings instanceof PackedRecordings) return recordings
  const column = <Name extends keyof RecordingRow>(name: Name): RecordingRow[Name][] =>
    recordings.map((row) => row[name])
  return packColumns({
    id: column('id'),
    gameId: column('gameId'),
    cage: column('cage'),
    camera: column('camera'),
    videoUrl: column('videoUrl'),
    httpStatus: column('httpStatus'),
    startMs: column('startMs'),
    proxy720Url: column('proxy720Url'),
    proxy360Url: column('proxy360Url'),
    proxy72Url: column('proxy72Url'),
  })
}

const bytes = Type.Uint8Array()
/**
 * Encodes recordings for a frame of a snapshot. Numbers are little-endian; ascending columns are stored as differences,
 * which zstd compresses to half the bytes.
 */
export const StoredRecordings = Type.Object({
  games: Type.Array(Type.String()),
  counts: Type.Array(Type.Integer({ minimum: 0 })),
  /** Float64 array of differences. */
  ids: bytes,
  startMs: bytes,
  /** Uint32 array of differences. */
  nameEnds: bytes,
  /** Uint16 array. */
  statuses: bytes,
  flags: bytes,
  /** Uint32 array. */
  cages: bytes,
  cameras: bytes,
  labels: Type.Array(Type.String()),
  folder: Type.String(),
  names: Type.String(),
  customProxies: Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), Type.String()])),
})
const storedCheck = TypeCompiler.Compile(StoredRecordings)

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

const differences = <T extends Float64Array | Uint32Array>(sums: T, into: T): Uint8Array => {
  for (let index = 0; index < sums.length; index += 1) {
    into[index] = (sums[index] ?? 0) - (sums[index - 1] ?? 0)
  }
  return bytesOf(into)
}

const addUp = <T extends Float64Array | Uint32Array>(column: T): T => {
  let sum = 0
  for (let index = 0; index < column.length; index += 1) {
    sum += column[index] ?? 0
    column[index] = sum
  }
  return column
}

export const storeRecordings = ({
  table,
  games,
  counts,
}: PackedRecordings): Static<typeof StoredRecordings> => ({
  games: [...games],
  counts: [...counts],
  ids: differences(table.ids, new Float64Array(table.ids.length)),
  startMs: differences(table.startMs, new Float64Array(table.ids.length)),
  nameEnds: differences(table.nameEnds, new Uint32Array(table.ids.length)),
  statuses: bytesOf(table.statuses),
  flags: bytesOf(table.flags),
  cages: bytesOf(table.cages),
  cameras: bytesOf(table.cameras),
  labels: [...table.labels],
  folder: table.folder,
  names: table.names,
  customProxies: [...table.customProxies],
})

/** An aligned copy: a view would keep the whole frame. */
const alignedCopy = ({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBufferLike =>
  buffer.slice(byteOffset, byteOffset + byteLength)

/** Throws if the bytes are no table; the values are unchecked. */
export const restoreRecordings = (stored: unknown): PackedRecordings => {
  if (!storedCheck.Check(stored)) throw new TypeError('no table of recordings')
  const { games, counts, labels, folder, names } = stored
  const table: RecordingTable = {
    ids: addUp(new Float64Array(alignedCopy(stored.ids))),
    startMs: addUp(new Float64Array(alignedCopy(stored.startMs))),
    nameEnds: addUp(new Uint32Array(alignedCopy(stored.nameEnds))),
    statuses: new Uint16Array(alignedCopy(stored.statuses)),
    flags: new Uint8Array(alignedCopy(stored.flags)),
    cages: new Uint32Array(alignedCopy(stored.cages)),
    cameras: new Uint32Array(alignedCopy(stored.cameras)),
    labels: labels.map(intern),
    folder,
    names,
    customProxies: new Map(stored.customProxies),
  }
  const { ids, startMs, nameEnds, statuses, cages, cameras } = table
  const columns = [startMs, nameEnds, statuses, table.flags, cages, cameras]
  const count = counts.reduce((sum, each) => sum + each, 0)
  if (count !== ids.length || games.length !== counts.length) throw new TypeError('other counts')
  if (columns.some(({ length }) => length !== count)) throw new TypeError('uneven columns')
  return new PackedRecordings(table, games, counts)
}

const { maxLength: maxText = 0 } = RecordingRow.properties.camera
const { maximum: maxID = 0 } = RecordingRow.properties.id
const { minLength: minGame = 0, maxLength: maxGame = 0 } = RecordingRow.properties.gameId
const maxStartMs = 253_402_300_799_999

const isAscending = (ids: Float64Array): boolean => {
  for (let at = 1; at < ids.length; at += 1) if ((ids[at] ?? 0) <= (ids[at - 1] ?? 0)) return false
  return true
}

/** True if all rows are surely valid; rows of other tables have to be checked one by one. */
export const isSound = ({ table, games }: PackedRecordings): boolean => {
  const { ids, startMs, statuses, flags: bits, cages, cameras, labels, folder, nameEnds } = table
  if (new Set(games).size !== games.length) return false
  if (games.some(({ length }) => length < minGame || length > maxGame)) return false
  const longest = labels.reduce((longest, { length }) => Math.max(longest, length), 0)
  if (longest > maxText || table.names.length !== (nameEnds.at(-1) ?? 0)) return false
  if (!table.customProxies.values().every((url) => isWebAddress(url) && url.length <= maxText)) {
    return false
  }
  const hasAddresses = bits.some((each) => (each & flags.hasUrl) !== 0)
  if (hasAddresses && !isWebAddress(folder)) return false
  const maxName = maxText - folder.length - longest
  let nameEnd = 0
  for (let at = 0; at < ids.length; at += 1) {
    const [id = 0, start = 0, status = 0] = [ids[at], startMs[at], statuses[at]]
    const end = nameEnds[at] ?? 0
    const isValid =
      id >= 1 &&
      id <= maxID &&
      Number.isInteger(id) &&
      start >= -1 &&
      start <= maxStartMs &&
      Number.isInteger(start) &&
      (status === 0 || (status >= 100 && status <= 599)) &&
      (cages[at] ?? 0) < labels.length &&
      (cameras[at] ?? 0) < labels.length &&
      end >= nameEnd &&
      end - nameEnd <= maxName
    if (!isValid) return false
    nameEnd = end
  }
  return isAscending(ids) || isAscending(ids.toSorted())
}

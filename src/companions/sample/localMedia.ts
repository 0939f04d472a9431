import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Companion, CompanionKind } from '../../api/companion.ts'
import type { PrepareSnapshot } from '../../data/following/fromSnapshot.ts'
import { generatedStart } from '../../data/league/media.ts'
import type { Unchecked } from '../../data/source/check.ts'
import {
  PackedRecordings,
  packRecordings,
  unpackRecordings,
} from '../../data/source/recordingTable.ts'
import type { RecordingRow, TournamentRows } from '../../data/source/rows.ts'
import type { Snapshot } from '../../data/source/snapshot.ts'
import { isEmbedded } from '../../runtime/files.ts'
import { sampleRoutes } from './routes.ts'

/** `media` next to a snapshot, or the executable; undefined without films. */
const findFilms = (snapshotPath: string): string | undefined => {
  const folder = dirname(snapshotPath)
  if (isEmbedded(snapshotPath)) return folder
  const beside = join(folder, 'media')
  return existsSync(beside) ? beside : undefined
}

const move = <T>(value: T, to: string): T | string =>
  typeof value === 'string' && value.startsWith(generatedStart)
    ? to + value.slice(generatedStart.length)
    : value

const moveRow = (row: unknown, to: string): unknown =>
  typeof row === 'object' && row !== null
    ? Object.fromEntries(Object.entries(row).map(([column, value]) => [column, move(value, to)]))
    : row

const moveAddresses = (
  { videoUrl, proxy720Url, proxy360Url, proxy72Url }: RecordingRow,
  to: string,
) => ({
  videoUrl: move(videoUrl, to),
  proxy720Url: move(proxy720Url, to),
  proxy360Url: move(proxy360Url, to),
  proxy72Url: move(proxy72Url, to),
})

/** Rows of a table; the folder of packed recordings is moved, which takes the same time for any number of them. */
const moveTable = (rows: unknown, to: string): unknown => {
  if (!(rows instanceof PackedRecordings)) {
    return Array.isArray(rows) ? rows.map((row) => moveRow(row, to)) : rows
  }
  const { table, games, counts } = rows
  // The folder holds addresses of other hosts, too.
  if (generatedStart.startsWith(table.folder) && table.folder !== generatedStart)
    return packRecordings(
      unpackRecordings(rows).map((row) => ({ ...row, ...moveAddresses(row, to) })),
    )
  const customProxies = new Map([...table.customProxies].map(([at, url]) => [at, move(url, to)]))
  return new PackedRecordings(
    { ...table, folder: move(table.folder, to), customProxies },
    games,
    counts,
  )
}

const moveMedia = (rows: Unchecked<TournamentRows>, to: string): Unchecked<TournamentRows> => ({
  ...rows,
  recordings: moveTable(rows.recordings, to),
  clips: moveTable(rows.clips, to),
  stills: moveTable(rows.stills, to),
})

/** The same league with the media of generated leagues at another address; stored frames stay. */
export const withMediaAt = (snapshot: Snapshot, to: string): Snapshot => ({
  ...snapshot,
  entries: snapshot.entries.map((entry) => ({ ...entry, rows: () => moveMedia(entry.rows(), to) })),
  async *loaded(isWanted) {
    for await (const { entry, rows } of snapshot.loaded(isWanted)) {
      yield { entry, rows: moveMedia(rows, to) }
    }
  },
})

/** Media of a generated league that this service sends. */
export interface LocalMedia extends Companion {
  readonly prepare: PrepareSnapshot
  /** Sets the address of the service, which is fixed once it listens. */
  readonly listening: (url: string) => void
}

/** Media of the given folder, else of the one next to a snapshot; undefined without either. */
export const createLocalMedia = (
  snapshotPath: string,
  given?: string | undefined,
): LocalMedia | undefined => {
  const folder = given ?? findFilms(snapshotPath)
  if (folder === undefined) return undefined
  const { promise: address, resolve } = Promise.withResolvers<string>()
  let served = ''
  return {
    name: 'sample',
    mount: () => ({ routes: sampleRoutes(folder) }),
    listening: (url) => {
      served = `${url}/media/`
      resolve(served)
    },
    prepare: async (snapshot) => withMediaAt(snapshot, await address),
    toMediaPaths: (text) =>
      served === '' ? text : text.replaceAll(served, new URL(served).pathname),
  }
}

interface SampleSettings {
  readonly databaseUrl: string | undefined
  readonly mirrorUrl: string | undefined
  readonly snapshotPath: string
  readonly mediaDir: string | undefined
}

/** The media of a snapshot file, if there are any; a database and a mirror have theirs elsewhere. */
export const sample: CompanionKind<SampleSettings> = {
  open: ({ databaseUrl, mirrorUrl, snapshotPath, mediaDir }) => {
    if (databaseUrl !== undefined || mirrorUrl !== undefined) return []
    const media = createLocalMedia(snapshotPath, mediaDir)
    return media ? [media] : []
  },
}

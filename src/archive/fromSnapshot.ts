import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'
import { isEmbedded } from '../embedded.ts'
import type { Tournament } from '../league/types.ts'
import type { Log } from '../log.ts'
import { checkCages, checkPacked } from '../source/check.ts'
import {
  compressTournament,
  decodeFrame,
  nameFrame,
  packTournament,
  readSnapshot,
  type Snapshot,
  SnapshotError,
  type StoredFrame,
  type TournamentFrame,
} from '../source/snapshot.ts'
import { shownRows } from '../source/visibility.ts'
import { createTimeSlice } from '../timeSlice.ts'
import {
  loadArchive,
  nothingLoaded,
  type OpenedService,
  type ServedFrame,
  type ServedRows,
} from './archive.ts'
import type { ChangeSink } from './changeSink.ts'
import { countBadRows, loadTournament, logBadRows } from './load.ts'
import { createRecentBadRows } from './recentBadRows.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

// Numbers, not handles: the runtime throws where a handle is collected before it is closed.
const openFile = promisify(open)
const readFrom = promisify(read)
const closeFile = promisify(close)

/** Reads bytes of the snapshot; `start` is that of the file. */
type ReadPart = (start: number, length: number) => Promise<Buffer>

/**
 * A frame that is read from the snapshot when it is needed: 90 MB of a league of 120,000 fights. If the
 * stored one holds anything that is not served, or has another layout, it is made anew each time.
 */
const storedFrame = (
  id: string,
  { name, start }: StoredFrame,
  readPart: ReadPart,
  remake: ((stored: TournamentFrame) => TournamentFrame) | undefined,
): ServedFrame => {
  const read = async (): Promise<TournamentFrame> => {
    const stored = decodeFrame(name, await readPart(start, name[2]))
    if (!stored) throw new SnapshotError('the served snapshot was changed in its place')
    return remake ? remake(stored) : stored
  }
  let ownName = remake ? undefined : name
  return {
    id,
    read,
    name: async () => {
      ownName ??= nameFrame(await read())
      return ownName
    },
  }
}

/** Makes the frame of what is served from the stored one. */
const remakeFrame =
  (decode: Snapshot['decode']) =>
  (stored: TournamentFrame): TournamentFrame => {
    const rows = checkPacked(decode(stored.bytes), () => undefined)
    if (!rows) throw new SnapshotError('the served snapshot was changed in its place')
    return compressTournament(packTournament(shownRows(rows)), 'fast')
  }

/** Changes a snapshot before it is loaded. */
export type PrepareSnapshot = (snapshot: Snapshot) => Snapshot | Promise<Snapshot>

/**
 * Serves one snapshot. Its clock starts at the capture time, so an event in progress then is in
 * progress at every start. `firstLoad` rejects with a `SnapshotError` for an invalid file.
 */
export const openSnapshot = (
  path: string,
  log: Log,
  changes?: ChangeSink,
  prepare: PrepareSnapshot = (snapshot) => snapshot,
): OpenedService => {
  const started = performance.now()
  let served: ServedRows | undefined
  let status = nothingLoaded('snapshot')
  let capturedAt = Date.now() / 1000
  const recentBadRows = createRecentBadRows()
  /** Open until the end: whatever replaces the file, these are the bytes that were loaded. */
  let file: number | undefined

  const openParts = async (): Promise<ReadPart> => {
    if (isEmbedded(path)) {
      return async (start, length) =>
        Buffer.from(
          await Bun.file(path)
            .slice(start, start + length)
            .arrayBuffer(),
        )
    }
    const opened = await openFile(path, 'r')
    file = opened
    return async (start, length) => {
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await readFrom(opened, bytes, 0, length, start)
      return bytes.subarray(0, bytesRead)
    }
  }

  const load = async (): Promise<void> => {
    const snapshot = await prepare(await readSnapshot(path))
    const readPart = await openParts()
    const bad = countBadRows()
    const tournaments = new Map<string, Tournament>()
    const digests: bigint[] = []
    const frames: ServedFrame[] = []
    const slice = createTimeSlice()
    for await (const { entry, rows: unchecked } of snapshot.loaded()) {
      const badBefore = bad.count()
      const loaded = loadTournament(unchecked, bad.onBadRow)
      if (loaded) {
        const { tournament, rows } = loaded
        const { id } = tournament.info
        // The digest in the file is that of what is served, if the file has this layout and valid rows.
        const frame = bad.count() === badBefore ? entry.frame : undefined
        const shown = shownRows(rows)
        const isServedAsStored = frame !== undefined && shown === rows
        tournaments.set(id, tournament)
        digests.push(frame?.digest ?? packTournament(shown).digest)
        const remake = isServedAsStored ? undefined : remakeFrame(snapshot.decode)
        frames.push(storedFrame(id, entry.stored, readPart, remake))
      }
      // Requests are answered 503 in between.
      if (slice.isOver()) await slice.next()
    }
    const cages = shownCages(checkCages(snapshot.cages, bad.onBadRow), (id) => tournaments.has(id))
    const badRows = bad.count()
    logBadRows(log, bad)
    recentBadRows.add(bad.last, Math.floor(Date.now() / 1000))
    const { version, dataVersion } = versionOf(combineDigests(digests), cages)
    const archive = await loadArchive(version, [...tournaments.values()], cages, dataVersion)
    served = { archive, cages, frames }
    changes?.begin(archive)
    capturedAt = snapshot.capturedAt
    const ms = Math.round(performance.now() - started)
    status = {
      source: 'snapshot',
      follows: 'nothing',
      currentAt: capturedAt,
      lastRefresh: { at: capturedAt, ms, changedRows: 0, error: null },
      badRows,
    }
    log('info', 'loaded', { source: 'snapshot', ms, tournaments: tournaments.size })
  }
  return {
    archive: () => served?.archive,
    rows: () => served,
    status: () => status,
    now: () => Math.floor(capturedAt + (performance.now() - started) / 1000),
    recentBadRows: recentBadRows.list,
    firstLoad: load(),
    stop: async () => {
      if (file !== undefined) await closeFile(file)
      file = undefined
    },
  }
}

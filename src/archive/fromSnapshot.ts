import { close, open, read } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isEmbedded } from '../embedded.ts'
import type { Tournament } from '../league/types.ts'
import type { Log } from '../log.ts'
import { checkCages } from '../source/check.ts'
import {
  compressTournament,
  decodeFrame,
  packTournament,
  readSnapshot,
  SnapshotError,
  type SnapshotTournament,
} from '../source/snapshot.ts'
import { isShownClip } from '../source/visibility.ts'
import {
  buildArchive,
  nothingLoaded,
  type OpenedService,
  type ServedFrame,
  type ServedRows,
} from './archive.ts'
import type { ChangeSink } from './changeSink.ts'
import { countBadRows, type LoadedTournament, loadTournament, logBadRows } from './load.ts'
import { createRecentBadRows } from './recentBadRows.ts'
import { frameInMemory } from './servedRows.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

// Numbers, not handles: the runtime throws where a handle is collected before it is closed.
const openFile = promisify(open)
const readFrom = promisify(read)
const closeFile = promisify(close)

/** A frame that is read from the open file when it is needed: 90 MB of a league of 120,000 fights. */
const frameInFile = (
  file: number,
  { name, start }: NonNullable<SnapshotTournament['place']>,
): ServedFrame => ({
  id: name[0],
  name: () => name,
  read: async () => {
    const bytes = Buffer.alloc(name[2])
    const { bytesRead } = await readFrom(file, bytes, 0, bytes.length, start)
    const frame = decodeFrame(name, bytes.subarray(0, bytesRead))
    if (!frame) throw new SnapshotError('the served snapshot was changed in its place')
    return frame
  },
})

/** The digest of what is served of a tournament, and its frame. */
const servedFrame = (
  { rows, tournament }: LoadedTournament,
  { frame, place }: SnapshotTournament,
  isWhole: boolean,
  file: number | undefined,
): { readonly digest: bigint; readonly stored: ServedFrame } => {
  const clips = rows.clips.filter(isShownClip)
  const hasHidden = clips.length < rows.clips.length
  if (frame && isWhole && !hasHidden) {
    const { id } = tournament.info
    const stored =
      file !== undefined && place ? frameInFile(file, place) : frameInMemory({ id, ...frame })
    return { digest: frame.digest, stored }
  }
  const packed = packTournament({ ...rows, clips })
  const stored = frameInMemory(compressTournament(packed, 'fast'))
  return { digest: packed.digest, stored }
}

/**
 * Serves one snapshot. Its clock starts at the capture time, so an event in progress then is in
 * progress at every start. `firstLoad` rejects with a `SnapshotError` for an invalid file.
 */
export const openSnapshot = (path: string, log: Log, changes?: ChangeSink): OpenedService => {
  const started = performance.now()
  let served: ServedRows | undefined
  let status = nothingLoaded('snapshot')
  let capturedAt = Date.now() / 1000
  const recentBadRows = createRecentBadRows()
  /** Open until the end: whatever replaces the file, these are the bytes that were loaded. */
  let file: number | undefined

  const load = async (): Promise<void> => {
    const snapshot = await readSnapshot(path)
    if (!isEmbedded(path)) file = await openFile(path, 'r')
    const bad = countBadRows()
    const tournaments = new Map<string, Tournament>()
    const digests: bigint[] = []
    const frames: ServedFrame[] = []
    for (const entry of snapshot.entries) {
      const badBefore = bad.count()
      const loaded = loadTournament(entry.rows(), bad.onBadRow)
      if (loaded) {
        tournaments.set(loaded.tournament.info.id, loaded.tournament)
        const { digest, stored } = servedFrame(loaded, entry, bad.count() === badBefore, file)
        digests.push(digest)
        frames.push(stored)
      }
      // Requests are answered 503 in between.
      await setImmediate()
    }
    const cages = shownCages(checkCages(snapshot.cages, bad.onBadRow), (id) => tournaments.has(id))
    const badRows = bad.count()
    logBadRows(log, bad)
    recentBadRows.add(bad.last, Math.floor(Date.now() / 1000))
    const { version, dataVersion } = versionOf(combineDigests(digests), cages)
    const archive = buildArchive(version, [...tournaments.values()], cages, dataVersion)
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

import { disk } from '../../runtime/disk.ts'
import { isEmbedded, whyOf } from '../../runtime/files.ts'
import type { Log } from '../../runtime/log.ts'
import { once } from '../../runtime/once.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'
import type { Tournament } from '../league/types.ts'
import { checkCages } from '../source/check.ts'
import {
  frameWhenRead,
  packTournament,
  readSnapshot,
  type Snapshot,
  SnapshotError,
  type SnapshotTournament,
  type TournamentFrame,
} from '../source/snapshot.ts'
import { shownRows } from '../source/visibility.ts'
import {
  loadArchive,
  nothingLoaded,
  type OpenedService,
  type ServedRows,
  type SourceStatus,
  updateArchive,
} from './archive.ts'
import type { ChangeSink } from './changeSink.ts'
import { countBadRows, loadTournament, logBadRows } from './load.ts'
import { lossReason } from './loadedLeague.ts'
import { createRecentBadRows } from './recentBadRows.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

/** Changes a snapshot before it is loaded. */
export type PrepareSnapshot = (snapshot: Snapshot) => Snapshot | Promise<Snapshot>

/**
 * Frame of the served rows of a tournament, built when first read: most tournaments of a generated league have hidden
 * clips. It uses the rows in the file, because a sample changes its media URLs. The frame of a file with this layout
 * and without bad rows has the file's digest.
 */
const remakeFrame = (
  id: string,
  entry: SnapshotTournament,
  digest: bigint | undefined,
): TournamentFrame | undefined => {
  const make = (): TournamentFrame | undefined => {
    const rows = loadTournament(entry.rows(), () => undefined)?.rows
    return rows && frameWhenRead(packTournament(shownRows(rows)))
  }
  if (digest === undefined) return make()
  const frame = once(make)
  return {
    id,
    digest,
    get bytes() {
      return frame()?.bytes ?? new Uint8Array()
    },
  }
}

/** Copy of the frame in the file: a view would keep the whole file in memory after it is replaced. */
const copyFrame = (
  id: string,
  { digest, bytes }: NonNullable<SnapshotTournament['frame']>,
): TournamentFrame => ({ id, digest, bytes: new Uint8Array(bytes) })

/** A tournament as it was loaded from a frame. */
interface LoadedFrame {
  /** Hash of the frame; equal frames are not loaded again. */
  readonly hash: string
  /** Undefined if it is not public. */
  readonly tournament: Tournament | undefined
  /** The served rows, for mirrors; undefined if the tournament is not public. */
  readonly frame: TournamentFrame | undefined
  readonly badRows: number
}

/** Rows of a snapshot file, with the state of its reading. */
interface LoadedFile {
  readonly served: ServedRows
  readonly loaded: ReadonlyMap<string, LoadedFrame>
  readonly capturedAt: number
  readonly badRows: number
  readonly badCages: number
  readonly changedRows: number
}

/** A text that differs after each replacement of a file; the reason if there is no file. */
const stateOf = async (path: string): Promise<string> => {
  if (isEmbedded(path)) return 'embedded'
  try {
    const { ino, size, mtimeMs } = await disk.stat(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch (error) {
    return whyOf(error)
  }
}

/**
 * True if a file is empty or belongs to another league: it has no tournament of the previous file, hidden ones
 * included, and none of its bots. A tournament whose own row is bad does not count.
 */
const isForeign = (
  { loaded, served: { archive } }: LoadedFile,
  next: ReadonlyMap<string, LoadedFrame>,
): boolean => {
  const botsIn = ({ players }: Tournament): readonly string[] =>
    players.flatMap(({ player }) => (player.isBot && player.cleanName) || [])
  const bots = new Set(archive.dataset.tournaments.flatMap(botsIn))
  const isSame = ([id, { tournament, badRows }]: readonly [string, LoadedFrame]): boolean =>
    (loaded.has(id) && (tournament !== undefined || badRows === 0)) ||
    (tournament !== undefined && botsIn(tournament).some((name) => bots.has(name)))
  return bots.size > 0 && !next.entries().some(isSame)
}

/** Time between two checks for a replaced file, 5 µs each. */
const lookEveryMs = 200
/** If the capture is further than this from the machine's clock, the clock stops {@link maxRunSeconds} after it. */
const pastSeconds = 86_400
/**
 * Time for which the clock goes on after the last known state; an event that stands still longer looks like a break.
 */
export const maxRunSeconds = 300
/** If the clock is closer than this to the capture time of the next file, it goes on: imports and loads take time. */
const maxClockNoiseSeconds = 10

/**
 * Serves a snapshot file, and the next one once the file is replaced by one of the same league. Removals are meant
 * then, but an empty file or another league is refused until a restart. The clock starts at the capture time, so an
 * event in progress at capture is in progress at every start; after a capture of another day it stops five minutes
 * later, so that the event stays in progress. `firstLoad` rejects with a `SnapshotError` if the file is invalid; a
 * later invalid file changes nothing.
 */
export const openSnapshot = (
  path: string,
  log: Log,
  changes?: ChangeSink,
  prepare: PrepareSnapshot = (snapshot) => snapshot,
  hasRatings = true,
  /** Milliseconds that never jump. */
  clockMs = () => performance.now(),
): OpenedService => {
  let file: LoadedFile | undefined
  let status = nothingLoaded('snapshot')
  let clock = { unix: Date.now() / 1000, startedMs: clockMs() }
  let latest = Number.POSITIVE_INFINITY
  const exactNow = (): number => Math.min(latest, clock.unix + (clockMs() - clock.startedMs) / 1000)
  const now = (): number => Math.floor(exactNow())
  /** Time since which the file cannot be served; on `clockMs`, because `now` may have stopped. */
  let differsSinceMs: number | undefined
  const recentBadRows = createRecentBadRows()
  const isFixed = isEmbedded(path)

  const load = async (before: LoadedFile | undefined): Promise<LoadedFile> => {
    const snapshot = await prepare(await readSnapshot(path))
    const bad = countBadRows()
    const loaded = new Map(before?.loaded)
    const changed = new Map<string, Tournament | undefined>()
    const isNew = ({ stored: { name } }: SnapshotTournament): boolean =>
      before?.loaded.get(name[0])?.hash !== name[1]
    const slice = createTimeSlice()
    for await (const { entry, rows: unchecked } of snapshot.loaded(isNew)) {
      const [id, hash] = entry.stored.name
      const badBefore = bad.count()
      const made = loadTournament(unchecked, bad.onBadRow)
      const badRows = bad.count() - badBefore
      // The digest of a frame covers its public rows only.
      const stored = badRows === 0 ? entry.frame : undefined
      const isAsStored = made && shownRows(made.rows) === made.rows
      const frame =
        made &&
        (isAsStored && stored ? copyFrame(id, stored) : remakeFrame(id, entry, stored?.digest))
      loaded.set(id, { hash, tournament: made?.tournament, frame, badRows })
      changed.set(id, made?.tournament)
      // Requests are answered in between.
      if (slice.isOver()) await slice.next()
    }
    const ids = new Set(snapshot.entries.map(({ stored: { name } }) => name[0]))
    for (const id of before?.loaded.keys() ?? []) {
      if (ids.has(id)) continue
      loaded.delete(id)
      changed.set(id, undefined)
    }
    if (before && isForeign(before, loaded)) {
      const { length } = before.served.archive.dataset.fights
      throw new SnapshotError(lossReason(length, length))
    }
    const shown = [...ids].flatMap((id) => {
      const { tournament, frame } = loaded.get(id) ?? {}
      return tournament && frame ? { tournament, frame } : []
    })
    const frames = shown.map(({ frame }) => frame)
    const shownIds = new Set(frames.map(({ id }) => id))
    const badBefore = bad.count()
    const cages = shownCages(checkCages(snapshot.cages, bad.onBadRow), (id) => shownIds.has(id))
    const badCages = bad.count() - badBefore
    logBadRows(log, bad)
    recentBadRows.add(bad.last, Math.floor(Date.now() / 1000))
    const { version, dataVersion } = versionOf(
      combineDigests(frames.map(({ digest }) => digest)),
      cages,
    )
    const archive = before
      ? await updateArchive(before.served.archive, version, changed, cages, dataVersion)
      : await loadArchive(
          version,
          shown.map(({ tournament }) => tournament),
          cages,
          dataVersion,
          hasRatings,
        )
    return {
      served: { archive, cages, frames },
      loaded,
      capturedAt: snapshot.capturedAt,
      badRows: loaded.values().reduce((sum, { badRows }) => sum + badRows, badCages),
      badCages,
      changedRows: before ? changed.size : 0,
    }
  }

  const loadFile = async (): Promise<void> => {
    const startedMs = performance.now()
    const before = file
    const next = await load(before)
    const [old, archive] = [before?.served.archive, next.served.archive]
    if (old && old !== archive) await changes?.compare(old, archive)
    if (!old) changes?.begin(archive)
    else if (old !== archive) changes?.swapped(old, archive)
    file = next
    const { capturedAt, badRows, badCages, changedRows } = next
    const at = before ? exactNow() : Number.NEGATIVE_INFINITY
    // The clock goes on from now: time for which it had stopped does not count.
    clock = {
      unix: Math.abs(capturedAt - at) > maxClockNoiseSeconds ? capturedAt : at,
      startedMs: before ? clockMs() : clock.startedMs,
    }
    const isPast = Math.abs(Date.now() / 1000 - capturedAt) > pastSeconds
    latest = isPast ? capturedAt + maxRunSeconds : Number.POSITIVE_INFINITY
    const ms = Math.round(performance.now() - startedMs)
    status = {
      source: 'snapshot',
      follows: isFixed ? 'nothing' : 'timer',
      currentAt: capturedAt,
      lastRefresh: { at: now(), ms, changedRows, error: null },
      badRows,
      badCages,
    }
    differsSinceMs = undefined
    log('info', 'loaded', { source: 'snapshot', ms, tournaments: next.served.frames.length })
  }

  const currentStatus = (): SourceStatus => {
    if (isFixed || !file) return status
    // The file was checked just now and has what is served.
    const ms = differsSinceMs === undefined ? 0 : clockMs() - differsSinceMs
    return { ...status, currentAt: now() - Math.floor(ms / 1000) }
  }
  let state: string | undefined
  let timer: Timer | undefined
  let isStopping = false
  const look = async (): Promise<void> => {
    const found = await stateOf(path)
    if (found !== state) {
      state = found
      const foundMs = clockMs()
      try {
        await loadFile()
      } catch (error) {
        differsSinceMs ??= foundMs
        const reason = error instanceof SnapshotError ? error.message : 'internal error'
        log('error', 'the replaced snapshot is not served', { cause: String(error) })
        const lastRefresh = { ...status.lastRefresh, at: now(), error: reason }
        status = { ...status, lastRefresh }
      }
    }
    followFile()
  }
  const loadFirst = async (): Promise<void> => {
    state = await stateOf(path)
    await loadFile()
    followFile()
  }
  let looking: Promise<void> | undefined
  const followFile = (): void => {
    if (isFixed || isStopping) return
    timer = setTimeout(() => {
      looking = look()
    }, lookEveryMs).unref()
  }
  return {
    archive: () => file?.served.archive,
    rows: () => file?.served,
    status: currentStatus,
    now,
    recentBadRows: recentBadRows.list,
    firstLoad: loadFirst(),
    stop: async () => {
      isStopping = true
      clearTimeout(timer)
      await looking
    },
  }
}

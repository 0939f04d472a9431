import { nothingLoaded, type OpenedService, type SourceStatus } from '../archive/archive.ts'
import { delayAfter } from '../archive/backOff.ts'
import type { ChangeSink } from '../archive/changeSink.ts'
import { nothingHidden } from '../archive/guard.ts'
import { openLastGood, type Saved } from '../archive/lastGood.ts'
import { emptyLeague, type LoadedLeague, type Position } from '../archive/loadedLeague.ts'
import { rowsOfLeague } from '../archive/servedRows.ts'
import { createStartGate } from '../archive/startGate.ts'
import { leagueWith, type TournamentUpdate } from '../archive/updateLeague.ts'
import type { Log } from '../log.ts'
import { checkCages, checkTournament, type Unchecked } from '../source/check.ts'
import type { CageRows, TournamentRows } from '../source/rows.ts'
import { packTournament, SnapshotError, type TournamentFrame } from '../source/snapshot.ts'
import { decoderOf, type Fetched, fetchSnapshot, refuse } from './fetchSnapshot.ts'
import { MirrorError } from './remote.ts'

/** Time between looks is at least this, however often a database would be read. */
const defaultMinRefreshMs = 1000
const defaultSaveEveryMs = 60_000
const defaultMaxBytes = 2 ** 30
/** A clock that differs by less is that of this machine, give or take the time of the request. */
const maxClockNoiseSeconds = 2

export interface MirrorOptions {
  readonly refreshMs: number
  /** Directory of the last good archive; created if missing. */
  readonly dataDir: string
  readonly log: Log
  /** Receives each version that is served. */
  readonly changes?: ChangeSink
  readonly minRefreshMs?: number
  readonly saveEveryMs?: number
  readonly maxDelayMs?: number
  /** Of the snapshot. */
  readonly maxBytes?: number
  /** Without a byte for this long, a request has failed. */
  readonly idleMs?: number
  /** Unix milliseconds. */
  readonly wallMs?: () => number
  /** Milliseconds that never jump. */
  readonly clockMs?: () => number
}

type FetchedFile = NonNullable<Fetched['file']>

const integerIn = (headers: Headers, name: string): number | undefined => {
  const text = headers.get(name) ?? ''
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined
}

/** Age of the data of an answer in seconds, the time in caches on the way included. */
const ageOf = (headers: Headers): number =>
  (integerIn(headers, 'x-data-age') ?? 0) + (integerIn(headers, 'age') ?? 0)

/** Seconds by which the clock of the league differs from that of its machine. */
const clockOffset = (headers: Headers): number => {
  const clock = integerIn(headers, 'x-data-clock')
  const date = Date.parse(headers.get('date') ?? '') / 1000
  const offset = clock === undefined || Number.isNaN(date) ? 0 : clock - date
  return Math.abs(offset) <= maxClockNoiseSeconds ? 0 : offset
}

/** Names the address in files of `dataDir`, without showing it. */
const positionOf = (address: URL): Position => ({
  databaseIdentity: new Bun.CryptoHasher('sha256').update(address.href).digest('hex'),
  systemIdentifier: 'mirror',
  mark: '0',
})

/** The rows of a frame, checked against its name. */
const rowsOf = (
  id: string,
  frame: TournamentFrame,
  decode: (bytes: Uint8Array) => Unchecked<TournamentRows>,
): Pick<TournamentUpdate, 'rows' | 'frame'> => {
  const unchecked = decode(frame.bytes)
  let isWhole = true
  const rows = checkTournament(unchecked, () => {
    isWhole = false
  })
  if (rows && rows.tournament.id !== id) return refuse('is damaged: a tournament has another id')
  // A digest is what versions are named after, so that of another server is not taken over unchecked.
  const isProved = rows !== undefined && isWhole && packTournament(rows).digest === frame.digest
  return { rows: unchecked, ...(isProved && { frame }) }
}

/** The league of a file. Tournaments of the league before that the file still has are shared. */
const leagueOf = async (
  before: LoadedLeague,
  { head, frames }: FetchedFile,
): Promise<{ readonly league: LoadedLeague; readonly changed: number }> => {
  const { decode, isOwn } = decoderOf(head)
  const cages: Unchecked<CageRows> = decode(head.cages)
  const ids = new Set(frames.map(({ name }) => name[0]))
  let changed = 0
  const updates = function* (): Generator<TournamentUpdate> {
    for (const { name, frame } of frames) {
      const [id, stamp] = name
      if (before.seen.get(id)?.stamp === stamp) continue
      changed += 1
      const { rows, frame: proved } = rowsOf(id, frame, decode)
      yield { id, rows, stamp, ...(isOwn && proved && { frame: proved }) }
    }
    for (const id of before.seen.keys()) {
      if (ids.has(id)) continue
      changed += 1
      yield { id, rows: undefined }
    }
  }
  const league = await leagueWith(
    before,
    updates(),
    checkCages(cages, () => undefined),
  )
  return { league, changed }
}

/**
 * Follows the snapshot of another service: looked at every `refreshMs`, never twice at a time, with
 * exponential back-off on failure. Only frames that differ are fetched. Any failure keeps the served
 * archive. A start serves the last good one from `dataDir` once it is refreshed, or where that fails or
 * takes over a second.
 */
export const openMirror = (
  url: string,
  { dataDir, log, changes, ...options }: MirrorOptions,
): OpenedService => {
  const { saveEveryMs = defaultSaveEveryMs, maxBytes = defaultMaxBytes } = options
  const { wallMs = Date.now, clockMs = () => performance.now() } = options
  const refreshMs = Math.max(options.minRefreshMs ?? defaultMinRefreshMs, options.refreshMs)
  const address = new URL(url)
  const position = positionOf(address)
  const lastGood = openLastGood(dataDir, log)
  const stopped = new AbortController()
  const gate = createStartGate(() => league.archive !== undefined)
  let league: LoadedLeague = emptyLeague
  let status = nothingLoaded('mirror')
  /** On the monotonic clock. */
  let currentAt: number | undefined
  let offsetSeconds = 0
  let etag: string | undefined
  let failures = 0
  let timer: Timer | undefined
  /** Frames of a fetch that failed halfway. */
  const pending = new Map<string, TournamentFrame>()

  const now = (): number => Math.floor(wallMs() / 1000 + offsetSeconds)
  const currentUnix = (): number | null =>
    currentAt === undefined
      ? null
      : Math.floor(wallMs() / 1000 + offsetSeconds - (clockMs() - currentAt) / 1000)

  let unsaved = false
  let savedAt = Number.NEGATIVE_INFINITY
  let savedUntil: number | undefined
  const save = async (): Promise<void> => {
    const capturedAt = currentUnix()
    if (!unsaved || capturedAt === null) return
    unsaved = false
    savedAt = clockMs()
    const until = currentAt
    const saved = league
    if (saved.archive) await changes?.beforeSave(saved.archive.version)
    const isSaved = await lastGood.save(saved, Math.max(0, capturedAt))
    if (isSaved) savedUntil = until
    else unsaved = true
    status = { ...status, problems: isSaved ? [] : ['the last good archive cannot be saved'] }
  }
  let saving: Promise<void> = Promise.resolve()
  const saveIfDue = (): void => {
    if (unsaved && clockMs() - savedAt >= saveEveryMs) saving = saving.then(save)
  }

  /** League saved by the previous process, to report the changes since. */
  let left: Saved | undefined
  let hasBegun = false

  const startFromDisk = async (): Promise<void> => {
    const saved = await lastGood.read(Promise.resolve(nothingHidden))
    const isSame = saved?.league.position?.databaseIdentity === position.databaseIdentity
    if (!saved || !isSame || stopped.signal.aborted) return
    league = saved.league
    left = saved
    currentAt = clockMs() - Math.max(0, wallMs() - saved.capturedAt * 1000)
    savedUntil = currentAt
    status = {
      ...status,
      lastRefresh: { ...status.lastRefresh, error: 'the snapshot has not been read yet' },
      badRows: league.badRows,
    }
    gate.openInTime()
    log('info', 'serving the last good archive', { capturedAt: saved.capturedAt })
  }

  const accept = async (file: FetchedFile): Promise<number> => {
    const { archive: before } = league
    const { league: next, changed } = await leagueOf(league, file)
    if (stopped.signal.aborted) return 0
    league = { ...next, position }
    etag = file.etag
    pending.clear()
    const { archive } = league
    if (!archive || archive === before) return changed
    gate.open()
    unsaved = true
    if (league.badRows > 0) log('warn', 'rows left out', { badRows: league.badRows })
    if (before && hasBegun) changes?.swapped(before, archive)
    if (before && (await lastGood.recordHidden(before, archive))) {
      savedAt = Number.NEGATIVE_INFINITY
    }
    return changed
  }

  const known = (): ReadonlyMap<string, TournamentFrame> => {
    const frames = new Map(pending)
    for (const [id, { stamp }] of league.seen) {
      const frame = league.entries.get(id)?.frame
      if (frame) frames.set(stamp, frame)
    }
    return frames
  }

  const look = async (): Promise<number> => {
    const started = clockMs()
    const { file, headers } = await fetchSnapshot(address, {
      etag,
      known: known(),
      onFrame: (hash, frame) => pending.set(hash, frame),
      signal: stopped.signal,
      maxBytes,
      ...(options.idleMs !== undefined && { idleMs: options.idleMs }),
    })
    const changed = file ? await accept(file) : 0
    if (!hasBegun && league.archive) {
      hasBegun = true
      const saved = left?.league.archive
      changes?.begin(left && saved && { ...left, archive: saved }, league.archive)
      left = undefined
      const ms = Math.round(clockMs() - started)
      const tournaments = league.archive.dataset.tournaments.length
      log('info', 'loaded', { source: 'mirror', ms, tournaments })
    }
    offsetSeconds = clockOffset(headers)
    currentAt = started - ageOf(headers) * 1000
    return changed
  }

  const refresh = async (): Promise<void> => {
    const at = now()
    const started = clockMs()
    const finish = (changedRows: number, error: string | null): SourceStatus['lastRefresh'] => ({
      at,
      ms: Math.round(clockMs() - started),
      changedRows,
      error,
    })
    try {
      const changed = await look()
      status = { ...status, badRows: league.badRows, lastRefresh: finish(changed, null) }
      if (failures > 0) log('info', 'the snapshot can be read again')
      failures = 0
    } catch (error) {
      if (stopped.signal.aborted) return
      const isKnown = error instanceof MirrorError || error instanceof SnapshotError
      if (!isKnown) log('error', 'refresh failed unexpectedly', { cause: String(error) })
      const reason = isKnown ? `the snapshot: ${error.message}` : 'internal error'
      if (reason !== status.lastRefresh.error) log('error', 'refresh failed', { reason })
      failures += 1
      status = { ...status, lastRefresh: finish(0, reason) }
    }
  }

  const refreshAndSchedule = async (): Promise<void> => {
    await refresh()
    gate.open()
    if (stopped.signal.aborted) return
    saveIfDue()
    timer = setTimeout(
      () => {
        current = refreshAndSchedule()
      },
      delayAfter(refreshMs, failures, options.maxDelayMs),
    )
  }
  let current = startFromDisk().then(refreshAndSchedule)

  return {
    archive: () => (gate.isOpen() ? league.archive : undefined),
    rows: () => (gate.isOpen() ? rowsOfLeague(league) : undefined),
    status: () => ({ ...status, currentAt: currentUnix() }),
    now,
    firstLoad: gate.opened,
    stop: async () => {
      stopped.abort()
      clearTimeout(timer)
      await current
      await saving
      unsaved ||= currentAt !== savedUntil
      await save()
    },
  }
}

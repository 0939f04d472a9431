import type { Log } from '../log.ts'
import { hiddenClips, hiddenTournaments } from '../source/changedRows.ts'
import { connect, type Source } from '../source/connection.ts'
import { openListener } from '../source/listener.ts'
import { readTransaction } from '../source/postgres.ts'
import { schemaVersion } from '../source/rows.ts'
import { SetupError, SourceError } from '../source/sourceErrors.ts'
import { publicViewsVersion } from '../source/tables.ts'
import { type Archive, nothingLoaded, type OpenedService, type SourceStatus } from './archive.ts'
import { delayAfter } from './backOff.ts'
import type { ChangeSink } from './changeSink.ts'
import { createFailureLog } from './failureLog.ts'
import { type Hidden, nothingHidden } from './guard.ts'
import { openLastGood, type Saved } from './lastGood.ts'
import { logBadRows } from './load.ts'
import { emptyLeague, type LoadedLeague } from './loadedLeague.ts'
import { createRecentBadRows } from './recentBadRows.ts'
import { type Refreshed, refreshLeague } from './refresh.ts'
import { rowsOfLeague } from './servedRows.ts'
import { createStartGate } from './startGate.ts'

const queryDeadlineMs = 5000
const defaultSaveEveryMs = 60_000
/** Every tournament is compared with the database within this time, independent of the marks. */
const compareAllMs = 180_000
/** Min interval between refreshes, however often the database notifies. */
const minRefreshIntervalMs = 100
/** Min tournaments per comparison, which costs the server about 20 ms regardless of size. */
const minCompared = 64
/** Max wait at start for the list of hidden tournaments and clips. */
const maxHiddenWaitMs = 500
const standbyLagMs = 10_000
/** Max held-back tournaments in the status. */
const maxHeldBackListed = 100

export interface PostgresOptions {
  readonly refreshMs: number
  /** Directory of the last good archive; created if missing. */
  readonly dataDir: string
  readonly log: Log
  /** Receives each version that is served. */
  readonly changes?: ChangeSink
  /** Timeout of each query. */
  readonly deadlineMs?: number
  readonly throughPooler?: boolean
  readonly compareAllMs?: number
  /** Max lag of a standby behind its primary before it is reported. */
  readonly standbyLagMs?: number
  /** Time between saves of the last good archive. */
  readonly saveEveryMs?: number
  /** Max delay between attempts; 30 s by default. */
  readonly maxDelayMs?: number
}

/** Reads the hidden tournaments and clips; nothing on failure or timeout. */
const readHidden = async (source: Source): Promise<Hidden> => {
  const answer = readTransaction(
    source,
    async (query, head): Promise<Hidden> => ({
      ...nothingHidden,
      tournaments: await hiddenTournaments(query, head),
      clips: await hiddenClips(query, head),
    }),
  )
  const inTime = Bun.sleep(maxHiddenWaitMs).then(() => nothingHidden)
  return Promise.race([answer.catch(() => nothingHidden), inTime])
}

/** Reason why a successful refresh is incomplete; null if complete. */
const refreshProblem = (
  { league: { heldBack, archive }, head: { version } }: Refreshed,
  isBehind: boolean,
): string | null => {
  if (heldBack.size > 0) {
    const lost = heldBack.values().reduce((sum, { fights }) => sum + fights, 0)
    return `refused: ${lost} of ${archive?.dataset.fights.length ?? 0} fights would be lost`
  }
  if (version < schemaVersion) {
    return `the database has schema version ${version} of ${schemaVersion}: run migrate`
  }
  return isBehind ? 'the standby does not follow its primary' : null
}

/**
 * Serves a Postgres database: one refresh every `refreshMs`, never two at a time, with exponential
 * back-off up to 30 s on failure. Any failure keeps the served archive. A start serves the last
 * good archive from `dataDir`, without entries hidden since, once it is refreshed, or where that fails
 * or takes over a second: older data than before the restart would be served otherwise. Without one,
 * `firstLoad` rejects with a `SetupError` where waiting does not mend what is wrong.
 */
export const openPostgres = (
  url: string,
  { refreshMs, dataDir, log, changes, ...options }: PostgresOptions,
): OpenedService => {
  const { deadlineMs = queryDeadlineMs, throughPooler = false } = options
  const { saveEveryMs = defaultSaveEveryMs } = options
  /** Share of the tournaments due for comparison. */
  let compareDue = 0
  let comparedAt = performance.now()
  const nextShare = (): number => {
    const at = performance.now()
    compareDue = Math.min(
      1,
      compareDue + (at - comparedAt) / (options.compareAllMs ?? compareAllMs),
    )
    comparedAt = at
    if (compareDue < 1 && compareDue * league.seen.size < minCompared) return 0
    const share = compareDue
    compareDue = 0
    return share
  }
  const maxLagMs = options.standbyLagMs ?? standbyLagMs
  const source = connect(url, { deadlineMs, throughPooler })
  const lastGood = openLastGood(dataDir, log)
  const now = (): number => Math.floor(Date.now() / 1000)
  let league: LoadedLeague = emptyLeague
  let archive: Archive | undefined
  const gate = createStartGate(() => archive !== undefined)
  let status = nothingLoaded('postgres')
  /** Time at which the archive was last known to be current, on the monotonic clock. */
  let currentAt: number | null = null
  let failures = 0
  let mayReadPrivate = false
  const recentBadRows = createRecentBadRows()
  const startedMs = performance.now()
  let stopping = false
  let timer: Timer | undefined
  let current: Promise<void> = Promise.resolve()

  const ageMs = (): number => (currentAt === null ? 0 : performance.now() - currentAt)
  /** `currentAt` in Unix seconds. */
  const currentUnix = (): number | null =>
    currentAt === null ? null : Math.floor((Date.now() - ageMs()) / 1000)

  /** Cached for one second, as every request reads it. */
  let lastStatus: {
    readonly second: number
    readonly of: SourceStatus
    readonly status: SourceStatus
  } = {
    second: Number.NaN,
    of: status,
    status,
  }
  const statusNow = (): SourceStatus => {
    const second = now()
    if (lastStatus.second !== second || lastStatus.of !== status) {
      const follows = listener?.isListening() ? 'notifications' : 'timer'
      lastStatus = { second, of: status, status: { ...status, follows, currentAt: currentUnix() } }
    }
    return lastStatus.status
  }

  let unsaved = false
  let savedAt = Number.NEGATIVE_INFINITY
  /** `currentAt` of the saved archive. */
  let savedUntil: number | null = null
  const save = async (): Promise<void> => {
    const capturedAt = currentUnix()
    if (!unsaved || capturedAt === null) return
    unsaved = false
    savedAt = performance.now()
    const until = currentAt
    const saved = league
    if (saved.archive) await changes?.beforeSave(saved.archive.version)
    const isSaved = await lastGood.save(saved, Math.max(0, capturedAt))
    if (isSaved) savedUntil = until
    else unsaved = true
    status = { ...status, problems: isSaved ? [] : ['the last good archive cannot be saved'] }
  }
  /** Saves run one at a time; refreshes do not wait for them. */
  let saving: Promise<void> = Promise.resolve()
  const saveIfDue = (): void => {
    if (unsaved && performance.now() - savedAt >= saveEveryMs) saving = saving.then(save)
  }

  const accept = async ({ league: next, bad }: Refreshed): Promise<void> => {
    league = next
    // Set together with the archive: counts and archive must match.
    status = {
      ...status,
      badRows: league.badRows,
      heldBack: [...league.heldBack]
        .slice(0, maxHeldBackListed)
        .map(([tournamentID, { fights, reason }]) => ({ tournamentID, fights, reason })),
    }
    recentBadRows.add(bad.last, now())
    const before = archive
    if (before === league.archive) return
    archive = league.archive
    gate.open()
    unsaved = true
    logBadRows(log, bad)
    if (before && archive && hasBegun) changes?.swapped(before, archive)
    if (before && archive && (await lastGood.recordHidden(before, archive))) {
      savedAt = Number.NEGATIVE_INFINITY
    }
  }

  /** League saved by the previous process, to report the changes since. */
  let left: Saved | undefined
  /** Whether the database has been read. */
  let hasBegun = false

  /** Serves the last good archive, if there is one. */
  const startFromDisk = async (): Promise<void> => {
    const saved = await lastGood.read(readHidden(source))
    if (!saved || stopping) return
    league = saved.league
    archive = league.archive
    left = saved
    currentAt = performance.now() - Math.max(0, Date.now() - saved.capturedAt * 1000)
    savedUntil = currentAt
    status = {
      ...status,
      lastRefresh: { ...status.lastRefresh, error: 'the database has not been read yet' },
      badRows: league.badRows,
    }
    gate.openInTime()
    log('info', 'serving the last good archive', { capturedAt: saved.capturedAt })
  }

  const failureLog = createFailureLog(log, () => archive !== undefined)

  /** Time up to which a refresh is current: a standby may lag behind its primary. */
  const currentAfter = ({ standby }: Refreshed['head'], readAt: number): number => {
    if (!standby || standby.isCurrent) return readAt
    const behindMs = Math.max(0, Date.now() - (standby.replayedUntil ?? 0) * 1000)
    return Math.max(currentAt ?? Number.NEGATIVE_INFINITY, readAt - behindMs)
  }

  const refresh = async (): Promise<void> => {
    const at = now()
    const started = performance.now()
    const finish = (
      outcome: 'complete' | 'incomplete' | 'failed',
      changedRows: number,
      error: string | null,
    ): void => {
      const ms = Math.round(performance.now() - started)
      const { refreshes = { complete: 0, incomplete: 0, failed: 0, ms: 0 } } = status
      status = {
        ...status,
        lastRefresh: { at, ms, changedRows, error },
        refreshes: { ...refreshes, [outcome]: refreshes[outcome] + 1, ms: refreshes.ms + ms },
      }
    }
    try {
      const refreshed = await refreshLeague(source, league, { compareShare: nextShare() })
      if (stopping) return
      await accept(refreshed)
      if (!hasBegun && archive) {
        hasBegun = true
        const saved = left?.league.archive
        changes?.begin(left && saved && { ...left, archive: saved }, archive)
        left = undefined
        const ms = Math.round(performance.now() - startedMs)
        const tournaments = archive.dataset.tournaments.length
        log('info', 'loaded', { source: 'postgres', ms, tournaments })
      }
      const { unmarked, changedRows, head } = refreshed
      if (unmarked.length > 0) {
        log('warn', 'tournaments changed with their triggers off; run migrate to turn them on', {
          tournaments: unmarked.length,
        })
      }
      if (head.mayReadPrivate && !mayReadPrivate && head.version >= publicViewsVersion) {
        log(
          'warn',
          'the role of DATABASE_URL can read private rows; use a role made by migrate --reader',
        )
      }
      mayReadPrivate = head.mayReadPrivate
      currentAt = currentAfter(head, started)
      const isBehind = head.standby?.isCurrent === false && ageMs() > maxLagMs
      const error = refreshProblem(refreshed, isBehind)
      if (error !== null) {
        const remedy =
          league.heldBack.size > 0
            ? `repair the rows, or to accept the loss stop, remove ${dataDir}/last-good.* and start`
            : undefined
        failureLog.failed(error, remedy)
      } else failureLog.succeeded()
      finish(error === null ? 'complete' : 'incomplete', changedRows, error)
      if (failures > 0) log('info', 'the database is reachable again')
      failures = 0
    } catch (error) {
      if (stopping) return
      if (!(error instanceof SourceError)) {
        log('error', 'refresh failed unexpectedly', { cause: String(error) })
      }
      const reason = error instanceof SourceError ? error.message : 'internal error'
      if (error instanceof SetupError && archive === undefined) gate.fail(error)
      else failureLog.failed(reason, error instanceof SourceError ? error.detail : undefined)
      failures += 1
      finish('failed', 0, reason)
    }
  }

  let isRefreshing = false
  /** Whether a commit was notified since the refresh began. */
  let isNotified = false
  let readAt = Number.NEGATIVE_INFINITY
  const schedule = (delayMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      current = refreshAndSchedule()
    }, delayMs)
  }
  const untilNextMs = (): number => Math.max(0, readAt + minRefreshIntervalMs - performance.now())
  const refreshAndSchedule = async (): Promise<void> => {
    isRefreshing = true
    isNotified = false
    readAt = performance.now()
    await refresh()
    gate.open()
    isRefreshing = false
    if (stopping) return
    saveIfDue()
    schedule(
      isNotified && failures === 0
        ? untilNextMs()
        : delayAfter(refreshMs, failures, options.maxDelayMs),
    )
  }

  current = startFromDisk().then(refreshAndSchedule)
  // A pooler in transaction mode does not forward notifications.
  const listener = throughPooler
    ? undefined
    : openListener(source.address, {
        onNotify: () => {
          isNotified = true
          if (!isRefreshing && !stopping && hasBegun) schedule(untilNextMs())
        },
        onLost: (reason) => log('warn', 'no notifications of the database', { reason }),
      })
  return {
    archive: () => (gate.isOpen() ? archive : undefined),
    rows: () => (gate.isOpen() ? rowsOfLeague(league) : undefined),
    status: statusNow,
    now,
    recentBadRows: recentBadRows.list,
    firstLoad: gate.opened,
    stop: async () => {
      stopping = true
      clearTimeout(timer)
      await Promise.all([source.close(), listener?.close()])
      await current
      await saving
      unsaved ||= currentAt !== savedUntil
      await save()
    },
  }
}

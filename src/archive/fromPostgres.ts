import type { Log } from '../log.ts'
import { connect, type Source, SourceError } from '../source/connection.ts'
import { hiddenClips, hiddenTournaments, readTransaction } from '../source/postgres.ts'
import { publicViewsVersion, schemaVersion } from '../source/tables.ts'
import { type Archive, nothingLoaded, type OpenedService, type SourceStatus } from './archive.ts'
import { type Hidden, nothingHidden } from './guard.ts'
import { openLastGood } from './lastGood.ts'
import { emptyLeague, type LoadedLeague } from './loadedLeague.ts'
import { type Refreshed, refreshLeague } from './refresh.ts'

const defaultMaxDelayMs = 30_000
const queryDeadlineMs = 5000
const defaultSaveEveryMs = 60_000
/** Within this every tournament is compared with the database, whatever the marks say. */
const compareAllMs = 180_000
/** Fewer are not compared at once: a comparison costs the server some 20 ms however small it is. */
const minCompared = 64
/** How long a start waits for the database to say what is hidden by now. */
const maxHiddenWaitMs = 500
const standbyLagMs = 10_000
/** Of tournaments that are held back. */
const maxHeldBackListed = 100

export interface PostgresOptions {
  readonly refreshMs: number
  /** Holds the last good archive; made when it is not there. */
  readonly dataDir: string
  readonly log: Log
  /** The longest a query may take. */
  readonly deadlineMs?: number
  readonly throughPooler?: boolean
  readonly compareAllMs?: number
  /** How far a standby may be behind its primary before that is a fault. */
  readonly standbyLagMs?: number
  /** Time between saves of the last good archive. */
  readonly saveEveryMs?: number
  /** The longest wait after failures; 30 s by default. */
  readonly maxDelayMs?: number
}

/** Time to the next refresh after a number of failures in a row. */
export const delayAfter = (
  refreshMs: number,
  failures: number,
  maxDelayMs = defaultMaxDelayMs,
): number => Math.max(refreshMs, Math.min(maxDelayMs, refreshMs * 2 ** failures))

/** What the database hides now; nothing when it does not say so in time. */
const readHidden = async (source: Source): Promise<Hidden> => {
  const asked = readTransaction(
    source,
    async (query, head): Promise<Hidden> => ({
      ...nothingHidden,
      tournaments: await hiddenTournaments(query, head),
      clips: await hiddenClips(query, head),
    }),
  )
  const inTime = Bun.sleep(maxHiddenWaitMs).then(() => nothingHidden)
  return Promise.race([asked.catch(() => nothingHidden), inTime])
}

/** Why a refresh that succeeded does not give all there is; null when it does. */
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
 * Serves what a Postgres holds, and follows it: one refresh each `refreshMs`, never two at a time, with
 * growing delays of at most 30 s while looking fails. Whatever goes wrong, the served archive stays. A
 * start serves the last good archive from `dataDir` at once, without what is hidden by now, and brings
 * the database in behind it.
 */
export const openPostgres = (
  url: string,
  { refreshMs, dataDir, log, ...options }: PostgresOptions,
): OpenedService => {
  const { deadlineMs = queryDeadlineMs, throughPooler = false } = options
  const { saveEveryMs = defaultSaveEveryMs } = options
  /** The share of the tournaments that should have been compared since the last comparison. */
  let compareDue = 0
  const nextShare = (): number => {
    compareDue = Math.min(1, compareDue + refreshMs / (options.compareAllMs ?? compareAllMs))
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
  const loaded = Promise.withResolvers<void>()
  let status = nothingLoaded('postgres')
  /** Until when the archive is known to have been current, on the clock that never jumps. */
  let currentAt: number | null = null
  let failures = 0
  let mayReadPrivate = false
  let stopping = false
  let timer: Timer | undefined
  let current: Promise<void> = Promise.resolve()

  const ageMs = (): number => (currentAt === null ? 0 : performance.now() - currentAt)
  /** The same in Unix seconds. */
  const currentUnix = (): number | null =>
    currentAt === null ? null : Math.floor((Date.now() - ageMs()) / 1000)

  /** Asked at every request, and the same within a second. */
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
      lastStatus = { second, of: status, status: { ...status, currentAt: currentUnix() } }
    }
    return lastStatus.status
  }

  let unsaved = false
  let savedAt = Number.NEGATIVE_INFINITY
  /** What the saved archive is known to have been current until. */
  let savedUntil: number | null = null
  const save = async (): Promise<void> => {
    const capturedAt = currentUnix()
    if (!unsaved || capturedAt === null) return
    unsaved = false
    savedAt = performance.now()
    const until = currentAt
    const isSaved = await lastGood.save(league, Math.max(0, capturedAt))
    if (isSaved) savedUntil = until
    else unsaved = true
    status = { ...status, problems: isSaved ? [] : ['the last good archive cannot be saved'] }
  }
  /** One after the other, beside the looks, which do not wait for it. */
  let saving: Promise<void> = Promise.resolve()
  const saveIfDue = (): void => {
    if (unsaved && performance.now() - savedAt >= saveEveryMs) saving = saving.then(save)
  }

  const accept = async ({ league: next, bad }: Refreshed): Promise<void> => {
    league = next
    // With the archive and not after it: counts and archive belong together.
    status = {
      ...status,
      badRows: league.badRows,
      heldBack: [...league.heldBack]
        .slice(0, maxHeldBackListed)
        .map(([tournamentID, { fights, reason }]) => ({ tournamentID, fights, reason })),
    }
    const before = archive
    if (before === league.archive) return
    archive = league.archive
    loaded.resolve()
    unsaved = true
    if (bad.count() > 0) {
      log('warn', 'rows left out', { badRows: bad.count(), examples: bad.examples })
    }
    if (before && archive && (await lastGood.forget(before, archive))) {
      savedAt = Number.NEGATIVE_INFINITY
    }
  }

  /** The last good archive, if there is one. */
  const startFromDisk = async (): Promise<void> => {
    const saved = await lastGood.read(readHidden(source))
    if (!saved || stopping) return
    league = saved.league
    archive = league.archive
    currentAt = performance.now() - Math.max(0, Date.now() - saved.capturedAt * 1000)
    savedUntil = currentAt
    status = {
      ...status,
      lastRefresh: { ...status.lastRefresh, error: 'the database has not been read yet' },
      badRows: league.badRows,
    }
    loaded.resolve()
    log('info', 'serving the last good archive', { capturedAt: saved.capturedAt })
  }

  /** Each reason once. */
  const logFailure = (reason: string, detail: string | undefined): void => {
    if (reason !== status.lastRefresh.error) log('error', 'refresh failed', { reason, detail })
  }

  /** Until when the data is current after a refresh: a standby may be behind. */
  const currentAfter = ({ standby }: Refreshed['head'], readAt: number): number => {
    if (!standby || standby.isCurrent) return readAt
    const behindMs = Math.max(0, Date.now() - (standby.replayedUntil ?? 0) * 1000)
    return Math.max(currentAt ?? Number.NEGATIVE_INFINITY, readAt - behindMs)
  }

  const refresh = async (): Promise<void> => {
    const at = now()
    const started = performance.now()
    const finish = (changedRows: number, error: string | null): SourceStatus['lastRefresh'] => ({
      at,
      ms: Math.round(performance.now() - started),
      changedRows,
      error,
    })
    try {
      const refreshed = await refreshLeague(source, league, { compareShare: nextShare() })
      if (stopping) return
      await accept(refreshed)
      const { unmarked, changedRows, head } = refreshed
      if (unmarked.length > 0) {
        log('warn', 'tournaments changed with their triggers off; run migrate to turn them on', {
          tournaments: unmarked.length,
        })
      }
      if (head.mayReadPrivate && !mayReadPrivate && head.version >= publicViewsVersion) {
        log('warn', 'the role of DATABASE_URL may read private rows; use one of migrate --reader')
      }
      mayReadPrivate = head.mayReadPrivate
      currentAt = currentAfter(head, started)
      const isBehind = head.standby?.isCurrent === false && ageMs() > maxLagMs
      const error = refreshProblem(refreshed, isBehind)
      if (error !== null) {
        const remedy =
          league.heldBack.size > 0
            ? `mend the rows, or stop, remove ${dataDir}/last-good.* and start to accept the loss`
            : undefined
        logFailure(error, remedy)
      }
      status = { ...status, lastRefresh: finish(changedRows, error) }
      if (failures > 0) log('info', 'the database answers again')
      failures = 0
    } catch (error) {
      if (stopping) return
      if (!(error instanceof SourceError)) {
        log('error', 'refresh failed unexpectedly', { cause: String(error) })
      }
      const reason = error instanceof SourceError ? error.message : 'internal error'
      logFailure(reason, error instanceof SourceError ? error.detail : undefined)
      failures += 1
      status = { ...status, lastRefresh: finish(0, reason) }
    }
  }

  const refreshAndSchedule = async (): Promise<void> => {
    await refresh()
    if (stopping) return
    saveIfDue()
    timer = setTimeout(
      () => {
        current = refreshAndSchedule()
      },
      delayAfter(refreshMs, failures, options.maxDelayMs),
    )
  }

  current = startFromDisk().then(refreshAndSchedule)
  return {
    archive: () => archive,
    status: statusNow,
    now,
    firstLoad: loaded.promise,
    stop: async () => {
      stopping = true
      clearTimeout(timer)
      await source.close()
      await current
      await saving
      unsaved ||= currentAt !== savedUntil
      await save()
    },
  }
}

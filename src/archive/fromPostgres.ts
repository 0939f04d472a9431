import type { ChangeSink } from '../changes/feed.ts'
import type { Log } from '../log.ts'
import { connect, type Source, SourceError } from '../source/connection.ts'
import { openListener } from '../source/listener.ts'
import { hiddenClips, hiddenTournaments, readTransaction } from '../source/postgres.ts'
import { schemaVersion } from '../source/rows.ts'
import { publicViewsVersion } from '../source/tables.ts'
import { type Archive, nothingLoaded, type OpenedService, type SourceStatus } from './archive.ts'
import { type Hidden, nothingHidden } from './guard.ts'
import { openLastGood, type Saved } from './lastGood.ts'
import { emptyLeague, type League } from './loadedLeague.ts'
import { type Refreshed, refreshLeague } from './refresh.ts'

const defaultMaxDelayMs = 30_000
const queryDeadlineMs = 5000
const usualSaveEveryMs = 60_000
/** Within this every tournament is compared with the database, whatever the marks say. */
const compareAllMs = 180_000
/** However often the database notifies. */
const minLookEveryMs = 100
/** Fewer are not compared at once: a comparison costs the server some 20 ms however small it is. */
const comparedAtOnce = 64
/** How long a start waits for the database to say what is hidden by now. */
const hiddenWithinMs = 500
const standbyLagMs = 10_000
/** Of tournaments that are held back. */
const maxListed = 100

export interface PostgresOptions {
  readonly refreshMs: number
  /** Holds the last good archive; made when it is not there. */
  readonly dataDir: string
  readonly log: Log
  /** Hears of each version that is served. */
  readonly changes?: ChangeSink
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

/** Time to the next look after a number of failures in a row. */
export const delayAfter = (
  refreshMs: number,
  failures: number,
  maxDelayMs = defaultMaxDelayMs,
): number => Math.max(refreshMs, Math.min(maxDelayMs, refreshMs * 2 ** failures))

/** What the database hides now; nothing when it does not say so in time. */
const askHidden = async (source: Source): Promise<Hidden> => {
  const asked = readTransaction(
    source,
    async (query, head): Promise<Hidden> => ({
      ...nothingHidden,
      tournaments: await hiddenTournaments(query, head),
      clips: await hiddenClips(query, head),
    }),
  )
  const inTime = Bun.sleep(hiddenWithinMs).then(() => nothingHidden)
  return Promise.race([asked.catch(() => nothingHidden), inTime])
}

/** Why a look that succeeded does not give all there is; null when it does. */
const shortcoming = (
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
 * Serves what a Postgres holds, and follows it: one look each `refreshMs`, never two at a time, with
 * growing delays of at most 30 s while looking fails. Whatever goes wrong, the served archive stays. A
 * start serves the last good archive from `dataDir` at once, without what is hidden by now, and brings
 * the database in behind it.
 */
export const openPostgres = (
  url: string,
  { refreshMs, dataDir, log, changes, ...options }: PostgresOptions,
): OpenedService => {
  const { deadlineMs = queryDeadlineMs, throughPooler = false } = options
  const { saveEveryMs = usualSaveEveryMs } = options
  /** The share of the tournaments that should have been compared since the last comparison. */
  let uncompared = 0
  let comparedAt = performance.now()
  const nextShare = (): number => {
    const at = performance.now()
    uncompared = Math.min(
      1,
      uncompared + (at - comparedAt) / (options.compareAllMs ?? compareAllMs),
    )
    comparedAt = at
    if (uncompared < 1 && uncompared * league.seen.size < comparedAtOnce) return 0
    const share = uncompared
    uncompared = 0
    return share
  }
  const maxLagMs = options.standbyLagMs ?? standbyLagMs
  const source = connect(url, { deadlineMs, throughPooler })
  const lastGood = openLastGood(dataDir, log)
  const now = (): number => Math.floor(Date.now() / 1000)
  let league: League = emptyLeague
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
      const follows = listener?.isListening() ? 'notifications' : 'timer'
      lastStatus = { second, of: status, status: { ...status, follows, currentAt: currentUnix() } }
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
    const saved = league
    if (saved.archive) await changes?.beforeSave(saved.archive.version)
    const isSaved = await lastGood.save(saved, Math.max(0, capturedAt))
    if (isSaved) savedUntil = until
    else unsaved = true
    status = { ...status, problems: isSaved ? [] : ['the last good archive cannot be saved'] }
  }
  /** One after the other, beside the looks, which do not wait for it. */
  let saving: Promise<void> = Promise.resolve()
  const saveSometimes = (): void => {
    if (unsaved && performance.now() - savedAt >= saveEveryMs) saving = saving.then(save)
  }

  const accept = async ({ league: next, bad }: Refreshed): Promise<void> => {
    league = next
    // With the archive and not after it: counts and archive belong together.
    status = {
      ...status,
      badRows: league.badRows,
      heldBack: [...league.heldBack]
        .slice(0, maxListed)
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
    if (before && archive && hasBegun) changes?.swapped(before, archive)
    if (before && archive && (await lastGood.forget(before, archive))) {
      savedAt = Number.NEGATIVE_INFINITY
    }
  }

  /** What the process before left, for the changes since. */
  let left: Saved | undefined
  /** The database was read. */
  let hasBegun = false

  /** The last good archive, if there is one. */
  const startFromDisk = async (): Promise<void> => {
    const saved = await lastGood.read(askHidden(source))
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
    loaded.resolve()
    log('info', 'serving the last good archive', { capturedAt: saved.capturedAt })
  }

  /** Each reason once. */
  const complain = (reason: string, detail: string | undefined): void => {
    if (reason !== status.lastRefresh.error) log('error', 'refresh failed', { reason, detail })
  }

  /** Until when the data is current after a look: a standby may be behind. */
  const currentAfter = ({ standby }: Refreshed['head'], lookedAt: number): number => {
    if (!standby || standby.isCurrent) return lookedAt
    const behindMs = Math.max(0, Date.now() - (standby.replayedUntil ?? 0) * 1000)
    return Math.max(currentAt ?? Number.NEGATIVE_INFINITY, lookedAt - behindMs)
  }

  const look = async (): Promise<void> => {
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
      if (!hasBegun && archive) {
        hasBegun = true
        const saved = left?.league.archive
        changes?.begin(left && saved && { ...left, archive: saved }, archive)
        left = undefined
      }
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
      const error = shortcoming(refreshed, isBehind)
      if (error !== null) {
        const remedy =
          league.heldBack.size > 0
            ? `mend the rows, or stop, remove ${dataDir}/last-good.* and start to accept the loss`
            : undefined
        complain(error, remedy)
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
      complain(reason, error instanceof SourceError ? error.detail : undefined)
      failures += 1
      status = { ...status, lastRefresh: finish(0, reason) }
    }
  }

  let isLooking = false
  /** Something was committed since the look began. */
  let isNotified = false
  let lookedAt = Number.NEGATIVE_INFINITY
  const schedule = (delayMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      current = tick()
    }, delayMs)
  }
  const untilNextMs = (): number => Math.max(0, lookedAt + minLookEveryMs - performance.now())
  const tick = async (): Promise<void> => {
    isLooking = true
    isNotified = false
    lookedAt = performance.now()
    await look()
    isLooking = false
    if (stopping) return
    saveSometimes()
    schedule(
      isNotified && failures === 0
        ? untilNextMs()
        : delayAfter(refreshMs, failures, options.maxDelayMs),
    )
  }

  current = startFromDisk().then(tick)
  // A pooler in transaction mode passes no notifications on.
  const listener = throughPooler
    ? undefined
    : openListener(url, {
        onNotify: () => {
          isNotified = true
          if (!isLooking && !stopping && hasBegun) schedule(untilNextMs())
        },
        onLost: (reason) => log('warn', 'no notifications of the database', { reason }),
      })
  return {
    archive: () => archive,
    status: statusNow,
    now,
    firstLoad: loaded.promise,
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

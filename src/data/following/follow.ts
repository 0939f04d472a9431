import type { Log } from '../../runtime/log.ts'
import { nothingLoaded, type OpenedService, type SourceStatus } from '../archive/archive.ts'
import type { ChangeSink } from '../archive/changeSink.ts'
import type { Hidden } from '../archive/hidden.ts'
import { type BadRowCounter, logBadRows } from '../archive/load.ts'
import { emptyLeague, type LoadedLeague } from '../archive/loadedLeague.ts'
import { createRecentBadRows } from '../archive/recentBadRows.ts'
import { rowsOfLeague } from '../archive/servedRows.ts'
import { delayAfter } from './backOff.ts'
import { createFailureLog, type Failure } from './failureLog.ts'
import { type LastGood, openLastGood, type Saved } from './lastGood.ts'
import { createSaving } from './saving.ts'
import { createStartGate } from './startGate.ts'

/**
 * Notified refreshes take at most a third of the time: each waits for twice the duration of the last one. No refresh
 * waits longer than this after the start of the last one.
 */
const maxNotifiedIntervalMs = 100
/** Maximum wait of a refresh for writes of hidden entries and of the timeline on a hung disk. */
const maxRecordMs = 2000
/** A refresh that takes longer is reported as a problem. */
const slowRefreshMs = 10_000
/** Max held-back tournaments in the status. */
const maxHeldBackListed = 100

/** The league as the source has it now. */
export interface Reading {
  readonly league: LoadedLeague
  /** Rows that were left out of this reading. */
  readonly bad: BadRowCounter
  readonly changedRows: number
  /** Time up to which it is current, on the monotonic clock. */
  readonly currentAt: number
  /** Reason why it is incomplete. */
  readonly problem?: Failure | undefined
  /** Called in the turn that serves the league. */
  readonly served?: () => void
  /** True if the league is not a change of the league before: `begin` of the sink is called again. */
  readonly isAnew?: boolean
}

export interface FollowOptions {
  readonly refreshMs: number
  /** Directory of the last good archive; created if missing. Without it nothing is saved. */
  readonly dataDir?: string | undefined
  readonly log: Log
  /** True if the archive has ratings; the default. */
  readonly ratings?: boolean
  /** Receives each version that is served. */
  readonly changes?: ChangeSink | undefined
  /** Time between saves of the last good archive; a minute by default. */
  readonly saveEveryMs?: number
  /** Max delay between attempts; 30 s by default. */
  readonly maxDelayMs?: number
  /** Max time for the first refresh before a start serves the last good archive; a second by default. */
  readonly maxStartWaitMs?: number
}

/** The followed source. */
export interface FollowedSource {
  readonly kind: SourceStatus['source']
  /** Name in log lines and problems. */
  readonly name: 'database' | 'snapshot'
  /**
   * Reads the differences from the league before; undefined if the source is as at the last read, which may have
   * failed. `currentAt` is the time at which that league was current; `isAwaited` is true if a commit was notified.
   */
  readonly read: (
    before: LoadedLeague,
    currentAt: number | undefined,
    isAwaited: boolean,
  ) => Promise<Reading | undefined>
  /** Failure for an expected error; undefined for any other error. */
  readonly failureOf: (error: unknown) => Failure | undefined
  /** Entries of the last good archive that are hidden by now. */
  readonly hidden: () => Promise<Hidden>
  /** True if the last good archive came from this source. */
  readonly isOwn: (saved: Saved) => boolean
  /** Present way of noticing changes. */
  readonly follows: () => SourceStatus['follows']
  /** Ends reads in progress. */
  readonly close: () => Promise<void>
  /** Clock of the league in Unix milliseconds. */
  readonly wallMs: () => number
  /** Monotonic clock in milliseconds. */
  readonly clockMs: () => number
  /** Unix seconds at which the served league was last current, if not from `currentAt` of the readings. */
  readonly currentUnix?: () => number
  /** Delay to the next read, instead of `refreshMs` with backoff; undefined if there is no next read. */
  readonly nextMs?: () => number | undefined
}

export interface FollowedService extends OpenedService {
  /** The source has a commit to read. */
  readonly notified: () => void
}

/**
 * Serves a source that changes: one refresh every `refreshMs`, never two at a time, with exponential backoff on
 * failure. Any failure keeps the served archive. A start reads the last good archive from `dataDir`, without entries
 * hidden since. It is served once it is refreshed; it is also served if the refresh fails, or takes over a second and
 * nothing newer was published, since readers would go back in time otherwise. Without a last good archive, `firstLoad`
 * rejects with the error of the source if waiting does not help.
 */
export const follow = (
  source: FollowedSource,
  {
    refreshMs,
    dataDir,
    log,
    ratings = true,
    changes,
    saveEveryMs,
    maxDelayMs,
    maxStartWaitMs,
  }: FollowOptions,
): FollowedService => {
  const { wallMs, clockMs } = source
  const empty = { ...emptyLeague, hasRatings: ratings }
  const lastGood = dataDir === undefined ? undefined : openLastGood(dataDir, log, empty)
  const gate = createStartGate(() => league.archive !== undefined, maxStartWaitMs)
  const recentBadRows = createRecentBadRows()
  const startedMs = clockMs()
  let league: LoadedLeague = empty
  let status = nothingLoaded(source.kind)
  /** Time at which the archive was last known to be current, on the monotonic clock. */
  let currentAt: number | undefined
  let failures = 0
  let isStopping = false

  const now = (): number => Math.floor(wallMs() / 1000)
  const currentUnix = (): number | null => {
    if (currentAt === undefined) return null
    return source.currentUnix?.() ?? Math.floor((wallMs() - (clockMs() - currentAt)) / 1000)
  }

  const saving = createSaving({
    lastGood,
    changes,
    clockMs,
    saveEveryMs,
    served: () => ({ league, currentAt, currentUnix: currentUnix() }),
    onSaved: (isSaved) => {
      status = { ...status, problems: isSaved ? [] : ['the last good archive cannot be saved'] }
    },
  })

  /** True once the source has been read. */
  let hasBegun = false

  const startFromDisk = async (): Promise<void> => {
    if (!lastGood) return
    const [saved, newestTimeline] = await Promise.all([
      lastGood.read(source.hidden()),
      lastGood.readTimeline(),
    ])
    league = { ...league, newestTimeline }
    if (!saved || !source.isOwn(saved) || isStopping) return
    league = { ...saved.league, newestTimeline }
    const isAhead = league.archive && changes?.found({ ...saved, archive: league.archive })
    currentAt = clockMs() - Math.max(0, wallMs() - saved.capturedAt * 1000)
    saving.found(currentAt)
    status = {
      ...status,
      lastRefresh: { ...status.lastRefresh, error: `the ${source.name} has not been read yet` },
      badRows: league.badRows,
      badCages: league.badCages,
    }
    gate.openInTime(isAhead)
    log('info', 'serving the last good archive', { capturedAt: saved.capturedAt })
  }

  const accept = async ({ league: next, bad, served, isAnew = false }: Reading): Promise<void> => {
    const { archive: before } = league
    const { archive } = next
    const isNew = archive !== undefined && archive !== before
    if (before && isNew && !isAnew) await changes?.compare(before, archive)
    // Written before the swap: a killed process would serve hidden entries again at its next start.
    const isKnownTimeline = Bun.deepEquals(next.newestTimeline, league.newestTimeline)
    const record = async (kept: LastGood): Promise<boolean> => {
      const [isHiding] = await Promise.all([
        before !== undefined && isNew && kept.recordHidden(before, archive),
        kept.recordTimeline(next.newestTimeline),
      ])
      return isHiding
    }
    const isHiding =
      lastGood !== undefined &&
      (isNew || !isKnownTimeline) &&
      (await Promise.race([record(lastGood), Bun.sleep(maxRecordMs).then(() => true)]))
    league = next
    served?.()
    // Set in the same turn as the archive: counts and archive must match.
    status = {
      ...status,
      badRows: league.badRows,
      badCages: league.badCages,
      heldBack: [...league.heldBack]
        .slice(0, maxHeldBackListed)
        .map(([tournamentID, { fights, reason }]) => ({ tournamentID, fights, reason })),
    }
    recentBadRows.add(bad.last, now())
    if (!isNew) return
    saving.changed(isHiding)
    logBadRows(log, bad)
    if (isAnew) changes?.begin(archive)
    else if (before && hasBegun) changes?.swapped(before, archive)
  }

  /** Called when the first league of the source is served. */
  const begin = (): void => {
    if (hasBegun || !league.archive) return
    hasBegun = true
    changes?.begin(league.archive)
    const ms = Math.round(clockMs() - startedMs)
    const tournaments = league.archive.dataset.tournaments.length
    log('info', 'loaded', { source: source.kind, ms, tournaments })
  }

  const failureLog = createFailureLog(log, () => league.archive !== undefined, clockMs)

  const refresh = async (isAwaited: boolean): Promise<void> => {
    const started = clockMs()
    const finish = (
      outcome: 'complete' | 'incomplete' | 'failed',
      changedRows: number,
      error: string | null,
    ): void => {
      const ms = Math.round(clockMs() - started)
      const { refreshes = { complete: 0, incomplete: 0, failed: 0, ms: 0 } } = status
      status = {
        ...status,
        lastRefresh: { at: now(), ms, changedRows, error },
        refreshes: { ...refreshes, [outcome]: refreshes[outcome] + 1, ms: refreshes.ms + ms },
      }
    }
    try {
      const reading = await source.read(league, currentAt, isAwaited)
      if (!reading || isStopping) return
      await accept(reading)
      begin()
      currentAt = reading.currentAt
      const { changedRows, problem } = reading
      if (problem) failureLog.failed(problem)
      else failureLog.succeeded()
      finish(problem ? 'incomplete' : 'complete', changedRows, problem?.reason ?? null)
      if (failures > 0) log('info', `the ${source.name} can be read again`)
      failures = 0
    } catch (error) {
      if (isStopping) return
      const known = source.failureOf(error)
      if (!known) log('error', 'refresh failed unexpectedly', { cause: String(error) })
      const failure = known ?? { reason: 'internal error' }
      if (failure.isLasting && !league.archive) gate.fail(error)
      else if (!failure.isLogged) failureLog.failed(failure)
      failures += 1
      finish('failed', 0, failure.reason)
    }
  }

  let timer: Timer | undefined
  /** Start of the running refresh, on the monotonic clock. */
  let refreshingSince: number | undefined
  /** True if a commit was notified since the refresh began. */
  let isNotified = false
  /** True once the first refresh has begun. */
  let hasRefreshed = false
  let notBefore = Number.NEGATIVE_INFINITY
  const schedule = (delayMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      current = refreshAndSchedule()
    }, delayMs)
  }
  const untilNextMs = (): number => Math.max(0, notBefore - clockMs())
  const refreshAndSchedule = async (): Promise<void> => {
    hasRefreshed = true
    const isAwaited = isNotified
    isNotified = false
    const startedAt = clockMs()
    refreshingSince = startedAt
    const isFirst = league.archive === undefined
    await refresh(isAwaited)
    // A first load takes seconds: entries hidden meanwhile are never served.
    if (isFirst && league.archive && !isStopping) await refresh(isAwaited)
    gate.open()
    refreshingSince = undefined
    const [at, tookMs] = [clockMs(), clockMs() - startedAt]
    notBefore = Math.min(startedAt + maxNotifiedIntervalMs, at + 2 * tookMs)
    if (isStopping) return
    saving.saveIfDue()
    const isSoon = isNotified && failures === 0
    const nextMs = source.nextMs ? source.nextMs() : delayAfter(refreshMs, failures, maxDelayMs)
    if (nextMs !== undefined) schedule(isSoon ? untilNextMs() : nextMs)
  }
  let current = startFromDisk().then(refreshAndSchedule)

  const slowRefresh = (): readonly string[] => {
    if (refreshingSince === undefined || clockMs() - refreshingSince < slowRefreshMs) return []
    const seconds = Math.floor((clockMs() - refreshingSince) / 1000)
    return [`a refresh has been under way for ${seconds} s`]
  }
  const statusNow = (): SourceStatus => ({
    ...status,
    follows: source.follows(),
    problems: [...(status.problems ?? []), ...slowRefresh()],
    currentAt: currentUnix(),
  })

  return {
    archive: () => (gate.isOpen() ? league.archive : undefined),
    rows: () => (gate.isOpen() ? rowsOfLeague(league) : undefined),
    status: statusNow,
    now,
    recentBadRows: recentBadRows.list,
    firstLoad: gate.opened,
    notified: () => {
      isNotified = true
      if (refreshingSince === undefined && !isStopping && hasRefreshed) schedule(untilNextMs())
    },
    stop: async () => {
      isStopping = true
      clearTimeout(timer)
      // Closing a hung source can take longer than a stop may.
      await saving.finish()
      await source.close()
      await current
      await saving.finish()
    },
  }
}

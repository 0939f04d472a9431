import { setTimeout } from 'node:timers/promises'
import type { Log } from '../../runtime/log.ts'
import { type Archive, nothingLoaded, type OpenedService } from '../archive/archive.ts'
import type { ChangeSink } from '../archive/changeSink.ts'
import { maxRunSeconds, type PrepareSnapshot } from '../archive/fromSnapshot.ts'
import { logBadRows } from '../archive/load.ts'
import { emptyLeague, type LoadedLeague } from '../archive/loadedLeague.ts'
import { createRecentBadRows } from '../archive/recentBadRows.ts'
import { rowsOfLeague } from '../archive/servedRows.ts'
import { readSnapshot } from '../source/snapshot.ts'
import { buildTimeline, dateTime, type Timeline } from './timeline.ts'

/** Minimum time between two versions; at a high speed, changes that follow each other faster are shown together. */
const usualMinStepMs = 100
/** Time for which the end of an event is shown before it begins again. */
const usualLingerMs = 10_000
/** Maximum wait; timers hold no longer than 24 days. */
const maxWaitMs = 3_600_000

/**
 * Receives the versions that are served. `begin` is called each time the event begins, so that a feed starts a new
 * epoch.
 */
export type ReplaySink = Pick<ChangeSink, 'begin' | 'swapped'>

export interface ReplayOptions {
  /** Unix seconds, or the busiest hour of the last event. */
  readonly at: number | 'auto'
  /** Seconds of the event per second. */
  readonly speed: number
  /** Begin again after the end. */
  readonly loop: boolean
  readonly log: Log
  /** Whether there are ratings; default true. */
  readonly ratings?: boolean
  readonly changes?: ReplaySink | undefined
  readonly prepare?: PrepareSnapshot | undefined
  readonly minStepMs?: number
  readonly lingerMs?: number
  /** Milliseconds that never jump. */
  readonly clockMs?: () => number
}

/**
 * Serves a snapshot as it was at a moment and lets its event go on. The clock is that of the event until its last fight
 * is over; after the last event of the league, archive and clock are those of the snapshot. The clock stops five
 * minutes later. `firstLoad` rejects with a `SnapshotError`, or with a `ReplayError` if the moment cannot be replayed.
 */
export const openReplay = (
  path: string,
  {
    at,
    speed,
    loop,
    log,
    ratings = true,
    changes,
    prepare = (snapshot) => snapshot,
    minStepMs = usualMinStepMs,
    lingerMs = usualLingerMs,
    clockMs = () => performance.now(),
  }: ReplayOptions,
): OpenedService => {
  const stopped = new AbortController()
  let archive: Archive | undefined
  let shown: LoadedLeague | undefined
  let status = nothingLoaded('replay')
  /** Moment of the event at a time on the process's clock, and the rate at which it goes on from there. */
  let anchor = { unix: Math.floor(Date.now() / 1000), ms: clockMs(), rate: 1 }
  const exactNow = (): number => anchor.unix + ((clockMs() - anchor.ms) / 1000) * anchor.rate
  const setClock = (unix: number, rate: number): void => {
    anchor = { unix, ms: clockMs(), rate }
  }
  let latest = Number.POSITIVE_INFINITY
  const now = (): number => Math.floor(Math.min(exactNow(), latest))

  const show = (league: LoadedLeague, isFirst: boolean): void => {
    const before = archive
    const { archive: next } = league
    if (!next || before === next) return
    archive = next
    shown = league
    if (isFirst || !before) changes?.begin(next)
    else changes?.swapped(before, next)
  }
  /** Waits this long, or until the service is stopped. */
  const wait = (ms: number): Promise<void> =>
    setTimeout(Math.min(Math.max(0, ms), maxWaitMs), undefined, { signal: stopped.signal }).catch(
      () => undefined,
    )

  /** Lets the event go on from its start to its end. */
  const play = async (timeline: Timeline): Promise<void> => {
    const { startsAt, endsAt, finalAt, first, nextChangeAfter, move } = timeline
    let league = first
    latest = endsAt
    setClock(startsAt, speed)
    show(first, true)
    let shownAt = startsAt
    const step = async (to: number): Promise<void> => {
      const started = performance.now()
      league = await move(league, shownAt, to)
      shownAt = to
      const ms = Math.round(performance.now() - started)
      status = { ...status, lastRefresh: { at: to, ms, changedRows: 0, error: null } }
    }
    while (shownAt < endsAt) {
      const waitMs = ((nextChangeAfter(shownAt) - exactNow()) / speed) * 1000
      await wait(Math.max(minStepMs, waitMs))
      if (stopped.signal.aborted) return
      await step(Math.max(shownAt, now()))
      show(league, false)
    }
    if (finalAt > shownAt) {
      await step(finalAt)
    }
    latest = finalAt + maxRunSeconds
    setClock(finalAt, 1)
    status = { ...status, currentAt: finalAt }
    show(league, false)
  }

  const run = async (timeline: Timeline): Promise<void> => {
    try {
      do {
        status = { ...status, currentAt: null }
        await play(timeline)
        if (!stopped.signal.aborted) log('info', 'the replayed event is over', { loop })
        if (!loop || stopped.signal.aborted) return
        await wait(lingerMs)
      } while (!stopped.signal.aborted)
    } catch (error) {
      log('error', 'the replay stopped', { cause: String(error) })
      status = { ...status, lastRefresh: { ...status.lastRefresh, error: 'internal error' } }
    }
  }

  const recentBadRows = createRecentBadRows()
  let running: Promise<void> = Promise.resolve()
  const load = async (): Promise<void> => {
    const started = performance.now()
    const empty = { ...emptyLeague, hasRatings: ratings }
    const timeline = await buildTimeline(await prepare(await readSnapshot(path)), at, empty)
    const { startsAt, endsAt, badRows, badCages } = timeline
    logBadRows(log, badRows)
    recentBadRows.add(badRows.last, Math.floor(Date.now() / 1000))
    const ms = Math.round(performance.now() - started)
    const lastRefresh = { at: startsAt, ms, changedRows: 0, error: null }
    status = { ...status, lastRefresh, badRows: badRows.count(), badCages }
    const tournaments = timeline.first.archive?.dataset.tournaments.length ?? 0
    log('info', 'loaded', { source: 'replay', ms, tournaments })
    running = run(timeline)
    log('info', 'replaying', { from: dateTime(startsAt), until: dateTime(endsAt), speed, loop })
  }
  return {
    archive: () => archive,
    rows: () => shown && rowsOfLeague(shown),
    // While the event goes on, what is shown is current.
    status: () => (archive && status.currentAt === null ? { ...status, currentAt: now() } : status),
    now,
    recentBadRows: recentBadRows.list,
    firstLoad: load(),
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}

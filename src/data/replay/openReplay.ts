import type { Log } from '../../runtime/log.ts'
import type { OpenedService } from '../archive/archive.ts'
import type { ChangeSink } from '../archive/changeSink.ts'
import { nothingHidden } from '../archive/hidden.ts'
import { countBadRows } from '../archive/load.ts'
import { emptyLeague, type LoadedLeague } from '../archive/loadedLeague.ts'
import { follow, type Reading } from '../following/follow.ts'
import { maxRunSeconds, type PrepareSnapshot } from '../following/fromSnapshot.ts'
import { readSnapshot } from '../source/snapshot.ts'
import { buildTimeline, dateTime, type Timeline } from './timeline.ts'

/** Minimum time between two versions; at a high speed, changes that follow each other faster are shown together. */
const usualMinStepMs = 100
/** Time for which the end of an event is shown before it begins again. */
const usualLingerMs = 10_000
/** Maximum wait; timers hold no longer than 24 days. */
const maxWaitMs = 3_600_000

export interface ReplayOptions {
  /** Start in Unix seconds, or the busiest hour of the last event. */
  readonly at: number | 'auto'
  /** Seconds of the event per second. */
  readonly speed: number
  /** Begin again after the end. */
  readonly loop: boolean
  readonly log: Log
  /** True if the archive has ratings; the default. */
  readonly ratings?: boolean
  /** `begin` is called each time the event begins, so that a feed starts a new epoch. */
  readonly changes?: ChangeSink | undefined
  readonly prepare?: PrepareSnapshot | undefined
  readonly minStepMs?: number
  readonly lingerMs?: number
  /** Clock in milliseconds that never jumps. */
  readonly clockMs?: () => number
}

/**
 * Serves a snapshot as it was at a moment and lets its event go on. The clock is the event's until its last fight
 * is over; after the last event of the league, archive and clock are the snapshot's. The clock stops five
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
  let timeline: Timeline | undefined
  /** Moment of the event at a time on the process's clock, and the rate at which it goes on from there. */
  let anchor = { unix: Math.floor(Date.now() / 1000), ms: clockMs(), rate: 1 }
  let latest = Number.POSITIVE_INFINITY
  const exactNow = (): number => anchor.unix + ((clockMs() - anchor.ms) / 1000) * anchor.rate
  const setClock = (unix: number, rate: number, until: number): void => {
    anchor = { unix, ms: clockMs(), rate }
    latest = until
  }
  const now = (): number => Math.floor(Math.min(exactNow(), latest))
  /** Moment that is shown. */
  let shownAt = 0
  let isOver = false
  let hasFailed = false

  const readingOf = (league: LoadedLeague, served: () => void): Reading => ({
    ...{ league, served, bad: countBadRows(), changedRows: 0, currentAt: clockMs() },
  })
  const start = ({ first, startsAt, endsAt }: Timeline): Reading =>
    readingOf(first, () => {
      setClock(startsAt, speed, endsAt)
      shownAt = startsAt
      isOver = false
    })
  const finish = async ({ move, finalAt }: Timeline, before: LoadedLeague): Promise<Reading> => {
    const league = finalAt > shownAt ? await move(before, shownAt, finalAt) : before
    return readingOf(league, () => {
      setClock(finalAt, 1, finalAt + maxRunSeconds)
      shownAt = finalAt
      isOver = true
      log('info', 'the replayed event is over', { loop })
    })
  }
  const read = async (before: LoadedLeague): Promise<Reading | undefined> => {
    if (!timeline) {
      const empty = { ...emptyLeague, hasRatings: ratings }
      timeline = await buildTimeline(await prepare(await readSnapshot(path)), at, empty)
      return { ...start(timeline), bad: timeline.badRows }
    }
    const { endsAt, move, nextChangeAfter } = timeline
    if (isOver) return loop ? { ...start(timeline), isAnew: true } : undefined
    if (shownAt >= endsAt) return finish(timeline, before)
    const to = now()
    if (to < nextChangeAfter(shownAt)) return undefined
    return readingOf(await move(before, shownAt, to), () => {
      shownAt = to
    })
  }
  const nextMs = (): number | undefined => {
    if (!timeline || hasFailed || (isOver && !loop)) return undefined
    if (isOver) return lingerMs
    if (shownAt >= timeline.endsAt) return 0
    const waitMs = ((timeline.nextChangeAfter(shownAt) - exactNow()) / speed) * 1000
    return Math.min(Math.max(minStepMs, waitMs), maxWaitMs)
  }

  const service = follow(
    {
      kind: 'replay',
      name: 'snapshot',
      read,
      nextMs,
      failureOf: (error) => {
        hasFailed = true
        if (timeline) log('error', 'the replay stopped', { cause: String(error) })
        return { reason: 'internal error', isLasting: true, isLogged: true }
      },
      hidden: async () => nothingHidden,
      isOwn: () => false,
      follows: () => 'nothing',
      close: async () => undefined,
      wallMs: () => Math.min(exactNow(), latest) * 1000,
      clockMs,
      // The shown state is current while the event goes on.
      currentUnix: () => (isOver ? shownAt : now()),
    },
    { log, changes, ratings, refreshMs: minStepMs },
  )
  const announce = (): void => {
    if (!timeline) return
    const [from, until] = [dateTime(timeline.startsAt), dateTime(timeline.endsAt)]
    log('info', 'replaying', { from, until, speed, loop })
  }
  service.firstLoad.then(announce, () => undefined)
  return service
}

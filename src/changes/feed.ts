import { setTimeout as delay } from 'node:timers/promises'
import type { Archive } from '../archive/archive.ts'
import type { ChangeSink, SavedArchive } from '../archive/changeSink.ts'
import { codeOf } from '../files.ts'
import type { Log } from '../log.ts'
import { diffArchives } from './diff.ts'
import { type Entry, entryOf, type Filter, matches, type Place, readCursor } from './entry.ts'
import type { Line } from './line.ts'
import type { ChangeLog, Loaded } from './log.ts'
import { removalKey, tournamentKey, withoutRemoved } from './mentions.ts'
import { diffSince, type Missed } from './missed.ts'
import { createRecentEntries } from './recentEntries.ts'
import type { Change } from './schema.ts'

const defaultMaxEntries = 20_000
const tidyEveryMs = 60_000
const waitForLockMs = 15_000
const lockRetryMs = 100

/** Some changes for a reader. */
export interface Page {
  readonly entries: readonly Entry[]
  /** Where to go on. */
  readonly place: Place
  /** Whether there are more already. */
  readonly more: boolean
}

export interface ChangeFeed extends ChangeSink {
  /** Settles when changes can be read. */
  readonly ready: Promise<void>
  readonly isReady: () => boolean
  /** The place after the last change. */
  readonly end: () => Place
  /** The place of a cursor; undefined for one that is unknown or too old. */
  readonly find: (cursor: string) => Place | undefined
  /**
   * Changes after a place; a value, not a promise, where memory has them all. Undefined where they are
   * removed meanwhile, or of an epoch that is over.
   */
  readonly read: (
    place: Place,
    filter: Filter,
    limit: number,
  ) => Page | undefined | Promise<Page | undefined>
  /** Calls back with all that is published from now on, until the returned function is called. */
  readonly subscribe: (onPublished: (entries: readonly Entry[]) => void) => () => void
  /**
   * Calls back when an epoch begins, until the returned function is called: readers must read everything
   * again.
   */
  readonly onRestart: (restarted: () => void) => () => void
  /** What is wrong at present, a sentence each. */
  readonly problems: () => readonly string[]
  /** Finishes what is to be written. */
  readonly stop: () => Promise<void>
}

/** One step for the log, in the order in which archives were swapped. */
interface Job {
  readonly version: string
  changes: readonly Change[]
  readonly removed: readonly string[]
  readonly time: number
  /** Written without changes too. */
  readonly isMark: boolean
}

const newEpoch = (): string => Bun.randomUUIDv7().replaceAll('-', '').slice(-12)

const removedBy = (changes: readonly Change[]): readonly string[] =>
  changes.flatMap((change) => removalKey(change) ?? [])

/**
 * The changes of the data, numbered: the last 20,000 in memory, older ones in the log. A change is on
 * the disk before anybody reads it, so that no process can give its number to another one; where the
 * disk fails, an epoch begins that ends with this process. Without a log every process has its own.
 */
export const createFeed = ({
  changeLog,
  basePath,
  now,
  log,
  maxEntries = defaultMaxEntries,
}: {
  changeLog: ChangeLog | undefined
  basePath: string
  /** Unix seconds. */
  now: () => number
  log: Log
  /** In memory. */
  maxEntries?: number
}): ChangeFeed => {
  let epoch = newEpoch()
  const recent = createRecentEntries(maxEntries)
  let published = 0
  /** The numbers of each epoch that cursors may have. */
  const epochs = new Map<string, { readonly from: number; to: number }>()
  /** The log holds every change of this epoch up to those in memory. */
  let isLogWhole = false
  /** Lines of this epoch are on the disk. */
  let isEpochLogged = false
  let failure: string | undefined
  let hasBegun = false
  let isReady = false
  const ready = Promise.withResolvers<void>()
  const subscribers = new Set<(entries: readonly Entry[]) => void>()
  const restartListeners = new Set<() => void>()
  /** What was written when the data had a version: the number reached, of the log as it was loaded. */
  let versions = new Map<string, number>()

  const entriesOf = (line: Line): readonly Entry[] =>
    line.changes.map(([seq, change]) =>
      entryOf(change, { place: { epoch: line.epoch, seq }, time: line.time, basePath }),
    )

  const forgetAll = (): void => {
    recent.clear()
    versions = new Map()
  }

  /** Undefined where there is nothing to continue. */
  const load = async (): Promise<Loaded | undefined> => {
    if (!changeLog) return undefined
    let isFirst = true
    const onStart = (): void => {
      forgetAll()
      isFirst = true
    }
    const onLine = (line: Line): void => {
      if (isFirst) recent.startAfter(line.after)
      isFirst = false
      recent.forget(line.removed)
      recent.add(entriesOf(line))
      versions.set(line.version, line.last)
    }
    const deadline = performance.now() + waitForLockMs
    try {
      for (;;) {
        const loaded = await changeLog.load(onLine, onStart)
        if (loaded) return loaded
        if (performance.now() > deadline || stopping) break
        await delay(lockRetryMs)
      }
      failure = 'another process writes the log of changes in DATA_DIR'
    } catch (error) {
      failure = `the log of changes cannot be read: ${codeOf(error)}`
    }
    log('warn', failure)
    forgetAll()
    return undefined
  }

  const beginEpoch = (after: number): void => {
    const known = epochs.get(epoch)
    if (known) known.to = after
    epoch = newEpoch()
    epochs.set(epoch, { from: after, to: Number.POSITIVE_INFINITY })
    isEpochLogged = false
  }

  const lineOf = ({ version, changes, removed, time }: Job): Line => ({
    epoch,
    version,
    after: published,
    last: published + changes.length,
    time,
    removed,
    changes: changes.map((change, index) => [published + 1 + index, change]),
  })

  /** If the log cannot be written, this process must not publish numbers that the next one gives again. */
  const append = async (job: Job): Promise<Line> => {
    if (!changeLog) return lineOf(job)
    try {
      const line = lineOf(job)
      await changeLog.append(line)
      isEpochLogged = true
      if (failure !== undefined) log('info', 'the log of changes is written again')
      failure = undefined
      return line
    } catch (error) {
      const reason = `the log of changes cannot be written: ${codeOf(error)}`
      if (failure !== reason) log('warn', reason)
      failure = reason
      isLogWhole = false
      if (isEpochLogged) beginEpoch(published)
      return lineOf(job)
    }
  }

  const publish = (line: Line): void => {
    const added = entriesOf(line)
    recent.add(added)
    published = line.last
    if (added.length > 0) for (const subscriber of subscribers) subscriber(added)
  }

  const jobs: Job[] = []
  /** Operations on the log, in sequence. */
  let working: Promise<void> = Promise.resolve()
  const enqueue = (task: () => Promise<void>): Promise<void> => {
    working = working.then(task).catch((error: unknown) => {
      log('error', 'the feed of changes failed', { cause: String(error) })
    })
    return working
  }

  const perform = async (job: Job): Promise<void> => {
    if (job.changes.length === 0 && !job.isMark) return
    publish(await append(job))
    if (job.removed.length === 0 || !changeLog) return
    await changeLog.purge().catch((error: unknown) => {
      isLogWhole = false
      log('warn', 'a log of changes cannot be written anew', { reason: codeOf(error) })
    })
  }

  const push = (version: string, changes: readonly Change[], isMark: boolean): Promise<void> => {
    const removed = removedBy(changes)
    if (removed.length > 0) {
      recent.forget(removed)
      const keys = new Set(removed)
      for (const job of jobs) {
        job.changes = job.changes.flatMap((change) => withoutRemoved(change, keys) ?? [])
      }
    }
    jobs.push({ version, changes, removed, time: now(), isMark })
    return enqueue(async () => {
      const job = jobs.shift()
      if (job) await perform(job)
    })
  }

  let stopping = false
  const loading = load()

  /** What happened since the saved archive; undefined where the log does not know. */
  const continueFrom = async (
    { version, ...left }: SavedArchive,
    loaded: Loaded,
    archive: Archive,
  ): Promise<Missed | undefined> => {
    const savedAt = version === undefined ? undefined : versions.get(version)
    if (savedAt === undefined || loaded.epoch === undefined || !changeLog) return undefined
    epoch = loaded.epoch
    epochs.set(epoch, { from: 0, to: Number.POSITIVE_INFINITY })
    published = loaded.last
    isLogWhole = true
    isEpochLogged = true
    const changes: Change[] = []
    for await (const line of changeLog.linesAfter(savedAt)) {
      for (const [, change] of line.changes) changes.push(change)
    }
    return diffSince({ ...left, changes }, archive, now())
  }

  const beginAnew = (): void => {
    forgetAll()
    published = 0
    recent.startAfter(0)
    epochs.clear()
    epoch = newEpoch()
    epochs.set(epoch, { from: 0, to: Number.POSITIVE_INFINITY })
    isLogWhole = true
  }

  const beginWith = async (saved: SavedArchive | undefined, archive: Archive): Promise<void> => {
    const loaded = await loading
    const missed = saved && loaded && (await continueFrom(saved, loaded, archive))
    const job = { version: archive.version, time: now(), isMark: true }
    versions = new Map()
    if (missed) {
      const { changes, superseded } = missed
      const removed = [...removedBy(changes), ...superseded.map(tournamentKey)]
      recent.forget(removed)
      await perform({ ...job, changes, removed })
      log('info', 'the feed of changes continues', { missed: changes.length })
    } else {
      beginAnew()
      if (loaded) await changeLog?.clear().catch(() => undefined)
      await perform({ ...job, changes: [], removed: [] })
    }
    isReady = true
    ready.resolve()
  }

  const tidying = changeLog
    ? setInterval(() => {
        void enqueue(() =>
          changeLog.tidy().catch((error: unknown) => {
            log('warn', 'the log of changes cannot be tidied', { reason: codeOf(error) })
          }),
        )
      }, tidyEveryMs)
    : undefined
  tidying?.unref()

  const end = (): Place => ({ epoch, seq: published })

  const readMemory = (after: number, filter: Filter, limit: number, found: Entry[]): Page => {
    for (const entry of recent.after(after)) {
      if (!matches(filter, entry)) continue
      if (found.length === limit) return pageOf(found, true)
      found.push(entry)
    }
    return { entries: found, place: end(), more: false }
  }
  const pageOf = (found: readonly Entry[], more: boolean): Page => {
    const last = found.at(-1)
    const place = (last && readCursor(last.id)) ?? end()
    return { entries: found, place, more }
  }

  const readLog = async (
    place: Place,
    filter: Filter,
    limit: number,
  ): Promise<Page | undefined> => {
    const found: Entry[] = []
    let reached = place.seq
    while (reached < recent.keptAfter() && changeLog) {
      const before = reached
      for await (const line of changeLog.linesAfter(reached)) {
        for (const entry of entriesOf(line)) {
          if (entry.seq <= reached || entry.seq > recent.keptAfter() || !matches(filter, entry))
            continue
          if (found.length === limit) return pageOf(found, true)
          found.push(entry)
        }
        reached = Math.max(reached, line.last)
        if (reached >= recent.keptAfter()) break
      }
      if (reached === before) return undefined
    }
    return epochs.has(place.epoch)
      ? readMemory(recent.keptAfter(), filter, limit, found)
      : undefined
  }

  return {
    begin: (saved, archive) => {
      const isAgain = hasBegun
      hasBegun = true
      if (!changeLog && !isAgain) {
        beginAnew()
        isReady = true
        ready.resolve()
        return
      }
      isReady = false
      void enqueue(async () => {
        await beginWith(isAgain ? undefined : saved, archive)
        if (isAgain) for (const restarted of restartListeners) restarted()
      })
    },
    swapped: (before, after) => {
      void push(after.version, diffArchives(before, after, now()), false)
    },
    beforeSave: async (version) => {
      if (changeLog && hasBegun) await push(version, [], true)
    },
    ready: ready.promise,
    isReady: () => isReady,
    end,
    find: (cursor) => {
      const place = readCursor(cursor)
      const known = place && epochs.get(place.epoch)
      if (!place || !known || place.seq < known.from) return undefined
      if (place.seq > Math.min(known.to, published)) return undefined
      const keptAfter = isLogWhole ? changeLog?.keptAfter() : undefined
      return place.seq >= Math.min(recent.keptAfter(), keptAfter ?? recent.keptAfter())
        ? place
        : undefined
    },
    read: (place, filter, limit) => {
      // Numbers begin anew with such an epoch.
      if (!epochs.has(place.epoch)) return undefined
      return place.seq >= recent.keptAfter()
        ? readMemory(place.seq, filter, limit, [])
        : readLog(place, filter, limit)
    },
    subscribe: (onPublished) => {
      subscribers.add(onPublished)
      return () => subscribers.delete(onPublished)
    },
    onRestart: (restarted) => {
      restartListeners.add(restarted)
      return () => restartListeners.delete(restarted)
    },
    problems: () => (failure === undefined ? [] : [failure]),
    stop: async () => {
      stopping = true
      clearInterval(tidying)
      await working
      changeLog?.close()
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Archive } from '../archive/archive.ts'
import type { ChangeSink, SavedArchive } from '../archive/changeSink.ts'
import { findBot } from '../careers/bots.ts'
import { whyOf } from '../files.ts'
import type { Log } from '../log.ts'
import { diffArchives } from './diff.ts'
import { type Entry, isRemoval, type Site } from './entry.ts'
import { createHistory, type History } from './history.ts'
import type { Line } from './line.ts'
import type { ChangeLog, Loaded } from './log.ts'
import { diffSince } from './missed.ts'
import type { Change } from './schema.ts'

const defaultMaxEntries = 20_000
const tidyEveryMs = 60_000
const waitForLockMs = 15_000
const lockRetryMs = 100

export interface ChangeFeed extends ChangeSink, Pick<History, 'end' | 'version' | 'find' | 'read'> {
  /** Settles when changes can be read. */
  readonly ready: Promise<void>
  readonly isReady: () => boolean
  /** Whether there is a bot of a clean name; true while that is not known. */
  readonly isBot: (cleanName: string) => boolean
  /** Calls back with all that is published from now on, until the returned function is called. */
  readonly subscribe: (onPublished: (entries: readonly Entry[]) => void) => () => void
  /**
   * Calls back when an epoch begins or the history is cut, until the returned function is called: what was
   * read before may not be sent any more.
   */
  readonly onRestart: (restarted: () => void) => () => void
  /** What is wrong at present, a sentence each. */
  readonly problems: () => readonly string[]
  /** Finishes what is to be written. */
  readonly stop: () => Promise<void>
}

/** The changes to a version of the data; undefined where the state before is not known whole. */
type ChangesTo = (archive: Archive) => readonly Change[] | undefined

/** From what is published to one version of the data: one line of the log. */
interface Step {
  readonly version: string
  readonly changes: readonly Change[] | undefined
  /** From what was published before this step; undefined where the step changes nothing. */
  readonly changesTo: ChangesTo | undefined
  readonly time: number
  /** Something was removed: no change before this step is published any more. */
  readonly isCut: boolean
  /** Written without changes too. */
  readonly isMark: boolean
}

/**
 * The changes of the data, numbered: the last 20,000 in memory, older ones in the log. A change is on
 * the disk before anybody reads it, so that no process can give its number to another one; where the
 * disk fails, an epoch begins that ends with this process. Without a log every process has its own.
 * Where something is removed, the history before is removed with it: it may mention what was removed.
 */
export const createFeed = ({
  changeLog,
  site,
  now,
  log,
  maxEntries = defaultMaxEntries,
}: {
  changeLog: ChangeLog | undefined
  site: Site
  /** Unix seconds. */
  now: () => number
  log: Log
  /** In memory. */
  maxEntries?: number
}): ChangeFeed => {
  const history = createHistory({ changeLog, site, maxEntries })
  /** Lines of this epoch are on the disk. */
  let isEpochLogged = false
  let failure: string | undefined
  let isReady = false
  let isStopping = false
  const ready = Promise.withResolvers<void>()
  const subscribers = new Set<(entries: readonly Entry[]) => void>()
  const restartListeners = new Set<() => void>()

  const beginAnew = (version: string): void => {
    history.beginAnew(version)
    isEpochLogged = false
  }
  const setReady = (): void => {
    isReady = true
    ready.resolve()
  }

  /** What was written when the data had a version: the number reached, of the log as it was loaded. */
  let versions = new Map<string, number>()
  /** Undefined where there is nothing to continue. */
  const load = async (): Promise<Loaded | undefined> => {
    if (!changeLog) return undefined
    let isFirst = true
    const onStart = (): void => {
      versions = new Map()
      isFirst = true
    }
    const onLine = (line: Line): void => {
      if (isFirst) history.startAfter(line.after)
      isFirst = false
      history.add(line)
      versions.set(line.version, line.last)
    }
    const deadline = performance.now() + waitForLockMs
    try {
      for (;;) {
        const loaded = await changeLog.load(onLine, onStart)
        if (loaded) return loaded
        if (performance.now() > deadline || isStopping) break
        await delay(lockRetryMs)
      }
      failure = 'another process writes the log of changes in DATA_DIR'
    } catch (error) {
      failure = `the log of changes cannot be read: ${whyOf(error)}`
    }
    log('warn', failure)
    return undefined
  }
  const loading = load()

  const lineOf = ({ version, changes = [], time }: Step): Line => {
    const { epoch, seq } = history.end()
    return {
      epoch,
      version,
      after: seq,
      last: seq + changes.length,
      time,
      changes: changes.map((change, index) => [seq + 1 + index, change]),
    }
  }

  /** If the log cannot be written, this process must not publish numbers that the next one gives again. */
  const write = async (step: Step): Promise<Line> => {
    if (!changeLog) return lineOf(step)
    try {
      const line = lineOf(step)
      await (step.isCut ? changeLog.cut(line) : changeLog.append(line))
      isEpochLogged = true
      if (failure !== undefined) log('info', 'the log of changes is written again')
      failure = undefined
      return line
    } catch (error) {
      const reason = `the log of changes cannot be written: ${whyOf(error)}`
      if (failure !== reason) log('warn', reason)
      failure = reason
      if (step.isCut) await changeLog.clear().catch(() => undefined)
      history.leaveLog(isEpochLogged)
      isEpochLogged = false
      return lineOf(step)
    }
  }

  /** Not published yet, in order; the first one may be on its way to the disk. */
  let steps: readonly Step[] = []
  /** Operations on the log, in sequence. */
  let working: Promise<unknown> = loading
  const enqueue = async (task: () => unknown): Promise<void> => {
    working = working.then(task).catch((error: unknown) => {
      log('error', 'the feed of changes failed', { cause: String(error) })
    })
    await working
  }

  const restart = async (version: string): Promise<void> => {
    beginAnew(version)
    await changeLog?.clear().catch(() => undefined)
  }

  const perform = async (step: Step): Promise<void> => {
    if (!steps.includes(step)) return
    const isLost = step.changes === undefined
    if (isLost) await restart(step.version)
    const isWritten = isLost || step.isMark || step.isCut || step.changes.length > 0
    const line = isWritten ? await write(step) : undefined
    // Replaced by a later step meanwhile.
    if (!steps.includes(step)) return
    steps = steps.filter((other) => other !== step)
    if (!line) return
    const added = history.add(line)
    if (isLost) for (const restarted of restartListeners) restarted()
    if (added.length > 0) for (const subscriber of subscribers) subscriber(added)
  }

  const take = (step: Step): Step => {
    steps = [...steps, step]
    return step
  }
  const push = (step: Step): Promise<void> => {
    take(step)
    return enqueue(() => perform(step))
  }

  /** The step to a version of the data. */
  const stepTo = (archive: Archive, changesTo: ChangesTo, isMark: boolean): Step => {
    const changes = changesTo(archive)
    const step = { version: archive.version, time: now(), isMark }
    if (!changes?.some(isRemoval)) return { ...step, changesTo, changes, isCut: false }
    // What is not published may mention what is removed: one step replaces all of it.
    const from = steps.find((other) => other.changesTo)?.changesTo ?? changesTo
    steps = []
    history.cut(archive.version)
    for (const restarted of restartListeners) restarted()
    const whole = from === changesTo ? changes : from(archive)
    return { ...step, changesTo: from, changes: whole, isCut: true }
  }
  const beginEpoch = ({ version }: Archive): Promise<void> => {
    const changesTo = (): undefined => undefined
    return push({ version, changesTo, changes: undefined, time: now(), isCut: false, isMark: true })
  }

  const continueFrom = async (saved: SavedArchive): Promise<ChangesTo | undefined> => {
    const loaded = await loading
    const at = versions.get(saved.version)
    versions = new Map()
    // The log may mention what is withheld.
    if (!loaded?.epoch || !changeLog || at === undefined || saved.withheld.size > 0)
      return undefined
    const changes: Change[] = []
    for await (const line of changeLog.linesAfter(at)) {
      for (const [, change] of line.changes) changes.push(change)
    }
    history.resume({ epoch: loaded.epoch, seq: loaded.last })
    isEpochLogged = true
    log('info', 'the feed of changes continues')
    return (archive) => diffSince({ archive: saved.archive, changes }, archive, now())
  }

  let hasFound = false
  let hasBegun = false
  /** The changes since what the process before has published. */
  let missed: ChangesTo | undefined
  let served: Archive | undefined
  /** The newest version while it is not known what was missed. */
  let newest: Archive | undefined
  const start = async (saved: SavedArchive): Promise<void> => {
    missed = await continueFrom(saved).catch(() => undefined)
    if (!missed) {
      await restart(saved.archive.version)
      missed = (archive) => diffArchives(saved.archive, archive, now())
    }
    setReady()
  }

  const tidying = changeLog
    ? setInterval(() => {
        void enqueue(() =>
          changeLog.tidy().catch((error: unknown) => {
            log('warn', 'the log of changes cannot be tidied', { reason: whyOf(error) })
          }),
        )
      }, tidyEveryMs)
    : undefined
  tidying?.unref()

  return {
    end: history.end,
    version: history.version,
    find: history.find,
    read: history.read,
    found: (saved) => {
      hasFound = true
      served = saved.archive
      void enqueue(() => start(saved))
    },
    begin: (archive) => {
      served = archive
      const isAgain = hasBegun
      hasBegun = true
      if (isAgain) void beginEpoch(archive)
      else if (hasFound) {
        newest = archive
        void enqueue(() => {
          const step = newest && missed && stepTo(newest, missed, true)
          newest = undefined
          missed = undefined
          return step && perform(take(step))
        })
      } else if (changeLog) void beginEpoch(archive).then(setReady)
      else {
        beginAnew(archive.version)
        setReady()
      }
    },
    swapped: (before, after) => {
      served = after
      if (newest) newest = after
      else void push(stepTo(after, (archive) => diffArchives(before, archive, now()), false))
    },
    beforeSave: async (version) => {
      if (!changeLog || !hasBegun) return
      const mark = { version, changes: [], changesTo: undefined, time: now() }
      await push({ ...mark, isCut: false, isMark: true })
    },
    ready: ready.promise,
    isReady: () => isReady,
    isBot: (cleanName) => !served || findBot(served.bots, cleanName) !== undefined,
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
      isStopping = true
      clearInterval(tidying)
      await working
      changeLog?.close()
    },
  }
}

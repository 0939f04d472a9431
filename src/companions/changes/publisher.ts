import type { Archive } from '../../data/archive/archive.ts'
import { whyOf } from '../../runtime/files.ts'
import type { Log } from '../../runtime/log.ts'
import { removalsFirst } from './diff.ts'
import { type Entry, isRemoval } from './entry.ts'
import type { History } from './history.ts'
import type { Line } from './line.ts'
import type { ChangeLog } from './log.ts'
import type { Change } from './schema.ts'

/** The changes to a version of the data; undefined if the state before is not known whole. */
export type ChangesTo = (archive: Archive) => readonly Change[] | undefined

/** Number of waiting steps above which newer ones are joined: each step holds an archive of 1 MB. */
const maxWaitingSteps = 8
/** Maximum number of changes in a joined step; beyond it a new epoch begins. */
const maxJoinedChanges = 20_000

/** Step from the published version to another version of the data: one line of the log. */
interface Step {
  readonly id: number
  readonly version: string
  /** Changes of the step; undefined if the state before is not known whole. */
  readonly changes: readonly Change[] | undefined
  /** Unpublished versions that readers of the data may have seen. */
  readonly origins: readonly ChangesTo[]
  readonly time: number
  /** Something was removed: no change before this step is published any more. */
  readonly isCut: boolean
  /** The line is written even without changes. */
  readonly isMark: boolean
}

/** The change without previous values, which may be removed; a row that moves keeps its tournament. */
const withoutTexts = (change: Change): Change => {
  const copy = structuredClone(change)
  if ('before' in copy)
    for (const name in copy.before)
      if (name !== 'tournamentID') Reflect.deleteProperty(copy.before, name)
  return copy
}

/** The changes from several versions to one, each once. */
const merged = (lists: readonly (readonly Change[])[]): readonly Change[] => {
  const changes = lists.flat().map(withoutTexts)
  return removalsFirst([...new Map(changes.map((each) => [JSON.stringify(each), each])).values()])
}

const isLost: ChangesTo = () => undefined

/** True if a step is the difference of two versions, not a mark or the beginning of an epoch. */
const canJoin = ({ changes, origins, isMark }: Step): boolean =>
  changes !== undefined && origins.length > 0 && !isMark

/**
 * Joins two waiting steps. The result refers to no archive, because hundreds of versions can arrive while a disk hangs.
 * The versions in between are lost, so a removal after a joined step begins a new epoch.
 */
const joined = (step: Step, { version, time, changes = [] }: Step): Step => {
  const all = [...(step.changes ?? []), ...changes]
  const isKept = step.changes !== undefined && all.length <= maxJoinedChanges
  return { ...step, version, time, changes: isKept ? all : undefined, origins: [isLost] }
}

/**
 * Publishes one version of the data after the other: first on disk, then in the history. If the log cannot be written,
 * an epoch begins that ends with this process, because the next process will give the same numbers again.
 */
export const createPublisher = ({
  changeLog,
  history,
  now,
  log,
}: {
  changeLog: ChangeLog | undefined
  history: History
  /** Current time in Unix seconds. */
  now: () => number
  log: Log
}) => {
  /** True if lines of this epoch are on disk. */
  let isEpochLogged = false
  let failure: string | undefined
  const subscribers = new Set<(entries: readonly Entry[]) => void>()
  const restartListeners = new Set<() => void>()
  /** Steps that are not published yet, in order; the first may be on its way to the disk. */
  let steps: readonly Step[] = []
  let lastID = 0
  let working: Promise<unknown> = Promise.resolve()

  const inTurn = <Result>(task: () => Result | Promise<Result>): Promise<Result | undefined> => {
    const done = working.then(task).catch((error: unknown) => {
      log('error', 'the feed of changes failed', { cause: String(error) })
      return undefined
    })
    working = done
    return done
  }
  const fail = (reason: string): void => {
    if (failure !== reason) log('warn', reason)
    failure = reason
  }
  const announceRestart = (): void => {
    for (const restarted of restartListeners) restarted()
  }

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
      fail(`the log of changes cannot be written: ${whyOf(error)}`)
      if (step.isCut) await changeLog.clear().catch(() => undefined)
      history.leaveLog(isEpochLogged)
      isEpochLogged = false
      return lineOf(step)
    }
  }

  /** Begins an epoch without a history. */
  const restart = async (version: string): Promise<void> => {
    history.beginAnew(version)
    isEpochLogged = false
    await changeLog?.clear().catch(() => undefined)
  }

  /** Resolves to true if the step was published, false if a later one replaced it. */
  const perform = async (id: number): Promise<boolean> => {
    const step = steps.find((each) => each.id === id)
    if (!step) return false
    const hasNoChanges = step.changes === undefined
    if (hasNoChanges) await restart(step.version)
    const isWritten = hasNoChanges || step.isMark || step.isCut || step.changes.length > 0
    const line = isWritten ? await write(step) : undefined
    // The log may have failed meanwhile.
    if (!steps.includes(step)) return false
    steps = steps.filter((other) => other !== step)
    if (!line) return true
    const added = history.add(line)
    if (hasNoChanges) announceRestart()
    if (added.length > 0) for (const subscriber of subscribers) subscriber(added)
    return true
  }

  /** Not `async`, so that waiting steps hold no archive. */
  const push = (step: Step): Promise<boolean> => {
    const { id } = step
    const last = steps.at(-1)
    const isJoined =
      last && steps.length >= maxWaitingSteps && canJoin(last) && canJoin(step) && !step.isCut
    steps = isJoined ? [...steps.slice(0, -1), joined(last, step)] : [...steps, step]
    return inTurn(() => isJoined || perform(id)).then((isPublished) => isPublished ?? false)
  }
  /** Called by a task that has its turn. */
  const pushNow = (step: Step): Promise<boolean> => {
    steps = [...steps, step]
    return perform(step.id)
  }

  const nextID = (): number => {
    lastID += 1
    return lastID
  }
  const markOf = (version: string): Step => ({
    id: nextID(),
    version,
    changes: [],
    origins: [],
    time: now(),
    isCut: false,
    isMark: true,
  })
  /** Adds the step to a version of the data; its removed rows can no longer be read when this returns. */
  const stepTo = (archive: Archive, changesTo: ChangesTo, isMark: boolean): Step => {
    const { version } = archive
    const changes = changesTo(archive)
    const step = { id: nextID(), version, time: now(), isMark }
    if (!changes?.some(isRemoval)) return { ...step, changes, origins: [changesTo], isCut: false }
    // Unpublished changes may mention removed rows: one step replaces all of them. A reader of the data may have
    // any of the versions in between.
    const origins = [...steps.flatMap((other) => other.origins), changesTo]
    steps = []
    history.cut(version)
    announceRestart()
    const lists = origins.length === 1 ? [] : origins.map((to) => to(archive))
    const whole = lists.every((list) => list !== undefined) ? merged(lists) : undefined
    return { ...step, changes: lists.length === 0 ? changes : whole, origins, isCut: true }
  }

  return {
    /** Runs a task after the tasks before it. */
    inTurn,
    /** Publishes the changes that lead to a data version. Resolves to false if a removal replaced them. */
    publish: (archive: Archive, changesTo: ChangesTo): Promise<boolean> =>
      push(stepTo(archive, changesTo, false)),
    /** Publishes missed changes, and marks the version in the log; to be called in a turn. */
    catchUp: (archive: Archive, missed: ChangesTo): Promise<boolean> =>
      pushNow(stepTo(archive, missed, true)),
    /**
     * Publishes changes that follow from time, for a published version; to be called in a turn. Resolves to false if a
     * removal replaced them.
     */
    send: (version: string, changes: readonly Change[]): Promise<boolean> =>
      pushNow({ ...markOf(version), changes, isMark: false }),
    /** Writes to the log which number belongs to a version of the data. */
    mark: (version: string): Promise<boolean> => push(markOf(version)),
    /** Begins an epoch with a version of the data. */
    beginEpoch: (version: string): Promise<boolean> =>
      push({ ...markOf(version), changes: undefined, origins: [isLost] }),
    restart,
    /** Continues the epoch of the log. */
    resume: (end: { readonly epoch: string; readonly seq: number }): void => {
      history.resume(end)
      isEpochLogged = true
    },
    /** Keeps the failure of the log until a write succeeds. */
    fail,
    failure: (): string | undefined => failure,
    /** Calls back with everything that is published from now on, until the returned function is called. */
    subscribe: (onPublished: (entries: readonly Entry[]) => void): (() => void) => {
      subscribers.add(onPublished)
      return () => subscribers.delete(onPublished)
    },
    /**
     * Calls back when an epoch begins or the history is cut, until the returned function is called: what was read
     * before must not be sent any more.
     */
    onRestart: (restarted: () => void): (() => void) => {
      restartListeners.add(restarted)
      return () => restartListeners.delete(restarted)
    },
    /** True if a version is not published yet. */
    isBehind: (): boolean => steps.length > 0,
    /** Settles when all tasks have ended. */
    idle: async (): Promise<void> => void (await working),
  }
}

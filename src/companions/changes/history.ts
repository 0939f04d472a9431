import { createTimeSlice } from '../../runtime/timeSlice.ts'
import { createBehind } from './behind.ts'
import {
  type Entry,
  entryOf,
  type Filter,
  matches,
  type Place,
  readCursor,
  type Site,
} from './entry.ts'
import type { Line, Numbered } from './line.ts'
import type { ChangeLog } from './log.ts'
import { createRecentEntries } from './recentEntries.ts'

/** Some changes for a reader. */
export interface Page {
  readonly entries: readonly Entry[]
  /** Place to go on from. */
  readonly place: Place
  /** True if there are more changes already. */
  readonly more: boolean
  /** Version of the data that includes every published change. */
  readonly version: string
}

/** Maximum number of changes loaded from the log at a start. The few readers that are further behind read the log. */
const maxLoaded = 2000
/** Factor for the charge of changes read from the log: parsing 1 KiB takes four times as long as sending it. */
const bytesPerChange = 4096

const newEpoch = (): string => Bun.randomUUIDv7().replaceAll('-', '').slice(-12)

/** The published changes as readers get them: the last ones from memory, older ones from the log. */
export type History = ReturnType<typeof createHistory>

export const createHistory = ({
  changeLog,
  site,
  maxEntries,
}: {
  changeLog: ChangeLog | undefined
  site: Site
  /** Changes in memory. */
  maxEntries: number
}) => {
  const recent = createRecentEntries(maxEntries)
  let epoch = newEpoch()
  /** The highest number published; it never falls, so that epochs share no numbers. */
  let published = 0
  /** Version of the data that includes every published change. */
  let version = ''
  /** Numbers of each epoch that cursors may have. */
  const epochs = new Map<string, { readonly from: number; readonly to: number }>()
  /** True while the log holds every change of this epoch up to those in memory. */
  let isLogWhole = false

  const entryIn = (line: Omit<Line, 'changes'>, [seq, change]: Numbered): Entry =>
    entryOf(change, {
      place: { epoch: line.epoch, seq },
      time: line.time,
      version: line.version,
      site,
    })
  const behind =
    changeLog &&
    createBehind({ linesAfter: changeLog.linesAfter, entryIn, keptAfter: recent.keptAfter })
  const end = (): Place => ({ epoch, seq: published })

  const isKnown = ({ epoch: of, seq }: Place): boolean => {
    const known = epochs.get(of)
    return known !== undefined && seq >= known.from && seq <= Math.min(known.to, published)
  }
  const cut = (to: string): void => {
    version = to
    epochs.clear()
    epochs.set(epoch, { from: published, to: Number.POSITIVE_INFINITY })
    recent.startAfter(published)
  }

  const readMemory = (after: number, filter: Filter, limit: number, found: Entry[]): Page => {
    for (const entry of recent.after(after)) {
      if (!matches(filter, entry)) continue
      if (found.length === limit) return pageOf(found, true)
      found.push(entry)
    }
    return { entries: found, place: end(), more: false, version }
  }
  const pageOf = (found: readonly Entry[], more: boolean): Page => {
    const last = found.at(-1)
    const place = (last && readCursor(last.id)) ?? end()
    return { entries: found, place, more, version }
  }

  const readLog = async (
    place: Place,
    filter: Filter,
    limit: number,
    charge: (bytes: number) => void,
  ): Promise<Page | undefined> => {
    const read = await behind?.read(place.seq, filter, limit)
    if (!read || !isKnown(place) || !isLogWhole) return undefined
    const { seq, found, hasMore, scanned } = read
    charge(scanned * bytesPerChange)
    if (hasMore) return pageOf(found, true)
    return seq < recent.keptAfter() ? undefined : readMemory(seq, filter, limit, found)
  }

  return {
    end,
    version: (): string => version,
    /** Begins an epoch without a history. */
    beginAnew: (from: string): void => {
      epoch = newEpoch()
      cut(from)
      isLogWhole = changeLog !== undefined
    },
    /** Continues the epoch of a log, after {@link load}. */
    resume: (from: Place): void => {
      epoch = from.epoch
      published = from.seq
      epochs.clear()
      epochs.set(epoch, { from: 0, to: Number.POSITIVE_INFINITY })
      isLogWhole = true
    },
    /** The log fails: later changes are kept only in memory, in a new epoch if the log has this one. */
    leaveLog: (isLogged: boolean): void => {
      isLogWhole = false
      if (!isLogged) return
      const known = epochs.get(epoch)
      if (known) epochs.set(epoch, { from: known.from, to: published })
      epoch = newEpoch()
      epochs.set(epoch, { from: published, to: Number.POSITIVE_INFINITY })
    },
    /**
     * Removes everything up to now. Readers that have all of it can go on; others read a version of the data again,
     * because caches on the way may still have the previous one.
     */
    cut,
    /** Keeps the entries of a line, and returns them. */
    add: (line: Line): readonly Entry[] => {
      const entries = line.changes.map((change) => entryIn(line, change))
      recent.add(entries)
      published = line.last
      version = line.version
      return entries
    },
    /** Keeps the newest entries of the log as loaded: from the number before its first line to its last line. */
    load: async (after: number, { last, version: newest }: Pick<Line, 'last' | 'version'>) => {
      const from = Math.max(after, last - Math.min(maxEntries, maxLoaded))
      recent.startAfter(from)
      const slice = createTimeSlice()
      for await (const line of changeLog?.linesAfter(from) ?? []) {
        for (const change of line.changesAfter(from)) {
          recent.add([entryIn(line, change)])
          if (slice.isOver()) await slice.next()
        }
      }
      published = last
      version = newest
    },
    /** Place of a cursor; undefined if it is unknown or too old. */
    find: (cursor: string): Place | undefined => {
      const place = readCursor(cursor)
      if (!place || !isKnown(place)) return undefined
      const kept = isLogWhole ? changeLog?.keptAfter() : undefined
      return place.seq >= Math.min(recent.keptAfter(), kept ?? Number.POSITIVE_INFINITY)
        ? place
        : undefined
    },
    /**
     * Changes after a place; a value instead of a promise if memory has them all. Undefined if the epoch is over or its
     * history is cut meanwhile.
     */
    read: (
      place: Place,
      filter: Filter,
      limit: number,
      /** Receives the cost of reading the log, in bytes. */
      charge: (bytes: number) => void = () => undefined,
    ): Page | undefined | Promise<Page | undefined> => {
      if (!isKnown(place)) return undefined
      return place.seq >= recent.keptAfter()
        ? readMemory(place.seq, filter, limit, [])
        : readLog(place, filter, limit, charge)
    },
  }
}

import { join } from 'node:path'
import { dateOf, dayMs, dayOf, dayOfDate } from '../../data/journal/day.ts'
import { readingFile, replaceDurably } from '../../data/journal/files.ts'
import type { Journal } from '../../data/journal/journal.ts'
import { disk } from '../../runtime/disk.ts'
import { codeOf } from '../../runtime/files.ts'
import type { Log } from '../../runtime/log.ts'
import { type Aggregate, decodeAggregate, encodeAggregate } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import { parseEvent } from './event.ts'

const keptDays = 400
/** Number of log bytes between two writes of an aggregate; it bounds the replay at start. */
const writeEveryBytes = 16 * 2 ** 20
/** Delay before a day is closed, so that small clock corrections find it open. */
const closeAfterMs = 3_600_000
/** Minimum time between two additions of late events to the aggregate of a closed day. */
const closeEveryMs = 60_000
/** Number of bytes that identify a log; every line is longer. */
const startBytes = 64

const readStart = (path: string): Promise<string> =>
  readingFile(path, async (file) => {
    const hash = new Bun.CryptoHasher('sha256').update(await file.readBytes(startBytes))
    return hash.digest('hex').slice(0, 16)
  })

/** Extent of the aggregate of a day on disk. */
type Stored = Omit<Aggregate, 'counts'>
const nothingStored: Stored = { coveredBytes: 0, isClosed: false }

/** Counts of a day up to its last queued line. */
type DueAggregate = Pick<Aggregate, 'counts' | 'isClosed'>

/**
 * The files `DATE.aggregate`: the counts of a day and the number of log bytes included in them. A
 * start reads them and the lines after them into `calendar`. They are written every 16 MiB of log,
 * at a stop, and an hour after the end of the day, when it is closed; later events are added.
 */
export const createAggregateFiles = ({
  folder,
  calendar,
  journal,
  now,
  monotonicNow,
  log,
}: {
  folder: string
  calendar: Calendar
  journal: Journal
  now: () => number
  monotonicNow: () => number
  log: Log
}) => {
  /** Extents by day; written by `load`, `write`, `startOver` and `noteAppended`. */
  const storedDays = new Map<number, Stored>()
  /** Days whose aggregate on disk is missing or wrong. */
  const stale = new Set<number>()
  /** Days that could not be read because the disk hung at the start: their files are kept for the next start. */
  const unread = new Set<number>()
  let badLines = 0
  let closedAt = Number.NEGATIVE_INFINITY
  const pathOf = (day: number): string => join(folder, `${dateOf(day)}.aggregate`)
  const storedOf = (day: number): Stored => storedDays.get(day) ?? nothingStored
  const isOver = (day: number): boolean => now() > (day + 1) * dayMs + closeAfterMs
  const isCovered = (day: number): boolean => storedOf(day).coveredBytes >= journal.length(day)

  const loadAggregate = async (day: number, intern: (text: string) => string): Promise<void> => {
    const text = await readingFile(pathOf(day), (file) => file.readText())
    const aggregate = decodeAggregate(text, intern)
    if (!aggregate) throw Object.assign(new Error('damaged'), { code: 'damaged' })
    const { counts, isClosed, coveredBytes, logStart } = aggregate
    calendar.addDay(day, counts)
    storedDays.set(day, { coveredBytes, logStart, isClosed })
  }

  const loadLines = async (day: number): Promise<void> => {
    if (journal.length(day) === 0) return
    const { logStart, ...stored } = storedOf(day)
    // Nothing of another log is included.
    if (logStart !== undefined && logStart !== (await readStart(journal.pathOf(day)))) {
      storedDays.set(day, { ...stored, coveredBytes: 0 })
    }
    if (isCovered(day)) return
    await journal.load(day, storedOf(day).coveredBytes, ({ bytes }) => {
      if (bytes.length === 0) return
      const event = parseEvent(Buffer.from(bytes).toString())
      if (event && dayOf(event.timeMs) === day) calendar.add(event)
      else badLines += 1
    })
    // Each day is closed after its replay, to bound memory.
    if (!isOver(day)) return
    calendar.close(day)
    stale.add(day)
  }

  return {
    badLines: (): number => badLines,
    isCovered,
    /** Marks the aggregate of a day as missing or wrong. */
    markStale: (day: number): void => {
      if (calendar.has(day)) stale.add(day)
    },
    hasStale: (): boolean => stale.difference(unread).size > 0,
    /** Reads all days into the calendar. Unreadable files are logged and counted. */
    load: async (): Promise<void> => {
      const names = (await disk.readdir(folder)).filter((name) => name.endsWith('.aggregate'))
      const days = names.flatMap((name) => dayOfDate(name.slice(0, -'.aggregate'.length)) ?? [])
      const texts = new Map<string, string>()
      /** Shares equal texts, because the same names occur on every day. */
      const intern = (text: string): string => texts.getOrInsert(text, text)
      const attempt = async (kind: string, day: number, read: Promise<void>): Promise<void> => {
        try {
          await read
        } catch (error) {
          const reason = codeOf(error)
          if (reason === 'ENOENT') return
          if (reason === 'ETIMEDOUT') unread.add(day)
          badLines += 1
          log('warn', `a usage ${kind} cannot be read`, { date: dateOf(day), reason })
        }
      }
      for (const day of new Set([...days, ...journal.days()].sort((one, other) => one - other))) {
        await attempt('aggregate', day, loadAggregate(day, intern))
        await attempt('log', day, loadLines(day))
      }
    },
    /** Continues the aggregates in a replaced folder. */
    startOver: (): void => {
      storedDays.clear()
      unread.clear()
      for (const day of calendar.days()) stale.add(day)
    },
    /** Takes the aggregates that are due, with all events counted up to now. */
    takeDue: (queuedDays: ReadonlySet<number>, isStopping: boolean): Map<number, DueAggregate> => {
      const mayClose = monotonicNow() - closedAt >= closeEveryMs
      if (mayClose) closedAt = monotonicNow()
      const due = new Map<number, DueAggregate>()
      for (const day of calendar.days()) {
        const { coveredBytes, isClosed } = storedOf(day)
        if (mayClose && isOver(day) && (calendar.isOpen(day) || !isClosed)) {
          calendar.close(day)
          stale.add(day)
        }
        const behind = journal.length(day) - coveredBytes
        const isAtStop = isStopping && (behind > 0 || queuedDays.has(day))
        if (!stale.has(day) && behind <= writeEveryBytes && !isAtStop) continue
        const counts = unread.has(day) ? undefined : calendar.read(day)
        if (counts) due.set(day, { counts, isClosed: isOver(day) && !calendar.isOpen(day) })
      }
      return due
    },
    /** Notes that lines were appended at a position, which an aggregate beyond it does not include. */
    noteAppended: (day: number, start: number, lengthBefore: number): void => {
      if (start >= lengthBefore && start >= storedOf(day).coveredBytes) return
      stale.add(day)
      storedDays.set(day, { ...storedOf(day), coveredBytes: 0 })
    },
    write: async (day: number, { counts, isClosed }: DueAggregate): Promise<void> => {
      const coveredBytes = journal.length(day)
      const logStart = coveredBytes > 0 ? await readStart(journal.pathOf(day)) : undefined
      const text = encodeAggregate({ counts, coveredBytes, logStart, isClosed })
      await replaceDurably(pathOf(day), text)
      storedDays.set(day, { coveredBytes, logStart, isClosed })
      stale.delete(day)
    },
    /** Removes the aggregates of days that are too old, and their counts. */
    removeOld: async (): Promise<void> => {
      for (const day of calendar.days()) {
        if (!journal.isOlder(day, keptDays)) continue
        await disk.remove(pathOf(day))
        calendar.forget(day)
        storedDays.delete(day)
        stale.delete(day)
      }
    },
  }
}

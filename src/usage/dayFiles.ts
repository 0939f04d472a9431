import { lstat, readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../files.ts'
import type { Log } from '../log.ts'
import { encodeAggregate } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import type { DayCounts } from './counts.ts'
import { dateOf } from './event.ts'
import { appendDurably, readingFile, replaceDurably } from './files.ts'
import type { Lines } from './lines.ts'
import {
  aggregatePath,
  createIntern,
  dayOfFile,
  logPath,
  readDay,
  readLogStart,
} from './readDay.ts'

/** State of the two files of a day. */
export interface DayFile {
  /** Bytes of complete lines in the log. */
  length: number
  /** Bytes of these included in the aggregate. */
  aggregatedBytes: number
  /** Whether the aggregate is that of a closed day. */
  isClosed: boolean
}

/** Counts of a day up to its last queued line. */
export interface DayAggregate {
  readonly counts: DayCounts
  readonly isClosed: boolean
}

/** Reads a file; empty if it cannot be read. */
export const readText = (path: string): Promise<string> =>
  readingFile(path, (file) => file.readFile('utf8')).catch(() => '')

/** The logs and aggregates of all days in a folder. */
export interface DayFiles {
  readonly files: ReadonlyMap<number, DayFile>
  /** Days whose aggregate on disk is missing or wrong. */
  readonly staleAggregates: Set<number>
  readonly badLines: () => number
  readonly fileOf: (day: number) => DayFile
  /** Reads the aggregates and the lines after them into the calendar. */
  readonly load: () => Promise<void>
  /** Continues in a replaced folder: marks the aggregates of all days as stale. */
  readonly startOver: () => Promise<void>
  readonly append: (day: number, lines: Lines) => Promise<void>
  /** Writes the aggregate of a day. */
  readonly writeAggregate: (day: number, aggregate: DayAggregate) => Promise<void>
  readonly removeLog: (day: number) => Promise<void>
  /** Removes the aggregate and forgets the day. */
  readonly removeDay: (day: number) => Promise<void>
  /** Total size of all logs. */
  readonly keptBytes: () => number
}

/**
 * Creates the files of days; does no I/O before {@link DayFiles.load}. `isOver` says whether a day
 * can be closed.
 */
export const createDayFiles = ({
  folder,
  calendar,
  isOver,
  log,
}: {
  folder: string
  calendar: Calendar
  isOver: (day: number) => boolean
  log: Log
}): DayFiles => {
  let badLines = 0
  const staleAggregates = new Set<number>()
  const files = new Map<number, DayFile>()
  const fileOf = (day: number): DayFile => {
    const file = files.get(day) ?? { length: 0, aggregatedBytes: 0, isClosed: false }
    files.set(day, file)
    return file
  }

  const loadDay = async (day: number, intern: (text: string) => string): Promise<void> => {
    const read = await readDay(folder, day, calendar, intern)
    const { length, aggregatedBytes, isClosed } = read
    files.set(day, { length, aggregatedBytes, isClosed })
    badLines += read.badLines
    const date = dateOf(day)
    for (const [kind, reason] of [
      ['aggregate', read.aggregateFailure],
      ['log', read.logFailure],
    ]) {
      if (reason === undefined) continue
      badLines += 1
      log('warn', `a usage ${kind} cannot be read`, { date, reason })
    }
    // Close each day after its replay, to bound memory.
    if (read.isReplayed && isOver(day)) {
      calendar.close(day)
      staleAggregates.add(day)
    }
    if (read.tornBytes === 0) return
    try {
      await truncate(logPath(folder, day), length)
      log('info', 'a torn line of the usage log was removed', { date })
    } catch (error) {
      // The next append overwrites it.
      const reason = codeOf(error)
      log('warn', 'a torn line of the usage log cannot be removed', { date, reason })
    }
  }

  const load = async (): Promise<void> => {
    const found = await readdir(folder)
    for (const name of found) {
      if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true })
    }
    const days = new Set(found.toSorted().flatMap((name) => dayOfFile(name) ?? []))
    const intern = createIntern()
    for (const day of days) await loadDay(day, intern)
  }

  const startOver = async (): Promise<void> => {
    for (const day of calendar.days()) {
      const found = await lstat(logPath(folder, day)).catch(() => undefined)
      Object.assign(fileOf(day), { length: found?.size ?? 0, aggregatedBytes: 0, isClosed: false })
      staleAggregates.add(day)
    }
  }

  const append = async (day: number, { bytes }: Lines): Promise<void> => {
    const file = fileOf(day)
    const start = await appendDurably(logPath(folder, day), file.length, bytes)
    // The aggregate is that of a log that was removed, or truncated by someone else.
    if (start < file.length || start < file.aggregatedBytes) {
      staleAggregates.add(day)
      file.aggregatedBytes = 0
    }
    file.length = start + bytes.length
  }

  const writeAggregate = async (day: number, { counts, isClosed }: DayAggregate): Promise<void> => {
    const file = fileOf(day)
    const logStart = file.length > 0 ? await readLogStart(logPath(folder, day)) : undefined
    const coveredBytes = file.length
    const text = encodeAggregate({ counts, coveredBytes, logStart, isClosed })
    await replaceDurably(aggregatePath(folder, day), text)
    Object.assign(file, { aggregatedBytes: coveredBytes, isClosed })
    staleAggregates.delete(day)
  }

  const removeLog = async (day: number): Promise<void> => {
    await rm(logPath(folder, day), { force: true })
    fileOf(day).length = 0
  }

  const removeDay = async (day: number): Promise<void> => {
    await rm(aggregatePath(folder, day), { force: true })
    files.delete(day)
    calendar.forget(day)
  }

  return {
    files,
    staleAggregates,
    badLines: () => badLines,
    fileOf,
    load,
    startOver,
    append,
    writeAggregate,
    removeLog,
    removeDay,
    keptBytes: () => files.values().reduce((sum, { length }) => sum + length, 0),
  }
}

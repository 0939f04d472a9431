import { lstat, readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../files.ts'
import type { Log } from '../log.ts'
import { decodeAggregate, encodeAggregate } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import type { DayCounts } from './counts.ts'
import { dateOf, dayOfDate } from './event.ts'
import { appendDurably, readingFile, replaceDurably } from './files.ts'
import type { Lines } from './lines.ts'
import { replay } from './replay.ts'

/** Bytes that identify a log; fewer than in any line. */
const startBytes = 64

/** State of the two files of a day. */
export interface DayFile {
  /** Bytes of complete lines in the log. */
  length: number
  /** Bytes of these included in the aggregate. */
  aggregatedBytes: number
  /** Digest of the beginning of the log that the aggregate includes. */
  logStart: string | undefined
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
 * Creates the files of days; does no I/O before {@link DayFiles.load}. `isOver` tells whether a day
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
  const logPath = (day: number): string => join(folder, `${dateOf(day)}.jsonl`)
  const aggregatePath = (day: number): string => join(folder, `${dateOf(day)}.aggregate`)
  const fileOf = (day: number): DayFile => {
    const file = files.get(day) ?? {
      length: 0,
      aggregatedBytes: 0,
      logStart: undefined,
      isClosed: false,
    }
    files.set(day, file)
    return file
  }

  const names = new Map<string, string>()
  const intern = (text: string): string => {
    const known = names.get(text)
    if (known === undefined) names.set(text, text)
    return known ?? text
  }

  const loadAggregate = async (day: number): Promise<void> => {
    const text = await readText(aggregatePath(day))
    const aggregate = decodeAggregate(text, intern)
    if (!aggregate) {
      badLines += 1
      log('warn', 'a usage aggregate cannot be read', { date: dateOf(day) })
      return
    }
    const { counts, coveredBytes, logStart, isClosed } = aggregate
    calendar.addDay(day, counts)
    Object.assign(fileOf(day), { aggregatedBytes: coveredBytes, logStart, isClosed })
  }

  const readStart = (day: number): Promise<string> =>
    readingFile(logPath(day), async (file) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
      const start = buffer.subarray(0, bytesRead)
      return new Bun.CryptoHasher('sha256').update(start).digest('hex').slice(0, 16)
    })

  const loadLog = async (day: number): Promise<void> => {
    const path = logPath(day)
    const file = fileOf(day)
    try {
      file.length = (await lstat(path)).size
      const isCovered = file.logStart === undefined || file.logStart === (await readStart(day))
      if (!isCovered) file.aggregatedBytes = 0
      if (file.length <= file.aggregatedBytes) return
      const replayed = await replay(path, day, file.aggregatedBytes, calendar.add)
      badLines += replayed.badLines
      file.length = replayed.length
      // Close each day after its replay, to bound memory.
      if (isOver(day)) {
        calendar.close(day)
        staleAggregates.add(day)
      }
      if (replayed.tornBytes === 0) return
      await truncate(path, replayed.length)
      log('info', 'a torn line of the usage log was removed', { date: dateOf(day) })
    } catch (error) {
      badLines += 1
      log('warn', 'a usage log cannot be read', { date: dateOf(day), reason: codeOf(error) })
    }
  }

  const load = async (): Promise<void> => {
    const found = (await readdir(folder)).toSorted()
    const daysOf = (extension: string): readonly number[] =>
      found.flatMap((name) =>
        name.endsWith(extension) ? (dayOfDate(name.slice(0, -extension.length)) ?? []) : [],
      )
    for (const name of found) {
      if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true })
    }
    for (const day of daysOf('.aggregate')) await loadAggregate(day)
    for (const day of daysOf('.jsonl')) await loadLog(day)
    names.clear()
  }

  const startOver = async (): Promise<void> => {
    for (const day of calendar.days()) {
      const found = await lstat(logPath(day)).catch(() => undefined)
      Object.assign(fileOf(day), { length: found?.size ?? 0, aggregatedBytes: 0, isClosed: false })
      staleAggregates.add(day)
    }
  }

  const append = async (day: number, { bytes }: Lines): Promise<void> => {
    const file = fileOf(day)
    const start = await appendDurably(logPath(day), file.length, bytes)
    // The log was truncated by someone else, so the aggregate's length is wrong.
    if (start < file.length || start < file.aggregatedBytes) staleAggregates.add(day)
    file.length = start + bytes.length
  }

  const writeAggregate = async (day: number, { counts, isClosed }: DayAggregate): Promise<void> => {
    const file = fileOf(day)
    const logStart = file.length > 0 ? await readStart(day) : undefined
    const coveredBytes = file.length
    const text = encodeAggregate({ counts, coveredBytes, logStart, isClosed })
    await replaceDurably(aggregatePath(day), text)
    Object.assign(file, { aggregatedBytes: coveredBytes, logStart, isClosed })
    staleAggregates.delete(day)
  }

  const removeLog = async (day: number): Promise<void> => {
    await rm(logPath(day), { force: true })
    fileOf(day).length = 0
  }

  const removeDay = async (day: number): Promise<void> => {
    await rm(aggregatePath(day), { force: true })
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

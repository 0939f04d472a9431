import { lstat, readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../files.ts'
import type { Log } from '../log.ts'
import { decodeAggregate, encodeAggregate } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import type { ClientHasher } from './client.ts'
import type { DayCounts } from './counts.ts'
import { dateOf, dayMs, dayOf, dayOfDate, type UsageEvent } from './event.ts'
import {
  appendDurably,
  type Lock,
  makeFolder,
  readingFile,
  replaceDurably,
  takeLock,
} from './files.ts'
import { createLineQueue, type Lines } from './lines.ts'
import { replay } from './replay.ts'
import { createRetentionClock, type RetentionClock } from './retentionClock.ts'

/** Events are on the disk so long after their answer at the latest, if the disk does its part. */
const flushEveryMs = 250
/** So many are not kept waiting. */
const flushFrom = 4096
const retryEveryMs = 500
const mostQueued = 65_536
/** How long events wait for a process that is about to give the log up. */
const longestWaitMs = 15_000
const tidyEveryMs = 60_000
/** A start reads no more lines than fit in here. */
const coverEveryBytes = 16 * 2 ** 20
/** Clocks that are set back find the day before still open. */
const closeAfterMs = 3_600_000
const logDays = 35
const aggregateDays = 400
/** Shorter than any line, so that a log with a line has a start. */
const startBytes = 64
/** How long dropped events count as a problem. */
const dropsShownMs = 600_000

export interface LogCounts {
  /** Events on the disk since the start. */
  readonly written: number
  /** Events that the disk did not take. */
  readonly dropped: number
  /** Lines and files that held nothing legible when they were read. */
  readonly badLines: number
  /** Bytes of lines that are kept. */
  readonly bytes: number
  /** Bytes of lines that were removed since the start to keep within the limit. */
  readonly removedBytes: number
  /** What is wrong at present, a sentence each. */
  readonly problems: readonly string[]
}

export interface UsageLog {
  readonly push: (event: UsageEvent) => void
  readonly counts: () => LogCounts
  /** Settles when what was there is read, or cannot be; the log then goes on trying. */
  readonly opened: Promise<void>
  /** Writes what is left. */
  readonly stop: () => Promise<void>
}

interface DayFile {
  /** Bytes of whole lines in the log. */
  length: number
  /** Of these, so many are in the aggregate. */
  covered: number
  /** Digest of how the log began that the aggregate covers. */
  logStart: string | undefined
  /** Whether the aggregate is that of a day that is over. */
  isClosed: boolean
}

/** What the counts of a day were when the last of its lines so far was about to be written. */
interface Cover {
  readonly counts: DayCounts
  readonly isClosed: boolean
}

/**
 * The usage log in `folder`, for each UTC day two files: `DATE.jsonl`, to which a line is appended for
 * each event, and `DATE.aggregate`, the counts of the day and the number of bytes of the log that are
 * in them. A start reads the aggregates and the lines after them into `calendar`. The aggregate is
 * written again every 16 MiB, at a stop, and an hour after the day is over, when its lists are cut; what comes
 * later all the same is added to it. Logs are kept 35 days and within `maxBytes`, the oldest go first;
 * aggregates are kept 400 days. Days age by a {@link RetentionClock}.
 *
 * One process at a time has the folder. Another one counts in memory and waits for its turn.
 *
 * A disk that fails costs events and nothing else: what could not be written twice is dropped and counted.
 * Whatever happens to the folder, the next attempt makes it again.
 */
export const openUsageLog = ({
  folder,
  calendar,
  clients,
  maxBytes,
  now,
  steadyNow,
  log,
}: {
  folder: string
  calendar: Calendar
  clients: ClientHasher
  /** Of all logs together. */
  maxBytes: number
  now: () => number
  /** A clock that nobody sets, in milliseconds. */
  steadyNow: () => number
  log: Log
}): UsageLog => {
  const files = new Map<number, DayFile>()
  const logPath = (day: number): string => join(folder, `${dateOf(day)}.jsonl`)
  const aggregatePath = (day: number): string => join(folder, `${dateOf(day)}.aggregate`)
  const fileOf = (day: number): DayFile => {
    const file = files.get(day) ?? {
      length: 0,
      covered: 0,
      logStart: undefined,
      isClosed: false,
    }
    files.set(day, file)
    return file
  }

  const queue = createLineQueue()
  let inFlight = 0
  let [written, dropped, badLines, removedBytes] = [0, 0, 0, 0]
  let droppedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let failure = ''
  let lock: Lock | undefined
  let waitingSince: number | undefined
  let isLoaded = false
  let retention: RetentionClock | undefined
  const clockPath = join(folder, 'clock')
  let tidiedAt = Number.NEGATIVE_INFINITY
  let stopping = false
  /** Days whose aggregate on the disk is known to be missing or wrong. */
  const uncovered = new Set<number>()

  const isTidyDue = (): boolean => steadyNow() - tidiedAt >= tidyEveryMs
  const isOver = (day: number): boolean => now() > (day + 1) * dayMs + closeAfterMs

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
      log('warn', 'an aggregate of usage cannot be read', { date: dateOf(day) })
      return
    }
    const { counts, coveredBytes, logStart, isClosed } = aggregate
    calendar.addDay(day, counts)
    Object.assign(fileOf(day), { covered: coveredBytes, logStart, isClosed })
  }

  /** Empty for what cannot be read. */
  const readText = (path: string): Promise<string> =>
    readingFile(path, (file) => file.readFile('utf8')).catch(() => '')

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
      if (!isCovered) file.covered = 0
      if (file.length <= file.covered) return
      const replayed = await replay(path, day, file.covered, calendar.add)
      badLines += replayed.badLines
      file.length = replayed.length
      // A day that is over is kept small at once: there may be many.
      if (isOver(day)) {
        calendar.close(day)
        uncovered.add(day)
      }
      if (replayed.tornBytes === 0) return
      await truncate(path, replayed.length)
      log('info', 'a torn line of the usage log was cut off', { date: dateOf(day) })
    } catch (error) {
      badLines += 1
      log('warn', 'a usage log cannot be read', { date: dateOf(day), reason: codeOf(error) })
    }
  }

  const load = async (): Promise<void> => {
    const started = performance.now()
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
    const [wallMs, days] = [now(), calendar.days()]
    const newest = Math.max(...days.filter((day) => day <= dayOf(wallMs)), Number.NEGATIVE_INFINITY)
    const lastUsedMs = days.length === 0 ? wallMs : Math.min(wallMs, (newest + 1) * dayMs)
    const saved = await readText(clockPath)
    const savedMs = /^\d{1,16}\n$/.test(saved) ? Number(saved) : lastUsedMs
    retention = createRetentionClock(savedMs, wallMs, steadyNow())
    isLoaded = true
    const ms = Math.round(performance.now() - started)
    log('info', 'usage log read', { ms, days: calendar.days().length, badLines })
  }

  /** The folder is another one than before: all that is known goes into it. */
  const startOver = async (): Promise<void> => {
    log('warn', 'the usage log was removed and begins anew')
    clients.forgetSaved()
    for (const day of calendar.days()) {
      const found = await lstat(logPath(day)).catch(() => undefined)
      Object.assign(fileOf(day), { length: found?.size ?? 0, covered: 0, isClosed: false })
      uncovered.add(day)
    }
  }

  /** Whether the folder is this process's to write. */
  const own = async (): Promise<boolean> => {
    if (!lock || !(await lock.isHeld())) {
      lock?.release()
      lock = undefined
      await makeFolder(folder)
      lock = takeLock(join(folder, 'lock'))
      if (!lock) return false
      if (isLoaded) await startOver()
    }
    if (!isLoaded) await load()
    return true
  }

  /** The days whose aggregates are to be written, as counted up to the events that are queued now. */
  const takeCovers = (touched: ReadonlySet<number>): Map<number, Cover> => {
    const covers = new Map<number, Cover>()
    for (const day of calendar.days()) {
      const { length, covered, isClosed } = fileOf(day)
      if (isTidyDue() && isOver(day) && (calendar.isOpen(day) || !isClosed)) {
        calendar.close(day)
        uncovered.add(day)
      }
      const isBehind = touched.has(day) || length > covered
      if (uncovered.has(day) || length - covered > coverEveryBytes || (stopping && isBehind)) {
        const counts = calendar.read(day)
        if (counts) covers.set(day, { counts, isClosed: isOver(day) && !calendar.isOpen(day) })
      }
    }
    return covers
  }

  const append = async (day: number, { events, bytes }: Lines): Promise<void> => {
    const file = fileOf(day)
    const start = await appendDurably(logPath(day), file.length, bytes)
    // Somebody shortened the log; the aggregate goes by another length.
    if (start < file.length || start < file.covered) uncovered.add(day)
    file.length = start + bytes.length
    written += events
  }

  const cover = async (day: number, { counts, isClosed }: Cover): Promise<void> => {
    const file = fileOf(day)
    const logStart = file.length > 0 ? await readStart(day) : undefined
    const coveredBytes = file.length
    const text = encodeAggregate({ counts, coveredBytes, logStart, isClosed })
    await replaceDurably(aggregatePath(day), text)
    Object.assign(file, { covered: coveredBytes, logStart, isClosed })
    uncovered.delete(day)
  }

  /** Writes all that is queued, and the aggregates that are due. Throws the first failure. */
  const write = async (): Promise<void> => {
    const covers = takeCovers(queue.days())
    inFlight = queue.size()
    const left: (readonly [number, Lines])[] = []
    const thrown: unknown[] = []
    for (const [day, lines] of queue.take()) {
      try {
        await append(day, lines)
        queue.giveBack(lines)
      } catch (error) {
        left.push([day, lines])
        thrown.push(error)
        // Its aggregate would count what is to be appended once more.
        if (covers.delete(day)) uncovered.add(day)
      }
    }
    for (const [day, each] of covers) {
      try {
        await cover(day, each)
      } catch (error) {
        thrown.push(error)
        uncovered.add(day)
      }
    }
    inFlight = 0
    for (const [day, lines] of left) queue.putBack(day, lines)
    if (thrown.length > 0) throw thrown[0]
  }

  const removeLog = async (day: number, file: DayFile): Promise<void> => {
    await rm(logPath(day), { force: true })
    file.length = 0
  }

  const tidy = async (): Promise<void> => {
    if (!retention || !isTidyDue()) return
    tidiedAt = steadyNow()
    const reachedMs = retention.advance(now(), tidiedAt)
    await replaceDurably(clockPath, `${Math.floor(reachedMs)}\n`)
    const today = dayOf(retention.now())
    for (const [day, file] of files) {
      const age = today - day
      if (age > logDays && file.isClosed && file.covered >= file.length) await removeLog(day, file)
      if (age > aggregateDays) {
        await rm(aggregatePath(day), { force: true })
        files.delete(day)
        calendar.forget(day)
      }
    }
  }

  const keptBytes = (): number => files.values().reduce((sum, { length }) => sum + length, 0)

  /** Removes the oldest logs beyond the limit; one whose aggregate is behind waits for the next round. */
  const shrink = async (): Promise<void> => {
    let excess = keptBytes() - maxBytes
    if (excess <= 0) return
    for (const [day, file] of [...files].sort(([one], [other]) => one - other)) {
      if (excess <= 0) return
      if (file.length === 0) continue
      if (file.covered < file.length) {
        uncovered.add(day)
        return
      }
      excess -= file.length
      removedBytes += file.length
      log('warn', 'a usage log was removed to keep within USAGE_LOG_BYTES', { date: dateOf(day) })
      await removeLog(day, file)
    }
  }

  const noteDropped = (events: number): void => {
    if (events === 0) return
    dropped += events
    droppedAt = performance.now()
  }

  /** Gives up what is queued. It was counted, and the aggregate will tell of it. */
  const drop = (): void => {
    for (const day of queue.days()) uncovered.add(day)
    noteDropped(queue.size())
    queue.clear()
  }

  /** One round of work. Never throws, never runs twice at a time. */
  const work = async (): Promise<void> => {
    clients.rotate(now())
    try {
      if (!(await own())) {
        waitingSince ??= performance.now()
        if (performance.now() - waitingSince > longestWaitMs || stopping) drop()
        return
      }
      waitingSince = undefined
      await clients.save()
      await write()
      await shrink()
      await tidy()
      if (failures > 0) log('info', 'the usage log is written again', { dropped })
      failures = 0
    } catch (error) {
      if (failures === 0) log('warn', 'the usage log cannot be written', { reason: codeOf(error) })
      if (failures > 0 || stopping) drop()
      failures += 1
      failure = codeOf(error)
    }
  }

  const problems = (): readonly string[] => [
    ...(waitingSince === undefined ? [] : ['another process writes the usage log in DATA_DIR']),
    ...(failures === 0 ? [] : [`the usage log cannot be written: ${failure}`]),
    ...(performance.now() - droppedAt < dropsShownMs ? ['usage events were dropped'] : []),
  ]

  let timer: Timer | undefined
  let isWorking = false
  let working: Promise<void> = Promise.resolve()
  const begin = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    isWorking = true
    working = work().finally(() => {
      isWorking = false
      if (failures > 0 || waitingSince) schedule(retryEveryMs)
      else if (queue.size() >= flushFrom) schedule(0)
      else if (queue.size() > 0 || uncovered.size > 0) schedule(flushEveryMs)
    })
    return working
  }
  const schedule = (afterMs: number): void => {
    if (timer || isWorking || stopping) return
    timer = setTimeout(() => void begin(), afterMs)
  }

  const opened = begin()
  const tidying = setInterval(() => {
    if (!isWorking && !stopping) void begin()
  }, tidyEveryMs)

  return {
    push: (event) => {
      const waiting = queue.size()
      if (waiting + inFlight >= mostQueued) {
        noteDropped(1)
        uncovered.add(dayOf(event.timeMs))
        return
      }
      queue.add(event)
      if (waiting + 1 === flushFrom && failures === 0 && !waitingSince && !isWorking && !stopping) {
        void begin()
      } else schedule(flushEveryMs)
    },
    counts: () => ({
      written,
      dropped,
      badLines,
      bytes: keptBytes(),
      removedBytes,
      problems: problems(),
    }),
    opened,
    stop: async () => {
      stopping = true
      clearInterval(tidying)
      clearTimeout(timer)
      await working
      await work()
      lock?.release()
      lock = undefined
    },
  }
}

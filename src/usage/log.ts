import { join } from 'node:path'
import { codeOf } from '../files.ts'
import type { Log } from '../log.ts'
import type { Calendar } from './calendar.ts'
import type { ClientHasher } from './client.ts'
import { createDayFiles, type DayAggregate } from './dayFiles.ts'
import { dayMs, dayOf, type UsageEvent } from './event.ts'
import { type Lock, makeFolder, takeLock } from './files.ts'
import { createLineQueue, type Lines } from './lines.ts'
import { createRetention } from './retention.ts'

/** The longest time from an answer until its event is written. */
const flushEveryMs = 250
/** Events that are written at once. */
const flushBatchSize = 4096
const retryEveryMs = 500
const maxQueued = 65_536
/** How long events wait for another process to release the folder. */
const maxWaitMs = 15_000
const tidyEveryMs = 60_000
/** Bounds the lines that a start reads. */
const aggregateEveryBytes = 16 * 2 ** 20
/** Clocks that are set back find the day before still open. */
const closeAfterMs = 3_600_000
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
  monotonicNow,
  log,
}: {
  folder: string
  calendar: Calendar
  clients: ClientHasher
  /** Of all logs together. */
  maxBytes: number
  now: () => number
  /** A clock that nobody sets, in milliseconds. */
  monotonicNow: () => number
  log: Log
}): UsageLog => {
  const isOver = (day: number): boolean => now() > (day + 1) * dayMs + closeAfterMs
  const dayFiles = createDayFiles({ folder, calendar, isOver, log })
  const { staleAggregates } = dayFiles
  const retention = createRetention({
    folder,
    calendar,
    dayFiles,
    maxBytes,
    now,
    monotonicNow,
    log,
  })
  const queue = createLineQueue()
  let inFlight = 0
  let [written, dropped] = [0, 0]
  let droppedAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let failure = ''
  let lock: Lock | undefined
  let waitingSince: number | undefined
  let isLoaded = false
  let stopping = false

  const load = async (): Promise<void> => {
    const started = performance.now()
    await dayFiles.load()
    await retention.load()
    isLoaded = true
    const ms = Math.round(performance.now() - started)
    log('info', 'usage log read', {
      ms,
      days: calendar.days().length,
      badLines: dayFiles.badLines(),
    })
  }

  /** Goes on in a folder that another one has replaced. */
  const startOver = async (): Promise<void> => {
    log('warn', 'the usage log was removed and begins anew')
    clients.forgetSaved()
    await dayFiles.startOver()
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
  const takeDueAggregates = (touched: ReadonlySet<number>): Map<number, DayAggregate> => {
    const due = new Map<number, DayAggregate>()
    for (const day of calendar.days()) {
      const { length, covered, isClosed } = dayFiles.fileOf(day)
      if (retention.isDue() && isOver(day) && (calendar.isOpen(day) || !isClosed)) {
        calendar.close(day)
        staleAggregates.add(day)
      }
      const isBehind = touched.has(day) || length > covered
      if (
        staleAggregates.has(day) ||
        length - covered > aggregateEveryBytes ||
        (stopping && isBehind)
      ) {
        const counts = calendar.read(day)
        if (counts) due.set(day, { counts, isClosed: isOver(day) && !calendar.isOpen(day) })
      }
    }
    return due
  }

  /** Writes all that is queued, and the aggregates that are due. Throws the first failure. */
  const write = async (): Promise<void> => {
    const due = takeDueAggregates(queue.days())
    inFlight = queue.size()
    const left: (readonly [number, Lines])[] = []
    const thrown: unknown[] = []
    for (const [day, lines] of queue.take()) {
      try {
        await dayFiles.append(day, lines)
        written += lines.events
        queue.giveBack(lines)
      } catch (error) {
        left.push([day, lines])
        thrown.push(error)
        // Its aggregate would count what is to be appended once more.
        if (due.delete(day)) staleAggregates.add(day)
      }
    }
    for (const [day, each] of due) {
      try {
        await dayFiles.cover(day, each)
      } catch (error) {
        thrown.push(error)
        staleAggregates.add(day)
      }
    }
    inFlight = 0
    for (const [day, lines] of left) queue.putBack(day, lines)
    if (thrown.length > 0) throw thrown[0]
  }

  const noteDropped = (events: number): void => {
    if (events === 0) return
    dropped += events
    droppedAt = performance.now()
  }

  /** Gives up what is queued. It was counted, and the aggregate will tell of it. */
  const drop = (): void => {
    for (const day of queue.days()) staleAggregates.add(day)
    noteDropped(queue.size())
    queue.clear()
  }

  /** One round of work. Never throws, never runs twice at a time. */
  const work = async (): Promise<void> => {
    clients.rotate(now())
    try {
      if (!(await own())) {
        waitingSince ??= performance.now()
        if (performance.now() - waitingSince > maxWaitMs || stopping) drop()
        return
      }
      waitingSince = undefined
      await clients.save()
      await write()
      await retention.shrink()
      await retention.tidy()
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
      else if (queue.size() >= flushBatchSize) schedule(0)
      else if (queue.size() > 0 || staleAggregates.size > 0) schedule(flushEveryMs)
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
      if (waiting + inFlight >= maxQueued) {
        noteDropped(1)
        staleAggregates.add(dayOf(event.timeMs))
        return
      }
      queue.add(event)
      if (
        waiting + 1 === flushBatchSize &&
        failures === 0 &&
        !waitingSince &&
        !isWorking &&
        !stopping
      ) {
        void begin()
      } else schedule(flushEveryMs)
    },
    counts: () => ({
      written,
      dropped,
      badLines: dayFiles.badLines(),
      bytes: dayFiles.keptBytes(),
      removedBytes: retention.removedBytes(),
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

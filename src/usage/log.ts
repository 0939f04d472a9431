import { join } from 'node:path'
import { whyOf } from '../files.ts'
import type { Log } from '../log.ts'
import type { Calendar } from './calendar.ts'
import type { ClientHasher } from './client.ts'
import { createDayFiles, type DayAggregate } from './dayFiles.ts'
import { dayMs, dayOf, type UsageEvent } from './event.ts'
import { type Lock, makeFolder, takeLock } from './files.ts'
import { createLineQueue, type Lines } from './lines.ts'
import { createRetention } from './retention.ts'

/** Max time from a response until its event is written. */
const flushEveryMs = 250
/** Queued events that start a write at once. */
const flushBatchSize = 4096
const retryEveryMs = 500
const maxQueued = 65_536
/** Max wait for another process to release the folder; then queued events are dropped. */
const maxWaitMs = 15_000
const tidyEveryMs = 60_000
/** Log bytes between two writes of an aggregate: bounds the replay at start. */
const aggregateEveryBytes = 16 * 2 ** 20
/** Delay before a day is closed, so that small clock corrections find it open. */
const closeAfterMs = 3_600_000
/** Time for which dropped events are reported as a problem. */
const dropsShownMs = 600_000

export interface LogCounts {
  /** Events written since start. */
  readonly written: number
  /** Events lost because they could not be written. */
  readonly dropped: number
  /** Invalid lines and files found at start. */
  readonly badLines: number
  /** Total size of the logs. */
  readonly bytes: number
  /** Bytes of logs removed since start to stay within the limit. */
  readonly removedBytes: number
  /** Current problems, one sentence each. */
  readonly problems: readonly string[]
}

export interface UsageLog {
  readonly push: (event: UsageEvent) => void
  readonly counts: () => LogCounts
  /** Resolves after the first attempt to read the existing files; a failed one is retried. */
  readonly opened: Promise<void>
  /** Writes everything queued. */
  readonly stop: () => Promise<void>
}

/**
 * Usage log in `folder`, two files per UTC day: `DATE.jsonl`, one appended line per event, and
 * `DATE.aggregate`, the day's counts and the number of log bytes included in them. A start reads
 * the aggregates and the lines after them into `calendar`. Aggregates are written every 16 MiB of
 * log, at a stop, and an hour after the end of the day, when it is closed; later events are added.
 * Logs are kept 35 days and within `maxBytes`, oldest removed first; aggregates 400 days. Days age
 * by a {@link RetentionClock}.
 *
 * One process at a time owns the folder; another one counts in memory and waits.
 *
 * I/O errors cost events, never requests: events that cannot be written twice are dropped and
 * counted. Each attempt recreates a missing folder.
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
  /** Max total size of all logs. */
  maxBytes: number
  now: () => number
  /** Monotonic clock, in milliseconds. */
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

  /** Continues in a folder that was removed or replaced. */
  const startOver = async (): Promise<void> => {
    log('warn', 'the usage log was removed; a new one is started')
    clients.forgetSaved()
    await dayFiles.startOver()
  }

  /** Acquires the folder; false while another process owns it. */
  const acquireFolder = async (): Promise<boolean> => {
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

  /** Takes the aggregates that are due, including all events queued now. */
  const takeDueAggregates = (touched: ReadonlySet<number>): Map<number, DayAggregate> => {
    const due = new Map<number, DayAggregate>()
    for (const day of calendar.days()) {
      const { length, aggregatedBytes, isClosed } = dayFiles.fileOf(day)
      if (retention.isDue() && isOver(day) && (calendar.isOpen(day) || !isClosed)) {
        calendar.close(day)
        staleAggregates.add(day)
      }
      const isBehind = touched.has(day) || length > aggregatedBytes
      if (
        staleAggregates.has(day) ||
        length - aggregatedBytes > aggregateEveryBytes ||
        (stopping && isBehind)
      ) {
        const counts = calendar.read(day)
        if (counts) due.set(day, { counts, isClosed: isOver(day) && !calendar.isOpen(day) })
      }
    }
    return due
  }

  /** Writes the queue and the aggregates that are due. Throws the first error. */
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
        // The aggregate would count the lines that are appended later.
        if (due.delete(day)) staleAggregates.add(day)
      }
    }
    for (const [day, each] of due) {
      try {
        await dayFiles.writeAggregate(day, each)
      } catch (error) {
        thrown.push(error)
        staleAggregates.add(day)
      }
    }
    inFlight = 0
    for (const [day, lines] of left) queue.putBack(day, lines)
    if (thrown.length > 0) throw thrown[0]
  }

  const countDropped = (events: number): void => {
    if (events === 0) return
    dropped += events
    droppedAt = performance.now()
  }

  /** Drops the queue; its events are still counted in the aggregates. */
  const drop = (): void => {
    for (const day of queue.days()) staleAggregates.add(day)
    countDropped(queue.size())
    queue.clear()
  }

  /** One round: acquire, write, remove. Never throws; never runs concurrently. */
  const runRound = async (): Promise<void> => {
    clients.rotate(now())
    try {
      if (!(await acquireFolder())) {
        if (waitingSince === undefined) {
          waitingSince = performance.now()
          log('warn', 'another process writes the usage log in DATA_DIR; this one counts in memory')
        }
        if (performance.now() - waitingSince > maxWaitMs || stopping) drop()
        return
      }
      if (waitingSince !== undefined) log('info', 'this process writes the usage log now')
      waitingSince = undefined
      await clients.save()
      await write()
      await retention.shrink()
      await retention.tidy()
      if (failures > 0) log('info', 'the usage log can be written again', { dropped })
      failures = 0
    } catch (error) {
      if (failures === 0) log('warn', 'the usage log cannot be written', { reason: whyOf(error) })
      if (failures > 0 || stopping) drop()
      failures += 1
      failure = whyOf(error)
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
    working = runRound().finally(() => {
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
        countDropped(1)
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
      await runRound()
      lock?.release()
      lock = undefined
    },
  }
}

import { dateOf, dayOf } from '../../data/journal/day.ts'
import { openJournal } from '../../data/journal/journal.ts'
import { createLineQueue, type QueuedLines } from '../../data/journal/lineQueue.ts'
import { type Attempt, step, type WriterState } from '../../data/journal/writerState.ts'
import { codeOf, whyOf } from '../../runtime/files.ts'
import type { Log } from '../../runtime/log.ts'
import { createAggregateFiles } from './aggregateFiles.ts'
import type { Calendar } from './calendar.ts'
import type { ClientHasher } from './client.ts'
import { formatEvent, type UsageEvent } from './event.ts'

/** Max time from a response until its event is written. */
const flushEveryMs = 250
/** Queued events that start a write at once. */
const flushBatchSize = 4096
const retryEveryMs = 500
/** Time between two rounds without events: days are closed, and old files removed. */
const idleEveryMs = 60_000
const maxQueued = 65_536
const keptDays = 35
/** Time for which dropped events are reported as a problem. */
const dropsShownMs = 600_000
const lockedProblem = 'another process writes the usage log in DATA_DIR'

const failure = (error: unknown, isAppended: boolean): Attempt => ({
  kind: 'failed',
  reason: whyOf(error),
  isKept: isAppended || codeOf(error) === 'ETIMEDOUT',
})

/**
 * Usage log in `folder`, two files per UTC day: `DATE.jsonl`, one appended line per event, and
 * `DATE.aggregate`, see {@link createAggregateFiles}. Logs are kept 35 days and within `maxBytes`,
 * oldest removed first, never before an aggregate includes them.
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
}) => {
  const journal = openJournal({ folder, extension: 'jsonl', now, monotonicNow })
  const aggregates = createAggregateFiles({ folder, calendar, journal, now, monotonicNow, log })
  const queue = createLineQueue()
  let inFlight = 0
  let [written, dropped, removedBytes] = [0, 0, 0]
  let droppedAt = Number.NEGATIVE_INFINITY
  /** State of the writer; only {@link runRound} changes it. */
  let state: WriterState = { kind: 'writing' }
  let isLoaded = false
  let isStopping = false

  const takeFolder = async (): Promise<void> => {
    if (isLoaded) {
      log('warn', 'the usage log was removed; a new one is started')
      clients.forgetSaved()
      aggregates.startOver()
      return
    }
    const started = performance.now()
    await aggregates.load()
    isLoaded = true
    const ms = Math.round(performance.now() - started)
    const badLines = aggregates.badLines()
    const days = calendar.days().length
    if (days > 0 || badLines > 0) log('info', 'usage log read', { ms, days, badLines })
  }

  /** Writes the queue and the aggregates that are due; both include the same events. */
  const write = async (): Promise<Attempt> => {
    const due = aggregates.takeDue(queue.days(), isStopping)
    inFlight = queue.size()
    const left: (readonly [number, QueuedLines])[] = []
    let failed: { readonly error: unknown } | undefined
    for (const [day, lines] of queue.take()) {
      try {
        const length = journal.length(day)
        aggregates.noteAppended(day, await journal.append(day, lines.bytes), length)
        written += lines.count
      } catch (error) {
        left.push([day, lines])
        failed ??= { error }
        // The aggregate would count the lines that are appended later.
        due.delete(day)
      }
    }
    for (const [day, each] of due) {
      try {
        await aggregates.write(day, each)
      } catch (error) {
        failed ??= { error }
      }
    }
    inFlight = 0
    for (const [day, lines] of left) queue.putBack(day, lines)
    if (!failed) return { kind: 'written' }
    return failure(failed.error, left.length === 0)
  }

  /** Removes logs that are too old or too large together; a log waits for its aggregate. */
  const retain = async (): Promise<void> => {
    const mayRemove = (day: number): boolean => {
      if (!aggregates.isCovered(day)) aggregates.markStale(day)
      return aggregates.isCovered(day)
    }
    for (const { day, bytes } of await journal.retain({
      days: keptDays,
      bytes: maxBytes,
      mayRemove,
    })) {
      log('warn', 'a usage log was removed to stay within USAGE_LOG_BYTES', { date: dateOf(day) })
      removedBytes += bytes
    }
    await aggregates.removeOld()
  }

  const attempt = async (): Promise<Attempt> => {
    let isAppended = false
    try {
      if (!(await journal.acquire(takeFolder))) return { kind: 'locked' }
      await clients.save()
      const result = await write()
      if (result.kind !== 'written') return result
      isAppended = true
      await retain()
      return result
    } catch (error) {
      return failure(error, isAppended)
    }
  }

  const drop = (day: number, events: number): void => {
    aggregates.markStale(day)
    dropped += events
    droppedAt = performance.now()
  }

  const reportState = (before: WriterState['kind']): void => {
    if (state.kind === 'writing' && before === 'waiting')
      log('info', 'this process writes the usage log now', { dropped })
    else if (state.kind === 'writing')
      log('info', 'the usage log can be written again', { dropped })
    else if (state.kind === 'failing')
      log('warn', 'the usage log cannot be written', { reason: state.reason })
    else log('warn', `${lockedProblem}; this one counts in memory`)
  }

  /** Acquires the folder, writes, removes. Never throws; never runs concurrently. */
  const runRound = async (): Promise<void> => {
    clients.rotate(now())
    const before = state.kind
    state = step(state, await attempt(), performance.now())
    if (state.kind !== before) reportState(before)
    // Dropped events are still counted in the aggregates.
    if (state.kind !== 'writing' && state.isLost) {
      for (const [day, { count }] of queue.take()) drop(day, count)
    }
  }

  let timer: Timer | undefined
  let isWorking = false
  let working: Promise<void> = Promise.resolve()
  const schedule = (afterMs: number): void => {
    clearTimeout(timer)
    if (!isStopping) timer = setTimeout(() => void begin(), afterMs)
  }
  const begin = (): Promise<void> => {
    clearTimeout(timer)
    isWorking = true
    working = runRound().finally(() => {
      isWorking = false
      if (state.kind !== 'writing') schedule(retryEveryMs)
      else if (queue.size() >= flushBatchSize) schedule(0)
      else schedule(queue.size() > 0 || aggregates.hasStale() ? flushEveryMs : idleEveryMs)
    })
    return working
  }
  /** Writes everything queued. */
  const flush = async (): Promise<void> => {
    while (isWorking) await working
    await begin()
  }

  return {
    push: (event: UsageEvent): void => {
      const day = dayOf(event.timeMs)
      if (queue.size() + inFlight >= maxQueued) {
        drop(day, 1)
        return
      }
      queue.add(day, formatEvent(event))
      if (isWorking || state.kind !== 'writing') return
      if (queue.size() === 1) schedule(flushEveryMs)
      else if (queue.size() === flushBatchSize) void begin()
    },
    counts: () => ({
      /** Events written since start. */
      written,
      /** Events lost because they could not be written. */
      dropped,
      /** Invalid lines and files found at start. */
      badLines: aggregates.badLines(),
      /** Bytes of all logs. */
      bytes: journal.bytes(),
      /** Bytes of logs removed since start to stay within the limit. */
      removedBytes,
      /** Current ones, a sentence each. */
      problems: [
        ...(state.kind === 'waiting' ? [lockedProblem] : []),
        ...(state.kind === 'failing' ? [`the usage log cannot be written: ${state.reason}`] : []),
        ...(performance.now() - droppedAt < dropsShownMs ? ['usage events were dropped'] : []),
      ],
    }),
    /** Resolves after the first attempt to read the existing files; a failed one is retried. */
    opened: begin(),
    flush,
    stop: async (): Promise<void> => {
      isStopping = true
      await flush()
      await journal.close()
    },
  }
}
export type UsageLog = ReturnType<typeof openUsageLog>
export type LogCounts = ReturnType<UsageLog['counts']>

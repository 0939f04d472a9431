import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { type Calendar, createCalendar } from './calendar.ts'
import { callerName } from './callerName.ts'
import { type ClientHasher, createClientHasher } from './client.ts'
import { type LogCounts, openUsageLog, type UsageLog } from './log.ts'
import { buildReport, lastReportDay, type UsageReport } from './report.ts'

/** Responses are counted in batches, which is cheaper. */
const countEveryMs = 5

/** Max characters of a user agent that distinguish clients. */
const maxAgentLength = 1024

/**
 * A request as reported by the HTTP layer. Sender, user agent and key are neither logged nor kept
 * as they are.
 */
export interface AnsweredRequest {
  readonly route: string
  readonly status: number
  readonly durationUs: number
  readonly bytes: number
  /** How long a stream was open, or an answer waited for a change, which is no response time. */
  readonly openMs?: number
  /** Client address. */
  readonly sender: string
  readonly userAgent: string | null
  /** Name that the caller gave, unchecked. */
  readonly key: string | null
}

interface Parts {
  readonly calendar: Calendar
  readonly clients: ClientHasher
  readonly now: () => number
  readonly log: Pick<UsageLog, 'push' | 'counts'>
}

const assemble = ({ calendar, clients, now, log }: Parts) => {
  // Two parallel lists cost less than one list of pairs.
  let pending: AnsweredRequest[] = []
  let times: number[] = []
  let timer: Timer | undefined

  const count = (): void => {
    const [answers, timesMs] = [pending, times]
    pending = []
    times = []
    clearTimeout(timer)
    timer = undefined
    for (let index = 0; index < answers.length; index += 1) {
      const answered = answers[index]
      const timeMs = timesMs[index]
      if (!answered || timeMs === undefined) continue
      const event = {
        timeMs,
        route: answered.route,
        status: answered.status,
        durationUs: answered.durationUs,
        bytes: answered.bytes,
        openMs: answered.openMs,
        client: clients.hash(
          timeMs,
          answered.sender,
          answered.userAgent?.slice(0, maxAgentLength) ?? '',
        ),
        caller: callerName(answered.key),
      }
      calendar.add(event)
      log.push(event)
    }
  }

  const lastDay = (): number => lastReportDay(calendar, now())

  return {
    /** Counts the queued responses. */
    countPending: count,
    /** Queues a response for counting, after it is sent. */
    record: (answered: AnsweredRequest): void => {
      pending.push(answered)
      times.push(now())
      timer ??= setTimeout(count, countEveryMs)
    },
    /** Report of the last `days` days, today included; `route` is a route template. */
    report: (days: number, route: string | undefined): Promise<UsageReport> => {
      count()
      return buildReport(calendar, { lastDay: lastDay(), days, route })
    },
    /** Templates of all counted routes. */
    routes: (): ReadonlySet<string> => {
      count()
      return calendar.routes()
    },
    logCounts: (): LogCounts => {
      count()
      return log.counts()
    },
  }
}
export type Usage = Omit<ReturnType<typeof assemble>, 'countPending'>

const nothingLogged: LogCounts = {
  written: 0,
  dropped: 0,
  badLines: 0,
  bytes: 0,
  removedBytes: 0,
  problems: [],
}

/** Creates usage statistics in memory only. */
export const createUsage = ({
  clientKeyRotation = 'month',
  now = Date.now,
}: {
  clientKeyRotation?: Config['clientKeyRotation']
  now?: () => number
} = {}): Usage =>
  assemble({
    calendar: createCalendar(),
    clients: createClientHasher({ nowMs: now(), rotation: clientKeyRotation, keyPath: undefined }),
    now,
    log: { push: () => undefined, counts: () => nothingLogged },
  })

/**
 * Opens persistent usage statistics: the log in `dataDir/usage`, the key of client ids in
 * `dataDir/client.key`. I/O errors are not thrown.
 */
export const openUsage = (
  {
    dataDir,
    clientKeyRotation,
    usageLogBytes,
  }: Pick<Config, 'dataDir' | 'clientKeyRotation' | 'usageLogBytes'>,
  {
    log,
    now = Date.now,
    monotonicNow = () => performance.now(),
  }: { log: Log; now?: () => number; monotonicNow?: () => number },
) => {
  const calendar = createCalendar()
  const keyPath = join(dataDir, 'client.key')
  const clients = createClientHasher({ nowMs: now(), rotation: clientKeyRotation, keyPath })
  const usageLog = openUsageLog({
    folder: join(dataDir, 'usage'),
    calendar,
    clients,
    maxBytes: usageLogBytes,
    now,
    monotonicNow,
    log,
  })
  const usage = assemble({ calendar, clients, now, log: usageLog })
  return {
    ...usage,
    /** Resolves after the first attempt to read earlier usage. */
    opened: usageLog.opened,
    /** Writes everything queued. */
    flush: (): Promise<void> => {
      usage.countPending()
      return usageLog.flush()
    },
    /** Writes everything queued and closes the files. */
    stop: (): Promise<void> => {
      usage.countPending()
      return usageLog.stop()
    },
  }
}
export type OpenedUsage = ReturnType<typeof openUsage>

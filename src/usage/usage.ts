import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { type Calendar, createCalendar } from './calendar.ts'
import { callerName } from './callerName.ts'
import { type ClientHasher, createClientHasher } from './client.ts'
import { dayOf } from './event.ts'
import { type LogCounts, openUsageLog, type UsageLog } from './log.ts'
import { buildReport, maxReportDays, type UsageReport } from './report.ts'

/** Counting many answers together costs each of them less. */
const countEveryMs = 5

/** User agents that differ later than here are one client. */
const maxAgentLength = 1024

/** An answered request as the HTTP side tells of it. What names its sender goes no further. */
export interface AnsweredRequest {
  readonly route: string
  readonly status: number
  readonly durationUs: number
  readonly bytes: number
  /** The address that the request came from. */
  readonly sender: string
  readonly userAgent: string | null
  /** What the caller calls itself, unchecked. */
  readonly key: string | null
}

/** Who uses the service, and how well it answers. */
export interface Usage {
  /** Takes note of an answer, and does the work that this makes once the answer is on its way. */
  readonly record: (answered: AnsweredRequest) => void
  /** Makes what a report of so many days needs, in short steps; a report without it takes longer. */
  readonly prepare: (days: number) => Promise<void>
  /** The last `days` days, today included; `route` is a template as reported. */
  readonly report: (days: number, route: string | undefined) => UsageReport
  /** Templates of the routes that were ever counted. */
  readonly routes: () => ReadonlySet<string>
  readonly logCounts: () => LogCounts
}

/** Usage with files behind it. */
export interface OpenedUsage extends Usage {
  /** Settles when earlier usage is read, or cannot be. */
  readonly opened: Promise<void>
  /** Writes what is left, and gives the files up. */
  readonly stop: () => Promise<void>
}

interface Parts {
  readonly calendar: Calendar
  readonly clients: ClientHasher
  readonly now: () => number
  readonly log: Pick<UsageLog, 'push' | 'counts'>
}

const assemble = ({ calendar, clients, now, log }: Parts): Usage => {
  // Two lists of numbers and of what came are cheaper than one of both.
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

  /** A clock that was ahead has left events on days to come; they are not to vanish until then. */
  const lastDay = (): number => {
    const today = dayOf(now())
    return [today + 2, today + 1].find((day) => calendar.has(day)) ?? today
  }

  return {
    record: (answered) => {
      pending.push(answered)
      times.push(now())
      timer ??= setTimeout(count, countEveryMs)
    },
    prepare: (days) => calendar.prepare(lastDay() - days + 1, lastDay()),
    report: (days, route) => {
      count()
      return buildReport(calendar, { lastDay: lastDay(), days, route })
    },
    routes: () => {
      count()
      return calendar.routes()
    },
    logCounts: () => {
      count()
      return log.counts()
    },
  }
}

const nothingLogged: LogCounts = {
  written: 0,
  dropped: 0,
  badLines: 0,
  bytes: 0,
  removedBytes: 0,
  problems: [],
}

/** Usage in memory alone, which a restart ends. */
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
 * Usage that outlives the process: the log in `dataDir/usage`, and the key that hides clients beside
 * it in `dataDir/client.key`. Nothing that goes wrong with the files is thrown.
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
): OpenedUsage => {
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
  // Otherwise the first report over a year makes the process busy for half a second.
  void usageLog.opened.then(() => usage.prepare(maxReportDays))
  return {
    ...usage,
    opened: usageLog.opened,
    stop: () => {
      // What is pending is counted first.
      usage.logCounts()
      return usageLog.stop()
    },
  }
}

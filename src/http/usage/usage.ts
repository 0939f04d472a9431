import { join } from 'node:path'
import type { Log } from '../../runtime/log.ts'
import { createCalendar } from './calendar.ts'
import { callerName } from './callerName.ts'
import { createClientHasher } from './client.ts'
import type { KeyRotation } from './clientKey.ts'
import type { Counted } from './event.ts'
import { type LogCounts, openUsageLog } from './log.ts'
import { buildReport, lastReportDay, type UsageReport } from './report.ts'

/** Responses are counted in batches, which is cheaper. */
const countEveryMs = 5

/** Max responses that wait for the key of client ids to be read. */
const maxPending = 100_000

/** Max characters of a user agent that distinguish clients. */
const maxAgentLength = 1024

/**
 * A request as reported by the HTTP layer. Sender, user agent and key are neither logged nor kept
 * as they are.
 */
export interface AnsweredRequest extends Counted {
  readonly sender: string
  readonly userAgent: string | null
  /** Name that the caller gave, unchecked. */
  readonly key: string | null
}

/** Usage kept over a restart: the log in `dataDir/usage`, the key of client ids in `dataDir/client.key`. */
interface Kept {
  readonly dataDir: string
  readonly usageLogBytes: number
  readonly log: Log
  readonly monotonicNow?: () => number
}

const nothingLogged: LogCounts = {
  written: 0,
  dropped: 0,
  badLines: 0,
  bytes: 0,
  removedBytes: 0,
  problems: [],
}

/** Usage statistics, only in memory unless they are kept. I/O errors are not thrown. */
export const createUsage = ({
  clientKeyRotation: rotation = 'month',
  now = Date.now,
  kept,
}: {
  clientKeyRotation?: KeyRotation
  now?: () => number
  kept?: Kept
} = {}) => {
  const calendar = createCalendar()
  const keyPath = kept && join(kept.dataDir, 'client.key')
  const clients = createClientHasher({ nowMs: now(), rotation, keyPath })
  const log =
    kept &&
    openUsageLog({
      folder: join(kept.dataDir, 'usage'),
      calendar,
      clients,
      maxBytes: kept.usageLogBytes,
      now,
      monotonicNow: kept.monotonicNow ?? (() => performance.now()),
      log: kept.log,
    })
  // Two parallel lists cost less than one list of pairs.
  let pending: AnsweredRequest[] = []
  let times: number[] = []
  /** False until the key of client ids has been read; responses wait for it. */
  let isCounting = clients.loaded === undefined
  const startCounting = (): void => {
    isCounting = true
    count()
  }
  void clients.loaded?.then(startCounting)

  const count = (): void => {
    if (!isCounting) return
    const [answers, timesMs] = [pending, times]
    pending = []
    times = []
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
      log?.push(event)
    }
  }

  return {
    /** Queues a response for counting, after it is sent. */
    record: (answered: AnsweredRequest): void => {
      if (pending.length === 0) setTimeout(count, countEveryMs)
      pending.push(answered)
      times.push(now())
      if (pending.length === maxPending) startCounting()
    },
    /** Report of the last `days` days, today included; `route` is a route template. */
    report: async (days: number, route: string | undefined): Promise<UsageReport> => {
      if (!isCounting) await clients.loaded
      count()
      return buildReport(calendar, { lastDay: lastReportDay(calendar, now()), days, route })
    },
    routes: (): ReadonlySet<string> => {
      count()
      return calendar.routes()
    },
    logCounts: (): LogCounts => {
      count()
      return log?.counts() ?? nothingLogged
    },
    /** Resolves after the first attempt to read earlier usage. */
    opened: log?.opened ?? Promise.resolve(),
    /** Writes everything queued. */
    flush: async (): Promise<void> => {
      await clients.loaded
      count()
      await log?.flush()
    },
    /** Writes everything queued and closes the files. */
    stop: async (): Promise<void> => {
      await clients.loaded
      count()
      await log?.stop()
    },
  }
}
export type Usage = ReturnType<typeof createUsage>

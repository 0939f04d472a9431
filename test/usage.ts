import { type AnsweredRequest, createUsage, type Usage } from '../src/http/usage/usage.ts'
import { createLog, type Log } from '../src/runtime/log.ts'

/** A response as reported by the HTTP layer. */
export const answered = (over: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  route: '/fights',
  status: 200,
  durationUs: 1000,
  bytes: 100,
  sender: '192.0.2.1',
  userAgent: 'test',
  key: null,
  ...over,
})

/** A clock set by tests. */
export interface TestClock {
  ms: number
  /** Monotonic time; the process's by default. */
  monotonicMs?: number
}

/** Usage over the files in a folder, opened like the process does it, with its own clock. */
export const openTestUsage = async (
  dataDir: string,
  clock: TestClock,
  clientKeyRotation: 'day' | 'month' | 'never' = 'never',
  usageLogBytes = 1e9,
  log: Log = createLog('silent'),
): Promise<Usage> => {
  const usage = createUsage({
    clientKeyRotation,
    now: () => clock.ms,
    kept: {
      dataDir,
      usageLogBytes,
      log,
      monotonicNow: () => clock.monotonicMs ?? performance.now(),
    },
  })
  await usage.opened
  return usage
}

import { createLog } from '../src/log.ts'
import { type AnsweredRequest, type OpenedUsage, openUsage } from '../src/usage/usage.ts'

/** An answer as the HTTP side tells of it. */
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

/** A clock that tests set. */
export interface TestClock {
  ms: number
  /** Runs by itself unless given. */
  monotonicMs?: number
}

/** Usage over the files in a folder, opened as the process does it, with a clock of its own. */
export const openTestUsage = async (
  dataDir: string,
  clock: TestClock,
  clientKeyRotation: 'day' | 'month' | 'never' = 'never',
  usageLogBytes = 1e9,
): Promise<OpenedUsage> => {
  const usage = openUsage(
    { dataDir, clientKeyRotation, usageLogBytes },
    {
      log: createLog('silent'),
      now: () => clock.ms,
      monotonicNow: () => clock.monotonicMs ?? performance.now(),
    },
  )
  await usage.opened
  return usage
}

/** Waits until the log has written or dropped so many events. */
export const settled = async (usage: OpenedUsage, events: number): Promise<void> => {
  for (let round = 0; round < 500; round += 1) {
    const { written, dropped } = usage.logCounts()
    if (written + dropped >= events) return
    await Bun.sleep(10)
  }
  throw new Error(`the log has ${JSON.stringify(usage.logCounts())} instead of ${events}`)
}

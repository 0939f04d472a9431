import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { openListener } from '../../../src/data/source/listener.ts'
import { freePort } from '../../freePort.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test.each([
  ['tries', 0],
  ['waits', 4000],
])(
  'a missing server is retried with back-off up to 30 s and reported once; close works while it %s',
  async (_, closedAfterMs) => {
    const url = `postgres://reader@127.0.0.1:${freePort()}/league`
    let nowMs = 0
    const triedMs: number[] = []
    const reasons: string[] = []
    const listener = openListener(
      () => {
        triedMs.push(nowMs)
        return url
      },
      { onNotify: () => undefined, onLost: (reason) => reasons.push(reason) },
    )
    const pass = async (): Promise<void> => {
      nowMs += 50
      jest.advanceTimersByTime(50)
      // The network needs real time.
      await new Promise((resolve) => setImmediate(resolve))
    }
    while (triedMs.length < 12 || nowMs < Number(triedMs[11]) + closedAfterMs) await pass()
    const closedMs = nowMs
    let isClosed = false
    void listener.close().then(() => {
      isClosed = true
    })
    while (!isClosed) await pass()
    // An attempt takes at most 5 s.
    expect(nowMs - closedMs).toBeLessThan(6000)
    // Other tests of this process may have timers too, so only the attempts are counted.
    jest.advanceTimersByTime(60_000)
    expect(triedMs).toHaveLength(12)
    // The first attempt only finds the address; the next ones follow after 250 ms, 500 ms and so on.
    const delays = triedMs.slice(2).map((at, index) => at - Number(triedMs[index + 1]))
    for (const [index, delayMs] of delays.entries()) {
      const expectedMs = Math.min(250 * 2 ** index, 30_000)
      expect([index, Math.floor((delayMs - expectedMs) / 6000)]).toEqual([index, 0])
    }
    expect(reasons).toEqual(['the database cannot be reached'])
  },
)

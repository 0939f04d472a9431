import { expect, test } from 'bun:test'
import { openListener } from '../../../src/source/listener.ts'
import { freePort } from '../../freePort.ts'
import { until } from '../../until.ts'

test('a server that is not there is tried later each time, and reported once', async () => {
  const url = `postgres://reader@127.0.0.1:${await freePort()}/league`
  const triedMs: number[] = []
  const reasons: string[] = []
  const listener = openListener(
    () => {
      triedMs.push(performance.now())
      return url
    },
    { onNotify: () => undefined, onLost: (reason) => reasons.push(reason) },
  )
  await until(() => triedMs.length === 5)
  await listener.close()
  // The first is for the address alone; then 250 ms, 500 ms, 1 s.
  const [, first = 0, , last = 0] = triedMs.slice(1).map((at, index) => at - (triedMs[index] ?? 0))
  expect(last).toBeGreaterThan(2 * first)
  expect(reasons).toEqual(['the database cannot be reached'])
})

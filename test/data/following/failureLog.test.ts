import { expect, test } from 'bun:test'
import { createFailureLog } from '../../../src/data/following/failureLog.ts'

test('a failure is logged if its reason is new, after a success, or after a minute without data', () => {
  const lines: string[] = []
  let isServing = false
  let ms = 0
  const { failed, succeeded } = createFailureLog(
    (level, message, fields) => void lines.push(`${level} ${message}: ${fields?.reason}`),
    () => isServing,
    () => ms,
  )
  // The first, third and last failures are logged.
  for (const at of [70_000, 129_999, 130_000, 189_999, 190_000]) {
    ms = at
    failed({ reason: 'down' })
  }
  isServing = true
  ms = 999_999
  for (const reason of ['down', 'slow', 'slow', 'down']) failed({ reason })
  succeeded()
  failed({ reason: 'down' })
  expect(lines).toEqual([
    ...Array.from({ length: 3 }, () => 'error nothing to serve yet, waiting: down'),
    ...['slow', 'down', 'down'].map((reason) => `error refresh failed: ${reason}`),
  ])
})

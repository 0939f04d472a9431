import { expect, test } from 'bun:test'
import { createFailureLog } from '../../../src/following/failureLog.ts'

test('each new reason is logged once, and the same one again after a success', () => {
  const lines: string[] = []
  let isServing = false
  const { failed, succeeded } = createFailureLog(
    (level, message, fields) => void lines.push(`${level} ${message}: ${fields?.reason}`),
    () => isServing,
  )
  failed({ reason: 'down' })
  failed({ reason: 'down' })
  isServing = true
  for (const reason of ['down', 'slow', 'slow', 'down']) failed({ reason })
  succeeded()
  failed({ reason: 'down' })
  expect(lines).toEqual([
    'error nothing to serve yet, waiting: down',
    ...['slow', 'down', 'down'].map((reason) => `error refresh failed: ${reason}`),
  ])
})

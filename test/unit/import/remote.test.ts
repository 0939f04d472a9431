import { expect, test } from 'bun:test'
import { retryAfterMs } from '../../../scripts/import/remote/remote.ts'

test('Retry-After is seconds or a date', () => {
  const now = Date.UTC(2026, 2, 14)
  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs(new Date(now + 5000).toUTCString(), now)).toBe(5000)
  expect(retryAfterMs(new Date(now - 5000).toUTCString(), now)).toBe(0)
  for (const none of [null, '', 'soon']) expect(retryAfterMs(none, now)).toBeUndefined()
})

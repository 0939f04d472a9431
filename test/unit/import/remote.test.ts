import { expect, test } from 'bun:test'
import { createReader } from '../../../scripts/import/api/reader.ts'
import type { Problem } from '../../../scripts/import/problems.ts'
import { RemoteError, retryAfterMs } from '../../../scripts/import/remote/remote.ts'

test('Retry-After is seconds or a date', () => {
  const now = Date.UTC(2026, 2, 14)
  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs(new Date(now + 5000).toUTCString(), now)).toBe(5000)
  expect(retryAfterMs(new Date(now - 5000).toUTCString(), now)).toBe(0)
  for (const none of [null, '', 'soon']) expect(retryAfterMs(none, now)).toBeUndefined()
})

test('a part of the API that a server lacks is one problem, whichever address shows it', async () => {
  const problems: Problem[] = []
  const get = (path: string) => Promise.reject(new RemoteError(path, 'it answered 404', 404))
  const reader = createReader({ base: '', get, requests: () => 0 }, (each) => problems.push(each))
  for (const fight of [3, 1, 2, 4]) await reader.read(`/stats/fight/cup/W-${fight}`, 'stats')
  expect(problems).toEqual([{ where: 'stats', reason: 'the server has none' }])
})

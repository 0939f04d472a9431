import { describe, expect, test } from 'bun:test'
import { createReader } from '../../../scripts/import/api/reader.ts'
import type { Problem } from '../../../scripts/import/problems.ts'
import { createRemote, RemoteError, retryAfterMs } from '../../../scripts/import/remote/remote.ts'

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

describe('a server', () => {
  /** Two requests to a server that answers the first one so; the milliseconds between them as it saw them. */
  const requestTwice = async (
    status: number,
    headers: () => Readonly<Record<string, string>> = () => ({}),
  ) => {
    const times: number[] = []
    await using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => {
        times.push(performance.now())
        return times.length === 1
          ? new Response('{}', { status, headers: headers() })
          : Response.json({})
      },
    })
    const { get } = createRemote({ base: server.url.origin, rate: 1000, retryMs: 1 })
    const first = await get('/').then(
      () => 'answered',
      ({ message }) => message,
    )
    await get('/')
    return { first, waitedMs: (times[1] ?? 0) - (times[0] ?? 0) }
  }

  test.each([408, 425, 429, 500, 503])('that answers %d is asked again', async (status) => {
    expect((await requestTwice(status)).first).toBe('answered')
  })

  test.each([400, 401, 403, 404, 410])('that answers %d is not', async (status) => {
    expect((await requestTwice(status)).first).toBe(`it answered ${status}`)
  })

  test.each([
    ['x-ratelimit-', () => 0.1],
    ['ratelimit-', () => 0.1],
    ['x-ratelimit-', () => Date.now() / 1000 + 0.1],
  ])('whose quota by %s is used up rests until its reset', async (prefix, reset) => {
    const { waitedMs } = await requestTwice(200, () => ({
      [`${prefix}remaining`]: '0',
      [`${prefix}reset`]: String(reset()),
    }))
    // Of two clocks.
    expect(waitedMs).toBeGreaterThan(98)
  })
})

import { describe, expect, test } from 'bun:test'
import { createReader } from '../../scripts/import/api/reader.ts'
import type { Problem } from '../../scripts/import/problems.ts'
import {
  createRemote,
  RemoteError,
  type RemoteOptions,
  retryAfterMs,
} from '../../scripts/import/remote/remote.ts'

test('Retry-After is seconds or a date', () => {
  const now = Date.UTC(2026, 2, 14)
  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs(new Date(now + 5000).toUTCString(), now)).toBe(5000)
  expect(retryAfterMs(new Date(now - 5000).toUTCString(), now)).toBe(0)
  for (const none of [null, '', 'soon']) expect(retryAfterMs(none, now)).toBeUndefined()
})

test('a part of the API that a server lacks is one problem, whichever URL shows it', async () => {
  const problems: Problem[] = []
  const get = (path: string) =>
    Promise.reject(new RemoteError(path, 'the server answered 404', 404))
  const reader = createReader({ base: '', get, requests: () => 0 }, (each) => problems.push(each))
  for (const fight of [3, 1, 2, 4]) await reader.read(`/stats/fight/cup/W-${fight}`, 'stats')
  expect(problems).toEqual([{ where: 'stats', reason: 'the server has none' }])
})

describe('a server', () => {
  /**
   * Sends two requests to a server whose first answer is given; returns the milliseconds between them at the server.
   */
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

  test.each([408, 425, 429, 500, 503])(
    'a server that answers %d is asked again',
    async (status) => {
      expect((await requestTwice(status)).first).toBe('answered')
    },
  )

  test.each([400, 401, 403, 404, 410])(
    'a server that answers %d is not asked again',
    async (status) => {
      expect((await requestTwice(status)).first).toBe(`the server answered ${status}`)
    },
  )

  test.each([
    ['x-ratelimit-', () => 0.1],
    ['ratelimit-', () => 0.1],
    ['x-ratelimit-', () => Date.now() / 1000 + 0.1],
  ])('a server whose quota by %s is used up rests until its reset', async (prefix, reset) => {
    const { waitedMs } = await requestTwice(200, () => ({
      [`${prefix}remaining`]: '0',
      [`${prefix}reset`]: String(reset()),
    }))
    // The tolerance is for two clocks.
    expect(waitedMs).toBeGreaterThan(98)
  })

  /** A server that counts its answers, and its client. */
  const serverOf = (answer: (index: number, path: string) => Response | Promise<Response>) => {
    const state = { requests: 0 }
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => answer(state.requests++, new URL(url).pathname),
    })
    const client = (options: Partial<RemoteOptions> = {}) =>
      createRemote({ base: server.url.origin, rate: 100_000, retryMs: 0, ...options })
    return { state, client, [Symbol.asyncDispose]: () => server.stop(true) }
  }
  const outcomeOf = (request: Promise<unknown>) =>
    request.then(
      () => 'answered',
      ({ message }) => message,
    )

  test('a server that asks for more than 15 minutes is given up', async () => {
    const headers = { 'Retry-After': '901' }
    await using server = serverOf(() => new Response('', { status: 503, headers }))
    expect(await outcomeOf(server.client().get('/'))).toBe('the server answered 503')
    expect(server.state.requests).toBe(1)
  })

  test('a server that keeps asking to wait is given up after 30 waits and 7 attempts', async () => {
    const headers = { 'Retry-After': '0' }
    await using server = serverOf((index) =>
      index < 60 ? new Response('', { status: 429, headers }) : Response.json({}),
    )
    const notes: string[] = []
    const { get } = server.client({ note: (text) => notes.push(text) })
    expect(await outcomeOf(get('/'))).toBe('the server answered 429')
    expect(server.state.requests).toBe(37)
    expect(notes).toEqual([])
  })

  test('a wait of 5 s or more that a server asks for is reported', async () => {
    const headers = { 'Retry-After': '5' }
    await using server = serverOf(() => new Response('', { status: 429, headers }))
    const stop = new AbortController()
    const { promise: noted, resolve: note } = Promise.withResolvers<string>()
    const { get } = server.client({ note, signal: stop.signal })
    void outcomeOf(get('/cages'))
    expect(await noted).toEndWith('/cages: the server answered 429; waiting 5 s as it asks')
    stop.abort()
  })

  test('a server that does not answer in time is asked again', async () => {
    await using server = serverOf(async (index) => {
      if (index === 0) await Bun.sleep(1000)
      return Response.json(index)
    })
    // A busy machine may answer the second time late, too.
    expect(await server.client({ timeoutMs: 50 }).get('/')).toBePositive()
  })

  test('a server is out of order after 20 failed paths in a row, missing ones not counted', async () => {
    await using server = serverOf((_, path) =>
      path === '/fine'
        ? Response.json({})
        : // Given up at once.
          new Response('', { status: Number(path.slice(1)), headers: { 'Retry-After': '901' } }),
    )
    const { get } = server.client()
    const failing = async (status: number, count: number): Promise<string> => {
      for (let left = count; left > 1; left -= 1) await outcomeOf(get(`/${status}`))
      return outcomeOf(get(`/${status}`))
    }
    expect(await failing(404, 21)).toBe('the server answered 404')
    expect(await failing(500, 19)).toBe('the server answered 500')
    expect(await outcomeOf(get('/fine'))).toBe('answered')
    expect(await failing(500, 19)).toBe('the server answered 500')
    expect(await failing(404, 1)).toBe('the server answered 404')
    expect(await failing(500, 20)).toBe('the server answered 500')
    expect(await outcomeOf(get('/fine'))).toEndWith('out of order: 20 requests failed in a row')
  })

  test('a server is asked as often as the rate says, after the first two requests', async () => {
    await using server = serverOf(() => Response.json({}))
    const { get } = server.client({ rate: 50 })
    const begun = performance.now()
    await Promise.all([1, 2, 3, 4].map(() => get('/')))
    expect(performance.now() - begun).toBeGreaterThan(39)
  })
})

import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { companionOf, createChanges } from '../../src/companions/changes/changes.ts'
import { createStreams } from '../../src/companions/changes/streams.ts'
import { createArrival } from '../../src/http/arrival.ts'
import { createLimiter } from '../../src/http/limiter.ts'
import type { BodyStream } from '../../src/http/requestContext.ts'
import { createUsage } from '../../src/http/usage/usage.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, archiveOf, serviceOf } from '../fixtures.ts'
import { fightRows, tournamentOf } from '../rows.ts'

const archive = archiveOf(
  tournamentOf({}, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')]),
)
const client = '203.0.113.1'

/** Status of each path, requested in turn. */
const statuses = async (
  app: ReturnType<typeof appOf>,
  paths: readonly string[],
  sender = client,
) => {
  const found: number[] = []
  for (const path of paths) {
    const response = await app(new Request(`http://localhost${path}`), sender)
    await response.text()
    found.push(response.status)
  }
  return found
}
const times = (count: number, path: (n: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, n) => path(n))

describe('limits by client', () => {
  const limits = { rate: 1, burst: 20, maxWaiting: 0 }

  test('a client without units gets 429, but other clients and probes do not', async () => {
    const usage = createUsage()
    const app = appOf(archive, { limits, usage })
    // One uncached response at 5 units, then cached ones.
    const found = await statuses(
      app,
      times(18, () => '/fights?limit=1'),
    )
    expect(found.filter((status) => status === 200).length).toBe(16)
    expect(found.at(-1)).toBe(429)
    expect(await statuses(app, ['/health', '/ready'])).toEqual([200, 200])
    expect(await statuses(app, ['/fights?limit=1'], '203.0.113.2')).toEqual([200])
    expect((await usage.report(1, '/fights')).totals.errors).toBe(2)
  })

  test('an uncached response costs more units', async () => {
    const app = appOf(archive, { limits })
    const found = await statuses(
      app,
      times(10, (n) => `/search?q=bot${n}`),
    )
    expect(found.filter((status) => status === 200).length).toBe(4)
  })

  test('probes and streams cost nothing, however many', async () => {
    const app = appOf(archive, { limits })
    for (let n = 0; n < 30; n += 1) {
      const probes = await statuses(app, ['/health', '/ready', '/health/'])
      expect(probes).toEqual([200, 200, 200])
      const stream = await app(new Request('http://localhost/changes/stream'), client)
      expect(stream.status).toBe(200)
      await stream.body?.cancel()
    }
    expect(await statuses(app, ['/fights?limit=1'])).toEqual([200])
  })

  test('reading old changes from the log costs units, and a client in debt is refused', async () => {
    const { feed } = createChanges()
    feed.begin(archive)
    await feed.ready
    const read: typeof feed.read = async (place, filter, limit, charge) => {
      charge?.(8 * 2 ** 20)
      return feed.read(place, filter, limit)
    }
    const streams = createStreams({ ...feed, read }, { maxStreams: 9, maxStreamsPerClient: 9 })
    const app = appOf(archive, { limits, changes: companionOf(feed, streams) })
    const paths = ['/changes', '/changes', '/changes/stream', '/health']
    expect(await statuses(app, paths)).toEqual([200, 429, 429, 200])
    expect(await statuses(app, ['/changes'], '203.0.113.2')).toEqual([200])
  })

  test('error pages are rendered once per status and choice about outcomes', async () => {
    const made: string[] = []
    const app = createArrival(serviceOf(archive), {
      routes: new Elysia(),
      log: createLog('silent'),
      onSent: () => undefined,
      limiter: createLimiter({ rate: 1, burst: 40, maxWaiting: 0 }),
      errorPage: async ({ status, spoilers }, { headers }) => {
        made.push(`${status} ${spoilers}`)
        headers['content-type'] = 'text/html'
        return new Response(`${status} ${spoilers}`, { status })
      },
    })
    const texts: string[] = []
    for (const path of times(60, (n) => `/nowhere/${n}${n % 2 ? '?spoilers=0' : ''}`)) {
      const request = new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } })
      const { status, headers, text } = await app(request, client)
      expect([headers.has('retry-after'), headers.get('content-type')]).toEqual([
        status === 429,
        'text/html',
      ])
      texts.push(await text.call(await app(request, client)))
    }
    expect(made.toSorted()).toEqual(['404 0', '404 undefined', '429 0', '429 undefined'])
    expect(new Set(texts)).toEqual(new Set(made))
  })

  test('an error page that cannot be made is JSON, and made at the next request', async () => {
    let attempts = 0
    const app = createArrival(serviceOf(archive), {
      routes: new Elysia(),
      log: createLog('silent'),
      onSent: () => undefined,
      errorPage: async (_, { headers }) => {
        attempts += 1
        if (attempts === 1) throw new Error('no disk')
        headers['content-type'] = 'text/html'
        return new Response('a page')
      },
    })
    const ask = async () => {
      const request = new Request('http://localhost/nowhere', { headers: { accept: 'text/html' } })
      return (await app(request)).headers.get('content-type')
    }
    expect([await ask(), await ask()]).toEqual(['application/json', 'text/html'])
  })

  test('the bytes of a file count when it is sent', async () => {
    const bytes = new Uint8Array(2 * 2 ** 20)
    const file: BodyStream = {
      open: (connection) => {
        connection.ended(bytes.length)
        return new Blob([bytes])
      },
      leave: () => undefined,
    }
    const app = createArrival(serviceOf(archive), {
      routes: new Elysia().get('/file', () => file),
      log: createLog('silent'),
      onSent: () => undefined,
      limiter: createLimiter({ rate: 1, burst: 100, maxWaiting: 0 }),
    })
    const found = await statuses(
      app,
      times(20, () => '/file'),
    )
    // The request costs 5 units and its bytes 8.
    expect(found.filter((status) => status === 200)).toHaveLength(8)
  })

  test.each<readonly [number, number, string, RequestInit]>([
    [204, 1, '/fights', { method: 'OPTIONS' }],
    [405, 1, '/fights', { method: 'POST' }],
    [404, 1, '/none', {}],
    [400, 1, '/fights', { headers: { host: 'a,b' } }],
    [414, 1, `/${'a'.repeat(9000)}`, {}],
    [404, 5, '/bots/nobody', {}],
  ])('a response with status %d takes %d units', async (status, units, path, init) => {
    const app = appOf(archive, { limits })
    for (let taken = 0; taken < limits.burst; taken += units) {
      const response = await app(new Request(`http://localhost${path}`, init), client)
      expect(response.status).toBe(status)
    }
    expect(await statuses(app, ['/fights'])).toEqual([429])
  })

  test('a refusal says when to retry, in the form of errors', async () => {
    const app = appOf(archive, { limits: { ...limits, burst: 1 } })
    await statuses(app, ['/fights'])
    const response = await app(new Request('http://localhost/fights'), client)
    expect(response.status).toBe(429)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': '5',
      ratelimit: '"client";r=0;t=5',
      'ratelimit-policy': '"client";q=1;w=1',
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringMatching(/,RateLimit,RateLimit-Policy$/),
      'x-request-id': expect.any(String),
    })
    expect(await response.json()).toEqual({ error: 'too many requests from this address' })
  })

  test('a cached URL of the API is refused in JSON beyond the limits, even for browsers', async () => {
    const app = appOf(archive, { limits: { ...limits, burst: 1 } })
    const ask = () => {
      const headers = { accept: 'text/html,*/*;q=0.8' }
      return app(new Request('http://localhost/fights', { headers }), client)
    }
    await ask()
    expect(await (await ask()).json()).toEqual({ error: 'too many requests from this address' })
  })

  test('one client cannot take all places for work', async () => {
    const app = appOf(archive, { limits: { ...limits, rate: 0, maxWaiting: 3 } })
    const ask = (n: number, sender: string) =>
      app(new Request(`http://localhost/search?q=bot${n}`), sender)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n, client)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(7)
    expect([refused[0]?.headers.get('retry-after'), refused[0]?.headers.has('ratelimit')]).toEqual([
      '1',
      false,
    ])
    const two = await Promise.all([ask(20, client), ask(21, '203.0.113.2')])
    expect(two.map(({ status }) => status)).toEqual([200, 200])
  })

  test('nobody is refused if there are no limits', async () => {
    const found = await statuses(
      appOf(archive),
      times(2000, () => '/fights?limit=1'),
    )
    expect(new Set(found)).toEqual(new Set([200]))
  })
})

import { describe, expect, test } from 'bun:test'
import { createUsage } from '../../src/http/usage/usage.ts'
import { appOf, archiveOf, get, serviceOf } from '../fixtures.ts'
import { fightRows, playersAs, tournamentOf } from '../rows.ts'

const archive = archiveOf(
  tournamentOf(
    {},
    playersAs({ p1: 'Axe', p2: 'Blåde' }),
    Array.from({ length: 30 }, (_, index) => fightRows({ id: `W-${index}` }, 'p1', 'p2')),
  ),
)
const today = Date.UTC(2026, 2, 14, 12)

/** An app with its own usage, and what its visitors do. */
const visited = ({
  basePath = '',
  source = serviceOf(archive),
}: {
  basePath?: string
  source?: ReturnType<typeof serviceOf>
} = {}) => {
  const clock = { ms: today }
  const usage = createUsage({ now: () => clock.ms })
  const app = appOf(source, { basePath, usage })
  return {
    app,
    clock,
    visit: async (path: string, init: RequestInit = {}, peer = '192.0.2.1') => {
      const response = await app(new Request(`http://localhost${path}`, init), peer)
      return { status: response.status, bytes: (await response.bytes()).length }
    },
    usage: async (query = '') => (await get(app, `${basePath}/usage${query}`)).body.usage,
  }
}
type Visited = ReturnType<typeof visited>

const counted = async ({ usage }: Visited) =>
  Object.fromEntries(
    (await usage('?days=365')).perEndpoint.map(
      ({ endpoint, requests }: { endpoint: string; requests: number }) => [endpoint, requests],
    ),
  )

describe('the usage of answers', () => {
  test.each([
    ['/tournaments', {}, '/tournaments', 200],
    ['/tournaments/', {}, '/tournaments', 200],
    ['/tournaments?key=me&q=secret', {}, '/tournaments', 200],
    ['/tournaments/spring_30lb/fights/W-1', {}, '/tournaments/:tournamentID/fights/:gameID', 200],
    ['/%74ournaments/spring_30lb', {}, '/tournaments/:tournamentID', 200],
    ['/tournaments', { method: 'HEAD' }, '/tournaments', 200],
    ['/tournaments', { headers: { 'if-none-match': '*' } }, '/tournaments', 304],
    ['/tournaments/unknown', {}, '/tournaments/:tournamentID', 404],
    ['/search?q=a', {}, '/search', 400],
    ['/tournaments', { method: 'POST' }, '/tournaments', 405],
    ['/bots/axe/fights/', { method: 'DELETE' }, '/bots/:bot/fights', 405],
    ['/nowhere', { method: 'POST' }, '(unmatched)', 405],
    ['/bots/axe', { method: 'OPTIONS' }, '/bots/:bot', 204],
    ['/nowhere', { method: 'OPTIONS' }, '(unmatched)', 204],
    ['/nowhere', {}, '(unmatched)', 404],
    ['/tournaments/%', {}, '(unmatched)', 404],
    ['/health', {}, '/health', 200],
    ['/ready', {}, '/ready', 200],
    ['/usage', {}, '/usage', 200],
  ])('%s %p counts once as %s with %i', async (path, init, endpoint, status) => {
    const here = visited()
    const preflight = { origin: 'https://x.example', 'access-control-request-method': 'GET' }
    const answer = await here.visit(
      path,
      'method' in init && init.method === 'OPTIONS' ? { ...init, headers: preflight } : init,
    )
    expect(answer.status).toBe(status)
    const usage = await here.usage()
    expect(usage.perEndpoint).toMatchObject([{ endpoint, requests: 1, bytes: answer.bytes }])
    expect(usage.statusCodes).toEqual({ [status]: 1 })
    expect(usage.totalErrors).toBe(status >= 400 ? 1 : 0)
    expect(usage.totalBytes).toBe(answer.bytes)
  })

  test('a cached answer counts like the first', async () => {
    const here = visited()
    for (const path of ['/fights', '/fights?page=1', '/fights?page=1&x=2', '/fights']) {
      await here.visit(path)
    }
    expect(await counted(here)).toEqual({ '/fights': 4 })
  })

  test('a compressed body counts as many bytes as were sent', async () => {
    const here = visited()
    const plain = await here.visit('/fights')
    const packed = await here.visit('/fights', { headers: { 'accept-encoding': 'br' } })
    expect(packed.bytes).toBeLessThan(plain.bytes)
    expect((await here.usage()).totalBytes).toBe(plain.bytes + packed.bytes)
  })

  test('answers 500 and 503 count as well', async () => {
    const broken = visited({
      source: serviceOf({
        ...archiveOf(),
        get dataset(): never {
          throw new Error('broken')
        },
      }),
    })
    await broken.visit('/tournaments')
    expect((await broken.usage()).statusCodes).toEqual({ 500: 1 })
    const empty = visited({ source: serviceOf(undefined) })
    await empty.visit('/tournaments')
    expect((await empty.usage()).statusCodes).toEqual({ 503: 1 })
    expect(await counted(empty)).toEqual({ '/tournaments': 1 })
  })

  test('the base path is not part of a counted template', async () => {
    const here = visited({ basePath: '/x/api' })
    await here.visit('/x/api/bots/axe')
    await here.visit('/x/api/bots/axe', { method: 'PUT' })
    await here.visit('/bots/axe')
    for (const home of ['/x/api', '/x/api/', '/x/api']) await here.visit(home)
    const response = await here.app(new Request('http://localhost/x/api/usage'))
    const body: unknown = await response.json()
    expect(body).toHaveProperty('usage.perEndpoint', [
      expect.objectContaining({ endpoint: '/', requests: 3 }),
      expect.objectContaining({ endpoint: '/bots/:bot', requests: 2 }),
      expect.objectContaining({ endpoint: '(unmatched)', requests: 1 }),
    ])
  })

  test('requests of the process to itself are not counted', async () => {
    const here = visited()
    await here.app(new Request('http://localhost/tournaments'))
    expect((await here.usage()).totalRequests).toBe(0)
  })
})

describe('GET /usage', () => {
  test('/usage has every day of its range, with zeros, without requests', async () => {
    const { usage } = visited()
    const empty = await usage('?days=3')
    expect(empty).toEqual({
      days: 3,
      from: '2026-03-12',
      to: '2026-03-14',
      endpoint: null,
      totalRequests: 0,
      totalErrors: 0,
      errorRate: 0,
      uniqueClients: 0,
      totalBytes: 0,
      responseTimeMs: { average: 0, p50: 0, p95: 0, p99: 0, max: 0 },
      perDay: ['2026-03-12', '2026-03-13', '2026-03-14'].map((date) => ({
        date,
        requests: 0,
        errors: 0,
        uniqueClients: 0,
        averageMs: 0,
        bytes: 0,
      })),
      perEndpoint: [],
      statusCodes: {},
      topClients: [],
      consumers: [],
    })
  })

  test.each([
    ['', 30],
    ['?days=1', 1],
    ['?days=0', 1],
    ['?days=-3', 1],
    ['?days=366', 365],
    ['?days=1e2', 30],
    ['?days=', 30],
    ['?days=7&days=9', 9],
  ])('/usage%s counts %i days', async (query, days) => {
    const usage = await visited().usage(query)
    expect(usage.days).toBe(days)
    expect(usage.perDay).toHaveLength(days)
    expect(usage.perDay.at(-1).date).toBe('2026-03-14')
  })

  test('/usage distinguishes clients by network and user agent', async () => {
    const here = visited()
    const as = (userAgent: string) => ({ headers: { 'user-agent': userAgent } })
    await here.visit('/ready', as('a'), '192.0.2.1')
    await here.visit('/ready', as('a'), '::ffff:192.0.2.1')
    await here.visit('/ready', as('b'), '192.0.2.1')
    await here.visit('/ready', as('a'), '192.0.2.2')
    await here.visit('/ready', as('a'), '2001:db8:1:2:3:4:5:6')
    await here.visit('/ready', as('a'), '2001:db8:1:2::')
    await here.visit('/ready', as('a'), '2001:db8:1:3::')
    // Only the first 1024 characters of a user agent count.
    for (const length of [1023, 1024])
      for (const end of ['a', 'b']) await here.visit('/ready', as('x'.repeat(length) + end))
    const { uniqueClients, topClients, perDay } = await here.usage()
    expect(uniqueClients).toBe(8)
    expect(perDay.at(-1).uniqueClients).toBe(8)
    expect(topClients.map(({ requests }: { requests: number }) => requests)).toEqual([
      2, 2, 2, 1, 1, 1, 1, 1,
    ])
    for (const { client } of topClients) expect(client).toMatch(/^[0-9a-f]{16}$/)
  })

  test('/usage gives clients other ids in each report', async () => {
    const here = visited()
    for (let sender = 1; sender <= 30; sender += 1) {
      await here.visit('/ready', {}, `192.0.2.${sender}`)
      await here.visit('/bots', {}, `192.0.2.${sender}`)
    }
    const published = new Set<string>()
    for (const query of ['', '', '?endpoint=/ready', '?endpoint=/bots']) {
      const { topClients } = await here.usage(query)
      for (const { client } of topClients) published.add(client)
      expect(topClients).toEqual(
        topClients.toSorted((a: { client: string }, b: { client: string }) =>
          a.client < b.client ? -1 : 1,
        ),
      )
    }
    expect(published.size).toBe(80)
  })

  test('/usage names callers by their key, from the header before the query', async () => {
    const here = visited()
    await here.visit('/ready', { headers: { 'x-api-key': 'Arena overlay' } })
    await here.visit('/ready?key=Arena%20overlay')
    await here.visit('/ready?key=other', { headers: { 'x-api-key': 'Arena overlay' } })
    await here.visit('/ready?key=first&key=B%C3%B6t+%F0%9F%A4%96')
    // The bytes of a header come as one character each; older clients send Latin 1.
    for (const name of ['BÃ¶t ð\u009f¤\u0096', 'Böt'])
      await here.visit('/ready', { headers: { 'x-api-key': name } })
    await here.visit('/ready?monkey=x&key=')
    await here.visit('/ready')
    const { consumers } = await here.usage()
    expect(consumers).toEqual([
      { name: 'Arena overlay', requests: 3, lastSeen: expect.any(Number) },
      { name: 'Böt 🤖', requests: 2, lastSeen: expect.any(Number) },
      { name: 'Böt', requests: 1, lastSeen: expect.any(Number) },
    ])
  })

  test.each([
    '/usage?endpoint=/bots/:bot',
    '/usage?endpoint=/bots/%7Bname%7D',
    '/usage?endpoint=/bots/%3Cbot_clean_name%3E',
    '/usage?endpoint=/bots/:bot/',
  ])('%s counts one endpoint', async (path) => {
    const here = visited()
    await here.visit('/bots/axe', { headers: { 'x-api-key': 'me' } })
    await here.visit('/bots/nobody', {}, '192.0.2.7')
    await here.visit('/bots', { headers: { 'x-api-key': 'you' } }, '192.0.2.8')
    const { body } = await get(here.app, path)
    expect(body.usage).toMatchObject({
      endpoint: '/bots/:bot',
      totalRequests: 2,
      totalErrors: 1,
      errorRate: 0.5,
      uniqueClients: 2,
      statusCodes: { 200: 1, 404: 1 },
      perEndpoint: [{ endpoint: '/bots/:bot', requests: 2 }],
      consumers: [{ name: 'me', requests: 1 }],
    })
    // Callers with a name are listed by it.
    expect(body.usage.topClients).toEqual([{ client: expect.any(String), requests: 1 }])
    expect(body.usage.perDay.at(-1)).toMatchObject({ requests: 2, uniqueClients: 2 })
  })

  test('/usage is all zeros for an endpoint without requests', async () => {
    const here = visited()
    await here.visit('/bots')
    const usage = await here.usage('?endpoint=/stats/leaderboard')
    expect(usage).toMatchObject({ endpoint: '/stats/leaderboard', totalRequests: 0 })
    expect(usage.perEndpoint).toEqual([])
  })
})

describe('a key changes no answer', () => {
  const keys = ['me', '', 'x'.repeat(8000), '<script>', '\u001b[31m', '"', '%', '/../', '304']
  test.each(['/tournaments', '/fights?page=2', '/bots/axe', '/nowhere', '/usage'])(
    'a key does not change the answer of %s',
    async (path) => {
      const { app } = visited()
      const plain = await get(app, path)
      const same = async (odd: Awaited<ReturnType<typeof get>>) => {
        expect(odd.status).toBe(plain.status)
        expect(odd.bytes).toEqual(plain.bytes)
        expect(odd.headers.get('etag')).toBe(plain.headers.get('etag'))
      }
      for (const key of keys) {
        const joined = path.includes('?') ? '&' : '?'
        await same(await get(app, `${path}${joined}key=${encodeURIComponent(key)}`))
        const header = key.replaceAll(/[^\x20-\x7e]/g, '')
        await same(await get(app, path, { 'x-api-key': header }))
      }
    },
  )
})

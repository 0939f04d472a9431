import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createArrival } from '../../src/http/arrival.ts'
import { createUsage } from '../../src/http/usage/usage.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, archiveOf, contract, serviceOf } from '../fixtures.ts'
import { fightRows, playersAs, tournamentOf } from '../rows.ts'

const archiveOfFights = (length: number) =>
  archiveOf(
    tournamentOf(
      {},
      playersAs({ p1: 'Axe', p2: 'Blade' }),
      Array.from({ length }, (_, index) => fightRows({ id: `W-${index}` }, 'p1', 'p2')),
    ),
  )
const archive = archiveOfFights(30)
const ask = async (app: ReturnType<typeof appOf>, path: string) =>
  app(new Request(`http://localhost${path}`))

/** Requests of two kinds, each for a different response: more than may wait, however cheap. */
const fill = (app: ReturnType<typeof appOf>, count = 10_200, sender?: string) =>
  Array.from({ length: count }, async (_, page) =>
    app(new Request(`http://localhost/${page % 2 ? 'fights' : 'bots'}?page=${page + 2}`), sender),
  )
const end = async (requests: readonly Promise<Response>[]): Promise<void> =>
  void (await Promise.all(requests))

test('requests for one URL share one response, in any coding, and take no place in the queue', async () => {
  let served = archive
  const usage = createUsage()
  const made: string[] = []
  const app = appOf(
    { ...serviceOf(archive), archive: () => served },
    { usage, observers: [({ route, isCached }) => void (isCached || made.push(`${route}`))] },
  )
  const limited = appOf(archive, { limits: { rate: 0, burst: 1, maxWaiting: 1 } })
  for (const version of ['first', 'next']) {
    served = { ...archiveOfFights(31), version, dataVersion: version }
    made.length = 0
    const dear = fill(app, 9000)
    const all = ['br', 'gzip', 'zstd', 'identity'].flatMap((coding) =>
      Array.from({ length: 500 }, () =>
        app(new Request('http://localhost/live', { headers: { 'accept-encoding': coding } }), 'a'),
      ),
    )
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses).toEqual(all.map(() => 200))
    expect(made).toEqual(['/live'])
    await end(dear)
  }
  const own = Array.from({ length: 9 }, () =>
    limited(new Request('http://localhost/fights'), '192.0.2.1'),
  )
  expect((await Promise.all(own)).map(({ status }) => status)).toEqual(own.map(() => 200))
})

test('requests for one URL with an uncacheable response wait for each other only once', async () => {
  let [running, most] = [0, 0]
  const slow = new Elysia().get('/slow', async () => {
    running += 1
    most = Math.max(most, running)
    await Bun.sleep(100)
    running -= 1
    return 'slow'
  })
  const app = createArrival(serviceOf(archive), {
    routes: slow,
    log: createLog('silent'),
    onSent: () => undefined,
  })
  await Promise.all(Array.from({ length: 8 }, () => app(new Request('http://localhost/slow'))))
  expect(most).toBe(7)
})

describe('more expensive requests than can wait', () => {
  test('surplus expensive requests are refused with 503, and the rest is answered', async () => {
    const app = appOf(archive)
    await (await ask(app, '/fights')).bytes()
    const dear = fill(app)
    const cheap = ['/fights', '/health', '/ready', '/live/streams'].map((path) => ask(app, path))
    expect((await Promise.all(cheap)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const responses = await Promise.all(dear)
    const refused = responses.filter(({ status }) => status === 503)
    // A slow machine refuses more.
    expect(refused.length).toBeGreaterThanOrEqual(200)
    expect(responses.filter(({ status }) => status !== 503 && status !== 200)).toEqual([])
    for (const { status, headers, json } of refused.slice(0, 1)) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('etag')).toBeNull()
      const body: unknown = await json.call(refused[0])
      expect(contract.problems('/fights', { status, headers, body })).toEqual([])
    }
    expect((await ask(app, '/fights?page=2000')).status).toBe(200)
  })

  test('surplus expensive requests leave room for a response whose old version is cached', async () => {
    let served = archive
    const app = appOf({ ...serviceOf(archive), archive: () => served })
    await (await ask(app, '/fights')).bytes()
    served = { ...archiveOfFights(31), version: 'next', dataVersion: 'next' }
    const dear = Array.from({ length: 1200 }, (_, page) => ask(app, `/fights?page=${page + 2}`))
    expect((await ask(app, '/fights')).status).toBe(200)
    await Promise.all(dear)
  })

  test('compressing a stored body waits for its turn, too', async () => {
    const app = appOf(archive)
    await (await ask(app, '/fights')).bytes()
    const dear = fill(app)
    const request = new Request('http://localhost/fights', { headers: { 'accept-encoding': 'br' } })
    expect((await app(request)).status).toBe(503)
    await end(dear)
    expect((await app(request)).headers.get('content-encoding')).toBe('br')
  })

  test('an overload answers 503 only on operations that document it', async () => {
    const operations = contract.operations.filter(({ template }) => template !== '/changes/stream')
    const app = appOf(archive)
    const dear = fill(app)
    const statuses = operations.map(async ({ template, operation }, index) => {
      // These operations answer 503 only without data, or with too many streams.
      const isDescribed = '503' in operation.responses && !['/ready', '/changes'].includes(template)
      const { status } = await ask(app, `${template.replace(/\{\w+\}/g, '1')}?n=${index}`)
      expect([template, status === 503]).toEqual([template, isDescribed])
    })
    await Promise.all(statuses)
    await end(dear)
  })

  test('requests refused with 503 are counted as usage', async () => {
    const usage = createUsage()
    const app = appOf(archive, { usage })
    const dear = fill(app, 10_200, '192.0.2.1')
    const responses = await Promise.all(dear)
    const refused = responses.filter(({ status }) => status === 503).length
    const { totals, statuses } = await usage.report(1, undefined)
    expect(totals.requests).toBe(10_200)
    expect(refused).toBeGreaterThan(0)
    expect(statuses.get(503)).toBe(refused)
  })
})

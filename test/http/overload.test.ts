import { describe, expect, test } from 'bun:test'
import { createUsage } from '../../src/usage/usage.ts'
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

describe('more dear requests than can wait', () => {
  test('are refused with 503, and the rest is answered', async () => {
    const app = appOf(archive)
    await (await ask(app, '/fights')).bytes()
    const dear = Array.from({ length: 1500 }, (_, page) => ask(app, `/fights?page=${page + 2}`))
    const cheap = ['/fights', '/health', '/ready', '/live/streams'].map((path) => ask(app, path))
    expect((await Promise.all(cheap)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const responses = await Promise.all(dear)
    const refused = responses.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThanOrEqual(1299)
    expect(refused.length).toBeLessThan(1500)
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

  test('leave room for a response of which the cache has an old version', async () => {
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
    const dear = Array.from({ length: 1200 }, (_, page) => ask(app, `/fights?page=${page + 2}`))
    const request = new Request('http://localhost/fights', { headers: { 'accept-encoding': 'br' } })
    expect((await app(request)).status).toBe(503)
    await Promise.all(dear)
    expect((await app(request)).headers.get('content-encoding')).toBe('br')
  })

  test('make 503 of what is described with it, and of nothing else', async () => {
    const operations = contract.operations.filter(({ template }) => template !== '/changes/stream')
    const hold = async ({ template, operation }: (typeof operations)[number]): Promise<void> => {
      const app = appOf(archive)
      const dear = Array.from({ length: 300 }, (_, page) => ask(app, `/fights?page=${page + 2}`))
      const path = template.replace(/\{\w+\}/g, '1')
      // They answer 503 without data, or with too many streams alone.
      const others = ['/ready', '/changes']
      const isDescribed = '503' in operation.responses && !others.includes(template)
      expect([template, (await ask(app, path)).status === 503]).toEqual([template, isDescribed])
      await Promise.all(dear)
    }
    // Each has an app of its own, whose queue is full at once.
    await Promise.all(operations.map(hold))
  })

  test('are counted as usage', async () => {
    const usage = createUsage()
    const app = appOf(archive, { usage })
    const dear = Array.from({ length: 1500 }, async (_, page) =>
      app(new Request(`http://localhost/fights?page=${page}`), '192.0.2.1'),
    )
    const responses = await Promise.all(dear)
    const refused = responses.filter(({ status }) => status === 503).length
    const { totals, statuses } = await usage.report(1, undefined)
    expect(totals.requests).toBe(1500)
    expect(statuses.get(503)).toBe(refused)
  })
})

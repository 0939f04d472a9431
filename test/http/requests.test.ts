import { beforeAll, describe, expect, jest, test } from 'bun:test'
import { open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Elysia } from 'elysia'
import { type Archive, updateCages } from '../../src/data/archive/archive.ts'
import { createArrival } from '../../src/http/arrival.ts'
import { type ServedFile, sendFile } from '../../src/http/fileResponse.ts'
import type { Late } from '../../src/http/requestContext.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, archiveOf, contract, get, serviceOf } from '../fixtures.ts'
import { temporaryFolder } from '../process.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  openFight,
  playersAs,
  recordingRow,
  stillRow,
  tournamentOf,
} from '../rows.ts'
import { until, untilCoded } from '../until.ts'

const fights = Array.from({ length: 30 }, (_, index) =>
  fightRows({ id: `W-${index}`, stopTime: 1_770_000_190 + index }, 'p1', 'p2'),
)
const archive = archiveOf(
  tournamentOf({ formatType: 'round_robin' }, playersAs({ p1: 'Axe', p2: 'Blåde' }), fights, {
    recordings: [recordingRow({ id: 7 })],
    clips: [clipRow({ token: 'clip-1', isCurated: true })],
    stills: [stillRow({ id: 70, playerId: 'p1', isHero: true, isCurated: true })],
    stillTags: [{ stillId: 70, tag: 'Action' }],
  }),
)
const app = appOf(archive)
const send = (path: string, init: RequestInit = {}) =>
  app(new Request(`http://localhost${path}`, init))

/** Every route with parameters that exist. */
const parameters: Readonly<Record<string, string>> = {
  tournamentID: 'spring_30lb',
  playerID: 'p1',
  gameID: 'W-0',
  recordingID: '7',
  token: 'clip-1',
  stillID: '70',
  cageNumber: '1',
  file: 'fights.ndjson.gz',
  bot: 'axe',
  bot1: 'axe',
  bot2: 'blade',
}
const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `unknown-parameter-${name}`)
/** The bytes are sent as stored; see bulk.test.ts. */
const files = new Set(
  contract.operations
    .filter(({ operation }) => operation.responses[206])
    .map(({ template }) => fill(template, parameters)),
)
const templates = contract.operations.map(({ template }) => template)
const paths = templates.map((template) => fill(template, parameters))
/** Routes that answer with a redirect instead of a body. */
const isRedirect = (path: string): boolean => /\/(picture|getBotPic)$/.test(path)
/** The stream has no end; see changes.test.ts. */
const isStream = (path: string): boolean => path === '/changes/stream'
const bodies = paths.filter((path) => !isRedirect(path) && !isStream(path) && !files.has(path))
/** Required queries of some operations. */
const queries: Readonly<Record<string, string>> = {
  '/search': 'q=axe',
  '/legacy/tournamentSource': 'function=getLocalTournaments',
  '/legacy/matchJSON': 'tournamentID=spring_30lb&gameID=W-0',
  '/legacy/getLatestMatches': 'tournamentID=spring_30lb',
  '/legacy/botAutocomplete': 'q=axe',
  '/legacy/getBotPic': 'bot=axe',
}
const queryOf = (path: string): string => queries[path.replace(/\.php$/, '')] ?? ''
/** A path, or another spelling of it, with its required query. */
const asking = (path: string, spelt = path): string =>
  queryOf(path) === '' ? spelt : `${spelt}?${queryOf(path)}`

/** Wait for the bulk files first: while they are being made, their list has no tag. */
const bulkIsMade = async (): Promise<boolean> =>
  (await send('/bulk', { method: 'HEAD' })).status === 200

describe('every route', () => {
  beforeAll(() => until(bulkIsMade))

  test.each(paths.filter(isRedirect))('%s redirects to another URL', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await send(asking(path), { method })
      expect(response.status).toBe(302)
      expect(response.headers.get('location')).toBe('https://media.example/still-70.jpg')
      expect(response.headers.get('cache-control')).toMatch(/^public, max-age=60\b/)
      expect(await response.text()).toBe('')
    }
  })

  test.each(bodies)('%s answers 200, with a body that fits its schema', async (path) => {
    const { status, body } = await get(app, asking(path))
    expect(status).toBe(200)
    expect(Object.keys(body).length).toBeGreaterThan(0)
  })

  test.each(bodies)('%s is the same with repeated slashes', async (path) => {
    const plain = await get(app, asking(path))
    for (const address of [`${path}/`, `${path}//`, path.replaceAll('/', '//')]) {
      const slashed = await send(asking(path, address))
      expect([address, slashed.status]).toEqual([address, 200])
      expect(await slashed.json()).toEqual(plain.body)
    }
  })

  test.each(bodies)('HEAD %s has the headers of GET and no body', async (path) => {
    const [head, whole] = [await send(asking(path), { method: 'HEAD' }), await send(asking(path))]
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    const { 'x-request-id': one, date, ...headHeaders } = Object.fromEntries(head.headers)
    const { 'x-request-id': other, ...wholeHeaders } = Object.fromEntries(whole.headers)
    expect(headHeaders).toEqual(wholeHeaders)
    expect(one).not.toBe(other)
    expect(Date.parse(date ?? '')).toBeGreaterThan(Date.now() - 5000)
  })

  test.each(paths)('OPTIONS %s answers a preflight', async (path) => {
    const { status, headers } = await send(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://overlay.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key, x-evil',
      },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect(headers.get('access-control-allow-headers')).toBe(
      'X-API-Key, If-None-Match, Content-Type, Last-Event-ID, Cache-Control',
    )
    expect(headers.get('access-control-max-age')).toBe('86400')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each(paths)('%s refuses every other method', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE']) {
      // The constructor refuses TRACE, which a socket can send.
      const request = new Request(`http://localhost${path}`)
      Object.defineProperty(request, 'method', { value: method })
      const response = await app(request)
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await response.json()).toEqual({ error: expect.any(String) })
    }
  })

  const hostileIDs = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'x'.repeat(7000),
    '..%2f..%2fetc%2fpasswd',
    '%00',
    "'%20OR%201=1--",
    '%F0%9F%A4%96',
    '-1',
    '1e3',
    '99999999999999999999',
    '7.0',
    '07',
    '%3Cscript%3E',
  ]
  test.each(templates.filter((path) => path.includes('{') && !path.includes('head-to-head')))(
    '%s answers 404 for hostile ids',
    async (template) => {
      for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
        for (const hostile of hostileIDs) {
          const path = fill(template, { ...parameters, [name]: hostile })
          const { status, body } = await get(app, path)
          const isCage = template.startsWith('/cages/')
          expect({ path, status }).toEqual({ path, status: isCage ? 400 : 404 })
          expect(body.error).toMatch(
            isCage
              ? /^the cage number must be one of 1, 2, 4, 5, 6$/
              : /^(tournament|player|fight|recording|bot|clip|still|file) not found$/,
          )
        }
      }
    },
  )

  const belowRoot = paths.filter((path) => path !== '/')
  test.each(belowRoot)('%s answers 404 if its path is damaged', async (path) => {
    for (const damaged of [
      `${path}/%`,
      `${path}/%E0%A4`,
      `${path.replace(/[^/]*$/, '')}%`,
      `${path}/..%2f`,
      `${path}/%00`,
      `${path}/${'x'.repeat(8000)}`,
    ]) {
      const { status, body } = await get(app, damaged)
      // A path below /cages is a bad cage number, not an unknown path.
      const isCage = /^\/cages\/(\.\.%2f|%00|x+)$/.test(damaged)
      expect({ damaged: damaged.slice(0, 200), status }).toEqual({
        damaged: damaged.slice(0, 200),
        status: isCage ? 400 : 404,
      })
      expect(body.error.length).toBeLessThan(100)
    }
  })

  test.each(bodies)('%s is the same however it is percent-encoded', async (path) => {
    const encoded = path.replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
    const [plain, odd] = [await get(app, asking(path)), await get(app, asking(path, encoded))]
    expect(odd.status).toBe(200)
    expect(odd.body).toEqual(plain.body)
  })

  test.each(bodies)('%s ignores unknown parameters', async (path) => {
    const plain = await get(app, asking(path))
    const odd = await get(
      app,
      `${path}?${queryOf(path)}&x=1&__proto__=2&constructor&%=%E0%A4&&=&key=abc`,
    )
    expect(odd.status).toBe(200)
    expect(odd.body).toEqual(plain.body)
  })
})

describe('numbers in a query', () => {
  const used = async (query: string) => (await get(app, `/fights?${query}`)).body.pagination

  test.each([
    ['', 100],
    ['limit=7', 7],
    ['limit=007', 7],
    ['limit=0', 1],
    ['limit=-1', 1],
    ['limit=101', 100],
    ['limit=99999999999999999999', 100],
    ['limit=-99999999999999999999', 1],
    ['limit=1e3', 100],
    ['limit=0x10', 100],
    ['limit=NaN', 100],
    ['limit=1.5', 100],
    ['limit=', 100],
    ['limit', 100],
    ['limit=%', 100],
    ['limit=%20 5', 100],
    ['limit=５', 100],
    ['limit[]=5', 100],
    ['limit=3&limit=5', 5],
    ['limit=5&limit=x', 100],
    ['LIMIT=5', 100],
  ])('the query ?%s has a limit of %i', async (query, limit) => {
    expect((await used(query)).limit).toBe(limit)
  })

  test.each([
    ['page=2&limit=10', 2, 10],
    ['page=3&limit=10', 3, 10],
    ['page=4&limit=10', 4, 0],
    ['page=0&limit=10', 1, 10],
    ['page=-7&limit=10', 1, 10],
    ['page=1.5&limit=10', 1, 10],
    ['page=99999999999999999999', 2_147_483_647, 0],
  ])('the query ?%s is page %i with %i fights', async (query, page, entries) => {
    const { body } = await get(app, `/fights?${query}`)
    expect(body.pagination.page).toBe(page)
    expect(body.fights).toHaveLength(entries)
    expect(body.pagination).toMatchObject({ total: 30 })
  })

  test('the links of a list lead through all its pages', async () => {
    const link = async (query: string) =>
      (await get(app, `/fights?${query}`)).headers.get('link')?.split(', ')
    expect(await link('limit=10&page=2')).toEqual([
      '</fights?page=1&limit=10>; rel="first"',
      '</fights?page=1&limit=10>; rel="prev"',
      '</fights?page=3&limit=10>; rel="next"',
      '</fights?page=3&limit=10>; rel="last"',
    ])
    expect(await link('limit=10')).toEqual([
      '</fights?page=1&limit=10>; rel="first"',
      '</fights?page=2&limit=10>; rel="next"',
      '</fights?page=3&limit=10>; rel="last"',
    ])
    expect(await link('limit=10&page=9')).toEqual([
      '</fights?page=1&limit=10>; rel="first"',
      '</fights?page=3&limit=10>; rel="prev"',
      '</fights?page=3&limit=10>; rel="last"',
    ])
  })
})

describe('caching', () => {
  test('a tag depends only on the body', async () => {
    const tag = async (of: Archive, path = '/tournaments') =>
      (await get(appOf(of), path)).headers.get('etag')
    const again = await tag({ ...archive, version: 'another', dataVersion: 'another' })
    expect(again).toBe(await tag(archive))
    expect(await tag(archive, '/tournaments?key=me')).toBe(again)
    expect(await tag(archiveOf())).not.toBe(again)
  })

  test.each([
    (tag: string) => tag,
    (tag: string) => tag.replace('W/', ''),
    (tag: string) => `"other", ${tag}`,
    () => '*',
  ])('a known tag is answered 304 without a body (%#)', async (ifNoneMatch) => {
    const { headers } = await get(app, '/tournaments')
    const response = await send('/tournaments', {
      headers: { 'if-none-match': ifNoneMatch(headers.get('etag') ?? '') },
    })
    expect(response.status).toBe(304)
    expect(await response.text()).toBe('')
    for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin']) {
      expect(response.headers.get(name)).toBe(headers.get(name))
    }
    expect(response.headers.get('content-type')).toBeNull()
  })

  test('a list of tags over 8 KiB is answered with the body', async () => {
    const tag = (await get(app, '/tournaments')).headers.get('etag') ?? ''
    const statusOf = async (length: number) => {
      const headers = { 'if-none-match': `"${'x'.repeat(length - tag.length - 4)}", ${tag}` }
      return (await send('/tournaments', { headers })).status
    }
    expect([await statusOf(8192), await statusOf(8193)]).toEqual([304, 200])
  })

  test('an unknown tag is answered with the body', async () => {
    const { status } = await get(app, '/tournaments', { 'if-none-match': '"x", W/"y"' })
    expect(status).toBe(200)
  })

  test.each([
    ['/tournaments', 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'],
    ['/fights', 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'],
    ['/video-feeds/7', 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'],
    ['/clips', 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'],
    ['/stills/70', 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'],
    ['/stills/tags', 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'],
    ['/cages', 'public, max-age=0, s-maxage=2, stale-if-error=60'],
    ['/cages/6', 'public, max-age=0, s-maxage=2, stale-if-error=60'],
    ['/cages/3', 'no-store'],
    ['/schedule', 'public, max-age=0, s-maxage=2, stale-if-error=60'],
    ['/fights/recent', 'public, max-age=0, s-maxage=2, stale-if-error=60'],
    ['/fights/last24h', 'public, max-age=0, s-maxage=2, stale-if-error=60'],
    ['/live/streams', 'public, max-age=0, s-maxage=2, stale-if-error=60'],
    ['/health', 'no-store'],
    ['/ready', 'no-store'],
    ['/usage', 'max-age=10'],
    ['/tournaments/unknown', 'no-store'],
  ])('the caching of %s is %s', async (path, expected) => {
    expect((await get(app, path)).headers.get('cache-control')).toBe(expected)
    expect((await get(app, path)).headers.get('cache-control')).toBe(expected)
  })

  test('responses about an active tournament allow shared caches to keep them for 2 s', async () => {
    for (const active of [true, false]) {
      const rows = tournamentOf({ active }, playersAs({ p1: 'Axe', p2: 'Blade' }), fights)
      const served = appOf(archiveOf(rows))
      const paths = ['', '/brackets', '/players', '/players/p1', '/fights', '/fights/W-0']
      for (const path of paths) {
        const { headers } = await get(served, `/tournaments/spring_30lb${path}`)
        const kept = headers.get('cache-control')
        expect([path, active, kept?.includes('s-maxage=2')]).toEqual([path, active, active])
      }
    }
  })

  test('the same question at the same moment has the same answer under another id', async () => {
    const { headers } = await get(app, '/fights')
    const questions: readonly RequestInit[] = [
      {},
      { headers: { 'accept-encoding': 'gzip' } },
      { headers: { 'accept-encoding': 'zstd' } },
      { headers: { 'if-none-match': headers.get('etag') ?? '' } },
      { headers: { 'if-none-match': '"other"' } },
      { method: 'HEAD' },
      { method: 'OPTIONS' },
      { method: 'POST' },
    ]
    const fresh = appOf(archive)
    const ask = (one: typeof app) => (init: RequestInit) =>
      one(new Request('http://localhost/fights/', init))
    const told = async (response: Response) => {
      const { 'x-request-id': id, date: _, ...rest } = Object.fromEntries(response.headers)
      return { id, is: [response.status, rest, await response.text()] }
    }
    const first = await Promise.all(questions.map(ask(fresh)).map(async (each) => told(await each)))
    const again = await Promise.all(questions.map(ask(fresh)).map(async (each) => told(await each)))
    expect(again.map(({ is }) => is)).toEqual(first.map(({ is }) => is))
    expect(new Set([...first, ...again].map(({ id }) => id)).size).toBe(2 * questions.length)
    expect(first.map(({ is }) => is[0])).toEqual([200, 200, 200, 304, 200, 200, 204, 405])
  })

  test('the headers give the age of the data at each moment', async () => {
    let now = 1_770_003_600
    const running = appOf({ ...serviceOf(archive, now), now: () => now })
    const age = async () => (await get(running, '/fights')).headers.get('x-data-age')
    expect(await age()).toBe('7')
    expect(await age()).toBe('7')
    now += 1
    expect(await age()).toBe('8')
  })

  test.each([
    ['304', { headers: { 'if-none-match': '*' } }],
    ['HEAD', { method: 'HEAD' }],
    ['a preflight', { method: 'OPTIONS' }],
  ])('an answer without a body has the age of the data too: %s', async (_, init) => {
    const before = Math.floor(Date.now() / 1000) * 1000
    const date = Date.parse((await send('/fights', init)).headers.get('date') ?? '')
    expect(date).toBeGreaterThanOrEqual(before)
    expect(date).toBeLessThanOrEqual(Date.now())
  })

  test('stored answers survive a change of the cages, except answers that show cages', async () => {
    const rows = tournamentOf({}, [], [])
    let current = archiveOf(rows)
    const changing = appOf({ ...serviceOf(current), archive: () => current })
    const hits = { data: 0 }
    const counted = new Proxy(current.dataset, {
      get: (target, key, receiver) => {
        hits.data += 1
        return Reflect.get(target, key, receiver)
      },
    })
    current = { ...current, dataset: counted }
    const archivePaths = ['/tournaments', '/tournaments/spring_30lb', '/fights/recent', '/clips']
    for (const path of archivePaths) await get(changing, path)
    expect((await get(changing, '/cages/2')).body.cage.updatedTime).toBe(0)
    current = updateCages(current, 'cages-2', {
      cages: [cageRow({ number: 2, updateTime: 1_770_000_777 })],
      cageQueue: [],
    })
    hits.data = 0
    for (const path of archivePaths) {
      const { headers } = await get(changing, path)
      expect(headers.get('x-data-version')).toBe('cages-2')
    }
    expect(hits.data).toBe(0)
    expect((await get(changing, '/cages/2')).body.cage.updatedTime).toBe(1_770_000_777)
    expect((await get(changing, '/cages')).body.cages.cage2.updatedTime).toBe(1_770_000_777)
  })
})

describe('compression', () => {
  const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    br: brotliDecompressSync,
    gzip: gunzipSync,
    zstd: zstdDecompressSync,
  }
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'gzip'],
    ['*;q=0.1', 'gzip'],
    ['gzip, *', 'gzip'],
    ['zstd;q=0, *', 'gzip'],
    ['br, *;q=0.1', 'br'],
    ['br;q=0.1, *', 'gzip'],
    ['Zstd, *;q=0', 'zstd'],
    ['identity;q=0', 'gzip'],
    ['identity;q=0, br;q=0', 'gzip'],
    ['identity;q=0, br', 'br'],
    ['identity;q=0.5, *;q=0.4, br;q=0.6', 'br'],
  ])('Accept-Encoding: %s gives %s', async (accepted, encoding) => {
    const plain = await get(app, '/fights')
    const { headers, bytes } = await get(app, '/fights', { 'accept-encoding': accepted })
    expect(headers.get('content-encoding')).toBe(encoding)
    expect(headers.get('content-length')).toBe(String(bytes.length))
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect(Buffer.from(decoders[encoding]?.(bytes) ?? []).equals(plain.bytes)).toBe(true)
    expect(headers.get('etag')).toBe(plain.headers.get('etag'))
  })

  test.each([
    '',
    'identity',
    'deflate',
    'br;q=0',
    'identity;q=1, br;q=0.5',
    '*;q=0',
    'x, ;;q=, =',
    'gzip;q=0, *',
    'gzip;q=0, br;q=0.5, *',
    'gzip;q=0.5, *;q=0.8',
    'identity, *;q=0.5',
    'identity;q=0, gzip;q=0',
    'br;q=0, zstd;q=0, gzip;q=0',
    'x'.repeat(501),
  ])('Accept-Encoding: %s gives an uncompressed body', async (accepted) => {
    const { headers, body } = await get(app, '/fights', { 'accept-encoding': accepted })
    expect(headers.get('content-encoding')).toBeNull()
    expect(body.fights).toHaveLength(30)
  })

  test.each(Object.entries(decoders))(
    'a large body comes in %s for all simultaneous requests',
    async (encoding, decode) => {
      const plain = await get(app, '/openapi')
      expect(plain.bytes.length).toBeGreaterThan(64 * 1024)
      const asked = Array.from({ length: 3 }, () =>
        untilCoded(encoding, () => get(app, '/openapi', { 'accept-encoding': encoding })),
      )
      for (const { headers, bytes } of await Promise.all(asked)) {
        expect(headers.get('content-length')).toBe(String(bytes.length))
        expect(Buffer.from(decode(bytes)).equals(plain.bytes)).toBe(true)
      }
    },
  )

  test('two URLs with the same body keep their own headers', async () => {
    const modern = await get(app, '/fights/last24h')
    const legacy = await get(app, '/legacy/fightsLast24Hours')
    expect(legacy.headers.get('etag')).toBe(modern.headers.get('etag'))
    expect(modern.headers.get('link')).toBeNull()
    expect(legacy.headers.get('link')).toBe('</fights/last24h>; rel="successor-version"')
  })

  test('a body below 1 KiB is not compressed', async () => {
    const { headers } = await get(app, '/ready', { 'accept-encoding': 'br' })
    expect(headers.get('content-encoding')).toBeNull()
  })
})

test.each([
  [3610, 'Available'],
  [30, 'Starting Soon'],
])(
  'an answer made at a later time is not reused once the clock went back by %i s',
  async (back, status) => {
    const scheduledTime = 1_770_000_000
    const waiting = openFight({ scheduledTime }, 'a', 'b')
    const archive = archiveOf(tournamentOf({ active: true }, [{ id: 'a' }, { id: 'b' }], [waiting]))
    let now = scheduledTime + 10
    const app = appOf({ ...serviceOf(archive), now: () => now })
    const statusNow = async () => (await get(app, '/schedule')).body.matches[0].status
    expect(await statusNow()).toBe('Delayed')
    now -= back
    expect(await statusNow()).toBe(status)
  },
)

test('a request that is queued during a refresh is answered with the new data', async () => {
  let current = archive
  const here = appOf({ ...serviceOf(archive), archive: () => current })
  const ask = async (path: string) => here(new Request(`http://localhost${path}`))
  const first = ask('/fights')
  // This request waits while the first one has its turn.
  const begun = ask('/tournaments')
  current = { ...archiveOf(), version: 'next', dataVersion: 'next' }
  // A listener is notified before the refresh is done.
  expect((await ask('/health')).headers.get('x-data-version')).toBe('next')
  const { headers, json } = await begun
  expect(headers.get('x-data-version')).toBe('next')
  expect(await json.call(await begun)).toEqual({ tournaments: [] })
  await first
  expect((await get(here, '/fights')).body).toMatchObject({ fights: [] })
})

describe('failures', () => {
  test('a request before the data is loaded gets 503 with Retry-After, and /health says so', async () => {
    const empty = appOf(undefined)
    const needsNoData = ['/', '/health', '/live/streams', '/changes/stream', '/openapi', '/usage']
    for (const path of paths.filter((each) => !needsNoData.includes(each))) {
      const { status, headers } = await get(empty, asking(path))
      expect(status).toBe(503)
      expect(headers.get('retry-after')).toMatch(/^\d+$/)
    }
    const startedSeconds = Math.floor(performance.now() / 1000)
    const { status, headers, body } = await get(empty, '/health')
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'degraded', ageSeconds: null })
    // No data was current since this process started.
    expect(Number(headers.get('x-data-age'))).toBeGreaterThanOrEqual(startedSeconds)
    expect((await get(empty, '/live/streams')).status).toBe(200)
    expect((await get(empty, '/usage')).status).toBe(200)
    expect((await get(empty, '/nowhere')).status).toBe(404)
  })

  test('an exception is answered 500 without its cause', async () => {
    const broken: Archive = {
      ...archiveOf(),
      version: 'broken',
      get dataset(): never {
        throw new Error('secret: postgres://user:password@host')
      },
    }
    const { status, body } = await get(appOf(broken), '/tournaments')
    expect(status).toBe(500)
    expect(body).toEqual({ error: 'internal error' })
  })

  test('a body that breaks its own schema is answered 500', async () => {
    const [tournament] = archive.dataset.tournaments
    if (!tournament) throw new Error('no tournament')
    const info = { ...tournament.info, numPlayers: 1.5 }
    const broken = {
      ...archive,
      dataset: { ...archive.dataset, tournaments: [{ ...tournament, info }] },
    }
    const { status, body } = await get(appOf(broken), '/tournaments')
    expect(status).toBe(500)
    expect(body).toEqual({ error: 'internal error' })
  })

  /** Log and count of a file in two pieces; `read` reads the second one. */
  const sendPieces = async (read: () => Promise<Iterable<Uint8Array>>) => {
    const file: ServedFile = {
      etag: '"file"',
      pieces: [
        { size: 5, read: () => [Buffer.from('hello')] },
        { size: 5, read },
      ],
      contentType: 'text/plain',
      name: 'file.txt',
      cacheControl: 'no-store',
      version: 'version',
    }
    const logged: unknown[] = []
    const ended: unknown[] = []
    const sending = createArrival(serviceOf(archive), {
      routes: new Elysia().get('/file', () =>
        sendFile(new Request('http://a/'), { headers: {} }, file),
      ),
      log: (level, message, fields) => logged.push({ level, message, ...fields }),
      onSent: (_origin, _sender, { end }) => void end?.then((sentBytes) => ended.push(sentBytes)),
    })
    const response = await sending(new Request('http://localhost/file'), '192.0.2.1')
    return { response, logged, ended }
  }

  test('a file that cannot be read to its end is logged, and counts as far as it was sent', async () => {
    const { response, logged, ended } = await sendPieces(() =>
      Promise.reject(new Error('the disk is gone')),
    )
    await expect(response.text()).rejects.toBeUndefined()
    expect(ended).toEqual([5])
    expect(logged).toEqual([
      {
        level: 'error',
        message: 'request failed',
        route: '/file',
        requestId: response.headers.get('x-request-id'),
        cause: expect.stringContaining('the disk is gone'),
      },
    ])
  })

  test.each(['read', 'not read'])(
    'a file whose reader left is no error, if then %s',
    async (end) => {
      const rest = Promise.withResolvers<Iterable<Uint8Array>>()
      const { response, logged, ended } = await sendPieces(() => rest.promise)
      const reader = response.body?.getReader()
      await reader?.read()
      const next = reader?.read()
      await Bun.sleep(0)
      await reader?.cancel()
      if (end === 'read') rest.resolve([Buffer.from('world')])
      else rest.reject(new Error('the disk is gone'))
      await next
      await Bun.sleep(0)
      expect([ended, logged]).toEqual([[5], []])
    },
  )
})

test('only a connection with a body over 64 KiB must make progress', async () => {
  const limited: unknown[] = []
  const content = (length: number) => ({
    headers: { 'content-length': String(length) },
    open: () => new Blob(['x'.repeat(length)]).stream(),
  })
  const sizes = { '/at': 64 * 1024, '/over': 64 * 1024 + 1 }
  const routes = new Elysia()
  for (const [path, size] of Object.entries(sizes)) {
    routes.get(`${path}/made`, () => new Response('x'.repeat(size)))
    routes.get(`${path}/stream`, ({ set }) => {
      const { headers, open } = content(size)
      Object.assign(set.headers, headers)
      return { open }
    })
  }
  const sending = createArrival(serviceOf(archive), {
    routes,
    log: createLog('silent'),
    onSent: () => undefined,
    limitIdle: ({ method, url }, seconds) => limited.push([method, new URL(url).pathname, seconds]),
  })
  jest.useFakeTimers()
  for (const path of ['/at/made', '/over/made', '/at/stream', '/over/stream']) {
    for (const method of ['HEAD', 'GET']) {
      const response = await sending(new Request(`http://localhost${path}`, { method }))
      expect([path, response.status]).toEqual([path, 200])
      await response.bytes()
    }
  }
  // A connection whose body has been sent keeps the normal idle timeout.
  jest.advanceTimersByTime(3900)
  expect(limited).toEqual([])
  jest.advanceTimersByTime(100)
  jest.useRealTimers()
  expect(limited).toEqual([
    ['GET', '/over/made', 20],
    ['GET', '/over/stream', 20],
  ])
})

describe('a base path', () => {
  const based = appOf(archive, { basePath: '/x/api.php' })
  test('routes exist only below the base path', async () => {
    for (const path of [
      '/fights',
      '/x/fights',
      '/x/api.phpfights',
      '/x/api.php/x/api.php/fights',
    ]) {
      expect((await based(new Request(`http://localhost${path}`))).status).toBe(404)
    }
  })
})

test.each(['a', 'api', 'localhost'])('paths are found under the host name %s', async (host) => {
  const app = appOf(archive)
  for (const target of ['/', '//', '/?spoilers=1', '/bots']) {
    expect((await app(new Request(`http://${host}${target}`))).status).toBe(200)
  }
})

test('a script wins over a route with the same path', async () => {
  const app = appOf(archive, { basePath: '/legacy/cageJSON' })
  expect(
    await (await app(new Request('http://localhost/legacy/cageJSON?all'))).json(),
  ).toHaveProperty('cage1')
  expect((await app(new Request('http://localhost/legacy/cageJSON/fights'))).status).toBe(200)
})

describe('the length of an address', () => {
  test('a URL may have 8 KiB', async () => {
    for (const [start, status] of [
      ['/bots/', 404],
      ['/bots?q=', 200],
    ] as const) {
      expect((await send(start.padEnd(8192, 'a'))).status).toBe(status)
      expect((await send(start.padEnd(8193, 'a'))).status).toBe(414)
    }
  })
})

describe('the links of an empty list', () => {
  test('an empty list links to its one page as the first and the last', async () => {
    const { headers } = await get(appOf(archiveOf()), '/fights?limit=10')
    expect(headers.get('link')).toBe(
      '</fights?page=1&limit=10>; rel="first", </fights?page=1&limit=10>; rel="last"',
    )
  })
})

test('a large body is sent uncompressed if the compression threads hang', async () => {
  const many = Array.from({ length: 400 }, (_, index) =>
    fightRows({ id: `W-${index}` }, 'p1', 'p2'),
  )
  const large = appOf(archiveOf(tournamentOf({}, playersAs({ p1: 'Axe', p2: 'Blåde' }), many)))
  const folder = await temporaryFolder()
  // Opening a pipe without a writer blocks a thread.
  const pipes = Array.from({ length: 2 * availableParallelism() }, (_, index) =>
    join(folder, `${index}`),
  )
  Bun.spawnSync(['mkfifo', ...pipes])
  const opening = pipes.map((pipe) => open(pipe, 'r'))
  try {
    const headers = { 'accept-encoding': 'br' }
    const request = new Request('http://localhost/tournaments/spring_30lb/fights', { headers })
    const response = await large(request)
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
    expect(await response.json()).toHaveProperty('fights.399')
  } finally {
    Bun.spawnSync(['sh', '-c', 'for pipe; do : > "$pipe" & done; wait', 'sh', ...pipes])
    for (const file of await Promise.all(opening)) await file.close()
  }
})

test('a late response counts as waiting if it waits for something, else as response time', async () => {
  const waits: [string, number | undefined][] = []
  const late = (isWait: boolean) => (): Late => ({
    isWait,
    begin: (waiter) =>
      void setTimeout(() => waiter.respond({ status: 200, bytes: Buffer.from('{}') }), 20),
  })
  const sending = createArrival(serviceOf(archiveOf()), {
    routes: new Elysia().get('/wait', late(true)).get('/read', late(false)),
    log: createLog('silent'),
    onSent: ({ request }, _sender, { waitedMs }) =>
      waits.push([new URL(request.url).pathname, waitedMs]),
  })
  for (const path of ['/wait', '/read'])
    await sending(new Request(`http://localhost${path}`), '192.0.2.1')
  expect(waits).toEqual([
    ['/wait', expect.any(Number)],
    ['/read', undefined],
  ])
  expect(waits[0]?.[1]).toBeGreaterThanOrEqual(19)
})

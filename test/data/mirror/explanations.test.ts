import { afterAll, expect, test } from 'bun:test'
import { createExplanations } from '../../../src/data/mirror/explanations.ts'

interface Body extends Readonly<Record<string, unknown>> {
  readonly changes?: readonly { readonly type?: string }[]
}
type Page = readonly [status: number, body: Body]
const removed = (tournamentID: string) => ({ type: 'tournament.removed', tournamentID })
const page = (cursor: string, changes: Body['changes'] = [], more = false): Page => [
  200,
  { cursor, more, changes },
]

/** An origin whose `/changes` has a page for each cursor and the requested types, and a list of requests. */
const open = (pages: Readonly<Record<string, Page>>, path = '/api/snapshot') => {
  const requested: string[] = []
  const server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const { pathname, searchParams } = new URL(url)
      const since = searchParams.get('since') ?? ''
      requested.push(since === '' ? pathname : since)
      const [status, body] = pages[since] ?? [404, {}]
      const types = searchParams.get('type')?.split(',')
      const changes = body.changes?.filter(({ type = '' }) => types?.includes(type))
      return Response.json({ ...body, ...(changes && { changes }) }, { status })
    },
  })
  afterAll(() => server.stop(true))
  let clockMs = 0
  const explanations = createExplanations({
    // An address that only the operator may choose.
    address: new URL(path, `http://0.0.0.0:${server.port}`),
    signal: new AbortController().signal,
    clockMs: () => clockMs,
  })
  const at = (minutes: number): void => {
    clockMs = minutes * 60_000
  }
  const tournaments = async () => (await explanations.withdrawn(['x', 'y'])).tournaments
  return { requested, explanations, at, tournaments }
}
const begun: Page = [200, { cursor: 'e-0' }]

test('explanations cover every removal on all pages since the accepted file', async () => {
  const changes = [
    { type: 'fight.removed', tournamentID: 'a', gameID: 'W-1' },
    { type: 'clip.removed', tournamentID: 'a', token: 'clip' },
    { type: 'still.removed', stillID: 7 },
    { type: 'fight.ended', tournamentID: 'a' },
  ]
  const pages = {
    '': begun,
    'e-0': page('e-5', [removed('c')], true),
    'e-5': page('e-9', changes),
  }
  const { explanations, requested } = open(pages, '/api/snapshot/')
  await explanations.begin()
  explanations.accepted('the first file, of any version')
  expect(await explanations.withdrawn([])).toEqual({
    tournaments: new Set(['c']),
    clips: new Set(['clip']),
    deleted: [
      { table: 'games', tournamentID: 'a', key: 'W-1' },
      { table: 'stills', tournamentID: null, key: '7' },
    ],
  })
  expect(requested).toEqual(['/api/changes', 'e-0', 'e-5'])
})

test('explanations from an origin with endless pages stop after twenty', async () => {
  const pages = Array.from({ length: 30 }, (_, n) => [
    `e-${n}`,
    page(`e-${n + 1}`, [removed(`t${n}`)], true),
  ])
  const { explanations, tournaments } = open({ '': begun, ...Object.fromEntries(pages) })
  await explanations.begin()
  expect(await tournaments()).toEqual(new Set(pages.slice(0, 20).map((_, n) => `t${n}`)))
})

test.each<[string, Page, readonly string[]]>([
  ['that cut the same log explains all', [410, { cursor: 'e-9' }], ['x', 'y']],
  ['that began another log explains nothing', [410, { cursor: 'f-9' }], []],
  ['that cut its log and names no place explains nothing', [410, {}], []],
  ['that fails explains nothing', [500, { cursor: 'e-9' }], []],
  ['that answers with something else explains nothing', [200, { cursor: 'e-9', changes: [] }], []],
  ['that names a long place explains nothing', page('e'.repeat(201), [removed('c')]), []],
  ['that sends more than 4 MiB explains nothing', page('e-9', [removed('x'.repeat(2 ** 22))]), []],
])('an origin %s', async (_, answer, expected) => {
  const { explanations, tournaments } = open({ '': begun, 'e-0': answer })
  await explanations.begin()
  expect(await tournaments()).toEqual(new Set(expected))
})

test('explanations begin again after an hour or a cut; the older place stays until the new one is accepted', async () => {
  const first: Record<string, Page> = { '': begun, 'e-0': page('e-1', []) }
  const { explanations, requested, at, tournaments } = open(first)
  for (const minutes of [0, 30, 59, 60]) {
    at(minutes)
    await explanations.begin()
    if (minutes < 60) explanations.accepted(minutes === 0 ? null : 'a later file')
  }
  expect(requested).toEqual(['/api/changes', '/api/changes'])
  first[''] = [200, { cursor: 'e-7' }]
  at(120)
  await explanations.begin()
  await tournaments()
  expect(requested.at(-1)).toBe('e-0')
  explanations.accepted('older, from a cache')
  await tournaments()
  expect(requested.at(-1)).toBe('e-0')
  at(121)
  await explanations.begin()
  explanations.accepted(null)
  first['e-7'] = [410, { cursor: 'e-9' }]
  await tournaments()
  expect(requested.at(-1)).toBe('e-7')
  await explanations.begin()
  expect(requested.at(-1)).toBe('/api/changes')
})

test('explanations begin again a minute after the origin named no place', async () => {
  const pages: Record<string, Page> = { '': [503, {}] }
  const { explanations, requested, at, tournaments } = open(pages)
  for (const minutes of [0, 0.9, 1]) {
    at(minutes)
    await explanations.begin()
    pages[''] = begun
  }
  expect(requested).toHaveLength(2)
  pages['e-0'] = page('e-1', [removed('c')])
  expect(await tournaments()).toEqual(new Set(['c']))
})

test('a file that is no /snapshot has no explanations', async () => {
  const { explanations, requested, tournaments } = open({ '': begun }, '/league.cageside')
  await explanations.begin()
  expect(await tournaments()).toEqual(new Set())
  expect(requested).toEqual([])
})

test('a mirror waits 1 s for the cursor of an origin that hangs', async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Promise(() => undefined) })
  afterAll(() => server.stop(true))
  const { begin } = createExplanations({
    address: new URL('/snapshot', server.url),
    signal: new AbortController().signal,
    clockMs: () => 0,
  })
  const startedMs = performance.now()
  await begin()
  expect(performance.now() - startedMs).toBeLessThan(4000)
})

test('explanations end with the mirror, whatever the origin does', async () => {
  const aborted = Promise.withResolvers<string>()
  const server = Bun.serve({
    port: 0,
    fetch: ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve('aborted'))
      stopped.abort()
      return new Promise(() => undefined)
    },
  })
  afterAll(() => server.stop(true))
  const stopped = new AbortController()
  const explanations = createExplanations({
    address: new URL('/snapshot', server.url),
    signal: stopped.signal,
    clockMs: () => 0,
  })
  await explanations.begin()
  expect(await aborted.promise).toBe('aborted')
}, 9000)

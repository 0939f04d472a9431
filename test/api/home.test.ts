import { beforeEach, describe, expect, test } from 'bun:test'
import type { App } from '../../src/app.ts'
import type { TournamentRow, TournamentRows } from '../../src/data/source/rows.ts'
import { appOf, archiveOf, archiveWithCages, get, serviceOf } from '../fixtures.ts'
import { withoutInlined } from '../inlined.ts'
import { cageRow, clipRow, fightRows, tournamentOf } from '../rows.ts'

const browser =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const hostile = '<img src=x onerror=alert(1)>'
const quoted = `"><script>alert('2')</script>&amp;`
const now = 1_770_003_600

const started = { state: 'active', winAnnotation: null, stopTime: null, endTime: null } as const
const later = { ...started, state: 'available', startTime: null } as const
const archive = archiveWithCages(
  {
    cages: [
      cageRow({ number: 1, status: 'active', tournamentId: 'spring_30lb', gameId: 'W-1' }),
      cageRow({ number: 2, status: 'idle' }),
      cageRow({ number: 3, status: 'idle' }),
    ],
    cageQueue: [1, 3].map((cage) => ({
      ...{ cage, position: 0, tournamentId: 'spring_30lb', gameId: `W-${cage + 1}` },
    })),
  },
  tournamentOf(
    { active: true, name: `Spring ${hostile}` },
    [
      { id: 'a', name: hostile },
      { id: 'b', name: quoted },
      { id: 'c', name: 'Blåde' },
    ],
    [
      fightRows({ id: 'W-0' }, 'c', 'a'),
      fightRows({ ...started, id: 'W-1', cage: 'Cage 1', startTime: now - 114 }, 'a', 'b', null),
      fightRows({ ...later, id: 'W-2' }, 'c', 'a', null),
      fightRows({ ...later, id: 'W-4' }, 'c', 'b', null),
    ],
  ),
)

const page = async (app: App, path = '/', accept = browser, more = {}) => {
  const response = await app(
    new Request(`http://localhost${path}`, { headers: { accept, ...more } }),
  )
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const isHtml = ({ headers }: { headers: Headers }) =>
  headers.get('content-type') === 'text/html; charset=utf-8'

const day = 86_400
const event = (over: Partial<TournamentRow>, ...fights: ReturnType<typeof fightRows>[]) =>
  tournamentOf({ id: 'event', ...over }, [{ id: 'a' }, { id: 'b' }], fights)
const ended = event({ id: 'ended' }, fightRows({}, 'a', 'b'))
const next = event({ id: 'next', scheduledStartTime: now + 30 })
const yesterday = { startTime: now - 1.5 * day }
// No relative time in the page changes at these moments.
test.each<[string, TournamentRows[], seconds: number]>([
  ['the next event begins', [next, event(yesterday, fightRows(yesterday, 'a', 'b'))], 30],
  [
    'the next event begins while one is under way',
    [next, event({ ...yesterday, active: true }, fightRows(yesterday, 'a', 'b'))],
    30,
  ],
  [
    'the event under way was left',
    [
      event(
        { active: true, startTime: now - 3.5 * day },
        fightRows({ startTime: now - 2 * day + 10 }, 'a', 'b'),
      ),
    ],
    10,
  ],
])('the start page changes when %s', async (_, tournaments, seconds) => {
  let time = now
  const served = archiveOf(...tournaments)
  const open = () => appOf({ ...serviceOf(served), now: () => time })
  const app = open()
  const before = await page(app)
  time += seconds
  const after = await page(app)
  expect(after.text).not.toBe(before.text)
  expect(after.text).toBe((await page(open())).text)
})

describe('GET /', () => {
  let app: App
  beforeEach(() => {
    app = appOf(serviceOf(archive, now))
  })

  test('/ is an index of all endpoints but the legacy ones', async () => {
    const { status, body } = await get(app, '/')
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Cageside', docs: '/docs', openapi: '/openapi' })
    const { paths } = (await get(app, '/openapi')).body
    const own = Object.entries<{ get: { tags: string[] } }>(paths)
      .filter(([, { get }]) => !get.tags.includes('legacy'))
      .map(([path]) => path)
    expect(body.endpoints.map(({ path }: { path: string }) => path)).toEqual(own)
    expect(own).toContain('/')
    expect(own.length).toBeGreaterThan(30)
    for (const { summary } of body.endpoints) expect(summary).not.toBe('')
  })

  test.each([
    [browser, true],
    ['text/html', true],
    ['text/*', true],
    ['application/json;q=0.5, text/html;q=0.9', true],
    ['text/html, application/json', true],
    ['TEXT/HTML', true],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/html;q=0.9', false],
    ['application/*, text/html;q=0.5', false],
    ['text/html;q=0', false],
    ['text/html;q=0, */*', false],
    ['text/html;q=nonsense', false],
    ['image/png', false],
    ['application/json, text/plain, */*', false],
    ['', false],
    [';;;,,,/', false],
  ])('%p gets a page: %p', async (accept, expected) => {
    const answer = await page(app, '/', accept)
    expect(answer.status).toBe(200)
    expect(isHtml(answer)).toBe(expected)
    if (expected) expect(answer.text).toStartWith('<!DOCTYPE html>')
    else expect(JSON.parse(answer.text).name).toBe('Cageside')
  })
  test('a header that no browser sends is not read', async () => {
    expect(isHtml(await page(app, '/', `text/html${', x/y'.repeat(1000)}`))).toBe(false)
  })
  test('/ is JSON without an Accept header', async () => {
    const response = await app(new Request('http://localhost/'))
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  test('no cache keeps / as a page for JSON, or as JSON for a page', async () => {
    for (const accept of [browser, '*/*']) {
      const { headers } = await page(app, '/', accept)
      expect(headers.get('cache-control')).toBe('private, no-cache')
      expect(headers.get('vary')).toBe('Accept-Encoding')
    }
  })

  test('/ never answers JSON with HTML or HTML with JSON, in any order of requests', async () => {
    const paths = ['/', '/?q=blade', '/?html', '/?key=me', '/?', '/?q=']
    const accepts = [browser, '*/*', 'text/html', 'application/json']
    const tags = new Map<string, string>()
    for (let round = 0; round < 200; round += 1) {
      const path = paths[(round * 7) % paths.length] ?? '/'
      const accept = accepts[(round * 3 + Math.floor(round / 9)) % accepts.length] ?? browser
      const wantsHtml = accept.includes('html')
      const answer = await page(app, path, accept)
      expect([path, accept, isHtml(answer)]).toEqual([path, accept, wantsHtml])
      const tag = answer.headers.get('etag') ?? ''
      const kind = `${wantsHtml} ${wantsHtml ? path : ''}`
      tags.set(kind, tags.get(kind) ?? tag)
      for (const [other, known] of tags) {
        const conditional = await page(app, path, accept, { 'if-none-match': known })
        const isSame = known === tag
        expect([kind, other, conditional.status]).toEqual([kind, other, isSame ? 304 : 200])
        if (!isSame) expect(isHtml(conditional)).toBe(wantsHtml)
      }
    }
  })

  test('/ shows the cages, and the next fight of an idle cage', async () => {
    const { text } = await page(app)
    expect(text).toMatch(/Cage 1<\/a>.*Blåde/s)
    expect(text).toMatch(/<span class="status active">Fighting<\/span> <span [^>]*>1:54</)
    expect(text).toContain('Idle: Cage 2')
    expect(text).toMatch(/Cage 3<\/a>.*Blåde.*<span class="status idle">Next</s)
  })

  test('/ shows the results of a search', async () => {
    const { text } = await page(app, '/?q=blade')
    expect(text).toContain('Found for “<bdi>blade</bdi>”')
    expect(text).toContain(
      '<a href="/b/blade"><bdi>Blåde</bdi></a> <small>1 won, 0 lost, 30 lb</small>',
    )
    expect(text).toContain('value="blade"')
    const both = await page(app, `/?q=${encodeURIComponent('blade vs img srcx onerror alert1')}`)
    expect(both.text).toContain('href="/w/spring_30lb/W-0"')
    expect((await page(app, '/?q=zzzz')).text).toContain('Nothing is found.')
    expect((await page(app, '/?q=%E2%98%85')).text).toContain('Nothing is found.')
    expect((await page(app, '/?q=')).text).not.toContain('Found for')
    expect(text).not.toContain('Latest results')
  })

  test.each(['/e/spring_30lb', '/b/blade', '/stats'])(
    '%s says that results are hidden',
    async (path) => {
      const hidden = 'Results are hidden. <a'
      expect((await page(app, `${path}?spoilers=0`)).text).toContain(hidden)
      expect((await page(app, path)).text).not.toContain(hidden)
    },
  )

  test('names and queries are text on /', async () => {
    for (const text of [hostile, quoted, "' onfocus=alert(1) autofocus='", '</title><script>']) {
      for (const path of ['/', `/?q=${encodeURIComponent(text)}`]) {
        const { text: markup } = await page(app, path)
        expect(markup).toContain(Bun.escapeHTML(path === '/' ? hostile : text))
        expect(withoutInlined(markup).match(/<script/g)).toHaveLength(2)
        expect(markup).not.toContain('<img')
        expect(markup).not.toMatch(/"[^"<>]*" on\w+=/)
      }
    }
  })

  test('/ answers while the data is loaded', async () => {
    const loading = appOf(undefined)
    expect((await get(loading, '/')).status).toBe(200)
    const { status, text } = await page(loading, '/?q=blade')
    expect(status).toBe(200)
    expect(text).toContain('The data is being loaded.')
  })

  test('the page of / made before the data was loaded is not cached', async () => {
    let data: typeof archive | undefined
    const app = appOf({ ...serviceOf(archive), archive: () => data })
    const isLoading = async () => (await page(app, '/')).text.includes('The data is being loaded.')
    expect(await isLoading()).toBe(true)
    data = archive
    expect(await isLoading()).toBe(false)
  })
})

test('the next event is the one that begins first, the last one is over', async () => {
  const planned = [3, 1, 2].map((days) =>
    event({ id: `in-${days}`, startTime: null, scheduledStartTime: now + 4 * days * day }),
  )
  const { text } = await page(appOf(serviceOf(archiveOf(ended, ...planned), now)))
  expect(text).toContain('>Last event</h2>')
  const [next = ''] = /<section id="next".*?<\/section>/s.exec(text) ?? []
  expect(next.match(/\/e\/in-\d/g)).toEqual(['/e/in-1'])
})

test('a search and the clips name the drawn fights and no second grand final if results are hidden', async () => {
  const again = fightRows({ id: 'W-1', startTime: 1_770_000_900 }, 'a', 'b')
  const [red, blue] = again.slots
  const next = fightRows({ id: 'W-2', startTime: 1_770_001_900 }, 'a', 'c')
  const rows = tournamentOf(
    {},
    [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    [
      fightRows({}, 'a', 'b'),
      {
        ...again,
        slots: [
          { ...red, prevGameId: 'W-0' },
          { ...blue, prevGameId: 'W-0' },
        ],
      },
      { ...next, slots: [{ ...next.slots[0], prevGameId: 'W-0' }, next.slots[1]] },
    ],
    { clips: ['W-0', 'W-1'].map((gameId) => clipRow({ token: `clip-${gameId}`, gameId })) },
  )
  const site = appOf(serviceOf(archiveOf(rows), now))
  expect((await page(site, '/?q=a+vs+c')).text).toContain('/w/spring_30lb/W-2')
  expect((await page(site, '/?q=a+vs+c&spoilers=0')).text).not.toContain('/w/')
  for (const [hides, ids] of [
    ['', ['W-1', 'W-0']],
    ['&spoilers=0', ['W-0']],
  ] as const) {
    const found = (await page(site, `/?q=a+vs+b${hides}`)).text
    expect(found.match(/(?<=\/w\/spring_30lb\/)W-\d/g)).toEqual([...ids])
    const start = (await page(site, `/?x${hides}`)).text
    expect(start.match(/(?<=src="https:\/\/media.example\/clip-)W-\d/g)?.toSorted()).toEqual(
      ids.toSorted(),
    )
  }
})

test('an event that is under way before its start is not the next one', async () => {
  const ahead = tournamentOf({ active: true, startTime: now + 3600 }, [], [])
  const { text } = await page(appOf(serviceOf(archiveOf(ahead), now)))
  expect(text.match(/href="\/e\/spring_30lb"/g)).toHaveLength(1)
  expect(text).toContain('>Under way</h2>')
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { createChanges } from '../../src/companions/changes/changes.ts'
import type { Archive } from '../../src/data/archive/archive.ts'
import { openBrowser } from '../browser.ts'
import { appOf, archiveOf, archiveWithCages, serviceOf } from '../fixtures.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  openFight,
  playersAs,
  recordingRow,
  tournamentOf,
} from '../rows.ts'
import { until } from '../until.ts'

/**
 * Pages that stay open while an event begins and ends, in a real browser. Chromium is a package of the system, so this
 * file is not among those that `bun run test` finds.
 */
const now = 1_770_003_600
const streamHost = 'https://hls.example'

/** The league before an event, before and during its first fight, and after it. */
const leagueAt = (stage: 'before' | 'waiting' | 'during' | 'after'): Archive =>
  archiveWithCages(
    {
      cages: [
        stage === 'during'
          ? cageRow({ number: 1, status: 'active', tournamentId: 'spring_30lb', gameId: 'W-0' })
          : cageRow({ number: 1, status: 'idle' }),
      ],
    },
    tournamentOf(
      { active: stage === 'waiting' || stage === 'during' },
      playersAs({ a: 'Axe', b: 'Bolt' }),
      [
        stage === 'before' || stage === 'waiting'
          ? openFight({}, 'a', 'b')
          : stage === 'during'
            ? openFight({ state: 'active', startTime: now - 75 }, 'a', 'b')
            : fightRows({ startTime: now - 75, stopTime: now, endTime: now }, 'a', 'b', 0),
        openFight({ id: 'W-1' }, 'b', 'a'),
      ],
      { clips: [clipRow({ token: 'hit' })], recordings: [recordingRow({ id: 1 })] },
    ),
  )

let site: Bun.Server<undefined>
const browser = openBrowser()
let served: Archive | undefined
let leagueNow = now
beforeAll(async () => {
  const service = serviceOf(leagueAt('before'), now)
  const app = appOf(
    { ...service, archive: () => served, now: () => leagueNow },
    { streamBase: streamHost },
  )
  site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // Pages would send requests again after a broken stream.
    idleTimeout: 0,
    fetch: (request) => app(request),
  })
})
afterAll(() => site.stop(true))

const openPage = async (path: string): Promise<Page> => {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${site.port}${path}`)
  return page
}
/** Triggers the request that the page sends when its tab is shown again, without waiting for its timer. */
const showTab = (page: Page) =>
  page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
const isShown = (page: Page, id: string) => page.locator(`#${id}`).isVisible()

test.each([
  ['/', 'cages', 'Fighting'],
  ['/e/spring_30lb', 'now', 'In the cage'],
])('%s shows #%s when it begins, and hides it when it ends', async (path, id, text) => {
  served = leagueAt('before')
  const page = await openPage(path)
  expect(await isShown(page, id)).toBe(false)
  served = leagueAt('during')
  await showTab(page)
  await page.locator(`#${id}`).getByText(text).waitFor()
  served = leagueAt('after')
  await showTab(page)
  await until(async () => !(await isShown(page, id)))
  await page.close()
})

test('the page of a fight shows its result when it is over', async () => {
  served = leagueAt('during')
  const page = await openPage('/w/spring_30lb/W-0')
  await page.getByText('In the cage now').waitFor()
  served = leagueAt('after')
  await showTab(page)
  await page.locator('#fight').getByText('Axe won').waitFor()
  await page.close()
})

test.each([
  ['/w/spring_30lb/W-0', 'fight'],
  ['/e/spring_30lb', 'now'],
  ['/overlay/bracket/spring_30lb', 'overlay'],
])(
  '%s hides #%s while its tournament is private, and says that the service is live',
  async (path, id) => {
    served = leagueAt('during')
    const page = await browser.newPage()
    await page.clock.install()
    await page.goto(`http://127.0.0.1:${site.port}${path}`)
    // The box of an overlay has no height.
    const isDisplayed = `((part) => part.checkVisibility() && part.textContent.includes('Axe'))`
    const showsAxe = async () =>
      (await page.evaluate(`${isDisplayed}(document.querySelector('#${id}'))`)) === true
    await until(showsAxe)
    served = archiveOf()
    await page.clock.runFor(11_000)
    await until(async () => !(await showsAxe()))
    expect(await page.locator('.connection:not(.live)').count()).toBe(0)
    served = leagueAt('during')
    await page.clock.runFor(11_000)
    await until(showsAxe)
    await page.close()
  },
)

test('a page retries by itself', async () => {
  served = leagueAt('before')
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(`http://127.0.0.1:${site.port}/`)
  served = leagueAt('during')
  await until(async () => {
    await page.clock.runFor(11_000)
    return page.locator('#cages').getByText('Fighting').isVisible()
  })
  await page.close()
})

test('a request without an answer is given up, and the next one is shown', async () => {
  served = leagueAt('before')
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(`http://127.0.0.1:${site.port}/live`)
  await page.locator('.connection.live').waitFor()
  await page.clock.runFor(1000)
  await page.route('**/live', () => new Promise<never>(() => undefined), { times: 1 })
  const asked = page.waitForRequest('**/live')
  const failed = page.waitForEvent('requestfailed')
  await page.clock.runFor(16_000)
  await asked
  served = leagueAt('during')
  // The time limit is a timer of the page.
  await page.clock.runFor(16_000)
  await failed
  await page.clock.runFor(16_000)
  await page.locator('#cages').getByText('Fighting').waitFor({ timeout: 8000 })
  await page.close()
})

test('a page says since when the service is gone, and stops its clocks', async () => {
  served = leagueAt('during')
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(`http://127.0.0.1:${site.port}/`)
  const state = page.locator('.connection')
  const clock = page.locator('#cages .fight-clock')
  await page.clock.runFor(1000)
  expect(await state.textContent()).toMatch(/^Live, \d+ s old$/)
  await page.route('**/*', (route) => route.abort())
  const failed = page.waitForEvent('requestfailed')
  await page.clock.runFor(12_000)
  await failed
  // A single failed request shows no notice.
  expect(await state.textContent()).toMatch(/^Live, 1\d s old$/)
  await page.clock.runFor(4000)
  const reconnecting = page.locator('.connection.reconnecting').getByText('Reconnecting since')
  const since = (await reconnecting.textContent())?.replace('Reconnecting', '')
  await page.clock.runFor(8000)
  const stopped = await clock.textContent()
  await page.clock.runFor(60_000)
  await page.locator('.connection.lost').getByText(`No connection${since}`).waitFor()
  expect(await clock.textContent()).toBe(stopped)
  await page.unroute('**/*')
  await page.clock.runFor(11_000)
  await page.locator('.connection.live').waitFor()
  await page.close()
})

test.each([
  ['timer', 'Data of'],
  ['nothing', 'Live'],
] as const)(
  'data that is 20 s old, of a source that follows %s, is shown as: %s',
  async (follows, text) => {
    const service = serviceOf(leagueAt('during'), now)
    const status = () => ({ ...service.status(), follows, currentAt: now - 20 })
    const app = appOf({ ...service, status })
    const own = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app(request) })
    const page = await browser.newPage()
    await page.goto(own.url.href)
    await page.evaluate(`new Promise((done) => {
    addEventListener('cageside-shown', done)
    document.dispatchEvent(new Event('visibilitychange'))
  })`)
    expect(await page.locator('.connection').textContent()).toStartWith(text)
    await page.close()
    await own.stop(true)
  },
)

test('the clock of a fight runs from the last answer, up to the end of the fight', async () => {
  served = leagueAt('during')
  const page = await browser.newPage()
  await page.clock.install()
  await page.goto(`http://127.0.0.1:${site.port}/`)
  const clock = page.locator('#cages .fight-clock')
  const seconds = async (): Promise<number> => {
    const [minutes = 0, rest = 0] = ((await clock.textContent()) ?? '').split(':').map(Number)
    return minutes * 60 + rest
  }
  await page.clock.runFor(10_000)
  // The page can be shown within the second before.
  expect(await seconds()).toBeWithin(84, 86)
  // The server repeats an older state ten seconds later, as after a pause.
  leagueNow = now + 5
  await until(async () => {
    await showTab(page)
    return (await clock.getAttribute('data-seconds')) === '80'
  })
  expect(await seconds()).toBeLessThan(83)
  leagueNow = now
  // A paused clock has no seconds, and continues from its last value.
  await page.evaluate(`document.querySelector('.fight-clock').removeAttribute('data-seconds')`)
  await page.clock.runFor(5000)
  await page.evaluate(`document.querySelector('.fight-clock').dataset.seconds = '80'`)
  await page.clock.runFor(1000)
  expect(await seconds()).toBeLessThan(83)
  const limit = Number(await clock.getAttribute('data-limit'))
  await until(async () => {
    await page.clock.runFor(5000)
    return (await seconds()) >= limit
  })
  await page.clock.runFor(5000)
  expect(await seconds()).toBe(limit)
  await page.close()
})

test('a changed section keeps the focus on its link', async () => {
  served = leagueAt('during')
  const page = await openPage('/')
  await page.locator('#current').getByRole('link', { name: '30 lb' }).focus()
  served = leagueAt('after')
  await showTab(page)
  await page.getByText('Last event').waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe('30 lb')
  await page.close()
})

test('a changed part keeps its elements, its focus and its scroll position', async () => {
  served = leagueAt('waiting')
  const page = await openPage('/e/spring_30lb')
  const marks = await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('#schedule .fights { height: 2rem; overflow: auto }')
    document.adoptedStyleSheets = [sheet]
    const list = document.querySelector('#schedule .fights')
    list.scrollTop = 4
    const heading = document.querySelector('#schedule h2')
    heading.tabIndex = -1
    heading.focus()
    globalThis.marked = { list, cell: list.querySelector('.corner'), heading }
    return [list.scrollTop, document.activeElement === heading]
  })()`)
  expect(marks).toEqual([4, true])
  served = leagueAt('during')
  await showTab(page)
  await page.locator('#now').getByText('In the cage').waitFor()
  expect(
    await page.evaluate(`[marked.list.scrollTop, marked.list.isConnected, marked.cell.isConnected,
      marked.heading.isConnected]`),
  ).toEqual([4, true, true, true])
  await page.close()
})

test('the focus stays on the star of its bot', async () => {
  served = leagueAt('waiting')
  const page = await openPage('/e/spring_30lb')
  await page.locator('#schedule').getByRole('button', { name: 'My bot: Axe' }).first().focus()
  served = leagueAt('during')
  await showTab(page)
  await page.locator('#now').getByText('In the cage').waitFor()
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('My bot: Axe')
  await page.close()
})

test('sections stay closed or open', async () => {
  served = leagueAt('waiting')
  const page = await openPage('/e/spring_30lb')
  const round = page.locator('#fights details')
  for (const isOpen of [false, true]) {
    await round.locator('summary').click()
    await page.evaluate(`new Promise((done) => {
      addEventListener('cageside-shown', done)
      document.dispatchEvent(new Event('visibilitychange'))
    })`)
    expect(await round.evaluate((each) => each.hasAttribute('open'))).toBe(isOpen)
    // The last fight is in another round now.
    await page.evaluate(`(() => {
      const plainFetch = fetch
      globalThis.fetch = async (...request) =>
        new Response((await (await plainFetch(...request)).text()).replace('"rounds" open', '"rounds"'))
    })()`)
  }
  await page.close()
})

test('the page of a bot shows its fights, its rating and the codes as they become known', async () => {
  served = leagueAt('during')
  const page = await openPage('/b/axe')
  expect(await page.getByText('1–0').count()).toBe(0)
  served = leagueAt('after')
  await showTab(page)
  await page.getByText('1–0 · 30 lb').waitFor()
  for (const text of ['All fights', 'Rating', 'KO: knockout'])
    await page.getByText(text, { exact: true }).waitFor()
  await page.close()
})

test('a tab that takes over the stream requests what it missed', async () => {
  served = leagueAt('before')
  const context = await browser.newContext()
  // There is neither a worker nor a timer: changes only come by the stream of the tab that holds the lock.
  await context.addInitScript(`delete globalThis.SharedWorker; globalThis.setInterval = () => 0`)
  const tab = async () => {
    const page = await browser.newPage({}, Promise.resolve(context))
    await page.goto(`http://127.0.0.1:${site.port}/live`)
    await page.waitForLoadState('networkidle').catch(() => undefined)
    return page
  }
  const first = await tab()
  const second = await tab()
  served = leagueAt('during')
  // A refused stream is reopened after 2 to 4 s.
  await second.route('**/changes/stream*', (route) => route.fulfill({ status: 503 }), { times: 1 })
  await first.close()
  const fighting = second.locator('#cages').getByText('Fighting')
  await fighting.waitFor()

  // Changes during a request cause one more request.
  const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = async (route: Route) => {
    const response = await route.fetch()
    answered.resolve()
    await released.promise
    await route.fulfill({ response })
  }
  await second.route('**/live', hold, { times: 1 })
  await showTab(second)
  await answered.promise
  served = leagueAt('after')
  await showTab(second)
  released.resolve()
  await fighting.waitFor({ state: 'detached' })
  await context.close()
})

test('a page follows changes through a cache that keeps what it has', async () => {
  const before = leagueAt('before')
  served = before
  const changes = createChanges()
  changes.feed.begin(before)
  const app = appOf({ ...serviceOf(before, now), archive: () => served }, { changes })
  const kept = new Map<string, string>()
  const cache = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      if (!request.headers.get('accept')?.startsWith('text/html')) return app(request)
      const plain = new Request(request.url, { headers: { accept: 'text/html' } })
      const body = kept.get(request.url) ?? (await (await app(plain)).text())
      kept.set(request.url, body)
      return new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
  const context = await browser.newContext()
  // One of two tabs has the stream and tells the other one.
  await context.addInitScript('delete globalThis.SharedWorker')
  const page = await browser.newPage({}, Promise.resolve(context))
  const other = await browser.newPage({}, Promise.resolve(context))
  const address = `http://127.0.0.1:${cache.port}/live?hidden`
  for (const each of [page, other]) await each.goto(address)
  await until(() => changes.streams.count() > 0)
  const during = leagueAt('during')
  served = during
  changes.feed.swapped(before, during)
  for (const each of [page, other]) await each.locator('#cages').getByText('Fighting').waitFor()
  const asked = page.waitForResponse('**/live?*')
  await showTab(page)
  await asked
  expect(await page.locator('#cages').getByText('Fighting').isVisible()).toBe(true)
  expect(page.url()).toBe(address)
  // The stream was broken, and the known version still counts.
  const shown = other.evaluate(
    `new Promise((done) => addEventListener('cageside-shown', () => done(true)))`,
  )
  await page.evaluate(`new BroadcastChannel(new URL(document.querySelector('[data-follow]')
    .dataset.follow, location.href).href).postMessage({ readers: 1 })`)
  expect(await shown).toBe(true)
  expect(await other.locator('#cages').getByText('Fighting').isVisible()).toBe(true)
  await context.close()
  await cache.stop(true)
})

const refreshed = [
  ...['/', '/live', '/live?board=1', '/overlay', '/overlay/cage/1'],
  ...['/e/spring_30lb', '/w/spring_30lb/W-0', '/b/axe', '/my?bots=axe'],
]
test.each(refreshed)('%s keeps no replaced content after 200 refreshes', async (path) => {
  served = leagueAt('during')
  const page = await browser.newPage()
  // Counts answers; refreshes follow each other without the delay that spreads them.
  await page.addInitScript(`
      Math.random = () => 0
      globalThis.answers = 0
      const plainFetch = fetch
      globalThis.fetch = (...request) => plainFetch(...request).finally(() => { answers += 1 })`)
  await page.goto(`http://127.0.0.1:${site.port}${path}`)
  const inspector = await page.context().newCDPSession(page)
  const countNodes = async (): Promise<number> => {
    await inspector.send('HeapProfiler.collectGarbage')
    return (await inspector.send('Memory.getDOMCounters')).nodes
  }
  const heapBytes = async () => (await inspector.send('Runtime.getHeapUsage')).usedSize
  const refresh = (times: number) =>
    page.evaluate(`(async () => {
        const until = answers + ${times}
        while (answers < until) {
          document.dispatchEvent(new Event('visibilitychange'))
          await new Promise((resolve) => setTimeout(resolve))
        }
      })()`)
  await refresh(5)
  const before = await countNodes()
  const bytesBefore = await heapBytes()
  for (let round = 0; round < 10; round += 1) {
    served = leagueAt(round % 2 === 0 ? 'before' : 'during')
    await refresh(20)
  }
  await until(async () => (await countNodes()) < before * 1.5 + 200)
  expect(await heapBytes()).toBeLessThan(bytesBefore * 1.5)
  await page.close()
})

test.each([
  { width: 390, height: 844 },
  { width: 1920, height: 1080 },
])('the board does not move as fights begin and end, $width px wide', async (viewport) => {
  served = leagueAt('waiting')
  const page = await browser.newPage({ viewport })
  await page.addInitScript(`
      globalThis.shift = 0
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shift += value
      }).observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(`http://127.0.0.1:${site.port}/live?board=1`)
  const board = page.locator('#cages')
  for (const stage of ['during', 'waiting', 'after', 'during'] as const) {
    served = leagueAt(stage)
    await showTab(page)
    await board
      .getByText('Fighting')
      .waitFor({ state: stage === 'during' ? 'visible' : 'detached' })
  }
  await page.waitForTimeout(200)
  expect(await page.evaluate('shift')).toBeLessThan(0.02)
  expect(await page.locator('.star').count()).toBe(0)
  await page.close()
})

test('a board keeps its screen on, also after it was hidden', async () => {
  served = leagueAt('waiting')
  const page = await browser.newPage()
  await page.addInitScript(`globalThis.asked = 0
    Object.defineProperty(navigator, 'wakeLock', { value: { request: async () => { asked += 1 } } })`)
  for (const [path, times] of [
    ['/live', 0],
    ['/live?board=1', 1],
  ] as const) {
    await page.goto(`http://127.0.0.1:${site.port}${path}`)
    await until(async () => (await page.evaluate('asked')) === times)
    await showTab(page)
    expect(await page.evaluate('asked')).toBe(2 * times)
  }
  await page.close()
})

test('the start page shows the league once it is loaded', async () => {
  served = undefined
  const page = await openPage('/')
  await page.getByText('The data is being loaded.').waitFor()
  served = leagueAt('after')
  await page.locator('#recent').getByText('Axe').waitFor()
  await page.close()
})

test('/my without a list opens the list of the browser once, even if no bot of it exists', async () => {
  served = leagueAt('during')
  const page = await browser.newPage()
  await page.addInitScript(`localStorage.setItem('cageside-bots', 'renamed\\ngone')`)
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).search))
  await page.goto(`http://127.0.0.1:${site.port}/my`)
  await page.getByText('None of these bots is in this league').waitFor()
  await page.waitForTimeout(500)
  expect(visited).toEqual(['', '?bots=renamed%2Cgone'])
  await page.close()
})

test('the box for one bot says if it has no fight, and leaves all tabs visible on a phone', async () => {
  served = leagueAt('during')
  const page = await openPage('/e/spring_30lb')
  await page.setViewportSize({ width: 390, height: 844 })
  const none = page.locator('#now').getByText('No fight of this bot.')
  await page.getByPlaceholder('My bot').fill('zzz')
  await none.waitFor()
  expect(await page.locator('#now .fights').isVisible()).toBe(false)
  await showTab(page)
  await none.waitFor()
  await page.getByPlaceholder('My bot').fill('axe')
  await page.locator('#now .fights').waitFor()
  expect(await none.count()).toBe(0)
  // The texts of the box and the stars are kept apart.
  const star = page.locator('#now').getByRole('button', { name: 'My bot: Axe' }).first()
  await star.click()
  await page.reload()
  expect(await page.getByPlaceholder('My bot').inputValue()).toBe('axe')
  expect(await star.getAttribute('aria-pressed')).toBe('true')
  const cut = await page.evaluate(`[...document.querySelectorAll('.tabs a')].filter((tab) =>
    tab.getBoundingClientRect().right > innerWidth).length`)
  expect(cut).toBe(0)
  await page.close()
})

test('refreshed parts have the times of the viewer, and the drawing its winners', async () => {
  served = leagueAt('during')
  const page = await browser.newPage({ timezoneId: 'America/New_York' })
  await page.goto(`http://127.0.0.1:${site.port}/e/spring_30lb`)
  const drawn = page.locator('.bracket .game')
  await drawn.first().waitFor()
  expect(await drawn.locator('.winner').count()).toBe(0)
  // A small drawing is not enlarged.
  const svg = page.locator('svg.bracket')
  const width = await svg.getAttribute('width')
  expect(await svg.getAttribute('viewBox')).toMatch(RegExp(` ${width} \\d+$`))
  served = leagueAt('after')
  await showTab(page)
  await drawn.locator('.winner').getByText('Axe').waitFor()
  expect(await page.locator('#event time').textContent()).toEndWith('(Sun 22:38 for you)')
  await page.close()
})

test('a hidden tab requests nothing until it is seen, but an overlay always does', async () => {
  served = leagueAt('during')
  const page = await browser.newPage()
  await page.addInitScript(`globalThis.asked = 0
    const plainFetch = fetch
    globalThis.fetch = (...request) => { asked += 1; return plainFetch(...request) }`)
  const asked = async (): Promise<number> => Number(await page.evaluate('asked'))
  /** Requests before the tab is hidden or seen, and right after it. */
  const turn = async (isHidden: boolean): Promise<unknown> =>
    page.evaluate(`(() => {
      Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
      const before = asked
      document.dispatchEvent(new Event('visibilitychange'))
      return [before, asked]
    })()`)
  await page.goto(`http://127.0.0.1:${site.port}/`)
  expect(await turn(true)).toEqual([0, 0])
  expect(await turn(false)).toEqual([0, 1])
  await page.goto(`http://127.0.0.1:${site.port}/overlay/cage/1`)
  await turn(true)
  // A request in progress is followed by another one.
  const before = await asked()
  await turn(true)
  await until(async () => (await asked()) > before)
  await page.close()
})

test('a fight in a cage offers only streams of that cage, and retries a failed one', async () => {
  served = leagueAt('during')
  const page = await browser.newPage()
  await page.clock.install()
  await page.addInitScript(`HTMLMediaElement.prototype.canPlayType = () => 'maybe'`)
  const streamOf = (location: string, name: string) => ({
    ...{ name, location, path: `${location} ${name}`, hlsUrl: `${streamHost}/${name}.m3u8` },
    ...{ readyTime: 0, viewers: 0, tracks: [] },
  })
  const own = [streamOf('Cage 1', 'top'), streamOf('Cage 1', 'Cage 1'), streamOf('Cage 1', '')]
  let groups: object = { 'Cage 1': own, 'Cage 2': [streamOf('Cage 2', 'side')] }
  await page.route('**/live/streams', (route) => route.fulfill({ json: { groups } }))
  let requests = 0
  await page.route(`${streamHost}/**`, (route) => {
    requests += 1
    return route.abort()
  })
  await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-0`)
  const streams = page.locator('#streams')
  const buttons = streams.getByRole('button')
  await buttons.first().waitFor()
  expect(await buttons.allTextContents()).toEqual(['Cage 1, top', 'Cage 1', 'Cage 1'])
  await buttons.first().click()
  for (const count of [1, 2]) {
    await until(() => requests === count)
    await page.clock.runFor(2900)
    expect(requests).toBe(count)
    // The failure is known a moment after the request.
    await until(async () => {
      await page.clock.runFor(100)
      return requests > count
    })
  }
  await buttons.first().click()
  await page.clock.runFor(6000)
  expect([requests, await streams.locator('video').count()]).toEqual([3, 0])
  for (const [json, isOffered] of [
    [{ 'Cage 2': [] }, false],
    [{ 'Cage 1': own }, true],
  ] as const) {
    groups = json
    await page.clock.runFor(15_000)
    await until(async () => (await streams.isVisible()) === isOffered)
  }
  await page.close()
})

test('pages work if the browser stores nothing for the site', async () => {
  served = leagueAt('during')
  const page = await browser.newPage()
  await page.addInitScript(
    `Object.defineProperty(globalThis, 'localStorage', { get: () => { throw new Error('denied') } })`,
  )
  await page.goto(`http://127.0.0.1:${site.port}/e/spring_30lb?spoilers=0`)
  await page.locator('html.js').waitFor()
  await page.getByPlaceholder('My bot').fill('zzz')
  await page.locator('#now').getByText('No fight of this bot.').waitFor()
  const star = (bot: string) => page.getByRole('button', { name: `My bot: ${bot}` }).first()
  await page.getByPlaceholder('My bot').fill('')
  for (const bot of ['Axe', 'Bolt', 'Axe']) await star(bot).click()
  const pressed = ['Axe', 'Bolt'].map((bot) => star(bot).getAttribute('aria-pressed'))
  expect(await Promise.all(pressed)).toEqual(['false', 'true'])
  await page.close()
})

test('simultaneous changes cause one request, and later ones another after 0.2 s', async () => {
  served = leagueAt('during')
  const page = await browser.newPage()
  await page.clock.install({ time: 0 })
  await page.addInitScript(`globalThis.versions = []
    globalThis.open = 0
    const plainFetch = fetch
    globalThis.fetch = (address, ...rest) => {
      versions.push(address.searchParams.get('v'))
      open += 1
      return plainFetch(address, ...rest)
    }
    addEventListener('cageside-shown', () => { open -= 1 })`)
  await page.goto(`http://127.0.0.1:${site.port}/live`)
  await page.locator('.connection.live').waitFor()
  await page.clock.pauseAt(600_000)
  await page.clock.runFor(1000)
  /** Versions that the page requests until some time after changes. */
  const requestedAfter = async (ms: number, ...changes: readonly string[]): Promise<unknown> => {
    await until(async () => (await page.evaluate('open')) === 0)
    await page.evaluate(`new Promise((done) => {
      const { follow } = document.querySelector('[data-follow]').dataset
      const [channel, own] = [1, 2].map(() => new BroadcastChannel(new URL(follow, location.href).href))
      own.onmessage = ({ data }) => data.version === '${changes.at(-1)}' && done()
      for (const version of ${JSON.stringify(changes)}) channel.postMessage({ version, readers: 1 })
      versions.length = 0
    })`)
    await page.clock.runFor(ms)
    return page.evaluate('versions')
  }
  expect(await requestedAfter(30, 'a', 'b', 'c')).toEqual(['c'])
  expect(await requestedAfter(160, 'd', 'e')).toEqual([])
  await page.clock.runFor(40)
  expect(await page.evaluate('versions')).toEqual(['e'])
  await page.close()
})

test('pages spread their reads by the number of readers, after a reconnect by the last known number', async () => {
  served = leagueAt('during')
  const context = await browser.newContext()
  await context.addInitScript('delete globalThis.SharedWorker; Math.random = () => 0.999')
  const page = await browser.newPage({}, Promise.resolve(context))
  let streams = 0
  await page.route('**/changes/stream*', (route) => {
    streams += 1
    const readers = 'event: readers\ndata: {"readers":2000}\n\n'
    return route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: ${streams === 1 ? 500 : 100_000}\n${streams === 1 ? readers : ''}\n`,
    })
  })
  const asked: number[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') asked.push(performance.now())
  })
  await page.goto(`http://127.0.0.1:${site.port}/live`)
  await until(() => streams === 2)
  const [begun, before] = [performance.now(), asked.length]
  await until(() => asked.length > before)
  expect((asked.at(-1) ?? 0) - begun).toBeWithin(700, 1200)
  await context.close()
})

test('a refused page retries no earlier than Retry-After, and does not count as lost', async () => {
  served = leagueAt('before')
  const page = await browser.newPage()
  await page.clock.install()
  await page.addInitScript('Math.random = () => 0.5')
  await page.goto(`http://127.0.0.1:${site.port}/`)
  await page.locator('.connection.live').waitFor()
  let refusals = 0
  await page.route(`http://127.0.0.1:${site.port}/`, (route) => {
    refusals += 1
    return refusals > 1
      ? route.fallback()
      : route.fulfill({ status: 503, headers: { 'retry-after': '2' } })
  })
  served = leagueAt('during')
  const refused = page.waitForResponse((response) => response.status() === 503)
  await showTab(page)
  await refused
  await showTab(page)
  await page.clock.runFor(2400)
  await showTab(page)
  expect(refusals).toBe(1)
  expect(await page.locator('.connection').textContent()).toMatch(/^Live/)
  await page.clock.runFor(200)
  await page.locator('#cages').getByText('Fighting').waitFor()
  expect(refusals).toBe(2)
  await page.close()
})

test('a change during a request causes one more', async () => {
  served = leagueAt('before')
  const page = await openPage('/e/spring_30lb')
  const answer = Promise.withResolvers<void>()
  let requests = 0
  await page.route('**/e/*', async (route) => {
    requests += 1
    const response = await route.fetch()
    await answer.promise
    await route.fulfill({ response })
  })
  await showTab(page)
  await until(() => requests === 1)
  served = leagueAt('during')
  for (let change = 0; change < 3; change += 1) await showTab(page)
  answer.resolve()
  await page.locator('#now').getByText('In the cage').waitFor()
  expect(requests).toBe(2)
  await page.close()
})

test('a stream that has lost its place makes the page request the version that it names', async () => {
  served = leagueAt('during')
  const context = await browser.newContext()
  await context.addInitScript('delete globalThis.SharedWorker')
  const page = await browser.newPage({}, Promise.resolve(context))
  await page.route('**/changes/stream*', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: 'retry: 100000\nevent: reset\ndata: {"version":"later"}\n\n',
    }),
  )
  const asked = page.waitForRequest('**/live?v=later')
  await page.goto(`http://127.0.0.1:${site.port}/live`)
  await asked
  await context.close()
})

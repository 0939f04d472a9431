import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import type { BrowserContext, Page } from 'playwright-core'
import { CagesBody, Schedule } from '../../src/api/live/schema.ts'
import { openBrowser, overflow, shoot, violations } from '../browser.ts'
import { temporaryFolder } from '../process.ts'
import { addressings, type RunningSite, startSite } from '../site.ts'
import { until } from '../until.ts'

/**
 * `/live` and the overlay in a real browser while an event is replayed, and a stream made by ffmpeg. Both are packages
 * of the system, so this file is not among those that `bun run test` finds. SCREENSHOTS=FOLDER keeps pictures.
 */
const statusTexts: Readonly<Record<string, string>> = {
  // An idle cage that nothing waits for is not shown.
  idle: 'Next',
  assigned: 'Loading in',
  active: 'Fighting',
  paused: 'Paused',
  completed: 'Fight over',
}

/**
 * A streaming server: its list as MediaMTX gives it, and a film of ffmpeg in pieces of a second, whose playlist never
 * ends. It counts requests for films, and can stop and resume the broadcast.
 */
const serveStream = async () => {
  const folder = await temporaryFolder()
  const output = join(folder, 'hls/cage-1/overhead')
  await mkdir(output, { recursive: true })
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=160x90:rate=10:duration=6']
  const hls = ['-f', 'hls', '-hls_time', '1', '-hls_list_size', '0', join(output, 'index.m3u8')]
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '10', '-pix_fmt', 'yuv420p']
  const child = Bun.spawn(
    ['ffmpeg', '-loglevel', 'error', '-nostdin', ...source, ...codec, ...hls],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  expect(await child.exited).toBe(0)
  const state = { isBroadcast: true, isReachable: true, requests: 0 }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/v3/')) {
        if (!state.isReachable) return new Response(null, { status: 500 })
        const item = {
          name: 'cage-1/overhead',
          ready: true,
          readyTime: null,
          tracks: [],
          readers: [],
        }
        const items = state.isBroadcast ? [item] : []
        return Response.json({ itemCount: items.length, pageCount: 1, items })
      }
      state.requests += 1
      const file = Bun.file(join(folder, pathname))
      const headers = { 'access-control-allow-origin': '*' }
      if (!state.isBroadcast || !(await file.exists())) return new Response(null, { status: 404 })
      return pathname.endsWith('.m3u8')
        ? new Response((await file.text()).replace('#EXT-X-ENDLIST', ''), { headers })
        : new Response(file, { headers })
    },
  })
  return { server, state }
}

let streams: Awaited<ReturnType<typeof serveStream>>
beforeAll(async () => {
  streams = await serveStream()
})
afterAll(() => streams.server.stop(true))

const streamSettings = () => {
  const at = `http://127.0.0.1:${streams.server.port}`
  return { STREAM_API_URL: at, STREAM_HLS_URL: `${at}/hls` }
}

/** Compares every live part with its response after each refresh, except content that scripts change. */
const compareParts = `
  globalThis.refreshes = 0
  globalThis.differences = new Set()
  let answer
  const plainFetch = fetch
  globalThis.fetch = async (address, ...rest) => {
    const response = await plainFetch(address, ...rest)
    if (new URL(address).pathname === location.pathname && response.ok)
      answer = await response.clone().text()
    return response
  }
  const textOf = (part) => {
    if (!part || part.hidden) return 'hidden'
    const copy = part.cloneNode(true)
    for (const each of copy.querySelectorAll('.fight-clock, time, .star')) each.remove()
    return copy.textContent
  }
  addEventListener('cageside-shown', () => {
    const template = document.createElement('template')
    template.innerHTML = answer ?? ''
    const [parts, sent] = [document, template.content].map((each) => [...each.querySelectorAll('[data-live]')])
    for (const id of new Set([...parts, ...sent].map(({ id }) => id))) {
      const shown = textOf(document.getElementById(id))
      const fresh = textOf(template.content.getElementById(id))
      if (shown !== fresh) differences.add(location.pathname + ' #' + id + ': ' + shown + ' / ' + fresh)
    }
    refreshes += 1
  })`

describe.each(addressings)('live pages with %s', (addressing) => {
  let site: RunningSite
  const browser = openBrowser()

  beforeAll(async () => {
    site = await startSite(addressing, {
      REPLAY: 'auto',
      REPLAY_SPEED: '200',
      REPLAY_LOOP: '1',
      // One stream for a browser, and another until a closed page's is gone.
      MAX_STREAMS_PER_CLIENT: '2',
      ...streamSettings(),
    })
  })
  afterAll(() => site.stop())

  const open = async (context: BrowserContext, path: string): Promise<Page> => {
    // Streams of closed pages may still be open; an unknown cursor is answered at once.
    const poll = `${site.url}/changes?since=none&wait=1`
    await until(async () => (await fetch(poll)).status === 410)
    const page = await browser.newPage({}, Promise.resolve(context))
    await page.goto(`${site.url}${path}`)
    return page
  }
  const cagesShown = (page: Page): Promise<string[]> =>
    page.locator('#cages li.cage').evaluateAll((all) =>
      all.map((each) => {
        const [status, ...bots] = [...each.querySelectorAll('.status, .corner bdi')].map(
          ({ textContent }) => textContent,
        )
        return [each.querySelector('h2')?.firstChild?.textContent?.trim(), status, ...bots].join(
          ' | ',
        )
      }),
    )
  const cagesServed = async (): Promise<string[]> => {
    const body: unknown = await (await fetch(`${site.url}/cages`)).json()
    if (!Value.Check(CagesBody, body)) throw new Error('these are no cages')
    return Object.values(body.cages)
      .filter(({ status, queue }) => status !== 'idle' || queue.length > 0)
      .map(({ cage, status, match }) =>
        [cage, statusTexts[status], ...(match ? [match.player1, match.player2] : [])].join(' | '),
      )
      .sort()
  }

  test('every live page matches its response over 20 refreshes', async () => {
    // The comparison does not depend on URLs.
    if (addressing !== 'no setting') return
    const context = await browser.newContext()
    await context.addInitScript(compareParts)
    const { matches } = Value.Parse(Schedule, await (await fetch(`${site.url}/schedule`)).json())
    const [first, , , second] = matches
    if (!first || !second) throw new Error('too little is scheduled')
    const { tournamentID, player1clean } = first
    const bots = [first, second].flatMap((each) => [each.player1clean, each.player2clean])
    const paths = [
      ...['/', '/live', '/live?board=1', '/overlay', '/overlay/cage/1', '/overlay/next'],
      ...[`/e/${tournamentID}`, `/overlay/bracket/${tournamentID}`, `/overlay/bot/${player1clean}`],
      ...[first, second].map((each) => `/w/${each.tournamentID}/${each.gameID}`),
      ...[...bots.map((bot) => `/b/${bot}`), `/my?bots=${bots.join(',')}`],
      ...[`/e/${tournamentID}?spoilers=0`, `/b/${player1clean}?spoilers=0`],
    ]
    const pages = await Promise.all(
      paths.map(async (path) => {
        const page = await browser.newPage({}, Promise.resolve(context))
        await page.goto(`${site.url}${path}`)
        return page
      }),
    )
    const differences = pages.map((page) =>
      page.evaluate(`new Promise((done) => {
        const again = () =>
          refreshes < 20
            ? setTimeout(() => document.dispatchEvent(new Event('visibilitychange')), 200)
            : done([...differences])
        addEventListener('cageside-shown', again)
        again()
      })`),
    )
    expect((await Promise.all(differences)).flat()).toEqual([])
    await context.close()
  }, 120_000)

  /** Polling would show fewer changes. */
  const changes = async (page: Page): Promise<void> => {
    for (let count = 0; count < 3; count += 1) {
      const before = (await cagesShown(page)).join()
      await until(async () => (await cagesShown(page)).join() !== before)
    }
  }

  test('two tabs follow the event by one stream', async () => {
    const context = await browser.newContext()
    const pages = [await open(context, '/live'), await open(context, '/live')]
    await Promise.all(pages.map(changes))
    for (const page of pages) {
      expect((await cagesShown(page)).length).toBeGreaterThan(4)
      await until(
        async () => (await cagesShown(page)).sort().join() === (await cagesServed()).join(),
      )
    }
    const stream = `${site.url}/changes/stream`
    const leaving = new AbortController()
    expect((await fetch(stream, { signal: leaving.signal })).status).toBe(200)
    expect((await fetch(stream)).status).toBe(503)
    leaving.abort()
    await context.close()
  })

  test('one tab has the stream without shared workers, and the next one takes over', async () => {
    const context = await browser.newContext()
    await context.addInitScript('delete globalThis.SharedWorker')
    const [first, second] = [await open(context, '/live'), await open(context, '/live')]
    await Promise.all([changes(first), changes(second)])
    await first.close()
    await changes(second)
    await context.close()
  })

  test('an overlay shows what comes next, the fight with its clock, and the result', async () => {
    // Elements that fade in have little contrast.
    const context = await browser.newContext({
      viewport: { width: 1920, height: 1080 },
      reducedMotion: 'reduce',
    })
    const page = await open(context, '/overlay/cage/4')
    const seen = new Map<string, string>()
    await until(async () => {
      // Both values are of one moment: a fight takes a second here.
      const [title, text]: [string, string] = await page.evaluate(
        `['.board h1', '.board'].map((part) => document.querySelector(part)?.textContent ?? '')`,
      )
      if (title !== '' && !seen.has(title)) {
        seen.set(title, text)
        if (process.env.SCREENSHOTS) await Bun.sleep(500)
        await shoot(page, `overlay-${title.toLowerCase().replace(' ', '-')}`)
      }
      return ['Up next', 'Now fighting', 'Result'].every((each) => seen.has(each))
    })
    expect(seen.get('Now fighting')).toMatch(/\d:\d\d/)
    expect(seen.get('Result')).toContain('Winner')
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(background).toBe('rgba(0, 0, 0, 0)')
    expect(await violations(page)).toEqual([])
    await context.close()
  })

  test('live pages log no error', () => {
    expect(browser.complaints).toEqual([])
  })
})

/** These tests need no changes, which would take most of the CPU time. */
describe('/live while nothing changes', () => {
  let site: RunningSite
  const browser = openBrowser()
  const { complaints } = browser

  beforeAll(async () => {
    site = await startSite('no setting', streamSettings())
  })
  afterAll(() => site.stop())

  const open = async (context: BrowserContext): Promise<Page> => {
    const page = await browser.newPage({}, Promise.resolve(context))
    await page.goto(`${site.url}/live`)
    return page
  }

  test('the clock runs between changes', async () => {
    const context = await browser.newContext()
    const page = await open(context)
    // The server sends nothing from now on.
    await page.route('**/live', (route) => route.abort())
    const clock = page.locator('.fight-clock[data-seconds]').first()
    const before = await clock.textContent()
    await until(async () => (await clock.textContent()) !== before)
    await context.close()
    // These errors belong to the refused requests above.
    complaints.length = 0
  })

  test('/live plays a stream with the library if the browser cannot', async () => {
    const context = await browser.newContext()
    await context.addInitScript(
      `HTMLMediaElement.prototype.canPlayType = (type) => (type.includes('mpegurl') ? '' : 'maybe')`,
    )
    const page = await open(context)
    await page.getByRole('button', { name: 'Cage 1, overhead' }).click()
    await until(
      async () =>
        Number(await page.evaluate(`document.querySelector('#streams video').currentTime`)) > 0.3,
    )
    expect(await page.getByLabel('Cage 1, overhead', { exact: true }).count()).toBe(1)
    expect(await violations(page)).toEqual([])
    await shoot(page, 'live-stream')
    await page.getByRole('button', { name: 'Cage 1, overhead' }).click()
    expect(await page.locator('#streams video').count()).toBe(0)
    await context.close()
  })

  test('/live never loads a stream that is stopped before its library has arrived', async () => {
    const context = await browser.newContext()
    await context.addInitScript(
      `HTMLMediaElement.prototype.canPlayType = (type) => (type.includes('mpegurl') ? '' : 'maybe')`,
    )
    const page = await open(context)
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route(/hls.*\.js/, async (route) => {
      await promise
      await route.continue()
    })
    const button = page.getByRole('button', { name: 'Cage 1, overhead' })
    await button.waitFor()
    // The list of streams is not requested in a tab that is hidden.
    const lists: string[] = []
    const films: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/live/streams')) lists.push(request.url())
      if (request.url().includes('/hls/cage-1/')) films.push(request.url())
    })
    for (const [isHidden, count] of [
      [true, 0],
      [false, 1],
    ] as const) {
      await page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
      await Bun.sleep(300)
      expect(lists).toHaveLength(count)
    }
    const library = page.waitForResponse(/hls.*\.js/)
    await button.click()
    await button.click()
    resolve()
    await (await library).finished()
    await Bun.sleep(500)
    expect(films).toEqual([])
    await context.close()
  })

  test('/live loads nothing more of a stopped stream, and resumes a broken one', async () => {
    const context = await browser.newContext()
    await context.addInitScript(
      `HTMLMediaElement.prototype.canPlayType = (type) => (type.includes('mpegurl') ? '' : 'maybe')`,
    )
    const page = await open(context)
    const { state } = streams
    const button = page.getByRole('button', { name: 'Cage 1, overhead' })
    const showTab = () => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    const plays = () =>
      until(
        async () =>
          (await page.evaluate(`document.querySelector('#streams video')?.readyState`)) === 4,
      )
    await button.click()
    await plays()

    // The list fails for a while; a stream that plays continues.
    state.isReachable = false
    await until(async () => (await fetch(`${site.url}/live/streams`)).status === 502)
    await showTab()
    await Bun.sleep(500)
    expect(await page.locator('#streams video').count()).toBe(1)
    state.isReachable = true

    state.isBroadcast = false
    await until(async () => {
      await showTab()
      return page.getByText('The stream has ended.').isVisible()
    })
    // The stream can be stopped although it is no longer in the list.
    expect(await button.getAttribute('aria-pressed')).toBe('true')
    const ended = state.requests
    await Bun.sleep(3000)
    expect(state.requests).toBe(ended)
    state.isBroadcast = true
    await until(async () => {
      await showTab()
      return !(await page.getByText('The stream has ended.').isVisible())
    })
    await plays()

    await button.click()
    expect(await page.locator('#streams video').count()).toBe(0)
    await Bun.sleep(500)
    const stopped = state.requests
    await Bun.sleep(3000)
    expect(state.requests).toBe(stopped)
    await context.close()
    // These errors belong to the failed requests above.
    complaints.length = 0
  })

  test('/live fits every width, accessibly', async () => {
    const context = await browser.newContext()
    const page = await open(context)
    for (const [width, colorScheme] of [
      [320, 'dark'],
      [768, 'light'],
      [1440, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect([width, await overflow(page)]).toEqual([width, 0])
      expect([width, await violations(page)]).toEqual([width, []])
      await shoot(page, `live-${width}-${colorScheme}`)
    }
    await context.close()
  })

  test('/live logs no error', () => {
    expect(complaints).toEqual([])
  })
})

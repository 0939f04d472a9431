import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FrameLocator, Page } from 'playwright-core'
import puppeteer, { type Browser } from 'puppeteer-core'
import { openBrowser } from '../browser.ts'
import { type RunningSite, startSite } from '../site.ts'
import { until } from '../until.ts'

/**
 * The site in browsers that lack what is newer than the oldest supported ones, that refuse storage, and in sandboxed
 * frames, while an event is replayed. Browsers are packages of the system, so this file is not among those that
 * `bun run test` finds.
 */
const restricted = {
  /** Removes what the oldest supported browsers do not have. */
  'without newer features': `
    const remove = (from, ...names) => { for (const name of names) delete from[name] }
    remove(AbortSignal, 'any', 'timeout')
    remove(Array.prototype, 'findLast', 'findLastIndex', 'toReversed', 'toSorted', 'toSpliced', 'with')
    remove(String.prototype, 'isWellFormed', 'toWellFormed')
    remove(Object, 'groupBy')
    remove(Map, 'groupBy')
    remove(Promise, 'try', 'withResolvers')
    remove(URL, 'canParse', 'parse')
    remove(globalThis, 'BroadcastChannel', 'Notification', 'SharedWorker', 'structuredClone')
    remove(Navigator.prototype, 'clipboard', 'locks', 'wakeLock')
    remove(HTMLElement.prototype, 'attachInternals', 'popover', 'showPopover')
    remove(Element.prototype, 'checkVisibility', 'requestFullscreen', 'role',
      ...Object.keys(Element.prototype).filter((name) => name.startsWith('aria')))
    remove(Document.prototype, 'adoptedStyleSheets', 'exitFullscreen', 'fullscreenElement', 'fullscreenEnabled')
    remove(ShadowRoot.prototype, 'adoptedStyleSheets')
    remove(CSSStyleSheet.prototype, 'replace', 'replaceSync')
    globalThis.CSSStyleSheet = function () { throw new TypeError('Illegal constructor') }`,
  /** Refuses what browsers refuse to pages without storage, to frames and after too many calls. */
  'that refuses': `
    const refuse = () => { throw new DOMException('refused', 'SecurityError') }
    const reject = async () => refuse()
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
      Object.defineProperty(globalThis, name, { get: refuse })
    globalThis.SharedWorker = class { constructor() { refuse() } }
    globalThis.BroadcastChannel = class { constructor() { refuse() } }
    LockManager.prototype.request = reject
    WakeLock.prototype.request = reject
    Clipboard.prototype.writeText = reject
    Element.prototype.requestFullscreen = reject
    globalThis.Notification.requestPermission = reject
    globalThis.prompt = () => null
    history.replaceState = refuse
    history.pushState = refuse`,
} as const

let site: RunningSite
/** The same event when it is over. */
let over: RunningSite
let elsewhere: Bun.Server<undefined>
beforeAll(async () => {
  ;[site, over] = await Promise.all([
    startSite('no setting', { REPLAY: 'auto', REPLAY_SPEED: '200', REPLAY_LOOP: '1' }),
    startSite('no setting'),
  ])
  /** Another site, with the search box or a page of the site in a sandboxed frame. */
  elsewhere = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const framed = new URL(url).searchParams.get('framed')
      const body = framed
        ? `<iframe sandbox="allow-scripts" width="800" height="600" src="${framed}"></iframe>`
        : `<script type="module" src="${site.url}/assets/search.js"></script>
           <cageside-search></cageside-search>`
      return new Response(
        `<!doctype html><title>Other</title><link rel="icon" href="data:,">${body}`,
        {
          headers: { 'content-type': 'text/html' },
        },
      )
    },
  })
})
afterAll(async () => {
  await elsewhere.stop(true)
  await Promise.all([site.stop(), over.stop()])
})

const film = '/w/178ab73621cc8f62/EX-108afa9bea2c4660'

/** Removes the polls that a page makes every 10 s, so that only a stream brings changes. */
const withoutPolls = `{
  const repeat = setInterval
  globalThis.setInterval = (act, ms) => repeat(act, ms === 10_000 ? 1e9 : ms)
}`

/** Waits for three other texts; the replayed event has pauses. */
const changes = async (text: () => Promise<string | null>): Promise<void> => {
  const seen = new Set<string | null>()
  await until(async () => seen.add(await text()).size > 3)
}

const overlayText = (within: Page | FrameLocator): Promise<string | null> =>
  within.locator('#overlay').textContent()
const cagesText = (within: Page | FrameLocator): Promise<string> =>
  within
    .locator('#cages .corner')
    .allTextContents()
    .then((all) => all.join())

const search = async (within: Page | FrameLocator): Promise<void> => {
  const box = within.getByRole('combobox')
  await box.fill('plonktrn')
  await within.getByRole('option', { name: 'Plonktron' }).first().waitFor()
  await box.press('ArrowDown')
  expect(await within.getByRole('option', { selected: true }).count()).toBe(1)
}

describe.each(Object.entries(restricted))('a browser %s', (_, script) => {
  const browser = openBrowser()
  const { complaints } = browser

  const open = async (address: string): Promise<Page> => {
    const page = await browser.newPage()
    await page.addInitScript(`{ ${script} }`)
    await page.addInitScript(withoutPolls)
    await page.goto(address)
    return page
  }

  test('the search box suggests, in the style of the site', async () => {
    const page = await open(site.url)
    await search(page)
    const list = page.getByRole('listbox')
    const { y = 0, height = 0 } = (await page.locator('header.top').boundingBox()) ?? {}
    // Over the page, not in the header.
    expect(Number((await list.boundingBox())?.y)).toBeLessThan(y + height)
    expect(height).toBeLessThan(100)
    await page.context().close()
  })

  test('the search box suggests on another site', async () => {
    const page = await open(elsewhere.url.href)
    await search(page)
    await page.context().close()
  })

  test('/live follows the cages', async () => {
    const page = await open(`${site.url}/live`)
    await changes(() => cagesText(page))
    await page.context().close()
  })

  test('an overlay shows the next fights', async () => {
    const page = await open(`${site.url}/overlay/cage/4`)
    await changes(() => overlayText(page))
    await page.context().close()
  })

  test('a star adds a bot to /my', async () => {
    const page = await open(`${site.url}/b/plonktron`)
    const star = page.getByRole('button', { name: 'My bot: ', exact: false }).first()
    await star.click()
    await page.locator('.star[aria-pressed=true]').first().waitFor()
    await page.context().close()
  })

  test('/my announces calls', async () => {
    const page = await open(`${site.url}/my?bots=plonktron`)
    await page.locator('[data-announce]').click()
    await page.getByText('This browser shows no notifications').waitFor()
    await page.locator('[data-announce][aria-pressed=true]').waitFor()
    await page.context().close()
  })

  test('the player plays a film', async () => {
    const page = await open(over.url + film)
    await page.locator('.watch.ready').waitFor()
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    for (const key of ['ArrowRight', 'f', 'c', '5']) await page.keyboard.press(key)
    await page.context().close()
  })

  test('the page of a fight copies its address', async () => {
    const page = await open(`${site.url}/overlay`)
    page.on('dialog', (dialog) => dialog.dismiss())
    await page.locator('[data-copy]').first().click()
    await page.getByText('Copied').waitFor()
    await page.context().close()
  })

  test('the page of an event shows its bracket and fights', async () => {
    const page = await open(`${over.url}/e/092633de6e3593b1`)
    const bot = await page.locator('.fights .corner bdi').first().textContent()
    await page.locator('.mine input').fill(String(bot))
    await page.locator('.pan .lit').first().waitFor({ state: 'attached' })
    await page.context().close()
  })

  test('pages in a restricted browser log no error', () => expect(complaints).toEqual([]))
})

describe('a sandboxed frame', () => {
  const browser = openBrowser()
  const open = async (framed: string) => {
    const page = await browser.newPage()
    await page.addInitScript(withoutPolls)
    await page.goto(`${elsewhere.url.href}?framed=${encodeURIComponent(framed)}`)
    return { page, frame: page.frameLocator('iframe') }
  }

  test('an overlay shows the next fights', async () => {
    const { page, frame } = await open(`${site.url}/overlay/cage/4`)
    await changes(() => overlayText(frame))
    await page.context().close()
  })

  test('/live follows the cages, and the search box suggests', async () => {
    const { page, frame } = await open(`${site.url}/live`)
    await changes(() => cagesText(frame))
    await search(frame)
    await page.context().close()
  })

  test('the player plays a film', async () => {
    const { page, frame } = await open(over.url + film)
    await frame.locator('.watch.ready').waitFor()
    await frame.getByRole('button', { name: 'Forward' }).click()
    await page.context().close()
  })

  test('pages in a restricted browser log no error', () => expect(browser.complaints).toEqual([]))
})

describe('Firefox without cookies and storage', () => {
  let browser: Browser
  const complaints: string[] = []
  beforeAll(async () => {
    browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: '/usr/bin/firefox-esr',
      extraPrefsFirefox: { 'network.cookie.cookieBehavior': 2 },
    })
  })
  afterAll(() => browser.close())

  const open = async (address: string) => {
    const page = await browser.newPage()
    page.on('pageerror', (error) => complaints.push(`${address}: ${error}`))
    await page.evaluateOnNewDocument(withoutPolls)
    await page.goto(address)
    return page
  }
  const frameOf = async (framed: string) => {
    const page = await open(`${elsewhere.url.href}?framed=${encodeURIComponent(framed)}`)
    const element = await page.waitForSelector('iframe')
    const frame = await element?.contentFrame()
    if (!frame) throw new Error('there is no frame')
    return frame
  }
  const cages = `[...document.querySelectorAll('#cages .corner')].map((each) => each.textContent).join()`

  test('Firefox refuses storage to pages', async () => {
    const page = await open(site.url)
    const refused = `(() => { try { return String(localStorage) } catch { return 'refused' } })()`
    expect(await page.evaluate(refused)).toBe('refused')
  })

  test('/live follows the cages', async () => {
    const page = await open(`${site.url}/live`)
    await changes(async () => String(await page.evaluate(cages)))
  })

  test('an overlay shows the next fights', async () => {
    const page = await open(`${site.url}/overlay/cage/4`)
    await changes(() => page.$eval('#overlay', ({ textContent }) => textContent))
  })

  test('/live follows the cages in a sandboxed frame', async () => {
    const frame = await frameOf(`${site.url}/live`)
    await changes(async () => String(await frame.evaluate(cages)))
  })

  test('the search box suggests without storage', async () => {
    const page = await open(site.url)
    const input = await page.waitForSelector('cageside-search >>> [role=combobox]')
    await input?.type('plonktrn')
    await page.waitForSelector('cageside-search >>> [role=option]')
  })

  test('pages in a restricted browser log no error', () => expect(complaints).toEqual([]))
})

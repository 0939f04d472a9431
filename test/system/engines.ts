import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import puppeteer, { type Browser, type LaunchOptions, type Page } from 'puppeteer-core'
import { createLocalMedia } from '../../src/companions/sample/localMedia.ts'
import { openSnapshot } from '../../src/data/following/fromSnapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, archiveWithCages, serviceOf } from '../fixtures.ts'
import { projectFolder } from '../process.ts'
import { cageRow, fightRows, playersAs, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'

/**
 * Features that every page depends on, in two browser engines, over the sample with its films. Both browsers are
 * packages of the system, so this file is not among those that `bun run test` finds. Driven by puppeteer:
 * playwright-core 1.65 sends Firefox 153 a command that it does not know.
 */
const engines: readonly {
  readonly engine: string
  /** True if films without sound may start by themselves. */
  readonly mayBegin: boolean
  readonly options: LaunchOptions
}[] = [
  {
    engine: 'Chromium',
    mayBegin: true,
    options: {
      browser: 'chrome',
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    },
  },
  {
    engine: 'Firefox',
    mayBegin: false,
    options: {
      browser: 'firefox',
      executablePath: '/usr/bin/firefox-esr',
      extraPrefsFirefox: { 'media.autoplay.default': 5, 'media.autoplay.blocking_policy': 0 },
    },
  },
]

const now = 1_770_003_600
const waiting = { state: 'available', startTime: null, stopTime: null, endTime: null } as const
const leagueWith = (status: 'idle' | 'active') =>
  archiveWithCages(
    {
      cages: [
        status === 'active'
          ? cageRow({ number: 1, status, tournamentId: 'spring_30lb', gameId: 'W-0' })
          : cageRow({ number: 1, status }),
      ],
    },
    tournamentOf({ active: true }, playersAs({ a: 'Axe', b: 'Bolt' }), [
      fightRows(
        {
          ...waiting,
          winAnnotation: null,
          timerDuration: null,
          ...(status === 'active' && { state: 'active', startTime: now - 75 }),
        },
        'a',
        'b',
        null,
      ),
    ]),
  )

describe.each(engines)('the site in $engine', ({ mayBegin, options }) => {
  let browser: Browser
  let page: Page
  let sample: Bun.Server<undefined>
  let live: Bun.Server<undefined>
  let shown = leagueWith('idle')
  const complaints: string[] = []

  beforeAll(async () => {
    const path = join(projectFolder, 'snapshot/sample.cageside')
    const localMedia = createLocalMedia(path)
    const service = openSnapshot(path, createLog('silent'), undefined, localMedia?.prepare)
    const app = appOf(service, { localMedia })
    const serve = (fetch: (request: Request) => Response | Promise<Response>) =>
      Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch })
    sample = serve((request) => app(request))
    localMedia?.listening(sample.url.origin)
    const liveApp = appOf({ ...serviceOf(shown, now), archive: () => shown })
    live = serve((request) => liveApp(request))
    ;[browser] = await Promise.all([puppeteer.launch(options), service.firstLoad])
    page = await browser.newPage()
    page.on('pageerror', (error) => complaints.push(String(error)))
  })
  afterAll(async () => {
    await browser.close()
    await Promise.all([sample.stop(true), live.stop(true)])
  })

  const open = (path: string, at = sample) => page.goto(`${at.url.origin}${path}`)
  const holds = (condition: string): Promise<void> =>
    until(async () => (await page.evaluate(condition)) === true)
  const has = (selector: string): string => `document.querySelector('${selector}') !== null`

  test('the search of the header suggests bots and opens one', async () => {
    await open('/e')
    const input = await page.waitForSelector('header cageside-search >>> [role=combobox]')
    await input?.focus()
    await page.keyboard.type('plonktrn')
    await page.waitForSelector('header cageside-search >>> [role=option]')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await until(() => page.url().includes('/b/plonktron'))
    await holds(has('main h1'))
  })

  test('an open page shows a fight that begins', async () => {
    shown = leagueWith('idle')
    await open('/', live)
    expect(await page.evaluate(has('#cages:not([hidden])'))).toBe(false)
    shown = leagueWith('active')
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await holds(`document.querySelector('#cages')?.innerText.includes('Axe') === true`)
  })

  test('the player plays the films of all cameras in step', async () => {
    await open('/w/178ab73621cc8f62/EX-108afa9bea2c4660?t=6')
    await holds(has('.watch.ready'))
    const cameras = `[...document.querySelectorAll('.watch .camera:not([hidden])')].map((each) =>
      each.querySelector('video').currentTime - Number(each.dataset.offset))`
    await holds(`${cameras}.every((time) => Math.abs(time - 6) < 0.2)`)
    await page.keyboard.press('k')
    await holds(`${cameras}.every((time) => time > 7)`)
    await holds(`Math.max(...${cameras}) - Math.min(...${cameras}) < 0.1`)
    expect(await page.evaluate(`${cameras}.length`)).toBe(4)
  })

  test('a link to the film starts it, unless the browser waits for a press', async () => {
    await open('/')
    await open('/w/178ab73621cc8f62/EX-108afa9bea2c4660#play')
    await holds(has('.watch.ready'))
    const time = `document.querySelector('.main video').currentTime - Number(document.querySelector('.main').dataset.offset)`
    const button = `document.querySelector('[data-do=play]').ariaLabel`
    await holds(mayBegin ? `${time} > 1` : `${button} === 'Play'`)
    // The browser refuses each camera separately: a refusal may come after the press, and stops the film again.
    await until(async () => {
      if ((await page.evaluate(`${button} === 'Play'`)) === true) await page.keyboard.press('k')
      return (await page.evaluate(`${time} > 1 && ${button} === 'Pause'`)) === true
    })
    expect(
      await page.evaluate(`[...document.querySelectorAll('video')].every(({ muted }) => muted)`),
    ).toBe(true)
  })

  test('pictures of bots are shown', async () => {
    await open('/b/plonktron')
    await holds(
      `[...document.images].some((image) => image.src.includes('/media/stills/') && image.naturalWidth > 0)`,
    )
  })

  test('the bracket is drawn with links to its fights', async () => {
    await open('/e/092633de6e3593b1')
    await holds(`document.querySelectorAll('.bracket a[href*="/w/"]').length > 10`)
  })

  test('results stay hidden on the next page', async () => {
    await open('/e/092633de6e3593b1')
    await Promise.all([page.waitForNavigation(), page.click('header a.eye')])
    await holds(has('html.no-outcomes'))
    await open('/')
    await holds(has('html.no-outcomes'))
  })

  test('no script fails', () => expect(complaints).toEqual([]))
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, overflow, shoot, violations } from '../browser.ts'
import { appOf, archiveOf } from '../fixtures.ts'
import { temporaryFolder } from '../process.ts'
import { fightRows, recordingRow, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'

/**
 * The player of a fight in a real browser, with films made by ffmpeg. Both are packages of the system, so this file
 * is not among those that `bun run test` finds. SCREENSHOTS=FOLDER keeps pictures of it, and PLAY_SECONDS=20 plays
 * for longer.
 */
const playSeconds = Number(process.env.PLAY_SECONDS ?? 2)
const filmSeconds = 40
const fightUnix = 1_770_000_100
const hostile = '<img src=x onerror=document.title="gone">'

/** Seconds into each film at which the fight starts; the last camera began after it. */
const offsets = { 'Overhead-High': 6.25, 'Red-Corner': 4.75, 'SkyCam-A': 5.5, 'Door-Late': -2.5 }
const cameras = Object.entries(offsets)
/** Seconds of the fight at which each film ends; the late camera stops before the others. */
const lastSeconds = (camera: string): number => (camera === 'Door-Late' ? 28 : filmSeconds - 8)
/** A recording without smaller files. */
const alone = { proxy720Url: null, proxy360Url: null, proxy72Url: null }

/** Films that begin at different moments of one picture. */
const makeFilms = async (folder: string): Promise<void> => {
  const outputs = cameras.flatMap(([camera, offset]) => [
    ...['-ss', String(8 - offset), '-t', String(lastSeconds(camera) + offset)],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '15', '-pix_fmt', 'yuv420p'],
    ...['-movflags', '+faststart', join(folder, `${camera}.mp4`)],
  ])
  const source = `testsrc=size=192x108:rate=30:duration=${filmSeconds}`
  const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-y']
  const child = Bun.spawn(['ffmpeg', ...quiet, '-f', 'lavfi', '-i', source, ...outputs], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await child.exited).toBe(0)
}

/** Serves films by ranges, except one small file; one film hangs beyond its first third until it is released. */
const serveFilms = (folder: string) => {
  let stalled = ''
  let release = (): void => undefined
  let released = Promise.resolve()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    fetch: async (request) => {
      const name = new URL(request.url).pathname.slice(1).replace(/_\d+p\.mp4$/, '.mp4')
      if (request.url.endsWith('/Red-Corner_72p.mp4')) return new Response(null, { status: 404 })
      const bytes = await Bun.file(join(folder, name)).bytes()
      const [, from = '0', to = ''] =
        /bytes=(\d+)-(\d*)/.exec(request.headers.get('range') ?? '') ?? []
      const [first, last] = [
        Number(from),
        Math.min(Number(to || bytes.length - 1), bytes.length - 1),
      ]
      const limit = name === stalled ? Math.max(first, Math.floor(bytes.length / 3)) : last + 1
      const gate = released
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(bytes.slice(first, Math.min(limit, last + 1)))
          if (limit <= last) {
            await gate
            controller.enqueue(bytes.slice(limit, last + 1))
          }
          controller.close()
        },
      })
      return new Response(body, {
        status: 206,
        headers: {
          'content-type': 'video/mp4',
          'accept-ranges': 'bytes',
          'content-range': `bytes ${first}-${last}/${bytes.length}`,
        },
      })
    },
  })
  return {
    server,
    stall: (camera: string) => {
      stalled = `${camera}.mp4`
      released = new Promise<void>((resolve) => {
        release = resolve
      })
    },
    release: () => {
      stalled = ''
      release()
    },
  }
}

describe('the page of a fight', () => {
  let films: ReturnType<typeof serveFilms>
  let site: Bun.Server<undefined>
  const browser = openBrowser()

  beforeAll(async () => {
    const folder = await temporaryFolder()
    await makeFilms(folder)
    films = serveFilms(folder)
    const judged = { winAnnotation: 'JD', stopTime: fightUnix + 25, endTime: fightUnix + 25 }
    const archive = archiveOf(
      tournamentOf(
        {},
        [
          { id: 'p1', name: 'Axe' },
          { id: 'p2', name: hostile },
        ],
        [
          fightRows({ startTime: fightUnix, ...judged }, 'p1', 'p2'),
          fightRows({ id: 'W-1' }, 'p1', 'p2'),
          fightRows({ id: 'W-2', startTime: fightUnix }, 'p1', 'p2'),
        ],
        {
          recordings: [
            ...cameras.map(([camera, offset], index) =>
              recordingRow({
                id: index + 1,
                camera: `Cage-2-${camera}`,
                videoUrl: `http://127.0.0.1:${films.server.port}/${camera}.mp4`,
                startMs: (fightUnix - offset) * 1000,
                ...(camera === 'Door-Late' && alone),
              }),
            ),
            recordingRow({
              id: 8,
              gameId: 'W-2',
              camera: 'Cage-2-Overhead-High',
              videoUrl: `http://127.0.0.1:${films.server.port}/Overhead-High.mp4`,
              startMs: (fightUnix - 26.25) * 1000,
            }),
            recordingRow({
              ...alone,
              id: 9,
              gameId: 'W-1',
              videoUrl: 'https://www.twitch.tv/videos/1234567890',
              httpStatus: null,
            }),
          ],
          pauses: [{ gameId: 'W-0', idx: 0, startTime: fightUnix + 5, stopTime: fightUnix + 9 }],
          judgeLines: [
            { gameId: 'W-0', idx: 0, line: 'Judge 1: Damage 3-2, Control 3-0' },
            { gameId: 'W-0', idx: 1, line: `${hostile}: Damage 0-5, Control 3-0` },
          ],
        },
      ),
    )
    const app = appOf(archive)
    site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app(request) })
  })
  afterAll(async () => {
    films.release()
    await Promise.all([site.stop(true), films.server.stop(true)])
  })

  /** Films that a test refuses are not reported. */
  const complaints = () =>
    browser.complaints.filter((text) => !/net::ERR_FAILED|^[^ ]*\.mp4: /.test(text))
  const open = async (options: BrowserContextOptions = {}, query = '') => {
    const page = await browser.newPage(options)
    await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-0${query}`)
    return page
  }
  /** State of each shown camera, and its time of the fight. */
  const shown = (
    page: Page,
  ): Promise<{ time: number; paused: boolean; rate: number; over: boolean }[]> =>
    page.evaluate(`[...document.querySelectorAll('.watch .camera:not([hidden])')].map((each) => {
      const video = each.querySelector('video')
      const time = video.currentTime - Number(each.dataset.offset)
      return { time, paused: video.paused, rate: video.playbackRate, over: video.ended }
    })`)
  /** Seconds between the first and the last of the cameras that play. */
  const spread = (all: readonly { time: number }[]): number => {
    const times = all.map(({ time }) => time)
    return Math.max(...times) - Math.min(...times)
  }
  const apart = async (page: Page): Promise<number> => spread(await shown(page))
  /** The policy of the page forbids what `waitForFunction` does. */
  const holds = (page: Page, condition: string): Promise<void> =>
    until(async () => (await page.evaluate(condition)) === true)
  const ready = async (page: Page) => {
    await page.locator('.watch.ready').waitFor()
    await holds(
      page,
      `[...document.querySelectorAll('.watch .camera:not([hidden]) video')].every((video) => video.readyState >= 3)`,
    )
  }
  const playsBeyond = (page: Page, time: number) =>
    holds(
      page,
      `[...document.querySelectorAll('.watch .camera:not([hidden])')].every((each) =>
        each.querySelector('video').currentTime - Number(each.dataset.offset) > ${time})`,
    )
  /** The browser updates the moment in the URL a little later. */
  const momentOf = (page: Page): number => Number(new URL(page.url()).searchParams.get('t'))
  test('the player plays in step, waits for a camera that stalls, and returns to step', async () => {
    films.stall('SkyCam-A')
    const page = await open({}, '?t=3')
    await page.locator('.watch.ready').waitFor()
    expect(await page.getByRole('button', { name: 'Play', exact: true }).count()).toBe(1)
    expect(await page.locator('.camera video:is([controls], :not([tabindex="-1"]))').count()).toBe(
      0,
    )
    await page.keyboard.press('k')
    await playsBeyond(page, 5)
    const playing = await shown(page)
    expect(playing.map(({ paused }) => paused)).toEqual([false, false, false, false])
    expect(spread(playing)).toBeLessThan(0.1)
    await page.getByText('Waiting for SkyCam A', { exact: true }).waitFor()
    await until(async () => (await shown(page)).every(({ paused }) => paused))
    const waiting = await shown(page)
    await Bun.sleep(300)
    expect((await shown(page)).map(({ time }) => time)).toEqual(waiting.map(({ time }) => time))
    films.release()
    await playsBeyond(page, (waiting[0]?.time ?? 0) + playSeconds)
    const after = spread(await shown(page))
    if (process.env.PLAY_SECONDS)
      console.log(`apart by ${spread(playing)}, after the stall ${after}`)
    expect(after).toBeLessThan(0.1)
    await page.context().close()
  })

  test('the player starts at the moment of its link, even if pressed before any film is known', async () => {
    const page = await browser.newPage()
    const held = Promise.withResolvers<void>()
    await page.route('**/*.mp4', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-0?t=3`)
    await page.locator('.watch.ready').waitFor()
    await page.keyboard.press('k')
    expect(await page.locator('.clock').textContent()).toBe('0:03.0')
    held.resolve()
    await playsBeyond(page, 3)
    await page.context().close()
  })

  test('a link to the film starts it without sound, and a press gives the sound', async () => {
    const page = await open({}, '#play')
    await playsBeyond(page, 0.5)
    const heard = `[...document.querySelectorAll('video')].filter(({ muted }) => !muted).length`
    expect(await page.evaluate(heard)).toBe(0)
    const sound = page.getByRole('button', { name: 'Sound on' })
    await sound.click()
    await sound.waitFor({ state: 'hidden' })
    expect(await page.evaluate(heard)).toBe(1)
    expect(await page.getByRole('button', { name: 'Sound', pressed: true }).count()).toBe(1)
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await page.keyboard.press('l')
    expect(await page.evaluate('location.search')).toBe('')
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await until(() => momentOf(page) > 0.5)
    // The moment is kept.
    expect(page.url()).not.toContain('#')
    await page.context().close()
  })

  test('the player starts by itself only if link and viewer ask for it', async () => {
    for (const [query, options, saveData] of [
      ['', {}, false],
      ['?t=3#play', {}, false],
      ['#play', { reducedMotion: 'reduce' }, false],
      ['#play', {}, true],
    ] as const) {
      const page = await browser.newPage(options)
      await page.addInitScript(
        `Object.defineProperty(navigator, 'connection', { value: { saveData: ${saveData} } })`,
      )
      await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-0${query}`)
      await ready(page)
      const isPlaying = await page.locator('.watch.playing').count()
      expect([query, (await shown(page)).map(({ paused }) => paused), isPlaying]).toEqual([
        query,
        [true, true, true, true],
        0,
      ])
      await page.context().close()
    }
  })

  test('a film that the browser does not let play waits for a press', async () => {
    const page = await browser.newPage()
    await page.addInitScript(`HTMLMediaElement.prototype.play = async () => {
      throw new DOMException('', 'NotAllowedError')
    }
    Object.defineProperty(document, 'fullscreenEnabled', { value: false })`)
    await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-0`)
    await ready(page)
    const wanted = `new Promise((done) => {
      const root = document.querySelector('#watch')
      new MutationObserver(() => root.classList.contains('playing') || done(true))
        .observe(root, { attributeFilter: ['class'] })
      document.querySelector('[data-do=play]').click()
    })`
    expect(await page.evaluate(wanted)).toBe(true)
    expect(await page.getByRole('button', { name: 'Full screen' }).count()).toBe(0)
    await page.context().close()
  })

  test('the player ignores keys of the browser and of other elements, and has the bar next to them', async () => {
    const page = await open({}, '?t=5')
    await ready(page)
    const isFree = (target: string, key: string, held: string): Promise<unknown> =>
      page.evaluate(`document.querySelector('${target}').dispatchEvent(new KeyboardEvent('keydown',
        { key: '${key}', ${held}: true, bubbles: true, cancelable: true }))`)
    for (const held of ['ctrlKey', 'metaKey', 'altKey'])
      expect([held, await isFree('body', 'l', held)]).toEqual([held, true])
    for (const target of ['cageside-search', '.rate'])
      expect([target, await isFree(target, 'l', 'composed')]).toEqual([target, true])
    for (const target of ['[data-do=link]', '.choice input', '.moments a', 'summary'])
      expect([target, await isFree(target, ' ', 'composed')]).toEqual([target, true])
    expect(await isFree('.seek', 'j', 'composed')).toBe(false)
    await until(() => momentOf(page) === 0)
    const seek = page.locator('.seek')
    expect([await seek.getAttribute('min'), await seek.getAttribute('max')]).toEqual([
      '-6.3',
      '32.0',
    ])
    expect(await page.getByText('Over', { exact: true }).count()).toBe(0)
    const entries = await page.evaluate('history.length')
    await seek.fill('30')
    await page.getByText('Over', { exact: true }).waitFor()
    expect(await page.getByText('Over', { exact: true }).count()).toBe(1)
    await seek.fill('12')
    await until(() => momentOf(page) === 12)
    expect(await seek.getAttribute('aria-valuetext')).toBe('0:12.0')
    expect(await page.evaluate('history.length')).toBe(entries)
    const places = await page.evaluate(`['--from', '--now', '--to'].map((name) =>
      Math.round(Number.parseFloat(document.querySelector('#watch').style.getPropertyValue(name))))`)
    expect(places).toEqual([16, 48, 82])
    await page.context().close()
  })

  test('the bar begins 15 seconds before the fight, or at the moment of the link', async () => {
    const page = await browser.newPage()
    for (const [moment, least] of [
      ['3', '-15.0'],
      ['-20', '-20.0'],
      ['-40', '-26.3'],
    ] as const) {
      await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-2?t=${moment}`)
      await until(async () => (await page.locator('.seek').getAttribute('min')) === least)
    }
    await page.context().close()
  })

  test('the player follows keys and links to moments', async () => {
    const page = await open({}, '?t=0m10s')
    await ready(page)
    const time = async () => Math.round(((await shown(page))[0]?.time ?? 0) * 100) / 100
    const arrives = (at: number) => until(async () => Math.abs((await time()) - at) < 0.05)
    await arrives(10)
    await page.keyboard.press('l')
    await arrives(15)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await arrives(5)
    await page.keyboard.press('.')
    await until(async () => Math.abs((await time()) - 5 - 1 / 30) < 0.005)
    await page.keyboard.press('Home')
    await arrives(0)
    await page.keyboard.press('2')
    await arrives(5)
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('0.5')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('k')
    await playsBeyond(page, 5.4)
    const isHalf = ({ rate }: { readonly rate: number }) => Math.abs(rate - 0.5) < 0.03
    await until(async () => (await shown(page)).every(isHalf))
    await page.keyboard.press('k')
    await until(() => momentOf(page) > 5)
    // Play at the end starts over.
    for (let press = 0; press < 8; press += 1) await page.keyboard.press('l')
    await page.keyboard.press('k')
    const begins = ({ time, paused }: { time: number; paused: boolean }) => time < 4 && !paused
    await until(async () => (await shown(page)).some(begins))
    await page.keyboard.press('k')
    await page.getByRole('link', { name: 'Pause 0:05' }).click()
    await arrives(5)
    await until(() => momentOf(page) === 5)
    await page.keyboard.press('?')
    await page.keyboard.press('l')
    await page.keyboard.press('k')
    await playsBeyond(page, 10.2)
    await page.getByRole('button', { name: 'Copy a link to this moment' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    expect(momentOf(page)).toBeGreaterThan(10)
    await page.context().close()
  })

  test('the player steps from the shown picture, and a press on a camera enlarges it', async () => {
    const page = await open({}, '?t=3')
    await ready(page)
    /** Time of each camera before and after a press of a key, without a step of the clock in between. */
    const press = async (key: string): Promise<readonly [number, number]> => {
      const [before = Number.NaN, after = Number.NaN] = Value.Parse(
        Type.Array(Type.Number()),
        await page.evaluate(`(() => {
          const time = () => document.querySelector('.main video').currentTime - 6.25
          const before = time()
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))
          return [before, time()]
        })()`),
      )
      return [before, after]
    }
    const areStopped = async () => (await shown(page)).every(({ paused }) => paused)
    for (const [key, frames] of [
      ['.', 1],
      [',', -1],
    ] as const) {
      await page.keyboard.press('k')
      await playsBeyond(page, 3.2)
      const [before, after] = await press(key)
      await until(areStopped)
      // A playing camera is within a picture of its time.
      expect(Math.abs(after - before - frames / 30)).toBeLessThan(1 / 30)
      const [still, next] = await press(key)
      expect(still).toBeCloseTo(after, 3)
      expect(next - still).toBeCloseTo(frames / 30, 3)
    }
    for (const id of ['watch', null]) {
      await page.keyboard.press('f')
      await until(
        async () => (await page.evaluate('document.fullscreenElement?.id ?? null')) === id,
      )
    }
    const large = () => page.locator('.camera.main').getByRole('button').textContent()
    const pressed = () => page.locator('.camera > button[aria-pressed=true]').allTextContents()
    await page.locator('.camera:not(.main):not([hidden]) video').first().click()
    const chosen = 'Red Corner'
    expect([await large(), await pressed(), await areStopped()]).toEqual([chosen, [chosen], true])
    await page.locator('.main video').click()
    await until(async () => !(await areStopped()))
    await page.locator('.main video').click()
    await until(areStopped)
    expect(await large()).toBe(chosen)
    await page.keyboard.press('?')
    for (const [hidden, next] of [
      ['Red Corner', 'Overhead High'],
      ['Overhead High', 'SkyCam A'],
    ] as const) {
      await page.getByRole('checkbox', { name: hidden }).click()
      expect([await large(), await pressed()]).toEqual([next, [next]])
    }
    await page.route('**/SkyCam-A.mp4', (route) => route.abort())
    await page.getByRole('combobox', { name: 'Picture' }).selectOption('original')
    await until(async () => (await large()) === 'Door Late')
    await page.context().close()
  })

  test('the player shows the chosen cameras, and a late one once it begins', async () => {
    const page = await open({}, '?t=1')
    await page.locator('.watch.ready').waitFor()
    await page.getByText('Not recording yet').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: 'Red Corner' }).uncheck()
    expect(await shown(page)).toHaveLength(3)
    await page.getByRole('button', { name: 'SkyCam A' }).click()
    const large = page.locator('.camera.main')
    const heard = () =>
      page.evaluate(`[...document.querySelectorAll('.camera')].flatMap((each) =>
        each.querySelector('video').muted ? [] : each.className)`)
    expect(await heard()).toEqual([])
    await page.getByRole('button', { name: 'Sound', exact: true }).click()
    expect(await heard()).toEqual([expect.stringContaining('main')])
    expect(await large.getByRole('button').textContent()).toBe('SkyCam A')
    expect(await large.locator('video').getAttribute('src')).toEndWith('/SkyCam-A_360p.mp4')
    await page.getByRole('combobox', { name: 'Picture' }).selectOption('original')
    expect(await large.locator('video').getAttribute('src')).toEndWith('/SkyCam-A.mp4')
    const sources = await page.locator('.camera:not(.main):not([hidden]) video').all()
    expect(await Promise.all(sources.map((each) => each.getAttribute('src')))).toEqual([
      expect.stringMatching(/_360p\.mp4$/),
      expect.stringMatching(/Door-Late\.mp4$/),
    ])
    await page.keyboard.press('ArrowRight')
    await page.getByText('Not recording yet').waitFor({ state: 'detached' })
    await until(async () => (await apart(page)) < 0.05)
    expect(await page.locator('#watch.single').count()).toBe(0)
    // The last camera stays, and none plays on unseen.
    await page.keyboard.press('k')
    await until(async () => (await shown(page)).every(({ paused }) => !paused))
    for (const box of await page.getByRole('checkbox').all())
      if (await box.isChecked()) await box.click()
    expect(await shown(page)).toHaveLength(1)
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(1)
    expect(await page.locator('#watch.single').count()).toBe(1)
    const hidden = `[...document.querySelectorAll('.watch .camera[hidden] video')]`
    const areStopped = `${hidden}.every(({ paused, ended }) => paused && !ended)`
    await until(async () => (await page.evaluate(areStopped)) === true)
    await page.context().close()
  })

  test('the player goes on without a small camera that does not load', async () => {
    const page = await browser.newPage()
    await page.route('**/SkyCam-A*', () => new Promise<never>(() => undefined))
    await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-0?t=3`)
    await page.locator('.watch.ready').waitFor()
    await page.keyboard.press('k')
    await page.getByText('Waiting for SkyCam A', { exact: true }).waitFor()
    await page.getByText('Loading', { exact: true }).waitFor()
    await until(async () => ((await shown(page))[0]?.time ?? 0) > 4)
    await page.keyboard.press('k')
    await page.getByText('Loading', { exact: true }).waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('the player waits for the large camera as long as needed', async () => {
    const page = await browser.newPage()
    await page.clock.install()
    await page.route('**/Overhead-High*', () => new Promise<never>(() => undefined))
    await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-0?t=3`)
    await page.locator('.watch.ready').waitFor()
    await page.keyboard.press('k')
    const waiting = page.getByText('Waiting for Overhead High', { exact: true })
    await waiting.waitFor()
    await page.clock.fastForward(6000)
    await page.clock.runFor(2000)
    expect(await waiting.count()).toBe(1)
    expect((await shown(page)).every(({ paused }) => paused)).toBe(true)
    await page.context().close()
  })

  test('the player replaces a large camera that is gone, and tries again on Play', async () => {
    const page = await browser.newPage()
    const address = `http://127.0.0.1:${site.port}/w/spring_30lb/W-0?t=3`
    const failed = Promise.withResolvers<void>()
    await page.route('**/*.mp4', async (route) => {
      await failed.promise
      await route.continue()
    })
    await page.route('**/Overhead-High*', (route) => route.abort())
    await page.goto(address)
    await page.locator('.camera.main').getByText('Cannot be loaded').waitFor()
    failed.resolve()
    // The first camera with a picture is shown.
    const other = { name: /^(Red Corner|SkyCam A|Door Late)/ }
    const large = page.locator('.camera.main').getByRole('button')
    await page.locator('.camera.main').getByRole('button', other).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: (await large.textContent()) ?? '' }).click()
    expect(await large.textContent()).not.toBe('Overhead High')
    await page.route('**/*.mp4', (route) => route.abort())
    await page.goto(address)
    await page.getByText('No film can be loaded now.').waitFor()
    await page.unrouteAll()
    await page.keyboard.press('k')
    await playsBeyond(page, 3.5)
    await until(async () => (await shown(page)).every(({ paused }) => !paused))
    await page.context().close()
  })

  test('the player stops when the page is left, and the way back leads to the moment', async () => {
    const page = await open({}, '?t=3')
    await ready(page)
    await page.keyboard.press('k')
    await playsBeyond(page, 3.5)
    await page.goto('about:blank')
    await page.goBack()
    expect(Number(new URL(page.url()).searchParams.get('t'))).toBeGreaterThan(3.4)
    await ready(page)
    expect((await shown(page)).every(({ paused }) => paused)).toBe(true)
    await page.context().close()
  })

  test('a press loads the player of a provider, a press for another tab does not', async () => {
    const page = await browser.newPage()
    const provider = 'https://player.twitch.tv'
    await page.route(`${provider}/**`, (route) => route.fulfill({ body: '' }))
    await page.goto(`http://127.0.0.1:${site.port}/w/spring_30lb/W-1`)
    const taken = (held: string): Promise<unknown> =>
      page.evaluate(`(() => {
        let isTaken
        document.addEventListener('click', (event) => {
          isTaken = event.defaultPrevented
          event.preventDefault()
        }, { once: true })
        document.querySelector('[data-player] a')
          .dispatchEvent(new MouseEvent('click', { ${held}: true, bubbles: true, cancelable: true }))
        return isTaken
      })()`)
    for (const held of ['ctrlKey', 'metaKey', 'shiftKey'])
      expect([held, await taken(held)]).toEqual([held, false])
    expect(await taken('composed')).toBe(true)
    const address = new URL((await page.locator('iframe').getAttribute('src')) ?? '')
    expect(address.origin).toBe(provider)
    expect(address.searchParams.get('parent')).toBe('127.0.0.1')
    expect(await page.evaluate('document.activeElement.localName')).toBe('iframe')
    expect(
      await page.evaluate(`(() => {
        const { title, referrerPolicy, allow } = document.querySelector('iframe')
        return [title, referrerPolicy, ...allow.split('; ')]
      })()`),
    ).toEqual([
      expect.stringMatching(/\w/),
      'strict-origin-when-cross-origin',
      ...['autoplay', 'fullscreen', 'picture-in-picture'],
    ])
    await page.context().close()
  })

  test('the page of a fight fits every width, accessibly, and shows names as text', async () => {
    const page = await open({}, '?t=3')
    await ready(page)
    for (const [width, colorScheme] of [
      [320, 'dark'],
      [768, 'light'],
      [1440, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect([width, await overflow(page)]).toEqual([width, 0])
      expect([width, await violations(page)]).toEqual([width, []])
      await shoot(page, `watch-${width}-${colorScheme}`)
    }
    expect(await page.title()).toBe(`Axe v ${hostile} · Cageside`)
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.getByRole('rowheader', { name: hostile }).count()).toBe(1)
    await page.context().close()
  })

  test('every camera has controls and begins with the fight without scripts', async () => {
    const page = await open({ javaScriptEnabled: false })
    const videos = await page.locator('.camera video').all()
    expect(videos).toHaveLength(4)
    for (const video of videos) expect(await video.getAttribute('controls')).toBe('')
    expect(await videos[0]?.getAttribute('src')).toEndWith('/Overhead-High_360p.mp4#t=6.25')
    expect(await videos[3]?.getAttribute('src')).toEndWith('/Door-Late.mp4')
    expect(await page.locator('.controls').isVisible()).toBe(false)
    expect(await page.getByRole('cell', { name: '3 to 2' }).count()).toBe(1)
    await page.context().close()
  })

  test('the page of a fight logs no error', () => {
    expect(complaints()).toEqual([])
  })
})

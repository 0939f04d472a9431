import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { BrowserContext, Page } from 'playwright-core'
import { Schedule } from '../../src/api/live/schema.ts'
import { browsers, openBrowser, shoot } from '../browser.ts'
import { projectFolder, temporaryFolder } from '../process.ts'
import { addressings, type RunningSite, startSite } from '../site.ts'
import { until } from '../until.ts'

/** Notes the notifications of the viewer, and the text of the page, which a call may replace at once. */
const noteAnnounced = `
  window.announced = []
  window.said = new Set()
  new MutationObserver(() => said.add(document.querySelector('.announced')?.textContent))
    .observe(document, { subtree: true, childList: true, characterData: true })
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options)
      window.announced.push(options.tag)
    }
  }`

/** Notes each tone that is played: its frequency, and its start and end within a second. */
const noteTones = `
  window.tones = []
  window.AudioContext = class extends AudioContext {
    createOscillator() {
      const tone = super.createOscillator()
      const note = {}
      window.tones.push(note)
      const { start, stop } = tone
      tone.start = (at) => {
        note.frequency = tone.frequency.value
        note.at = at - this.currentTime
        start.call(tone, at)
      }
      tone.stop = (at) => {
        note.lasts = at - this.currentTime - note.at
        stop.call(tone, at)
      }
      return tone
    }
  }`
const announcedIn = async (page: Page): Promise<string[]> =>
  Value.Parse(Type.Array(Type.String()), await page.evaluate('window.announced'))

describe('announcements of tabs', () => {
  let server: Bun.Server<undefined>
  const browser = openBrowser(browsers.chromium)
  beforeAll(async () => {
    const entrypoints = [join(projectFolder, 'src/companions/pages/browser/my.ts')]
    const { outputs } = await Bun.build({ entrypoints, target: 'browser' })
    const script = (await outputs[0]?.text()) ?? ''
    const body = `<!doctype html><title>Mine</title><link rel="icon" href="data:,">
      <button data-announce hidden>Announce</button><p class="announced"></p><div></div>
      <script type="module">${script}</script>`
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(body, { headers: { 'content-type': 'text/html' } }),
    })
  })
  afterAll(() => server.stop(true))

  const open = async (context: BrowserContext): Promise<Page> => {
    const page = await browser.newPage({}, Promise.resolve(context))
    await page.goto(server.url.href)
    return page
  }
  const show = (page: Page, ...alerts: readonly string[]): Promise<unknown> =>
    page.evaluate(`{
      document.querySelector('div').innerHTML =
        ${JSON.stringify(alerts.map((each) => `<p data-alert="${each}">Bot ${each}</p>`).join(''))}
      dispatchEvent(new Event('cageside-shown'))
    }`)
  const kept = async (page: Page): Promise<readonly string[]> =>
    String(await page.evaluate(`localStorage.getItem('cageside-announced')`)).split('\n')

  test('only new calls are announced, once in all tabs and after a reload, with the last 300 remembered', async () => {
    const context = await browser.newContext()
    await context.grantPermissions(['notifications'])
    await context.addInitScript(`${noteAnnounced}; ${noteTones}`)
    const page = await open(context)
    const tones = async (): Promise<unknown[]> =>
      Value.Parse(Type.Array(Type.Unknown()), await page.evaluate('window.tones'))
    const old = Array.from({ length: 300 }, (_, index) => `old ${index}`)
    await page.evaluate(
      `localStorage.setItem('cageside-announced', ${JSON.stringify(old.join('\n'))})`,
    )
    await show(page, 'a', 'b')
    await page.locator('button').click()
    await until(async () => (await kept(page)).includes('b'))
    expect(await kept(page)).toEqual([...old.slice(2), 'a', 'b'])
    await show(page, 'a', 'c', 'old 299', 'd')
    expect(await announcedIn(page)).toEqual(['c', 'd'])
    expect(await page.locator('.announced').textContent()).toBe('Bot c; Bot d')
    // The two tones sound at the press, and once for both calls.
    const two = [660, 880].map((frequency, index) => ({
      ...{ frequency, at: expect.closeTo(0.2 * index, 1), lasts: expect.closeTo(0.15, 1) },
    }))
    expect(await tones()).toEqual([...two, ...two])
    await show(page, 'a', 'c', 'old 299', 'd')
    expect((await tones()).length).toBe(4)

    const other = await open(context)
    await other.locator('button').click()
    // A tab that has waited half a second for its turn also announces calls that arrive meanwhile.
    await other.evaluate('new Promise((done) => setTimeout(done, 600))')
    await show(page, 'd', 'e')
    await show(other, 'e', 'f')
    expect(await announcedIn(other)).toEqual([])
    await page.reload()
    await until(async () => (await announcedIn(other)).length > 0)
    expect(await announcedIn(other)).toEqual(['f'])
    await show(page, 'e', 'f', 'g')
    await other.close()
    await until(async () => (await announcedIn(page)).length > 0)
    expect(await announcedIn(page)).toEqual(['g'])
    expect((await kept(page)).slice(-7)).toEqual([...'abcdefg'])
    const next = await open(context)
    await next.locator('button').click()
    await next.evaluate('new Promise((done) => setTimeout(done, 600))')
    await show(next, 'g', 'h')
    expect(await announcedIn(next)).toEqual([])
    await page.locator('button').click()
    await until(async () => (await announcedIn(next)).length > 0)
    expect(await announcedIn(next)).toEqual(['h'])
    await show(page, 'i')
    expect(await announcedIn(page)).toEqual(['g'])
    // A tab that had its turn waits for the next one, and passes it on if it was turned off meanwhile.
    await page.locator('button').click()
    await show(page, 'i')
    expect(await announcedIn(page)).toEqual(['g'])
    await page.locator('button').click()
    await next.locator('button').click()
    await next.locator('button').click()
    await until(async () => {
      await show(next, crypto.randomUUID())
      return (await announcedIn(next)).length > 1
    })
    await page.reload()
    await page.locator('button[aria-pressed=false]').waitFor()
    expect(browser.complaints).toEqual([])
  })
})

/** Bots that wait for a fight. */
const botsOf = async ({ url }: RunningSite): Promise<readonly string[]> => {
  const schedule: unknown = await (await fetch(`${url}/schedule`)).json()
  const { matches } = Value.Parse(Schedule, schedule)
  const names = matches.flatMap(({ player1clean, player2clean }) => [player1clean, player2clean])
  return [...new Set(names)].slice(0, 24)
}

/** Number of calls to wait for; at speed 60 one comes every few seconds. */
const enoughCalls = 2

/**
 * `/my` on a phone while an event is replayed at speed 60. Chromium is a package of the system, so this file is not
 * among those that `bun run test` finds. SCREENSHOTS=FOLDER keeps pictures.
 */
describe.each(addressings)('the bots of one browser with %s', (addressing) => {
  let site: RunningSite
  const browser = openBrowser(browsers.chromium)
  beforeAll(async () => {
    // From here on some hours have calls; from `auto` on they end after little more than a minute.
    site = await startSite(addressing, { REPLAY: '2026-02-14T16:00:00Z', REPLAY_SPEED: '60' })
  })
  afterAll(() => site.stop())

  test('a star keeps a bot, and after a press each call is announced once', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await context.grantPermissions(['notifications'])
    await context.addInitScript(noteAnnounced)
    const page = await browser.newPage({}, Promise.resolve(context))
    const bots = await botsOf(site)
    const [first = ''] = bots
    await page.goto(`${site.url}/stats`)
    const second = await context.newPage()
    await second.goto(`${site.url}/stats`)
    const [listed, beside] = [page, second].map((each) => each.locator('th .star').first())
    for (const [pressed, isMine] of [
      [listed, 'true'],
      [beside, 'false'],
    ] as const) {
      await pressed?.click()
      for (const star of [listed, beside])
        await until(async () => (await star?.getAttribute('aria-pressed')) === isMine)
    }
    await second.close()
    await page.goto(`${site.url}/b/${first}`)
    const offer = page.getByRole('link', { name: 'Tell me when it is called' })
    const star = page.locator('h1 + .star')
    await star.click()
    await offer.waitFor()
    await star.click()
    await offer.waitFor({ state: 'detached' })
    await star.click()
    await offer.click()
    await page.waitForURL(`**/my?bots=${first}`)
    expect(await page.locator('#standing .star').getAttribute('aria-pressed')).toBe('true')

    const list = bots.join(',')
    await page.goto(`${site.url}/my?bots=${list}`)
    await page.locator('[data-announce]').waitFor()
    expect(await announcedIn(page)).toEqual([])
    await page.locator('[data-announce]').click()
    const isSaid = '[...said].some((text) => /^Keep this page open: .*notifications.$/.test(text))'
    await page.waitForFunction(isSaid)
    const stream = await fetch(`${site.url}/changes/stream?type=fight.called&bot=${list}`)
    const called: string[] = []
    void (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of stream.body ?? []) {
        for (const [, text] of decoder
          .decode(chunk)
          .matchAll(/^data: (\{.*"fight\.called".*\})$/gm)) {
          const { tournamentID, gameID } = JSON.parse(text ?? '')
          called.push(`${tournamentID} ${gameID} called`)
        }
      }
    })().catch(() => undefined)
    const other = await context.newPage()
    await other.goto(`${site.url}/my?bots=${list}`)
    await other.locator('[data-announce]').click()
    const before: string[] = []
    const inAll = async (): Promise<string[]> => {
      const own = await Promise.all([page, other].map((tab) => tab.evaluate('window.announced')))
      return [...before, ...Value.Parse(Type.Array(Type.String()), own.flat())]
    }
    /** Later calls are announced, each once, in one of the tabs. */
    const isAnnounced = async (): Promise<void> => {
      const from = called.length
      await until(() => called.length >= from + enoughCalls, 120_000)
      const due = called.slice(from, from + enoughCalls)
      await until(async () => {
        const all = await inAll()
        return due.every((tag) => all.includes(tag))
      })
      const all = await inAll()
      expect(new Set(all).size).toBe(all.length)
    }
    await isAnnounced()
    // The rest does not depend on addresses.
    if (addressing !== 'no setting') return
    // The page is left with its last announcement.
    before.push(...(await announcedIn(page)))
    await page.reload()
    expect(await page.locator('[data-announce]').getAttribute('aria-pressed')).toBe('true')
    await isAnnounced()
    await context.setOffline(true)
    await Bun.sleep(2000)
    await context.setOffline(false)
    // A cut stream is reopened after 2 to 4 s.
    await Bun.sleep(5000)
    await isAnnounced()
    const isOffline = (text: string): boolean => text.endsWith('net::ERR_INTERNET_DISCONNECTED')
    expect(browser.complaints.filter((text) => !isOffline(text))).toEqual([])
    await shoot(page, `my ${addressing}`, false)
  }, 240_000)

  test('the recipe of the README posts calls and expected starts to a receiver', async () => {
    const readme = await Bun.file(join(projectFolder, 'src/companions/changes/README.md')).text()
    const [, recipe = ''] =
      /```js\n(\/\/ notify\.mjs\n[^`]*(?:`[^`]+`[^`]*)*?)```\n/.exec(readme) ?? []
    const path = join(await temporaryFolder(), 'notify.mjs')
    await Bun.write(path, recipe)
    const posts: string[] = []
    await using receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        if (request.method === 'POST') posts.push(await request.text())
        return new Response()
      },
    })
    const child = Bun.spawn(
      [process.execPath, path, site.url, receiver.url.href, (await botsOf(site)).join(',')],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    )
    await until(
      () =>
        posts.some((text) => / v .*: fight\.called/.test(text)) &&
        posts.some((text) => / v .*: schedule\.changed \d/.test(text)),
    )
    child.kill()
    await child.exited
  })
})

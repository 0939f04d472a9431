import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type Running, startService, stopService } from '../process.ts'

/**
 * The page at / in a real browser. Chromium is a package of the system, so this file is not among those
 * that `bun run test` finds. SCREENSHOTS=FOLDER keeps pictures of it.
 */
describe('the page at /', () => {
  let service: Running
  let browser: Browser
  let axe: string
  const complaints: string[] = []
  const foreign: string[] = []

  beforeAll(async () => {
    service = await startService({ BASE_PATH: '/api' })
    axe = await Bun.file(fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
  })
  afterAll(async () => {
    await browser.close()
    await stopService(service)
  })

  const open = async (options: BrowserContextOptions = {}, path = '/'): Promise<Page> => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url())
      if (protocol !== 'data:' && hostname !== '127.0.0.1') foreign.push(request.url())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        complaints.push(message.text())
    })
    await page.goto(`${service.url}${path}`)
    return page
  }
  const suggestions = (page: Page) => page.getByRole('listbox').getByRole('option')
  const type = async (page: Page, text: string) => {
    await page.getByRole('combobox').focus()
    await page.keyboard.type(text, { delay: 20 })
    await suggestions(page).first().waitFor()
  }
  const violations = async (page: Page): Promise<unknown> => {
    await page.evaluate(axe)
    return page.evaluate(`axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)
  }
  const shoot = async (page: Page, name: string): Promise<void> => {
    const folder = process.env.SCREENSHOTS
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }

  const views = [320, 768, 1440].flatMap((width) =>
    (['dark', 'light'] as const).map((colorScheme) => ({ width, colorScheme })),
  )
  test.each(views)('fits $width px in $colorScheme, accessibly', async ({ width, colorScheme }) => {
    const page = await open({ viewport: { width, height: 900 }, colorScheme })
    const overflow = () =>
      page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(await overflow()).toBe(0)
    expect(await violations(page)).toEqual([])
    await shoot(page, `home-${width}-${colorScheme}`)
    await type(page, 'cl')
    await page.keyboard.press('ArrowDown')
    expect(await overflow()).toBe(0)
    expect(await violations(page)).toEqual([])
    await shoot(page, `suggestions-${width}-${colorScheme}`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Found for' }).waitFor()
    expect(await overflow()).toBe(0)
    expect(await violations(page)).toEqual([])
    await shoot(page, `results-${width}-${colorScheme}`)
    await page.context().close()
  })

  test('suggests bots by keyboard, as the combobox pattern has it', async () => {
    const page = await open()
    const box = page.getByRole('combobox')
    expect(await box.getAttribute('aria-expanded')).toBe('false')
    await type(page, 'clal')
    expect(await box.getAttribute('aria-expanded')).toBe('true')
    expect(await page.getByRole('status').textContent()).toMatch(/^\d suggestions?$/)
    await page.keyboard.press('ArrowDown')
    const first = suggestions(page).first()
    expect(await first.getAttribute('aria-selected')).toBe('true')
    expect(await box.getAttribute('aria-activedescendant')).toBe(await first.getAttribute('id'))

    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    expect(await box.inputValue()).toBe('clal')
    expect(await box.getAttribute('aria-expanded')).toBe('false')

    await page.keyboard.type('i')
    await suggestions(page).first().waitFor()
    await page.keyboard.press('ArrowDown')
    const name = (await suggestions(page).first().locator('bdi').textContent()) ?? ''
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `Found for “${name}”` }).waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe(name)
    expect(await page.getByRole('link', { name, exact: true }).count()).toBeGreaterThan(0)
  })

  test('Enter without a choice searches for what is typed, and a click chooses', async () => {
    const page = await open()
    await type(page, 'marz')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Found for “marz”' }).waitFor()
    await page.getByRole('combobox').fill('')
    await type(page, 'marz')
    const chosen = suggestions(page).nth(1)
    const name = await chosen.locator('bdi').textContent()
    await chosen.click()
    await page.getByRole('heading', { name: `Found for “${name}”` }).waitFor()
  })

  test('leaving the box closes the list', async () => {
    const page = await open()
    await type(page, 'cl')
    await page.keyboard.press('Tab')
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    await page.getByRole('combobox').fill('')
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
  })

  test('a suggested name is text', async () => {
    const page = await open()
    const name = '<img src=x onerror=document.title="gone">'
    await page.route('**/autocomplete?*', (route) =>
      route.fulfill({ json: { suggestions: [{ name, totalFights: 1, weightClasses: [3] }] } }),
    )
    await type(page, 'x')
    expect(await suggestions(page).locator('bdi').textContent()).toBe(name)
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.title()).toBe('Cageside')
  })

  test('a slow answer does not replace a later one', async () => {
    const page = await open()
    await page.route('**/autocomplete?q=c', async (route) => {
      await Bun.sleep(600)
      await route.continue().catch(() => undefined)
    })
    await page.getByRole('combobox').focus()
    await page.keyboard.type('cl')
    await suggestions(page).first().waitFor()
    const shown = await suggestions(page).allTextContents()
    await Bun.sleep(1000)
    expect(await suggestions(page).allTextContents()).toEqual(shown)
  })

  test('the cages follow the event', async () => {
    const page = await open()
    const shown = () => page.locator('#cages').textContent()
    const before = await shown()
    const deadline = performance.now() + 15_000
    while ((await shown()) === before && performance.now() < deadline) await Bun.sleep(200)
    expect(await shown()).not.toBe(before)
  })

  test('works without scripts', async () => {
    const page = await open({ javaScriptEnabled: false })
    expect(await page.getByRole('heading', { name: 'Cage 1' }).isVisible()).toBe(true)
    await page.getByRole('searchbox').fill('marz')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(await page.getByRole('heading', { name: 'Found for “marz”' }).isVisible()).toBe(true)
    await page.context().close()
  })

  test('every link leads somewhere', async () => {
    const page = await open({}, '/?q=clum')
    const links = await page.getByRole('link').all()
    expect(links.length).toBeGreaterThan(8)
    for (const link of links) {
      const address = new URL((await link.getAttribute('href')) ?? '', page.url())
      expect([address.href, (await fetch(address)).status]).toEqual([address.href, 200])
    }
  })

  test('asks nothing of others, and has nothing to complain of', () => {
    expect(foreign).toEqual([])
    expect(complaints).toEqual([])
  })
})

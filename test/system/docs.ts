import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openBrowser, shoot } from '../browser.ts'
import { addressings, type RunningSite, startSite } from '../site.ts'

/**
 * The page at /docs in a real browser. Chromium is a package of the system, so this file is not among
 * those that `bun run test` finds.
 */
describe.each(addressings)('the page at /docs with %s', (addressing) => {
  let site: RunningSite
  const { newPage, complaints, foreign } = openBrowser()
  let page: Page

  beforeAll(async () => {
    site = await startSite(addressing)
    page = await newPage({ viewport: { width: 1280, height: 1600 } })
    await page.goto(`${site.url}/docs`)
    await page.waitForSelector('.opblock')
  })
  afterAll(() => site.stop())

  test('/docs shows every operation', async () => {
    const document = JSON.parse(await (await fetch(`${site.url}/openapi`)).text())
    const shown = await page
      .locator('.opblock-summary-path, .opblock-summary-path__deprecated')
      .allTextContents()
    expect(shown.map((path) => path.replaceAll('\u200B', '')).sort()).toEqual(
      Object.keys(document.paths).sort(),
    )
  })

  test('/docs sends a request and shows its answer', async () => {
    const operation = page.locator('.opblock', { hasText: '/bots/{bot}/fights' }).first()
    await operation.locator('.opblock-summary').click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    const live = operation.locator('.live-responses-table')
    await live.waitFor()
    expect(await live.locator('.response-col_status').last().textContent()).toContain('200')
    expect(await live.textContent()).toContain('"botName"')
  })

  test('/docs has the header of the site', async () => {
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    expect(await links.allTextContents()).toEqual(['Live', 'My bots', 'Events', 'Stats'])
    const addresses = await links.evaluateAll((all) => all.map((link) => link.href))
    addresses.push(
      await page.getByRole('link', { name: 'Cageside', exact: true }).evaluate((link) => link.href),
    )
    for (const address of addresses) {
      const { status, headers } = await fetch(address, { headers: { accept: 'text/html' } })
      expect([address, status, headers.get('content-type')]).toEqual([
        address,
        200,
        'text/html; charset=utf-8',
      ])
    }
  })

  test('/docs works at a URL that ends with a slash', async () => {
    await page.goto(`${site.url}/docs/`)
    await page.waitForSelector('.opblock')
  })

  test('/docs requests only this host, and logs no error', async () => {
    await shoot(page, 'docs', false)
    expect(foreign).toEqual([])
    expect(complaints).toEqual([])
  })
})

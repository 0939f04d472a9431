import { afterAll, beforeAll } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { once } from '../src/runtime/once.ts'

const launch =
  (executablePath: string) =>
  (args: readonly string[] = []): Promise<Browser> =>
    chromium.launch({
      executablePath,
      // A container may have almost no shared memory.
      args: ['--disable-dev-shm-usage', ...args],
      // Chromium's own sandbox refuses to run as root.
      chromiumSandbox: process.getuid?.() !== 0,
    })

/** The system's Chromium. */
export const launchChromium = launch('/usr/bin/chromium')

const launchShell = launch('/usr/bin/chromium-headless-shell')

/** Browsers of all tests of this process, which end with it. */
export const browsers = {
  /** Chromium's engine without windows: half the CPU time, and no notifications. */
  engine: once(() => launchShell()),
  chromium: once(() => launchChromium()),
}

/** Contexts of a browser for the tests of a file or block, closed after them. */
export const openBrowser = (launched = browsers.engine) => {
  let browser: Browser
  const contexts: BrowserContext[] = []
  const newContext = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext(options)
    contexts.push(context)
    return context
  }
  /** Errors and warnings logged by pages, and exceptions of their scripts. */
  const complaints: string[] = []
  /** Requests to any other host. */
  const foreign: string[] = []
  beforeAll(async () => {
    browser = await launched()
  })
  afterAll(async () => {
    for (const context of contexts) await context.close()
  })

  /** A page that collects complaints, in its own context unless one is given. */
  const newPage = async (
    options: BrowserContextOptions = {},
    context = newContext(options),
  ): Promise<Page> => {
    const page = await (await context).newPage()
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url())
      if (!/^(data|blob):$/.test(protocol) && hostname !== '127.0.0.1') foreign.push(request.url())
    })
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        complaints.push(`${message.location().url || page.url()}: ${message.text()}`)
    })
    return page
  }
  return {
    newContext,
    newPage,
    complaints,
    foreign,
  }
}

const axe = Bun.file(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')))

/** Findings of axe, by all rules or only these. */
export const violations = async (page: Page, rules?: readonly string[]): Promise<unknown> => {
  await page.evaluate(await axe.text())
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  return page.evaluate(`axe.run(${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`)
}

/** Pixels by which a page is wider than its window. */
export const overflow = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Saves a picture of a page if SCREENSHOTS names a folder. */
export const shoot = async (page: Page, name: string, fullPage = true): Promise<void> => {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage, omitBackground: true })
}

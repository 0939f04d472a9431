import type { Page } from 'playwright-core'
import { launchChromium } from '../browser.ts'
import { startService, stopService } from '../process.ts'
import { type Extent, median, type Row, rowsOf } from './stats.ts'

const maxPaintMs = 1500
const maxShift = 0.02
/** As the tools of browsers have "Slow 4G" and a phone of the middle class. */
const slow4G = { downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5 } as const
const slowdown = 4
/** Films and clocks change a page long after it is loaded. */
const settleMs = 2500

const sizes = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const

/** Those of the sample, unless others are given. */
const allPaths = [
  '/',
  '/?q=plonk',
  '/e',
  '/e/092633de6e3593b1',
  '/e/30ffa53072bfab19',
  '/b/plonktron',
  '/vs/plonktron/cornichigast',
  '/w/178ab73621cc8f62/EX-108afa9bea2c4660',
  '/live',
  '/my?bots=plonktron,gondola',
  '/overlay',
  '/stats',
  '/usage',
  '/embed',
]

/** Keeps what the page paints last and largest, and how much moves without a press. */
const observe = `(() => {
  globalThis.painted = { ms: 0, shift: 0, what: '' }
  new PerformanceObserver((list) => {
    const last = list.getEntries().at(-1)
    painted.ms = last.startTime
    painted.what = last.element?.outerHTML.slice(0, 80) ?? ''
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) painted.shift += each.value
  }).observe({ type: 'layout-shift', buffered: true })
})()`

interface Painted {
  readonly ms: number
  readonly shift: number
  readonly what: string
}

const painted = async (page: Page, address: string): Promise<Painted> => {
  await page.goto(address, { waitUntil: 'load' })
  await page.waitForTimeout(settleMs)
  return page.evaluate('painted')
}

/**
 * The largest paint of each page on slow 4G with a processor four times slower, without a cache, and how much moves meanwhile: with its films
 * and pictures, and in the first round also where none can be loaded. Over the sample, in the system's Chromium. A round of all pages takes
 * four minutes.
 */
export const paintRows = async (
  { rounds }: Extent,
  paths: readonly string[] = allPaths,
): Promise<Row[]> => {
  const service = await startService({})
  const browser = await launchChromium()
  const row = rowsOf('sample')
  const rows: Row[] = []
  try {
    for (const viewport of sizes) {
      for (const path of paths) {
        const times: number[] = []
        const shifts: number[] = []
        const without: number[] = []
        let what = ''
        for (let round = 0; round <= rounds; round += 1) {
          const context = await browser.newContext({ viewport })
          await context.addInitScript(observe)
          const hasMedia = round > 0
          if (!hasMedia) await context.route('**/media/**', (route) => route.abort())
          const page = await context.newPage()
          const session = await context.newCDPSession(page)
          await session.send('Network.enable')
          await session.send('Network.emulateNetworkConditions', { offline: false, ...slow4G })
          await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
          const found = await painted(page, service.url + path)
          if (hasMedia) times.push(found.ms)
          if (hasMedia) what = found.what
          ;(hasMedia ? shifts : without).push(found.shift)
          await context.close()
        }
        const where = `${path} at ${viewport.width} px`
        process.stderr.write(`${where}: ${median(times)} ms, ${what.replace(/\s+/g, ' ')}\n`)
        rows.push(
          row(`largest paint of ${where}`, 'ms', times, { atMost: maxPaintMs }),
          row(`layout shift of ${where}`, '', shifts, {
            beside: { 'without media': without },
            judged: Math.max(...shifts, ...without),
            atMost: maxShift,
          }),
        )
      }
    }
  } finally {
    await browser.close()
    await stopService(service)
  }
  return rows
}

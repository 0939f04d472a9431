import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { bundle } from '../../src/companions/pages/bundle.ts'
import { prefersHtml } from '../../src/http/negotiation.ts'
import { openBrowser, overflow, shoot, violations } from '../browser.ts'
import {
  ask,
  endProxy,
  isUp,
  type RunningProxy,
  startCaddy,
  startNginx,
  startVarnish,
} from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { type Running, startService, stopService } from '../process.ts'
import { until } from '../until.ts'

/** What the deployed proxies answer while no service is there, and what a browser does with it. */
const starts = { nginx: startNginx, caddy: startCaddy, varnish: startVarnish }

/** `Accept` headers as browsers send them for a page, and as others do. */
const accepts = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01',
  'text/html',
  'TEXT/HTML',
  '*/*',
  'application/json',
  'application/json, text/html',
  'application/json, text/plain, */*',
  'application/json;q=0.9, text/html;q=0.8',
  'text/html;q=0.8, application/json',
  'text/event-stream',
  'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  'text/css,*/*;q=0.1',
] as const
const ofBrowser = { accept: accepts[0] }

/** Services that tests have started; after a failure one may still run. */
const services: Running[] = []
const start = async (settings: Readonly<Record<string, string>>): Promise<Running> => {
  const service = await startService(settings)
  services.push(service)
  return service
}
afterAll(() => Promise.all(services.map(stopService)))

const browser = openBrowser()
/** True if nothing of the page hides the film below it. */
const isTransparent = async (page: Page): Promise<unknown> => {
  const picture = (await page.screenshot({ omitBackground: true })).toBase64()
  const empty = await browser.newPage()
  const isClear = await empty.evaluate(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${picture}')).blob())
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    canvas.drawImage(bitmap, 0, 0)
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height)
    return data.every((value, index) => index % 4 !== 3 || value === 0)
  })()`)
  await empty.close()
  return isClear
}

describe.each(['nginx', 'caddy', 'varnish'] as const)('%s without a service', (name) => {
  const ports = [freePort(), freePort()] as const
  let proxy: RunningProxy
  beforeAll(async () => {
    proxy = await starts[name](ports)
    await until(() =>
      // Varnish closes the connection of a stream until its probes have failed.
      ask(`${proxy.url}/changes/stream`).then(
        ({ status }) => status === 503,
        () => false,
      ),
    )
  })
  afterAll(() => endProxy(proxy))

  test('a page goes to clients that prefer one, JSON to all others', async () => {
    const found = await Promise.all(
      accepts.map(async (accept) => {
        const { status, headers } = await ask(`${proxy.url}/live`, { accept })
        return [accept, status, headers.get('content-type')]
      }),
    )
    const type = (accept: string): string =>
      prefersHtml(accept) ? 'text/html; charset=utf-8' : 'application/json'
    expect(found).toEqual(accepts.map((accept) => [accept, 503, type(accept)]))
  })

  test('requests of one URL at the same time get a page and JSON', async () => {
    const headers = [ofBrowser, {}, ofBrowser, {}, {}, ofBrowser]
    const found = await Promise.all(
      headers.map(async (each) => (await ask(`${proxy.url}/e`, each)).headers.get('content-type')),
    )
    const types = headers.map((each) =>
      each === ofBrowser ? 'text/html; charset=utf-8' : 'application/json',
    )
    expect(found).toEqual(types)
  })

  test('the page has the headers of a refusal, and the script of the pages of the service', async () => {
    const paths = ['/e', '/overlay', '/overlay/', '/b/overlay', '/overlay/cage/1']
    const responses = await Promise.all(
      [...paths, '/x/api/overlay/next'].map((path) => ask(proxy.url + path, ofBrowser)),
    )
    const texts = await Promise.all(responses.map((response) => response.text()))
    const script = new TextDecoder().decode(await bundle('retry.js')).trim()
    for (const text of texts) expect(text).toContain(`<script>${script}</script>`)
    expect(texts.map((text) => text.includes('One moment</h1>'))).toEqual([
      ...[true, true, true, true, false],
      false,
    ])
    for (const { headers } of responses) {
      expect(['retry-after', 'cache-control'].map((each) => headers.get(each))).toEqual([
        '2',
        'no-store',
      ])
      expect(headers.get('content-security-policy')).toStartWith("default-src 'none'; ")
      expect(headers.has('strict-transport-security')).toBe(name !== 'varnish')
    }
  }, 20_000)

  test('a stream and a picture are refused in JSON', async () => {
    const paths = [
      ['/changes/stream', 'text/event-stream'],
      ['/favicon.ico', 'image/avif,image/webp,image/*,*/*;q=0.8'],
      ['/assets/site.js', '*/*'],
    ] as const
    await Promise.all(
      paths.map(async ([path, accept]) => {
        const response = await ask(proxy.url + path, { accept })
        expect([
          response.status,
          response.headers.get('retry-after'),
          await response.json(),
        ]).toEqual([503, '2', { error: 'the service is unreachable' }])
      }),
    )
  }, 20_000)

  test('HEAD has the headers alone', async () => {
    const options = { method: 'HEAD', headers: ofBrowser, tls: { rejectUnauthorized: false } }
    const response = await fetch(`${proxy.url}/e`, options)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      503,
      'text/html; charset=utf-8',
      '',
    ])
  })

  test('pages and overlays opened meanwhile come by themselves with the service', async () => {
    const phone = {
      ignoreHTTPSErrors: true,
      viewport: { width: 360, height: 640 },
      colorScheme: 'dark',
    } as const
    const film = { ignoreHTTPSErrors: true, viewport: { width: 640, height: 360 } } as const
    const pages = await Promise.all([
      browser.newPage(phone),
      browser.newPage({ ...phone, colorScheme: 'light' }),
      browser.newPage(film),
      browser.newPage({ ...film, javaScriptEnabled: false }),
    ])
    const paths = ['/live', '/e', '/overlay/cage/1', '/overlay/next']
    await Promise.all(pages.map((page, index) => page.goto(proxy.url + paths[index])))
    for (const [index, page] of pages.slice(0, 2).entries()) {
      expect(await page.locator('h1').textContent()).toBe('One moment')
      expect(await overflow(page)).toBe(0)
      // The rule needs a landmark around each text, of which there is one sentence here.
      expect(await violations(page, ['wcag2a', 'wcag2aa'])).toEqual([])
      await shoot(page, `waiting-${name}-${index}`)
    }
    for (const page of pages.slice(2)) expect(await isTransparent(page)).toBe(true)
    const service = await start({ PORT: String(ports[0]), TRUST_PROXY: '1' })
    const shown = ['#cages', 'main li', '#overlay', '#overlay']
    for (const [index, page] of pages.entries())
      await page
        .locator(shown[index] ?? '')
        .first()
        .waitFor({ state: 'attached', timeout: 60_000 })
    await Promise.all(pages.map((page) => page.close()))
    await stopService(service)
    // A policy without the script or the style is a message.
    expect(browser.complaints.filter((text) => /Policy|Refused|Error:/.test(text))).toEqual([])
  }, 90_000)
})

test('a page whose request is never answered, on a dead connection, asks again', async () => {
  const script = new TextDecoder().decode(await bundle('retry.js'))
  let heads = 0
  const html = (text: string) =>
    new Response(`<h1>${text}</h1><script>${script}</script>`, {
      headers: { 'content-type': 'text/html' },
    })
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: ({ method }) => {
      if (method !== 'HEAD') return html(heads > 1 ? 'back' : 'away')
      heads += 1
      return heads === 1 ? new Promise<never>(() => undefined) : html('')
    },
  })
  const page = await browser.newPage()
  await page.goto(server.url.href)
  await page.getByText('back').waitFor({ timeout: 40_000 })
  await page.close()
  await server.stop(true)
}, 60_000)

describe('pages behind nginx while the service comes and goes', () => {
  const ports = [freePort(), freePort()] as const
  const settings = { PORT: String(ports[0]), TRUST_PROXY: '1', REPLAY: 'auto', REPLAY_SPEED: '100' }
  let proxy: RunningProxy
  beforeAll(async () => {
    proxy = await startNginx(ports, { hasTls: false })
  })
  afterAll(() => endProxy(proxy))

  test('an open overlay keeps what it shows, and goes on when the service is back', async () => {
    const service = await start(settings)
    await until(() => isUp(proxy, '/health'))
    const page = await browser.newPage()
    await page.goto(`${proxy.url}/overlay/next`)
    const shown = (): Promise<string> => page.locator('#overlay').innerHTML()
    await until(async () => (await shown()).includes('<li>'))
    await stopService(service)
    await Bun.sleep(500)
    const last = await shown()
    await Bun.sleep(5000)
    expect(await shown()).toBe(last)
    const again = await start({ ...settings, REPLAY_SPEED: '200' })
    await until(async () => (await shown()) !== last)
    expect(await shown()).toContain('<li>')
    await page.close()
    await stopService(again)
  }, 60_000)

  test('a page whose scripts are refused loads them later', async () => {
    const service = await start(settings)
    await until(() => isUp(proxy, '/health'))
    const page = await browser.newPage()
    let refusals = 0
    await page.route(/\/assets\/\w+\.\w+\.js/, async (route) => {
      refusals += 1
      if (refusals > 4) await route.continue()
      else await route.fulfill({ status: 429, body: '{"error":"too many requests"}' })
    })
    await page.goto(`${proxy.url}/live`)
    await page.locator('.connection').waitFor({ state: 'attached', timeout: 30_000 })
    expect(refusals).toBeGreaterThan(4)
    await page.close()
    await stopService(service)
  }, 60_000)
})

test('a waiting page asks again at random times, and not before Retry-After', async () => {
  const script = new TextDecoder().decode(await bundle('retry.js'))
  const at = new Map<string, number[]>()
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      const times = at.getOrInsertComputed(pathname, () => [])
      times.push(performance.now())
      const isOver = times.length > 3
      return new Response(isOver ? 'arrived' : `<script>${script}</script>`, {
        status: isOver ? 200 : 503,
        headers: { 'content-type': 'text/html', 'retry-after': '4' },
      })
    },
  })
  const pages = await Promise.all(Array.from({ length: 6 }, () => browser.newPage()))
  await Promise.all(pages.map((page, index) => page.goto(`${server.url}${index}`)))
  for (const page of pages) await page.getByText('arrived').waitFor({ timeout: 40_000 })
  const waits = [...at.values()].map((times) =>
    times.slice(1).map((time, index) => time - (times[index] ?? 0)),
  )
  for (const [first = 0, second = 0, third = 0] of waits) {
    expect(first).toBeWithin(1990, 4500)
    expect(second).toBeWithin(3990, 8500)
    expect(third).toBeWithin(7990, 16_500)
  }
  const firsts = waits.flatMap(([first = 0]) => first)
  expect(Math.max(...firsts) - Math.min(...firsts)).toBeGreaterThan(200)
  await Promise.all(pages.map((page) => page.close()))
}, 60_000)

import { afterEach, describe, expect, test } from 'bun:test'
import type { Request } from 'playwright-core'
import { openBrowser } from '../browser.ts'
import { endProxy, isUp, type RunningProxy, startNginx } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { type Running, startService, stopService } from '../process.ts'
import { until } from '../until.ts'

/**
 * The people in a hall, whose phones have one address: more than the limits by client of nginx and of the service let
 * through. HALL_PHONES=2000 is a whole hall, and prints figures.
 */
const phones = Number(process.env.HALL_PHONES ?? 300)
const print = (line: string): void => {
  if (process.env.HALL_PHONES) process.stdout.write(`${line}\n`)
}
const hall = '127.0.0.1/32'

interface Stream {
  /** Status of the response; 0 before. */
  readonly status: () => number
  readonly retryAfter: () => number
  /** Time of arrival of each change, by its id. */
  readonly changes: ReadonlyMap<string, number>
  readonly close: () => void
}

/** A stream of changes over a connection of its own: `fetch` shares 256. */
const openStream = async (address: string): Promise<Stream> => {
  const { hostname, port, host } = new URL(address)
  const changes = new Map<string, number>()
  let head = ''
  let frame = ''
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, bytes) => {
        const text = bytes.toString()
        if (!head.includes('\r\n\r\n')) head += text
        const frames = (frame + text).split('\n\n')
        frame = frames.pop() ?? ''
        for (const each of frames) {
          const id = /^id: (.+)\ndata/m.exec(each)?.[1]
          if (id !== undefined) changes.set(id, performance.now())
        }
      },
      error: () => undefined,
    },
  })
  socket.write(`GET /changes/stream HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  return {
    status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    retryAfter: () => Number(/^retry-after: (\d+)/im.exec(head)?.[1] ?? 0),
    changes,
    close: () => socket.terminate(),
  }
}
const openAll = async (url: string): Promise<readonly Stream[]> => {
  const streams = await Promise.all(Array.from({ length: phones }, () => openStream(url)))
  for (const { close } of streams) endings.push(close)
  await until(() => streams.every(({ status }) => status() > 0))
  return streams
}

/** Requests of one phone for a page, like its scripts make them, until it has the page. */
const pollPage = async (url: string): Promise<{ requests: number; atMs: number }> => {
  for (let requests = 1; ; requests += 1) {
    const response = await fetch(`${url}/live`, { headers: { accept: 'text/html' } })
    const text = await response.text()
    if (response.status === 200) return { requests, atMs: performance.now() }
    expect([response.status, text.includes('<script>')]).toEqual([429, true])
    const seconds = Number(response.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    await Bun.sleep(seconds * 1000 * (1 + Math.random()))
  }
}

/** Ends what a test has started, also after a failure. */
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** Started service and nginx with its limits; `trusted` is a network that has none. */
const begin = async (trusted?: string): Promise<{ service: Running; nginx: RunningProxy }> => {
  const port = freePort()
  const service = await startService({
    PORT: String(port),
    TRUST_PROXY: '1',
    RATE_LIMIT: '50',
    RATE_BURST: '100',
    MAX_WAITING_PER_CLIENT: '10',
    REPLAY: 'auto',
    REPLAY_SPEED: '100',
    REPLAY_LOOP: '1',
    ...(trusted && { TRUSTED_NETWORKS: trusted }),
  })
  endings.push(() => stopService(service))
  const nginx = await startNginx([port, port], {
    isLimited: true,
    hasTls: false,
    connections: 3 * phones + 1000,
    ...(trusted && { trusted }),
  })
  endings.push(() => endProxy(nginx))
  await until(() => isUp(nginx, '/health'))
  return { service, nginx }
}

describe('a hall behind one address', () => {
  test('every phone has its page and its stream if the network is trusted', async () => {
    const { service, nginx } = await begin(hall)
    const started = performance.now()
    const pages = await Promise.all(Array.from({ length: phones }, () => pollPage(nginx.url)))
    expect(pages.every(({ requests }) => requests === 1)).toBe(true)
    const opening = performance.now()
    const streams = await openAll(nginx.url)
    const openedMs = performance.now() - opening
    expect(streams.filter(({ status }) => status() !== 200)).toEqual([])
    // One change that all of them receive.
    const known = new Set(streams.flatMap(({ changes }) => [...changes.keys()]))
    const next = (): string | undefined =>
      streams[0]?.changes.keys().find((each) => !known.has(each))
    await until(() => next() !== undefined)
    const id = next() ?? ''
    await until(() => streams.every(({ changes }) => changes.has(id)))
    const times = streams.map(({ changes }) => changes.get(id) ?? 0)
    const spreadMs = Math.max(...times) - Math.min(...times)
    const memory = await Bun.file(`/proc/${service.process.pid}/status`).text()
    print(
      `${phones} phones, trusted: pages in ${Math.round(opening - started)} ms, streams open in ${Math.round(openedMs)} ms, ` +
        `one change delivered to all within ${Math.round(spreadMs)} ms, service ${/VmRSS:\s+(\d+)/.exec(memory)?.[1]} kB`,
    )
  }, 120_000)

  test('a phone without a stream is told when to ask again, and has the page by polls', async () => {
    const { nginx } = await begin()
    const streams = await openAll(nginx.url)
    const refused = streams.filter(({ status }) => status() !== 200)
    expect(streams.length - refused.length).toBeWithin(50, 101)
    for (const { status, retryAfter } of refused) {
      expect([429, 503]).toContain(status())
      expect(retryAfter()).toBeGreaterThan(0)
    }
    const started = performance.now()
    const pages = await Promise.all(refused.map(() => pollPage(nginx.url)))
    const requests = pages.reduce((sum, page) => sum + page.requests, 0)
    const lastMs = Math.max(...pages.map(({ atMs }) => atMs)) - started
    print(
      `${phones} phones, not trusted: ${phones - refused.length} streams, the other ${pages.length} have the page ` +
        `after ${requests} requests within ${Math.round(lastMs)} ms`,
    )
  }, 120_000)
})

describe('a page whose stream is refused', () => {
  const browser = openBrowser()
  test('a page whose stream is refused polls silently, and returns to the stream', async () => {
    const service = await startService({
      MAX_STREAMS: '1',
      REPLAY: 'auto',
      REPLAY_SPEED: '100',
      REPLAY_LOOP: '1',
    })
    endings.push(() => stopService(service))
    const other = await openStream(service.url)
    endings.push(other.close)
    await until(() => other.status() === 200)
    const context = await browser.newContext()
    // Requests of a worker are not reported.
    await context.addInitScript('delete globalThis.SharedWorker')
    const page = await browser.newPage({}, Promise.resolve(context))
    const asked: { readonly path: string; readonly atMs: number }[] = []
    page.on('request', (request: Request) => {
      const { pathname: path } = new URL(request.url())
      asked.push({ path, atMs: performance.now() })
    })
    const opened = page.waitForResponse(
      (response) => response.url().includes('/changes/stream') && response.status() === 200,
      { timeout: 90_000 },
    )
    await page.goto(`${service.url}/live`)
    const cages = (): Promise<string | null> => page.locator('#cages').textContent()
    const before = await cages()
    await Bun.sleep(25_000)
    const timesOf = (path: string) => asked.filter((each) => each.path === path)
    // The stream is asked for at the start, after 2 to 4 s, and 7 to 14 s later.
    expect(timesOf('/changes/stream').length).toBeWithin(2, 5)
    expect(timesOf('/live').length).toBeWithin(4, 12)
    expect(await cages()).not.toBe(before)
    expect(await page.locator('.connection').textContent()).toStartWith('Live')
    other.close()
    await opened
    await context.close()
  }, 150_000)
})

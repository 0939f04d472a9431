import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { ChangeEvent } from '../../src/companions/changes/schema.ts'
import { openBrowser } from '../browser.ts'
import { disorder } from '../changeReader.ts'
import { projectFolder, type Running, startService, stopService } from '../process.ts'
import { until } from '../until.ts'

/** A relay that cuts every connection after this time, as proxies, mobile networks and tunnels do. */
const cutAfterMs = 2500
const cuts = 5

const browser = openBrowser()
let service: Running
let relay: Server
let relayUrl: string
let streams = 0
let pages: Bun.Server<undefined>

beforeAll(async () => {
  // The replay of an event changes something several times a second.
  service = await startService({ REPLAY: '2026-02-14T16:00:00Z', REPLAY_SPEED: '20' })
  const { hostname, port } = new URL(service.url)
  relay = createServer((client: Socket) => {
    const upstream = connect(Number(port), hostname)
    const close = (): void => {
      client.destroy()
      upstream.destroy()
    }
    client.once('data', (head) => {
      if (head.toString('latin1').startsWith('GET /changes/stream')) streams += 1
    })
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close)
    client.pipe(upstream)
    upstream.pipe(client)
    setTimeout(close, cutAfterMs)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const address = relay.address()
  if (typeof address !== 'object' || address === null) throw new Error('the relay has no port')
  relayUrl = `http://127.0.0.1:${address.port}`

  const built = await Bun.build({
    entrypoints: [join(projectFolder, 'test/client/streams.ts')],
    target: 'browser',
  })
  const script = await built.outputs[0]?.text()
  pages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/': new Response('<!doctype html><script type="module" src="/page.js"></script>', {
        headers: { 'content-type': 'text/html' },
      }),
      '/page.js': new Response(script ?? '', { headers: { 'content-type': 'text/javascript' } }),
    },
  })
}, 60_000)
afterAll(async () => {
  relay.close()
  await pages.stop(true)
  await stopService(service)
})

test('readers with packages for streams get every change once on another origin, though cut every 2.5 s', async () => {
  const received = new Map<string, ChangeEvent[]>()
  const page = await browser.newPage()
  await page.exposeFunction('received', (client: string, data: string) => {
    received.getOrInsertComputed(client, () => []).push(JSON.parse(data))
  })
  // biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
  const read = async (address: string): Promise<any> =>
    await (await fetch(`${service.url}${address}`)).json()
  const { cursor } = await read('/changes')
  const stream = `${relayUrl}/changes/stream?since=${cursor}`
  await page.goto(`${pages.url}?stream=${encodeURIComponent(stream)}`)
  await until(() => streams >= 4 * (cuts + 1))
  const { changes: all, more } = await read(`/changes?since=${cursor}&limit=1000`)
  const ids = all.map(({ id }: ChangeEvent) => id)
  expect(more).toBe(false)
  expect(ids.length).toBeGreaterThan(20)
  const clients = [
    'EventSource',
    'event-source-plus',
    'event-source-polyfill',
    'fetch-event-source',
  ]
  for (const client of clients) {
    const changes = received.get(client) ?? []
    await until(() => changes.some(({ id }) => id === ids.at(-1)))
    expect([client, changes.slice(0, ids.length).map(({ id }) => id)]).toEqual([client, ids])
    expect([client, disorder(changes)]).toEqual([client, []])
  }
}, 120_000)

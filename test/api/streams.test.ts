import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import {
  createLiveStreams,
  type LiveStreams,
  openLiveStreams,
} from '../../src/api/streams/liveStreams.ts'
import type { Broadcast } from '../../src/api/streams/streamSource.ts'
import { readConfig } from '../../src/config.ts'
import { RequestError } from '../../src/data/remote/request.ts'
import { createLog, type Log } from '../../src/runtime/log.ts'
import { appOf, archiveOf, get } from '../fixtures.ts'
import { until } from '../until.ts'
import { head, rawUpstream, type Upstream } from '../upstream.ts'

const silent = createLog('silent')
const unreachable = { error: 'the live streaming server cannot be reached' }

const broadcast = (path: string): Broadcast => ({
  path,
  hlsUrl: `https://live.example/${path}/index.m3u8`,
  readyUnix: 1_770_000_000,
  viewers: 1,
  tracks: ['H264'],
})
const appWith = (liveStreams: LiveStreams) => appOf(archiveOf(), { liveStreams })
const listing = (...paths: readonly string[]) =>
  get(
    appWith(async () => paths.map(broadcast)),
    '/live/streams',
  )

describe('GET /live/streams', () => {
  test('/live/streams groups broadcasts by location', async () => {
    const { status, body, headers } = await listing('pits/wide', 'cage-1/overhead')
    expect(status).toBe(200)
    expect(body).toEqual({
      groups: {
        'Cage 1': [
          {
            name: 'overhead',
            location: 'Cage 1',
            path: 'cage-1/overhead',
            hlsUrl: 'https://live.example/cage-1/overhead/index.m3u8',
            readyTime: 1_770_000_000,
            viewers: 1,
            tracks: ['H264'],
          },
        ],
        Pits: [expect.objectContaining({ name: 'wide', path: 'pits/wide' })],
      },
    })
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=2, stale-if-error=60')
  })

  test('/live/streams has no groups if nothing is broadcast', async () => {
    expect((await listing()).body).toEqual({ groups: {} })
  })

  test('/live/streams sorts groups by number, and the streams in each by name, then path', async () => {
    const cages = ['cage-10/a', 'cage-2/b', 'cage_2/b', 'cage-2/a10', 'cage-2/a9']
    const { body } = await listing('pits', ...cages)
    expect(Object.keys(body.groups)).toEqual(['Cage 2', 'Cage 10', 'Pits'])
    expect(body.groups['Cage 2'].map(({ path }: { path: string }) => path)).toEqual([
      'cage-2/a9',
      'cage-2/a10',
      'cage_2/b',
      'cage-2/b',
    ])
  })

  test.each([
    ['cage-1/overhead', 'Cage 1', 'overhead'],
    ['Cage_1/Overhead-High', 'Cage 1', 'Overhead-High'],
    ['cage1/a/b', 'Cage 1', 'a/b'],
    ['cage-1-overhead', 'Cage 1', 'overhead'],
    ['cage-1_overhead-high', 'Cage 1', 'overhead-high'],
    ['cage_12_overhead_high', 'Cage 12', 'overhead_high'],
    ['cage-1', 'Cage 1', 'cage-1'],
    ['pits', 'Pits', 'pits'],
    ['pits_wide', 'Pits', 'wide'],
    ['pits-wide', 'Pits Wide', 'pits-wide'],
    ['skycam', 'SkyCam', 'skycam'],
    ['SkyCam-2/a', 'SkyCam 2', 'a'],
    ['käfig-3/übersicht', 'Käfig 3', 'übersicht'],
    ['---/x', '---', 'x'],
    ['_x', 'X', '_x'],
    ['🤖/x', '🤖', 'x'],
    ['__proto__/x', 'Proto', 'x'],
    ['constructor/x', 'Constructor', 'x'],
    ['7/x', '7', 'x'],
  ])('the stream %s is in %s and called %s', async (path, location, name) => {
    const { body } = await listing(path)
    expect(Object.keys(body.groups)).toEqual([location])
    expect(body.groups[location]).toMatchObject([{ location, name, path }])
  })

  test('/live/streams has the same ETag while broadcasts are the same, and a 304', async () => {
    let paths = ['pits']
    const app = appWith(async () => paths.map(broadcast))
    const tag = async () => (await get(app, '/live/streams')).headers.get('etag') ?? ''
    const first = await tag()
    expect(await tag()).toBe(first)
    expect((await get(app, '/live/streams', { 'if-none-match': first })).status).toBe(304)
    paths = ['pits', 'skycam']
    expect(await tag()).not.toBe(first)
  })

  test('/live/streams answers while the league is loading', async () => {
    const loading = (liveStreams: LiveStreams) =>
      get(appOf(undefined, { liveStreams }), '/live/streams')
    expect((await loading(async () => [broadcast('pits')])).status).toBe(200)
    expect((await loading(async () => undefined)).status).toBe(502)
  })

  test('/live/streams has no groups if no streaming server is configured', async () => {
    const liveStreams = openLiveStreams(readConfig({}), silent)
    for (const app of [appWith(liveStreams), appOf(undefined, { liveStreams })]) {
      const { status, body, headers } = await get(app, '/live/streams')
      expect({ status, body }).toEqual({ status: 200, body: { groups: {} } })
      expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=2, stale-if-error=60')
    }
  })
})

const configured = (url: string, log: Log = silent, kind = 'mediamtx'): LiveStreams =>
  openLiveStreams(
    readConfig({
      STREAM_API_URL: url,
      STREAM_KIND: kind,
      STREAM_HLS_URL: 'https://live.example',
    }),
    log,
  )

describe('a streaming server that does not answer as it should is a 502 in time', () => {
  let upstream: Upstream | undefined
  afterEach(() => upstream?.stop())

  const json = head('application/json')
  const megabytes = (count: number): Buffer => Buffer.alloc(count * 2 ** 20, ' ')
  const cases: readonly (readonly [string, Parameters<typeof rawUpstream>[0]])[] = [
    ['hangs', () => undefined],
    ['hangs after the head', (socket) => void socket.write(json)],
    ['hangs in the middle', (socket) => void socket.write(`${json}{"pageCount":1,"items":[`)],
    [
      'drips',
      (socket) => {
        socket.write(json)
        const timer = setInterval(() => socket.write(' '), 50)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    ['hangs up', (socket) => void socket.destroy()],
    [
      'hangs up in the middle',
      (socket) =>
        void socket.end(
          `${head('application/json', '200 OK', 'Content-Length: 999\r\n')}{"pageCount":1,`,
        ),
    ],
    ['speaks no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['speaks garbage', (socket) => void socket.end(`${json}\u0000\u0001{]`)],
    ['says nothing', (socket) => void socket.end(json)],
    ['is another service', (socket) => void socket.end(`${json}{"status":"ok"}`)],
    ['answers HTML', (socket) => void socket.end(`${head('text/html')}{"pageCount":0,"items":[]}`)],
    [
      'answers 200 without a type',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}'),
    ],
    ['fails', (socket) => void socket.end(head('application/json', '500 Internal Server Error'))],
    ['wants a password', (socket) => void socket.end(head('application/json', '401 Unauthorized'))],
    [
      'redirects to an answer',
      (socket, path) =>
        void socket.end(
          path === '/elsewhere'
            ? `${json}{"pageCount":0,"items":[]}`
            : head('application/json', '302 Found', 'Location: /elsewhere\r\n'),
        ),
    ],
    ['has moved away', (socket) => void socket.end(head('application/json', '204 No Content'))],
    [
      'answers 10 MB as announced',
      (socket) => {
        const length = `Content-Length: ${10 * 2 ** 20}\r\n`
        socket.end(
          Buffer.concat([Buffer.from(head('application/json', '200 OK', length)), megabytes(10)]),
        )
      },
    ],
    [
      'answers compressed, which was not asked for',
      (socket) => {
        socket.write(head('application/json', '200 OK', 'Content-Encoding: gzip\r\n'))
        socket.end(gzipSync('{"pageCount":0,"items":[]}'))
      },
    ],
  ]

  test.concurrent.each(cases)('a streaming server that %s is a 502', async (name, respond) => {
    const upstream = await rawUpstream(respond)
    const app = appWith(configured(upstream.url))
    let isAnswered = false
    const answer = get(app, '/live/streams').finally(() => {
      isAnswered = true
    })
    expect((await get(app, '/tournaments')).status).toBe(200)
    const isSilent = /^(hangs(?! up)|drips)/.test(name)
    // No other request waits for it.
    if (isSilent) expect(isAnswered).toBe(false)
    const { status, body } = await answer
    expect({ status, body }).toEqual({ status: 502, body: unreachable })
    // The deadline can pass before the request is sent on a busy machine.
    if (isSilent) expect(upstream.requests()).toBeLessThanOrEqual(1)
    else expect(upstream.requests()).toBe(1)
    await until(() => upstream.openConnections() === 0)
    upstream.stop()
  })

  test('a streaming server that refuses connections is a 502', async () => {
    const { url, stop } = await rawUpstream(() => undefined)
    stop()
    for (const kind of ['mediamtx', 'nginx-rtmp']) {
      const { status, body } = await get(appWith(configured(url, silent, kind)), '/live/streams')
      expect({ status, body }).toEqual({ status: 502, body: unreachable })
    }
  })

  test('a response without an end is cut off', async () => {
    upstream = await rawUpstream((socket) => {
      socket.write(json)
      const pump = (): void => {
        while (socket.writable && socket.write(megabytes(1))) if (socket.bytesWritten > 1e9) return
        socket.once('drain', pump)
      }
      pump()
    })
    const { status } = await get(appWith(configured(upstream.url)), '/live/streams')
    expect(status).toBe(502)
    const { openConnections } = upstream
    await until(() => openConnections() === 0)
    // The system buffers more than is read.
    expect(upstream.sentBytes()).toBeLessThan(64 * 2 ** 20)
  })

  test.each(['301 Moved Permanently', '302 Found', '307 Temporary Redirect'])(
    'a redirect of the streaming server with %s is not followed',
    async (code) => {
      const elsewhere = await rawUpstream((socket) => void socket.end())
      upstream = await rawUpstream(
        (socket) =>
          void socket.end(head('text/html', code, `Location: ${elsewhere.url}/secret\r\n`)),
      )
      const { status } = await get(appWith(configured(upstream.url)), '/live/streams')
      expect(status).toBe(502)
      expect(elsewhere.requests()).toBe(0)
      elsewhere.stop()
    },
  )

  test('the deadline is for all pages together', async () => {
    upstream = await rawUpstream((socket) => {
      const body = JSON.stringify({ pageCount: 20, items: [] })
      setTimeout(() => socket.end(json + body), 900)
    })
    const started = performance.now()
    const { status } = await get(appWith(configured(upstream.url)), '/live/streams')
    expect(status).toBe(502)
    expect(performance.now() - started).toBeGreaterThan(1900)
    // All of them together take 18 s.
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('a 502 and its log line contain neither address nor password nor message', async () => {
    upstream = await rawUpstream(
      (socket) => void socket.end(`${head('application/json', '500 No')}{"error":"inner secret"}`),
    )
    const lines: string[] = []
    const log: Log = (level, message, fields) => {
      lines.push(JSON.stringify({ level, message, ...fields }))
    }
    const withPassword = upstream.url.replace('//', '//me:hidden@')
    const { headers, bytes } = await get(appWith(configured(withPassword, log)), '/live/streams')
    const told = `${new TextDecoder().decode(bytes)} ${JSON.stringify([...headers])}`
    expect(told).not.toMatch(/secret|hidden|127\.0\.0\.1|No\b/)
    expect(lines).toEqual([
      '{"level":"warn","message":"the streaming server is unreachable","cause":"the server answered 500"}',
    ])
  })
})

describe('requests to the streaming server', () => {
  let server: Bun.Server<undefined> | undefined
  afterAll(() => server?.stop(true))

  test('a password in the address is sent, and not as part of it', async () => {
    const seen: (string | null)[] = []
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get('authorization'), new URL(request.url).pathname)
        return Response.json({ pageCount: 0, items: [] })
      },
    })
    const liveStreams = configured(`http://me:s%40cret@127.0.0.1:${server.port}`)
    expect(await liveStreams()).toEqual([])
    expect(seen).toEqual([`Basic ${btoa('me:s@cret')}`, '/v3/paths/list'])
  })

  test('concurrent requests share one upstream request, and so does one within 2 s', async () => {
    let asked = 0
    let nowMs = 0
    const liveStreams = createLiveStreams(
      async () => {
        asked += 1
        await Bun.sleep(100)
        nowMs += 5000
        return [broadcast(`pits-${asked}`)]
      },
      silent,
      () => nowMs,
    )
    const app = appWith(liveStreams)
    const ask = async () => (await get(app, '/live/streams')).body.groups
    const answers = await Promise.all(Array.from({ length: 100 }, ask))
    expect(asked).toBe(1)
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
    nowMs += 1999
    expect(await ask()).toEqual(answers[0])
    expect(asked).toBe(1)
    nowMs += 1
    expect(Object.keys(await ask())).toEqual(['Pits 2'])
    expect(asked).toBe(2)
  })

  test('a mistake of this program is no failure of the server', async () => {
    const mistake = async () => {
      throw new TypeError('mine')
    }
    await expect(createLiveStreams(mistake, createLog('silent'))()).rejects.toThrow('mine')
  })

  test('a failure is reused too, and logged when it begins, changes and is over', async () => {
    const lines: unknown[] = []
    let problem: string | undefined = 'no answer (ECONNREFUSED)'
    let asked = 0
    let nowMs = 0
    const signals: AbortSignal[] = []
    const liveStreams = createLiveStreams(
      async (signal) => {
        asked += 1
        signals.push(signal)
        if (problem) throw new RequestError(problem)
        return []
      },
      (level, message, fields) => lines.push({ level, message, ...fields }),
      () => nowMs,
    )
    const round = async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, liveStreams))
      nowMs += 2000
      return answers[9]
    }
    expect(await round()).toBeUndefined()
    expect(asked).toBe(1)
    expect(await round()).toBeUndefined()
    problem = 'the server answered 500'
    expect(await round()).toBeUndefined()
    problem = undefined
    expect(await round()).toEqual([])
    expect(await round()).toEqual([])
    expect(asked).toBe(5)
    // A rejected answer is not read to its end.
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    const warning = { level: 'warn', message: 'the streaming server is unreachable' }
    expect(lines).toEqual([
      { ...warning, cause: 'no answer (ECONNREFUSED)' },
      { ...warning, cause: 'the server answered 500' },
      { level: 'info', message: 'the streaming server is reachable again' },
    ])
  })
})

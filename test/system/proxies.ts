import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import {
  ask,
  endProxy,
  isUp,
  type RunningProxy,
  run,
  startCaddy,
  startLoad,
  startNginx,
  startVarnish,
} from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { type Running, startService, stopService } from '../process.ts'
import { until } from '../until.ts'

/** Time without the origin; cached live answers may be stale for 60 s. */
const goneSeconds = Number(process.env.GONE_SECONDS ?? 3)

/** Two services with the ports of the upstreams. */
const origins = [freePort(), freePort()] as const
const settings = { TRUST_PROXY: '1' }
const startOrigin = (port: number): Promise<Running> =>
  startService({ PORT: String(port), ...settings })

/** Protocol version that a client and the proxy agree on, and the status over HTTP/2. */
const overHttp2 = (address: string, path: string): Promise<unknown> => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const session = http2.connect(address, { rejectUnauthorized: false })
  session.on('error', reject)
  const request = session.request({ ':path': path })
  request.on('response', (headers) => {
    resolve([session.alpnProtocol, headers[':status']])
    session.close()
  })
  request.on('error', reject)
  request.end()
  return promise
}

describe('a service behind a proxy', () => {
  const services: Running[] = []
  const proxies: Record<string, RunningProxy> = {}
  const proxy = (name: string): RunningProxy => {
    const found = proxies[name]
    if (!found) throw new Error(`${name} does not run`)
    return found
  }
  beforeAll(async () => {
    services.push(...(await Promise.all(origins.map(startOrigin))))
    proxies.nginx = await startNginx(origins)
    proxies.caddy = await startCaddy(origins)
    proxies.limited = await startNginx(origins, { isLimited: true })
    proxies.stripped = await startNginx(origins, { variant: 'stripped' })
    proxies.strippedCaddy = await startCaddy(origins, { variant: 'stripped' })
    for (const name of ['nginx', 'caddy']) await until(() => isUp(proxy(name), '/health'))
    for (const name of ['stripped', 'strippedCaddy']) {
      await until(() => isUp(proxy(name), '/api/health'))
    }
  })
  afterAll(async () => {
    await Promise.all(Object.values(proxies).map(endProxy))
    await Promise.all(services.map(stopService))
  })

  describe.each(['nginx', 'caddy'])('%s', (name) => {
    test('the proxy uses HTTP/2, and Caddy offers HTTP/3', async () => {
      expect(await overHttp2(proxy(name).url, '/health')).toEqual(['h2', 200])
      const { headers } = await ask(`${proxy(name).url}/health`)
      const offers = headers.get('alt-svc') ?? ''
      expect(offers.includes('h3=')).toBe(name === 'caddy')
    })

    test('the proxy passes bodies and headers on unchanged', async () => {
      const address = `${proxy(name).url}/fights?limit=50`
      for (const coding of ['br', 'gzip', 'zstd']) {
        const response = await ask(address, { 'accept-encoding': coding })
        expect(response.headers.get('content-encoding')).toBe(coding)
        const tag = response.headers.get('etag')
        expect(tag).toBeString()
        const headers = { 'accept-encoding': coding, 'if-none-match': String(tag) }
        expect((await ask(address, headers)).status).toBe(304)
      }
      const plain = await ask(`${proxy(name).url}/nothing`)
      expect([plain.status, await plain.json()]).toEqual([404, { error: 'path not found' }])
    })

    test('the proxy sends a stream as it comes', async () => {
      const leaving = new AbortController()
      const response = await ask(`${proxy(name).url}/changes/stream`, {}, leaving.signal)
      const reader = response.body?.getReader()
      // The first frame arrives long before a buffer of 4 KiB is full.
      const { value } = (await reader?.read()) ?? {}
      expect(new TextDecoder().decode(value)).toStartWith('retry: 2000')
      leaving.abort()
    })

    test('the proxy gives the service the address of its client, whatever that claims', async () => {
      const usage = async () => {
        const address = `http://127.0.0.1:${origins[0]}/usage?days=1`
        const body: { usage: { uniqueClients: number; totalRequests: number } } = JSON.parse(
          await (await fetch(address)).text(),
        )
        return body.usage
      }
      const before = await usage()
      const path = `/fights?limit=1&page=${name.length}`
      for (const forged of ['203.0.113.1', '203.0.113.2', '203.0.113.3, 203.0.113.4']) {
        await ask(`${proxy(name).url}${path}${forged.length}`, { 'x-forwarded-for': forged })
      }
      const { uniqueClients, totalRequests } = await usage()
      expect(totalRequests).toBeGreaterThan(before.totalRequests + 2)
      // The address of this process, through the proxies and directly.
      expect(uniqueClients).toBeLessThanOrEqual(4)
    })
  })

  test.each(['nginx', 'caddy', 'varnish'])(
    '%s closes connections with an incomplete request and keeps streams',
    async (name) => {
      if (name === 'varnish') proxies.varnish ??= await startVarnish(origins)
      await until(() => isUp(proxy(name), '/health'))
      const { hostname, port, protocol } = new URL(proxy(name).url)
      const isTls = protocol === 'https:'
      const open = (sent: string, withTls = isTls): Promise<number> => {
        const started = performance.now()
        const options = { host: '127.0.0.1', port: Number(port) }
        const socket = withTls
          ? tls.connect({
              ...options,
              servername: hostname,
              rejectUnauthorized: false,
              ALPNProtocols: ['http/1.1'],
            })
          : net.connect(options)
        if (sent !== '') socket.write(sent)
        socket.on('error', () => undefined)
        socket.resume()
        return new Promise((resolve) => {
          const give = setTimeout(() => socket.destroy(), 40_000)
          socket.on('close', () => {
            clearTimeout(give)
            resolve(performance.now() - started)
          })
        })
      }
      const host = `Host: ${hostname}`
      const leaving = new AbortController()
      const stream = await ask(`${proxy(name).url}/changes/stream`, {}, leaving.signal)
      const reader = stream.body?.getReader()
      await reader?.read()
      const heartbeats = (async () => {
        for (let beats = 0; beats < 2; beats += 1) await reader?.read()
        return performance.now()
      })()
      const heads = ['', `GET / HTTP/1.1\r\n${host}\r\nX-Slow: `]
      const all = [
        ...heads.map((head) => open(head)),
        ...(isTls ? [open('', false)] : []),
        open(`GET /health HTTP/1.1\r\n${host}\r\nContent-Length: 100\r\n\r\nhalf`),
      ]
      const lasted = await Promise.all(all)
      expect(lasted.map((ms) => ms < 30_000)).toEqual(lasted.map(() => true))
      // Streams have a heartbeat every 15 s.
      expect(await heartbeats).toBeGreaterThan(0)
      leaving.abort()
    },
    60_000,
  )

  test('a rolling restart under load fails no request through either', async () => {
    const loads = ['nginx', 'caddy'].map((name) => startLoad(proxy(name).url))
    for (const [index, port] of origins.entries()) {
      const service = services[index]
      if (service) expect(await stopService(service)).toBe(0)
      services[index] = await startOrigin(port)
      for (const load of loads) {
        const answered = load.answered()
        await until(() => load.answered() > answered + 50)
      }
    }
    for (const load of loads) {
      expect(await load.end()).toEqual([])
      expect(load.answered()).toBeGreaterThan(300)
    }
  }, 60_000)

  test.each(['stripped', 'strippedCaddy'])('a prefix is removed: %s', async (name) => {
    const response = await ask(`${proxy(name).url}/api/fights?limit=1`)
    expect(await response.json()).toMatchObject({ fights: [{ cams: expect.any(Number) }] })
  })

  test('a prefix is kept, also in links', async () => {
    const upstreams = [freePort(), freePort()] as const
    const prefixes = { BASE_PATH: '/api', LEGACY_BASE: '/api/legacy' }
    const service = await startService({ PORT: String(upstreams[0]), ...settings, ...prefixes })
    const kept = await startNginx(upstreams, { variant: 'kept' })
    await until(() => isUp(kept, '/api/health'))
    const { status, headers } = await ask(`${kept.url}/api/fights?limit=1`)
    expect([status, headers.get('link')]).toEqual([200, expect.stringContaining('</api/fights?')])
    expect((await ask(`${kept.url}/api/legacy/recentFights`)).status).toBe(200)
    await endProxy(kept)
    await stopService(service)
  })

  test('nginx stores a URL with an encoded question mark separately', async () => {
    const versus = `${proxy('nginx').url}/stats/head-to-head/axe`
    const body = async (path: string): Promise<unknown> => (await ask(versus + path)).json()
    expect(await body('/blade%3Fx=1')).toMatchObject({
      headToHead: { bot2: { cleanName: 'bladex1' } },
    })
    expect(await body('/blade?x=1')).toMatchObject({ headToHead: { bot2: { cleanName: 'blade' } } })
  })

  test('Varnish neither buffers nor stores a path with encoded letters', async () => {
    const varnish = await startVarnish(origins)
    await until(varnish.isReady)
    const leaving = new AbortController()
    const stream = await ask(`${varnish.url}/changes/strea%6D`, {}, leaving.signal)
    const { value } = (await stream.body?.getReader().read()) ?? {}
    expect(new TextDecoder().decode(value)).toStartWith('retry: 2000')
    leaving.abort()
    for (const type of ['application/json', 'text/html']) {
      const { headers } = await ask(`${varnish.url}/us%61ge`, { accept: type })
      expect(headers.get('content-type')).toStartWith(type)
    }
    await endProxy(varnish)
  })

  test.each(['nginx', 'caddy'])('%s offers only forward secrecy, and says so', async (name) => {
    const { host, hostname } = new URL(proxy(name).url)
    const connect = (cipher: string) =>
      run(
        'openssl',
        's_client',
        '-connect',
        host,
        '-servername',
        hostname,
        '-tls1_2',
        '-cipher',
        cipher,
        '-brief',
      )
    await connect('ECDHE-RSA-AES128-GCM-SHA256')
    for (const cipher of ['AES128-GCM-SHA256', 'AES256-SHA', 'DHE-RSA-AES128-SHA']) {
      await expect(connect(cipher)).rejects.toThrow('handshake failure')
    }
    const { headers } = await ask(`${proxy(name).url}/fights`)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  test('Varnish names itself in links, whatever its client claims', async () => {
    const varnish = await startVarnish(origins)
    await until(varnish.isReady)
    const forged = { 'x-forwarded-host': 'evil.example' }
    const text = await (await ask(`${varnish.url}/llms.txt`, forged)).text()
    expect(text).not.toContain('evil.example')
    expect(text).toContain(new URL(varnish.url).host)
    await endProxy(varnish)
  })

  describe('nginx limits an expensive request in every spelling', () => {
    /** Status of an unnormalised path, which `fetch` would change, for its own client. */
    const statusOf = (origin: string, path: string, localAddress: string): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const { protocol, port } = new URL(origin)
      const { request } = protocol === 'https:' ? https : http
      const options = { host: '127.0.0.1', port, path, localAddress, rejectUnauthorized: false }
      request(options, (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
        .on('error', reject)
        .end()
      return promise
    }
    const spellings = [
      ...['/search?q=axe', '/search/?q=axe', '/s%65arch?q=axe', '/%73earch/?q=axe'],
      ...['/./search?q=axe', '/x/../search?q=axe', '/search/%2e?q=axe', '/search/x/..?q=axe'],
      ...['/search\\?q=axe', '/x\\..\\search?q=axe', '/search/x\\..?q=axe', '/search\\.?q=axe'],
      ...['/autocomplete?q=axe', '/autocomplete/?q=axe', '/legacy/botAutocomplete?q=axe'],
      ...['/legacy/botAutocomplete.php?q=axe', '/legacy/botAutocomplete.php/?q=axe'],
    ]
    test.each(spellings.map((path, index) => [path, `127.0.1.${index + 1}`]))(
      'nginx limits %s',
      async (path, client) => {
        expect(await statusOf(`http://127.0.0.1:${origins[0]}`, path, '127.0.0.1')).toBe(200)
        const statuses = await Promise.all(
          Array.from({ length: 150 }, () => statusOf(proxy('limited').url, path, client)),
        )
        expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20)
      },
    )

    test('nginx limits no other request', async () => {
      for (const path of ['/fights?search', '/searching', '/search/x']) {
        const statuses = await Promise.all(
          Array.from({ length: 70 }, () => statusOf(proxy('limited').url, path, '127.0.2.1')),
        )
        expect(statuses).not.toContain(429)
      }
    })
  })

  test('nginx limits a client, and says so in JSON', async () => {
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, n) => ask(`${proxy('limited').url}/search?q=bo${n % 9}`)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeWithin(20, 60)
    const [first] = refused
    expect([first?.headers.get('retry-after'), await first?.json()]).toEqual([
      '2',
      { error: 'too many requests' },
    ])
    expect(first?.headers.get('strict-transport-security')).toBe('max-age=31536000')
    const pages = await Promise.all(
      Array.from({ length: 120 }, () =>
        ask(`${proxy('limited').url}/search?q=bo`, { accept: 'text/html' }),
      ),
    )
    const page = pages.find(({ status }) => status === 429)
    expect([page?.headers.get('retry-after'), page?.headers.get('content-type')]).toEqual([
      '2',
      'text/html; charset=utf-8',
    ])
    expect(await page?.text()).toContain('This page tries again by itself.')
    expect((await ask(`${proxy('limited').url}/fights?limit=1`)).status).toBe(200)
  })

  test.each([
    ['bad percent-encoding', '/bots/%', {}, 400],
    ['a long address', `/bots?q=${'x'.repeat(9000)}`, {}, 414],
    ['a long header', '/bots', { 'x-api-key': 'x'.repeat(40_000) }, 400],
  ])('nginx refuses %s in JSON', async (_, path, sent, status) => {
    const refused = await ask(proxy('nginx').url + path, sent)
    expect([refused.status, await refused.json()]).toEqual([
      status,
      { error: 'the request is malformed or too long' },
    ])
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(refused.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  test('nginx refuses a large body in JSON, and sends HTTP on its port to HTTPS', async () => {
    const { url } = proxy('nginx')
    const large = { method: 'POST', body: 'x'.repeat(2e6), tls: { rejectUnauthorized: false } }
    const refused = await fetch(`${url}/fights`, large)
    expect([refused.status, await refused.json()]).toEqual([
      413,
      { error: 'the request is malformed or too long' },
    ])
    const plain = await ask(`${url.replace('https', 'http')}/e?year=2026`)
    expect([plain.status, plain.headers.get('location')]).toEqual([
      308,
      'https://localhost/e?year=2026',
    ])
  })

  test('nginx resets a client that does not read, and the kernel keeps none of its bytes', async () => {
    const chunk = new Uint8Array(12 * 2 ** 20)
    using origin = Bun.serve({ port: 0, fetch: () => new Response(chunk) })
    const ports = [origin.port ?? 0, origin.port ?? 0] as const
    const nginx = await startNginx(ports, { hasTls: false, http: 'send_timeout 1s;\n' })
    await until(() => isUp(nginx, '/health'))
    const { hostname, port } = new URL(nginx.url)
    const client = net.connect(Number(port), hostname)
    client.on('error', () => {})
    client.pause()
    client.write('GET /changes/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const sockets = (): string =>
      Bun.spawnSync([
        'ss',
        '-tanH',
        `sport = :${port} and dport = :${client.localPort}`,
      ]).stdout.toString()
    await until(() => /^ESTAB +\d+ +\d{6,}/.test(sockets()))
    await until(() => sockets() === '')
    client.destroy()
    await endProxy(nginx)
  })

  test('nginx serves cached responses without the origin and marks them stale', async () => {
    const { url } = proxy('nginx')
    const paths = ['/cages', '/fights/recent', '/tournaments']
    const bodies = new Map<string, string>()
    for (const path of paths) bodies.set(path, await (await ask(url + path)).text())
    await Promise.all(services.splice(0).map(stopService))
    const goneAt = performance.now()
    const stale = new Set<string>()
    const found: unknown[] = []
    while (performance.now() - goneAt < goneSeconds * 1000) {
      for (const path of paths) {
        const response = await ask(url + path)
        const body = await response.text()
        if (response.status !== 200 || body !== bodies.get(path)) {
          found.push([path, response.status, Math.round(performance.now() - goneAt)])
        }
        if (response.headers.get('cache-status')?.includes('ttl=-1')) stale.add(path)
      }
      await Bun.sleep(100)
    }
    expect(found).toEqual([])
    expect([...stale]).toContain('/cages')
    const unknown = await ask(`${url}/fights?limit=7`)
    expect([unknown.status, unknown.headers.get('retry-after'), await unknown.json()]).toEqual([
      503,
      '2',
      { error: 'the service is unreachable' },
    ])
    const other = await ask(`${proxy('caddy').url}/fights?limit=7`)
    expect([other.status, await other.json()]).toEqual([
      503,
      { error: 'the service is unreachable' },
    ])
    for (const { headers } of [unknown, other])
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  }, 120_000)
})

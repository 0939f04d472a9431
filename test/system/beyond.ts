import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { insertLeague } from '../../scripts/load.ts'
import { migrate } from '../../scripts/migrate.ts'
import { disorder, followChanges } from '../changeReader.ts'
import {
  ask,
  endProxy,
  isUp,
  type RunningProxy,
  startLoad,
  startNginx,
  startVarnish,
} from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { administer } from '../postgres.ts'
import { startService, stopService, temporaryFolder } from '../process.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'
import { type Cluster, startCluster } from './debianPostgres.ts'

/** A service that can be killed and restarted with the same port and files. */
const openService = async (port: number, settings: Readonly<Record<string, string>>) => {
  const own = { PORT: String(port), DATA_DIR: await temporaryFolder(), TRUST_PROXY: '1' }
  const start = () => startService({ ...own, LOG_LEVEL: 'error', ...settings })
  let running = await start()
  const { url } = running
  return {
    url,
    health: async () => JSON.parse(await (await fetch(`${url}/health`)).text()),
    kill: async () => {
      running.process.kill('SIGKILL')
      await running.process.exited
    },
    start: async () => {
      running = await start()
    },
    stop: () => stopService(running),
  }
}
type Service = Awaited<ReturnType<typeof openService>>

/** Reads URLs in turn, whose answers have the number of the last change. */
const startReader = (base: string) => {
  let isOver = false
  const last = new Map<string, number>()
  const backwards: string[] = []
  let values = 0
  const read = async (): Promise<void> => {
    for (let n = 0; !isOver; n += 1) {
      // Each cache and each upstream has its own URLs.
      const address = `/fights/recent?limit=1&reader=${n % 20}`
      const text = await ask(base + address).then(
        (response) => response.text(),
        () => '',
      )
      const number = Number(/"tournamentName":"Change (\d+)"/.exec(text)?.[1] ?? Number.NaN)
      const before = last.get(address) ?? 0
      if (number > before) values += 1
      if (number < before) backwards.push(`${address}: ${before}, ${number}`)
      if (number >= 0) last.set(address, number)
      await Bun.sleep(5)
    }
  }
  const reading = read()
  return {
    /** Changes seen so far, separately for each URL. */
    values: () => values,
    /** True if every URL shows this change. */
    hasAll: (change: number) => last.size === 20 && last.values().every((each) => each === change),
    backwards,
    end: async () => {
      isOver = true
      await reading
    },
  }
}

describe('a primary and a standby, a service on each behind nginx, two mirrors behind Varnish', () => {
  let primary: Cluster
  let standby: Cluster
  let services: Service[]
  let mirrors: Service[]
  let nginx: RunningProxy
  let varnish: Awaited<ReturnType<typeof startVarnish>>
  let changes = 0
  const proxies = () => [nginx, varnish]
  const change = async (on: Cluster): Promise<void> => {
    changes += 1
    await administer(on.url, `UPDATE cageside.tournaments SET name = 'Change ${changes}'`)
  }

  beforeAll(async () => {
    primary = await startCluster()
    const reader = { name: 'reader', password: 'only reads' }
    await migrate(primary.url, { reader })
    await insertLeague(primary.url, smallLeague)
    await change(primary)
    standby = await primary.standby()
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`)
    const address = (names: readonly string[], kind: string): string =>
      `postgres://reader@${names.join(',')}/postgres?target_session_attrs=${kind}`
    const [first, second] = [freePort(), freePort()]
    const [third, fourth] = [freePort(), freePort()]
    nginx = await startNginx([first, second], { shared: 'by address' })
    varnish = await startVarnish([third, fourth])
    services = await Promise.all([
      openService(first, { DATABASE_URL: address(hosts, 'primary'), REFRESH_MS: '200' }),
      openService(second, {
        DATABASE_URL: address(hosts.toReversed(), 'prefer-standby'),
        REFRESH_MS: '200',
      }),
    ])
    await until(() => isUp(nginx, '/ready'))
    const settings = {
      SNAPSHOT: `${nginx.url}/snapshot`,
      REFRESH_MS: '1000',
      NODE_EXTRA_CA_CERTS: nginx.certificate ?? '',
    }
    mirrors = await Promise.all([openService(third, settings), openService(fourth, settings)])
    await until(varnish.isReady)
    // This starts a little later than all others.
    for (const { url } of [...services, ...mirrors]) {
      await until(async () => (await fetch(`${url}/changes`)).ok)
    }
  })
  afterAll(async () => {
    await Promise.all(proxies().map(endProxy))
    await Promise.all([...services, ...mirrors].map((each) => each.stop()))
    await standby.crash()
  })

  test('a service on a standby says that it follows by the timer', async () => {
    const found = await Promise.all(services.map((each) => each.health()))
    expect(found.map(({ status, follows }) => [status, follows])).toEqual([
      ['ok', 'notifications'],
      ['ok', 'timer'],
    ])
  })

  test('no URL goes back during 100 changes, and a reader of /changes misses none', async () => {
    const readers = proxies().map(({ url }) => startReader(url))
    const followers = await Promise.all(
      proxies().map(async ({ url }) => {
        const { cursor } = JSON.parse(await (await ask(`${url}/changes`)).text())
        return followChanges(
          () => url,
          cursor,
          (each, signal) => ask(each, {}, signal),
        )
      }),
    )
    // Each URL may show two values before the last one: caches keep them for 2 s.
    while (changes < 100 || readers.some(({ values }) => values() < 40)) await change(primary)
    await until(() => readers.every((reader) => reader.hasAll(changes)))
    for (const reader of readers) {
      await reader.end()
      expect(reader.backwards).toEqual([])
    }
    for (const follower of followers) {
      await until(() => JSON.stringify(follower.changes.at(-1)).includes(`"Change ${changes}"`))
      await follower.stop()
      expect(follower.problems).toEqual([])
      expect(disorder(follower.changes)).toEqual([])
    }
  })

  test('killing and restarting each service, and a promotion, fail no request', async () => {
    const loads = proxies().map(({ url }) => startLoad(url))
    const readers = proxies().map(({ url }) => startReader(url))
    const answered = async (): Promise<void> => {
      const before = loads.map((load) => load.answered())
      await until(() => loads.every((load, at) => load.answered() > (before[at] ?? 0) + 100))
    }
    // One follows right after the other.
    for (const each of [...services, ...mirrors.slice(0, 1)]) {
      await each.kill()
      await change(primary)
      await answered()
      await each.start()
      if (mirrors.includes(each)) await until(varnish.isReady)
      await answered()
    }
    await standby.crash()
    await change(primary)
    await until(async () => (await services[1]?.health())?.status === 'ok')
    await standby.start()
    await answered()
    await administer(
      primary.url,
      `DO $$ BEGIN WHILE NOT EXISTS (
         SELECT FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()
       ) LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
    )
    await primary.crash()
    await answered()
    await standby.promote()
    await change(standby)
    await until(() => readers.every((reader) => reader.hasAll(changes)))
    for (const load of loads) expect(await load.end()).toEqual([])
    for (const reader of readers) {
      await reader.end()
      expect(reader.backwards).toEqual([])
    }
    for (const each of [...services, ...mirrors]) expect((await each.health()).status).toBe('ok')
  })

  test.each(['nginx', 'Varnish'])(
    '%s stores one variant for each coding, and passes it on unchanged',
    async (name) => {
      const { url } = name === 'nginx' ? nginx : varnish
      const address = `${url}/fights?limit=50&page=2`
      for (const coding of ['br', 'gzip', 'zstd', 'identity']) {
        const first = await ask(address, { 'accept-encoding': coding })
        const body = await first.bytes()
        expect(first.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
        expect(first.headers.get('cache-status')).toBe(`${name}; fwd=miss`)
        const again = await ask(address, { 'accept-encoding': `${coding}, deflate;q=0.1` })
        expect(await again.bytes()).toEqual(body)
        expect(again.headers.get('cache-status')).toStartWith(`${name}; hit`)
        const tag = String(first.headers.get('etag'))
        const unchanged = { 'accept-encoding': coding, 'if-none-match': tag }
        expect((await ask(address, unchanged)).status).toBe(304)
      }
      const refused = await ask(address, { 'accept-encoding': 'br;q=0, gzip' })
      expect(refused.headers.get('content-encoding')).toBe('gzip')
    },
  )

  test.each(['nginx', 'Varnish'])(
    '%s sends ranges, streams and either form of /usage',
    async (name) => {
      const { url } = name === 'nginx' ? nginx : varnish
      for (const path of ['/bulk/bots.csv.gz', '/snapshot']) {
        const whole = await (await ask(url + path)).bytes()
        const part = await ask(url + path, { range: 'bytes=10-29' })
        expect([part.status, part.headers.get('content-range')]).toEqual([
          206,
          `bytes 10-29/${whole.length}`,
        ])
        expect(await part.bytes()).toEqual(whole.slice(10, 30))
      }
      const leaving = new AbortController()
      const response = await ask(`${url}/changes/stream`, {}, leaving.signal)
      const { value } = (await response.body?.getReader().read()) ?? {}
      expect(new TextDecoder().decode(value)).toStartWith('retry: 2000')
      leaving.abort()
      const { headers } = await ask(`${url}/changes`)
      expect(headers.get('cache-status')).toEndWith('; fwd=bypass')
    },
  )

  test('Varnish accepts the address of a client only from the TLS proxy', async () => {
    const { port } = new URL(varnish.url)
    const clients = async (): Promise<number> => {
      const both = mirrors.map(async ({ url }) => {
        const { usage } = JSON.parse(await (await fetch(`${url}/usage?days=1`)).text())
        return usage.uniqueClients
      })
      return (await Promise.all(both)).reduce((sum, each) => sum + each, 0)
    }
    const send = async (from: string, forwarded: string): Promise<void> => {
      const lines = [
        `GET /search?q=${from}-${forwarded} HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        `X-Forwarded-For: ${forwarded}`,
      ]
      const request = `${lines.join('\r\n')}\r\n\r\n`
      const child = Bun.spawn(['socat', '-t5', '-', `TCP:127.0.0.1:${port},bind=${from}`], {
        stdin: new TextEncoder().encode(request),
        stdout: 'pipe',
      })
      expect(await child.stdout.text()).toStartWith('HTTP/1.1 200 ')
    }
    const before = await clients()
    const forged = ['203.0.113.1', '203.0.113.2', '203.0.113.3']
    for (const each of forged) await send('127.0.0.2', each)
    expect((await clients()) - before).toBeLessThanOrEqual(2)
    for (const each of forged) await send('127.0.0.1', each)
    expect((await clients()) - before).toBeGreaterThanOrEqual(3)
  })

  test('Varnish continues with its cache and marks it stale once all mirrors are gone', async () => {
    const paths = ['/cages', '/fights/recent', '/tournaments']
    const bodies = new Map<string, string>()
    for (const path of paths) bodies.set(path, await (await ask(varnish.url + path)).text())
    await Promise.all(mirrors.map((each) => each.kill()))
    const isStale = async (): Promise<boolean> => {
      const response = await ask(`${varnish.url}/cages`)
      return /ttl=-\d/.test(response.headers.get('cache-status') ?? '')
    }
    await until(isStale)
    for (const path of paths) {
      const response = await ask(varnish.url + path)
      expect([response.status, await response.text()]).toEqual([200, bodies.get(path) ?? ''])
    }
    const unknown = await ask(`${varnish.url}/fights?limit=7`)
    expect([unknown.status, unknown.headers.get('retry-after'), await unknown.json()]).toEqual([
      503,
      '2',
      { error: 'the service is unreachable' },
    ])
    await Promise.all(mirrors.map((each) => each.start()))
    await until(() => isUp(varnish, '/fights?limit=7'))
  })
})

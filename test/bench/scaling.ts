import type { UsageStats } from '../../src/api/usage/schema.ts'
import { endProxy, isUp, type RunningProxy, startNginx, startVarnish } from '../deployed.ts'
import { until } from '../until.ts'
import { readCatalog } from './catalog.ts'
import { maxConnections, ratesOf, requireNoFailures, startLoadWorker } from './loadGenerator.ts'
import type { LoadTask } from './loadWorker.ts'
import { cores, pinFamily } from './machine.ts'
import {
  openStage,
  type SnapshotStage,
  type Stage,
  startChanges,
  startOnPostgres,
  startPinned,
} from './stage.ts'
import { type Extent, inTurns, type Row, rowsOf } from './stats.ts'

/** People who poll every 5 s. */
const clients = 1000
const perSecond = clients / 5

/** nginx and Varnish as in `scripts/deploy`, on the core of the service, without limits. */
const startCaches = async (service: string): Promise<Record<string, RunningProxy>> => {
  const port = Number(new URL(service).port)
  const caches: Record<string, RunningProxy> = {
    nginx: await startNginx([port, port], { hasTls: false }),
    Varnish: await startVarnish([port, port]),
    'nginx with TLS': await startNginx([port, port]),
  }
  for (const cache of Object.values(caches)) {
    await until(() => isUp(cache, '/ready'))
    await pinFamily(cache.process.pid, cores.server)
  }
  return caches
}

const endCaches = async (caches: Record<string, RunningProxy>): Promise<void> => {
  await Promise.all(Object.values(caches).map(endProxy))
}

/** Requests that the service, and a cache in front of it, answer in a second of CPU time. */
const coreRows = async (
  stage: SnapshotStage,
  options: { readonly rounds: number; readonly seconds: number },
): Promise<Row[]> => {
  await using service = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  const caches = await startCaches(service.url)
  try {
    const { bots } = await readCatalog(service.url)
    const typed = bots[0]?.cleanName.slice(0, 4) ?? ''
    const coding = { 'accept-encoding': 'br' }
    const unchanged = await fetch(`${service.url}/cages`, { headers: coding })
    const tag = String(unchanged.headers.get('etag'))
    const requests = [
      ['the last ten fights', '/fights/recent?limit=10', coding],
      ['the cages', '/cages', coding],
      ['autocomplete', `/autocomplete?q=${typed}`, coding],
      ['the cages, unchanged', '/cages', { ...coding, 'if-none-match': tag }],
    ] as const
    const servers = Object.entries(caches).map(([name, { url, process }]) => [
      name,
      { url, pid: process.pid },
    ])
    const rows: Row[] = []
    for (const [name, path, headers] of requests) {
      const response = await fetch(service.url + path, { headers, decompress: false })
      const { length } = await response.bytes()
      const all = { cageside: service, ...Object.fromEntries(servers) }
      const rates = Object.entries(await ratesOf(all, path, { ...options, headers }))
      const { cageside = [], ...beside } = Object.fromEntries(
        rates.map(([server, own]) => [server, own.map(({ perCPUSecond }) => perCPUSecond)]),
      )
      const what = `${name}, ${length} bytes`
      rows.push(rowsOf(stage.scale)(what, 'requests/CPU second', cageside, { beside }))
    }
    return rows
  } finally {
    await endCaches(caches)
  }
}

/** Number of requests that a service has answered. */
const answeredBy = async (url: string): Promise<number> => {
  const response = await fetch(`${url}/usage?days=1`)
  const { usage }: { readonly usage: UsageStats } = JSON.parse(await response.text())
  return usage.totalRequests
}

/** Requests that reach the service behind a cache, and latency through it, while the data changes. */
const shareRows = async (
  stage: Stage,
  { windows, windowMs }: { readonly windows: number; readonly windowMs: number },
): Promise<Row[]> => {
  await using service = await startOnPostgres(stage)
  await using worker = startLoadWorker()
  const caches = await startCaches(service.url)
  await using _changes = await startChanges(stage)
  try {
    const row = rowsOf(stage.scale)
    const rows: Row[] = []
    const traffics: Readonly<Record<string, LoadTask['traffic']>> = {
      'people who poll live addresses': 'polling',
      'people, programs and a crawler': 'event',
    }
    for (const [who, traffic] of Object.entries(traffics)) {
      const run = async ({ url }: Pick<RunningProxy, 'url'>, window: number) => {
        const before = await answeredBy(service.url)
        const task = { url, traffic, seed: window, connections: maxConnections, perSecond }
        const result = requireNoFailures(await worker.run({ ...task, ms: windowMs }))
        // The request for the count counts as well.
        const reached = (await answeredBy(service.url)) - before - 1
        return { share: (100 * reached) / result.responses, ...result.latencyMs }
      }
      const { 'nginx with TLS': _alike, ...others } = caches
      const windowsOf = await inTurns(windows + 1, { cageside: service, ...others }, run)
      const figures = (of: 'share' | 'median' | 'p99') =>
        Object.fromEntries(
          // The first window fills the caches.
          Object.entries(windowsOf).map(([name, own]) => [name, own.slice(1).map((w) => w[of])]),
        )
      const { cageside: _all, ...share } = figures('share')
      for (const [name, values] of Object.entries(share))
        rows.push(row(`${clients} ${who}: reach the service behind ${name}`, '%', values))
      for (const name of ['median', 'p99'] as const) {
        const { cageside = [], ...beside } = figures(name)
        rows.push(row(`${name} of them`, 'ms', cageside, { beside }))
      }
    }
    return rows
  } finally {
    await endCaches(caches)
  }
}

/** Changes that a URL takes back while the services behind a proxy refresh at different moments. */
const orderRows = async (
  stage: Stage,
  { changes }: { readonly changes: number },
): Promise<Row[]> => {
  const database = { DATABASE_URL: stage.database.readerUrl }
  // The second service only follows its timer, as on a standby.
  await using first = await startPinned(stage, database)
  await using second = await startPinned(stage, { ...database, PGBOUNCER: '1' })
  const [one, other] = [first, second].map(({ url }) => Number(new URL(url).port))
  const upstreams = [one ?? 0, other ?? 0] as const
  const plain = { hasTls: false } as const
  const proxies = {
    'nginx, in turn, no cache': await startNginx(upstreams, {
      ...plain,
      shared: 'in turn',
      hasCache: false,
    }),
    'nginx, by client, no cache': await startNginx(upstreams, {
      ...plain,
      shared: 'by client',
      hasCache: false,
    }),
    'nginx, in turn, with its cache': await startNginx(upstreams, { ...plain, shared: 'in turn' }),
    'nginx-upstreams.conf': await startNginx(upstreams, { ...plain, shared: 'by address' }),
    'varnish.vcl': await startVarnish(upstreams),
  }
  const backwards: Record<string, number> = {}
  const values: Record<string, number> = {}
  let isOver = false
  const read = async (name: string, { url }: RunningProxy): Promise<void> => {
    let last = 0
    while (!isOver) {
      const text = await (await fetch(`${url}/fights/recent?limit=1`)).text()
      const number = Number(/"Change (\d+)"/.exec(text)?.[1] ?? 0)
      if (number < last) backwards[name] = (backwards[name] ?? 0) + 1
      if (number !== last) values[name] = (values[name] ?? 0) + 1
      last = number
      await Bun.sleep(5)
    }
  }
  try {
    await Promise.all(Object.values(proxies).map((each) => until(() => isUp(each, '/ready'))))
    const recent = await (await fetch(`${first.url}/fights/recent?limit=1`)).text()
    const shown: string = JSON.parse(recent).fights[0].tournamentID
    const readers = Object.entries(proxies).map(([name, each]) => read(name, each))
    for (let n = 1; n <= changes; n += 1) {
      await stage.admin`UPDATE cageside.tournaments SET name = ${`Change ${n}`} WHERE id = ${shown}`
      await Bun.sleep(200)
    }
    await Bun.sleep(4000)
    isOver = true
    await Promise.all(readers)
    return Object.keys(proxies).map((name) =>
      rowsOf(stage.scale)(`${changes} changes taken back: ${name}`, 'times', backwards[name] ?? 0, {
        beside: { 'changes of the answer': values[name] ?? 0 },
      }),
    )
  } finally {
    isOver = true
    await endCaches(proxies)
  }
}

/** This part needs nginx and Varnish. */
export const benchScaling = async ({ scale, rounds }: Extent): Promise<Row[]> => {
  await using stage = await openStage(scale)
  return [
    ...(await coreRows(stage, { rounds, seconds: 2 })),
    ...(await shareRows(stage, { windows: rounds, windowMs: 8000 })),
    ...(await orderRows(stage, { changes: 100 })),
  ]
}

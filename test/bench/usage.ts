import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { createApp } from '../../src/app.ts'
import { openSnapshot } from '../../src/archive/fromSnapshot.ts'
import { writeSnapshot } from '../../src/source/snapshot.ts'
import { encodeAggregate } from '../../src/usage/aggregate.ts'
import type { DayCounts } from '../../src/usage/counts.ts'
import { dateOf, dayMs, dayOf, formatEvent, type UsageEvent } from '../../src/usage/event.ts'
import { openDay } from '../../src/usage/openDay.ts'
import { openUsage } from '../../src/usage/usage.ts'
import { projectFolder, startService, stopService } from '../process.ts'

const silent = (): void => undefined
const rounded = (value: number): number => Math.round(value * 1000) / 1000
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const settings = { clientKeyRotation: 'month', usageLogBytes: 1e10 } as const

const requestsOfDay = 1_000_000
const daysOfYear = 365
const logDays = 35
const sampledRequests = 4_000
const routes = Array.from({ length: 30 }, (_, index) => `/route/:id/of/${index}`)
const callers = ['Arena overlay', 'stats.example', 'bracket bot', 'pit display', null, null, null]

/** A day like another: few who come often, and many who come once. */
const eventOf = (day: number, number: number): UsageEvent => {
  const who = Math.floor(((number * 7919) % 3000) ** 2 / 3000)
  const isKnown = number % 3 === 0
  return {
    timeMs: day * dayMs + (number % 86_000_000),
    route: routes[Math.floor(((number * 31) % 900) ** 0.5)] ?? '(unmatched)',
    status: [200, 200, 200, 200, 304, 304, 404][number % 7] ?? 200,
    durationUs: 40 + ((number * 104_729) % 1000) ** 2,
    bytes: 5000,
    client: new Bun.CryptoHasher('sha256')
      .update(isKnown ? `regular ${who}` : `${day} ${who}`)
      .digest('hex')
      .slice(0, 16),
    caller: callers[number % callers.length] ?? null,
  }
}

/** The counts of a day of so many requests, from a sample of them. */
const dayCounts = (day: number): DayCounts => {
  const open = openDay()
  for (let number = 0; number < sampledRequests; number += 1) open.add(eventOf(day, number))
  const sampled = open.close()
  const whole = openDay()
  for (let copy = 0; copy < requestsOfDay / sampledRequests; copy += 1) whole.addDay(sampled)
  return whole.close()
}

/**
 * A folder as a year of a million requests a day leaves it: an aggregate for each day, logs of the
 * last 35 (whose size counts, not what is in them), and as many lines of today as a start ever has to
 * read. Gives the number of those lines.
 */
export const writeYear = async (dataDir: string): Promise<number> => {
  const folder = join(dataDir, 'usage')
  await mkdir(folder, { recursive: true })
  const today = dayOf(Date.now())
  const coveredBytes = requestsOfDay * 130
  for (let age = 1; age <= daysOfYear; age += 1) {
    const path = join(folder, dateOf(today - age))
    const text = encodeAggregate({ counts: dayCounts(today - age), coveredBytes, isClosed: true })
    await writeFile(`${path}.aggregate`, text)
    if (age > logDays) continue
    const log = await open(`${path}.jsonl`, 'w')
    await log.truncate(coveredBytes)
    await log.close()
  }
  const lines = Math.floor(2 ** 24 / 130)
  const events = Array.from({ length: lines }, (_, number) => formatEvent(eventOf(today, number)))
  await writeFile(join(folder, `${dateOf(today)}.jsonl`), events.join(''))
  return lines
}

const benchYear = async (rounds: number) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'cageside-bench-'))
  try {
    const todayLines = await writeYear(dataDir)
    const starts: Record<'year' | 'empty', number[]> = { year: [], empty: [] }
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of ['year', 'empty'] as const) {
        // The aggregate that a stop leaves behind would spare the next start today's lines.
        await rm(join(dataDir, 'usage', `${dateOf(dayOf(Date.now()))}.aggregate`), { force: true })
        const started = performance.now()
        const folder = kind === 'year' ? { DATA_DIR: dataDir } : {}
        const running = await startService({ LOG_LEVEL: 'error', ...folder })
        starts[kind].push(performance.now() - started)
        await stopService(running)
      }
    }
    await rm(join(dataDir, 'usage', `${dateOf(dayOf(Date.now()))}.aggregate`), { force: true })
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const started = performance.now()
    const usage = openUsage({ dataDir, ...settings }, { log: silent })
    await usage.opened
    const readMs = performance.now() - started
    Bun.gc(true)
    const residentMB = (process.memoryUsage.rss() - before) / 2 ** 20
    const report = (days: number): number => {
      const times = Array.from({ length: 20 }, () => {
        const asked = performance.now()
        usage.report(days, undefined)
        return performance.now() - asked
      })
      return rounded(median(times))
    }
    const result = {
      todayLines,
      startMs: { year: rounded(median(starts.year)), empty: rounded(median(starts.empty)) },
      readMs: rounded(readMs),
      residentMB: rounded(residentMB),
      reportMs: { days30: report(30), days365: report(365) },
    }
    await usage.stop()
    return result
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

/** A server on the main thread and its load on another: answers a second, with usage and without. */
const benchThroughput = async (scale: Scale, rounds: number) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'cageside-bench-'))
  const path = join(dataDir, 'league.cageside')
  await writeSnapshot(path, generateLeague({ seed: 1, scale }))
  const service = openSnapshot(path, silent)
  await service.firstLoad
  const usage = openUsage({ dataDir, ...settings }, { log: silent })
  await usage.opened
  const app = createApp(service, {
    basePath: '',
    legacyBase: '/legacy',
    liveStreams: async () => undefined,
    pictureSizes: async () => undefined,
    log: silent,
    usage,
  })
  const target = '/fights/recent?limit=10'
  const body = await (await app(new Request(`http://localhost${target}`))).bytes()
  const serve = (
    answer: (request: Request, server: Bun.Server<undefined>) => Bun.MaybePromise<Response>,
  ) => Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  const servers = {
    bare: serve(() => new Response(body, { headers: { 'content-type': 'application/json' } })),
    without: serve((request) => app(request)),
    with: serve((request, server) => app(request, server.requestIP(request)?.address)),
  }
  const worker = new Worker(join(projectFolder, 'test/bench/usageLoad.ts'))
  const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench/1\r\nAccept: */*\r\n\r\n`
  const load = ({ port }: { port: number | undefined }): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>()
    worker.onmessage = ({ data }) => resolve(Number(data))
    worker.postMessage({ port, request, ms: 1000 })
    return promise
  }
  const perSecond: Record<'bare' | 'without' | 'with', number[]> = {
    bare: [],
    without: [],
    with: [],
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['bare', 'without', 'with'] as const) {
      perSecond[kind].push(await load(servers[kind]))
    }
  }
  worker.terminate()
  for (const server of Object.values(servers)) await server.stop(true)
  const log = usage.logCounts()
  await usage.stop()
  await rm(dataDir, { recursive: true })
  const rates = {
    bare: median(perSecond.bare),
    without: median(perSecond.without),
    with: median(perSecond.with),
  }
  return {
    bodyBytes: body.length,
    perSecond: {
      bare: Math.round(rates.bare),
      without: Math.round(rates.without),
      with: Math.round(rates.with),
    },
    withToWithout: rounded(rates.with / rates.without),
    withToBare: rounded(rates.with / rates.bare),
    microsecondsPerRequest: rounded(1e6 / rates.with - 1e6 / rates.without),
    log,
  }
}

/** What counting costs a request, and what a year of it costs a start and a report. */
export const benchUsage = async (scale: Scale, rounds: number) => ({
  throughput: await benchThroughput(scale, rounds),
  year: await benchYear(rounds),
})

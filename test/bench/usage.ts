import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dateOf, dayMs, dayOf } from '../../src/journal/day.ts'
import { encodeAggregate } from '../../src/usage/aggregate.ts'
import type { DayCounts } from '../../src/usage/counts.ts'
import { formatEvent, type UsageEvent } from '../../src/usage/event.ts'
import { openDay } from '../../src/usage/openDay.ts'
import { openUsage } from '../../src/usage/usage.ts'
import { temporaryFolder } from '../process.ts'
import { startTimed } from './stage.ts'
import { type Extent, median, rounded } from './stats.ts'

const silent = (): void => undefined
const settings = { clientKeyRotation: 'month', usageLogBytes: 1e10 } as const

const requestsOfDay = 1_000_000
const daysOfYear = 365
const logDays = 35
/** A day is a sample of its requests, doubled this often. */
const doublings = 8
const sampledRequests = Math.ceil(requestsOfDay / 2 ** doublings)
const routes = Array.from({ length: 30 }, (_, index) => `/route/:id/of/${index}`)
const callers = ['Arena overlay', 'stats.example', 'bracket bot', 'pit display', null, null, null]

/** Few clients with many requests, and many with one. */
const eventOf = (day: number, number: number): UsageEvent => {
  const who = Math.floor(((number * 7919) % 3000) ** 2 / 3000)
  const isKnown = number % 3 === 0
  return {
    timeMs: day * dayMs + (number % 86_000_000),
    route: routes[Math.floor(((number * 31) % 900) ** 0.5)] ?? '(unmatched)',
    status: [200, 200, 200, 200, 304, 304, 404][number % 7] ?? 200,
    durationUs: 40 + ((number * 104_729) % 1000) ** 2,
    bytes: 5000,
    client: Bun.hash(isKnown ? `regular ${who}` : `${day} ${who}`)
      .toString(16)
      .padStart(16, '0'),
    caller: callers[number % callers.length] ?? null,
  }
}

/** The counts of a day of a million requests. */
const dayCounts = (day: number): DayCounts => {
  const sample = openDay()
  for (let number = 0; number < sampledRequests; number += 1) sample.add(eventOf(day, number))
  let counts = sample.close()
  for (let doubled = 0; doubled < doublings; doubled += 1) {
    const twice = openDay()
    twice.addDay(counts)
    twice.addDay(counts)
    counts = twice.close()
  }
  return counts
}

/**
 * A data folder after days of a million requests: an aggregate per day, sparse logs of the last 35 (only
 * their size is read), and the maximum number of today's lines that a start reads. Returns that number.
 */
export const writeUsage = async (dataDir: string, days = daysOfYear): Promise<number> => {
  const folder = join(dataDir, 'usage')
  await mkdir(folder, { recursive: true })
  const today = dayOf(Date.now())
  const coveredBytes = requestsOfDay * 130
  for (let age = 1; age <= days; age += 1) {
    const path = join(folder, dateOf(today - age))
    const text = encodeAggregate({ counts: dayCounts(today - age), coveredBytes, isClosed: true })
    await writeFile(`${path}.aggregate`, text)
    if (age > logDays) continue
    const log = await open(`${path}.jsonl`, 'w')
    await log.truncate(coveredBytes)
    await log.close()
  }
  const lines = Math.floor((days / daysOfYear) * (2 ** 24 / 130))
  const events = Array.from({ length: lines }, (_, number) => formatEvent(eventOf(today, number)))
  await writeFile(join(folder, `${dateOf(today)}.jsonl`), events.join(''))
  return lines
}

/** Cost of a year of the usage log for a start and a report. */
export const benchUsage = async ({ rounds }: Extent) => {
  const dataDir = await temporaryFolder()
  try {
    const todayLines = await writeUsage(dataDir)
    const starts: Record<'year' | 'empty', number[]> = { year: [], empty: [] }
    // The aggregate that a stop writes would spare the next start today's lines.
    const forgetToday = () =>
      rm(join(dataDir, 'usage', `${dateOf(dayOf(Date.now()))}.aggregate`), { force: true })
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of ['year', 'empty'] as const) {
        await forgetToday()
        const { service, ms } = await startTimed(kind === 'year' ? { DATA_DIR: dataDir } : {})
        starts[kind].push(ms)
        await service[Symbol.asyncDispose]()
      }
    }
    await forgetToday()
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const started = performance.now()
    const usage = openUsage({ dataDir, ...settings }, { log: silent })
    await usage.opened
    const readMs = performance.now() - started
    Bun.gc(true)
    const residentMB = (process.memoryUsage.rss() - before) / 2 ** 20
    const report = async (days: number): Promise<number> => {
      const times: number[] = []
      for (let round = 0; round < 20; round += 1) {
        const requested = performance.now()
        await usage.report(days, undefined)
        times.push(performance.now() - requested)
      }
      return median(times)
    }
    const result = {
      todayLines,
      startMs: { year: median(starts.year), empty: median(starts.empty) },
      readMs: rounded(readMs),
      residentMB: rounded(residentMB),
      reportMs: { days30: await report(30), days365: await report(365) },
    }
    await usage.stop()
    return result
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

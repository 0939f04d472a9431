import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dateOf, dayMs, dayOf } from '../../src/data/journal/day.ts'
import { encodeAggregate } from '../../src/http/usage/aggregate.ts'
import type { DayCounts } from '../../src/http/usage/counts.ts'
import { formatEvent, type UsageEvent } from '../../src/http/usage/event.ts'
import { openDay } from '../../src/http/usage/openDay.ts'

const requestsOfDay = 1_000_000
const daysOfYear = 365
const logDays = 35
/** A day is a sample of its requests, doubled this many times. */
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
 * their size is read), and the maximum number of today's lines that a start reads.
 */
export const writeUsage = async (dataDir: string, days = daysOfYear): Promise<void> => {
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
}

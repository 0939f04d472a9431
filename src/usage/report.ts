import type { Calendar } from './calendar.ts'
import { addCaller, type CallerTable } from './callerTable.ts'
import { addClients, addToUnion, countRead } from './clientList.ts'
import type { Caller, ClientList, Counts, DayCounts, RequestTotals } from './counts.ts'
import { dateOf, dayOf } from './event.ts'
import { emptySketch, sketchCount } from './hyperLogLog.ts'
import { addTimes, percentiles, timeBuckets } from './responseTimes.ts'
import { createTally } from './tally.ts'

export interface UsageReport {
  /** First day, such as `2026-03-14`. */
  readonly from: string
  readonly to: string
  readonly totals: RequestTotals
  readonly maxUs: number
  /** Percentiles, within `relativeAccuracy` of themselves. */
  readonly p50Us: number
  readonly p95Us: number
  readonly p99Us: number
  readonly uniqueClients: number
  /** Every day of the range, oldest first. */
  readonly days: readonly (RequestTotals & {
    readonly date: string
    readonly uniqueClients: number
  })[]
  /** Busiest first. */
  readonly endpoints: readonly (RequestTotals & {
    readonly route: string
    readonly p95Us: number
  })[]
  readonly statuses: ReadonlyMap<number, number>
  /** Clients without a name with the most requests, busiest first. */
  readonly topClients: readonly { readonly client: string; readonly requests: number }[]
  /** Busiest first. */
  readonly callers: readonly Caller[]
}

/** Max days of a report. */
export const maxReportDays = 365

/** Days ahead that are reported if a clock that was ahead left events there. */
export const daysAhead = 2

/** Last reported day: today, or a counted one up to {@link daysAhead} later. */
export const lastReportDay = (calendar: Pick<Calendar, 'has'>, nowMs: number): number => {
  let day = dayOf(nowMs) + daysAhead
  while (day > dayOf(nowMs) && !calendar.has(day)) day -= 1
  return day
}

const maxClients = 20
const maxCallers = 100
/** Max clients counted exactly; above it a sketch estimates their number. */
const maxExactClients = 10_000
/** Max clients read of each part then, for the list of the busiest. */
const maxFrequentPerPart = 250

const noTotals: RequestTotals = { requests: 0, errors: 0, bytes: 0, totalUs: 0 }

const sumTotals = (parts: readonly RequestTotals[]): RequestTotals =>
  parts.reduce(
    (sum, part) => ({
      requests: sum.requests + part.requests,
      errors: sum.errors + part.errors,
      bytes: sum.bytes + part.bytes,
      totalUs: sum.totalUs + part.totalUs,
    }),
    noTotals,
  )

const totalsOf = ({ requests, errors, bytes, totalUs }: RequestTotals): RequestTotals => ({
  requests,
  errors,
  bytes,
  totalUs,
})

const timesOf = (parts: readonly Counts[], shares: readonly number[]): readonly number[] => {
  const counts = new Float64Array(timeBuckets)
  for (const { times } of parts) addTimes(counts, times)
  return percentiles(counts, shares)
}

const hex = (half: number): string => half.toString(16).padStart(8, '0')

const countClients = (
  parts: readonly ClientList[],
): Pick<UsageReport, 'uniqueClients' | 'topClients'> => {
  const listed = parts.reduce((sum, { requests }) => sum + requests.length, 0)
  const limit = listed > maxExactClients ? maxFrequentPerPart : Number.POSITIVE_INFINITY
  const isExact = listed <= maxExactClients && parts.every(({ sketch }) => sketch === null)

  const tally = createTally(parts.reduce((sum, part) => sum + countRead(part, limit), 0))
  for (const part of parts) addClients(tally, part, limit)
  const sorted = tally
    .mostFrequent(maxClients)
    // Clients of named callers have no requests.
    .filter(({ requests }) => requests > 0)
    .map(({ high, low, requests }) => ({ client: hex(high) + hex(low), requests }))
    .sort((one, other) => other.requests - one.requests || (one.client < other.client ? -1 : 1))
    .slice(0, maxClients)
  if (isExact) return { uniqueClients: tally.size(), topClients: sorted }

  const sketch = emptySketch()
  for (const part of parts) addToUnion(sketch, part)
  return { uniqueClients: sketchCount(sketch), topClients: sorted }
}

const sumStatuses = (parts: readonly Counts[]): ReadonlyMap<number, number> => {
  const sums = new Map<number, number>()
  for (const { statuses } of parts) {
    for (const [status, requests] of statuses) {
      sums.set(status, (sums.get(status) ?? 0) + requests)
    }
  }
  return sums
}

/** Callers by descending number of requests, then name. */
const sumCallers = (parts: readonly Counts[]): readonly Caller[] => {
  const sums: CallerTable = new Map()
  for (const { callers } of parts) for (const caller of callers) addCaller(sums, caller)
  return [...sums]
    .map(([name, sum]) => ({ name, ...sum }))
    .sort((one, other) => other.requests - one.requests || (one.name < other.name ? -1 : 1))
    .slice(0, maxCallers)
}

const byRoute = (parts: readonly DayCounts[]): ReadonlyMap<string, readonly Counts[]> => {
  const grouped = new Map<string, Counts[]>()
  for (const { endpoints } of parts) {
    for (const [route, counts] of endpoints) {
      const group = grouped.get(route)
      if (group) group.push(counts)
      else grouped.set(route, [counts])
    }
  }
  return grouped
}

/**
 * Report over the `days` days that end with `lastDay`, of all requests or of one route. At most 5
 * ms for a year, after `Calendar.prepare`.
 */
export const buildReport = (
  calendar: Pick<Calendar, 'live' | 'parts'>,
  { lastDay, days, route }: { lastDay: number; days: number; route: string | undefined },
): UsageReport => {
  const firstDay = lastDay - days + 1
  const own = (counts: DayCounts | undefined): Counts | undefined =>
    route === undefined ? counts?.all : counts?.endpoints.get(route)
  const perDay = Array.from({ length: days }, (_, index) => ({
    date: dateOf(firstDay + index),
    counts: own(calendar.live(firstDay + index)),
  }))
  const all = calendar.parts(firstDay, lastDay)
  const parts = all.flatMap((counts) => own(counts) ?? [])
  const [p50Us = 0, p95Us = 0, p99Us = 0] = timesOf(parts, [0.5, 0.95, 0.99])
  const [only] = parts
  const clients = countClients(parts.map((part) => part.clients))
  return {
    from: dateOf(firstDay),
    to: dateOf(lastDay),
    totals: sumTotals(parts),
    maxUs: parts.reduce((max, { maxUs }) => Math.max(max, maxUs), 0),
    p50Us,
    p95Us,
    p99Us,
    topClients: clients.topClients,
    uniqueClients: parts.length === 1 && only ? only.uniqueClients : clients.uniqueClients,
    days: perDay.map(({ date, counts }) => ({
      date,
      ...(counts ? totalsOf(counts) : noTotals),
      uniqueClients: counts?.uniqueClients ?? 0,
    })),
    endpoints: [...byRoute(all)]
      .filter(([each]) => route === undefined || each === route)
      .map(([each, counts]) => ({
        route: each,
        ...sumTotals(counts),
        p95Us: timesOf(counts, [0.95])[0] ?? 0,
      }))
      .sort((one, other) => other.requests - one.requests || (one.route < other.route ? -1 : 1)),
    statuses: sumStatuses(parts),
    callers: sumCallers(parts),
  }
}

import { dateOf, dayOf } from '../../data/journal/day.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'
import type { Calendar } from './calendar.ts'
import { addCaller, type CallerTable } from './callerTable.ts'
import { countUnion, sumClients } from './clients.ts'
import {
  type Caller,
  type Counts,
  type DayCounts,
  maxTopClients,
  type RequestTotals,
} from './counts.ts'
import { addTimes, percentiles, timeBuckets } from './responseTimes.ts'

export const maxReportDays = 365

/** Days ahead that are reported if a clock that was ahead left events there. */
export const daysAhead = 2

/** Last reported day: today, or a counted one up to {@link daysAhead} later. */
export const lastReportDay = (calendar: Pick<Calendar, 'has'>, nowMs: number): number => {
  let day = dayOf(nowMs) + daysAhead
  while (day > dayOf(nowMs) && !calendar.has(day)) day -= 1
  return day
}

const maxCallers = 100

const sumTotals = (parts: readonly RequestTotals[]): RequestTotals =>
  parts.reduce(
    (sum, part) => ({
      requests: sum.requests + part.requests,
      errors: sum.errors + part.errors,
      bytes: sum.bytes + part.bytes,
      totalUs: sum.totalUs + part.totalUs,
    }),
    { requests: 0, errors: 0, bytes: 0, totalUs: 0 },
  )

const timesOf = (parts: readonly Counts[], shares: readonly number[]): readonly number[] => {
  const counts = new Float64Array(timeBuckets)
  for (const { times } of parts) addTimes(counts, times)
  return percentiles(counts, shares)
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
  return [...sums.values()]
    .sort((one, other) => other.requests - one.requests || (one.name < other.name ? -1 : 1))
    .slice(0, maxCallers)
}

/**
 * Report over the `days` days that end with `lastDay`, of all requests or of one route. Clients of several
 * days are estimated, and the busiest ones are chosen among the busiest of each day. Made in slices of the event
 * loop from the counts at the call.
 */
export const buildReport = async (
  calendar: Pick<Calendar, 'live'>,
  { lastDay, days, route }: { lastDay: number; days: number; route: string | undefined },
) => {
  const firstDay = lastDay - days + 1
  const own = (counts: DayCounts | undefined): Counts | undefined =>
    route === undefined ? counts?.all : counts?.endpoints.get(route)
  const perDay = Array.from({ length: days }, (_, index) => ({
    date: dateOf(firstDay + index),
    counts: calendar.live(firstDay + index),
  }))
  const all = perDay.flatMap(({ counts }) => counts ?? [])
  const slice = createTimeSlice()
  const endpoints: (RequestTotals & { readonly route: string; readonly p95Us: number })[] = []
  const byRoute = Map.groupBy(
    all.flatMap((day) => [...day.endpoints]),
    ([each]) => each,
  )
  for (const [each, group] of byRoute) {
    if (route !== undefined && each !== route) continue
    const counts = group.map(([, count]) => count)
    const [p95Us = 0] = timesOf(counts, [0.95])
    endpoints.push({ route: each, ...sumTotals(counts), p95Us })
    if (slice.isOver()) await slice.next()
  }
  const parts = all.flatMap((counts) => own(counts) ?? [])
  const [p50Us = 0, p95Us = 0, p99Us = 0] = timesOf(parts, [0.5, 0.95, 0.99])
  const [only] = parts
  const lists = parts.map(({ clients }) => clients)
  return {
    /** First day, such as `2026-03-14`. */
    from: dateOf(firstDay),
    to: dateOf(lastDay),
    totals: sumTotals(parts),
    maxUs: parts.reduce((max, { maxUs }) => Math.max(max, maxUs), 0),
    /** Percentiles, within `relativeAccuracy` of themselves. */
    p50Us,
    p95Us,
    p99Us,
    /** Clients without a name with the most requests, busiest first. */
    topClients: sumClients(lists, maxTopClients),
    uniqueClients: parts.length === 1 && only ? only.uniqueClients : countUnion(lists),
    /** Every day of the range, oldest first. */
    days: perDay.map(({ date, counts: day }) => {
      const counts = own(day)
      const totals = sumTotals(counts ? [counts] : [])
      return { date, ...totals, uniqueClients: counts?.uniqueClients ?? 0 }
    }),
    /** Endpoints, busiest first. */
    endpoints: endpoints.sort(
      (one, other) => other.requests - one.requests || (one.route < other.route ? -1 : 1),
    ),
    statuses: sumStatuses(parts),
    /** Callers, busiest first. */
    callers: sumCallers(parts),
  }
}
export type UsageReport = Awaited<ReturnType<typeof buildReport>>

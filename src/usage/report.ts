import type { Calendar } from './calendar.ts'
import { type Clients, type Counts, clientBytes, type DayCounts } from './counts.ts'
import { dateOf } from './event.ts'
import { addToSketch, emptySketch, mergeSketch, sketchCount } from './hyperLogLog.ts'
import { percentiles, timeBuckets } from './responseTimes.ts'

/** Sums over some requests; times in microseconds. */
export interface Totals {
  readonly requests: number
  readonly errors: number
  readonly bytes: number
  readonly totalUs: number
}

export interface UsageReport {
  /** `2026-03-14`, both within the range. */
  readonly from: string
  readonly to: string
  readonly totals: Totals
  readonly maxUs: number
  /** Percentiles, within `relativeAccuracy` of themselves. */
  readonly p50Us: number
  readonly p95Us: number
  readonly p99Us: number
  readonly uniqueClients: number
  /** Every day of the range, oldest first. */
  readonly days: readonly (Totals & { readonly date: string; readonly uniqueClients: number })[]
  /** Busiest first. */
  readonly endpoints: readonly (Totals & { readonly route: string; readonly p95Us: number })[]
  readonly statuses: ReadonlyMap<number, number>
  /** The most frequent of those who gave no name, busiest first. */
  readonly topClients: readonly { readonly client: string; readonly requests: number }[]
  /** Who gave a name, busiest first; `lastSeen` in Unix seconds. */
  readonly callers: readonly {
    readonly name: string
    readonly requests: number
    readonly lastSeen: number
  }[]
}

const topClients = 20
const topCallers = 100
/** Up to so many clients of single days are told apart exactly, beyond it by a sketch. */
const exactClients = 100_000
/** Of many days, so many clients of each can come to be among the most frequent. */
const frequentOfDay = 250

const noTotals: Totals = { requests: 0, errors: 0, bytes: 0, totalUs: 0 }

const sumTotals = (parts: readonly Totals[]): Totals =>
  parts.reduce(
    (sum, part) => ({
      requests: sum.requests + part.requests,
      errors: sum.errors + part.errors,
      bytes: sum.bytes + part.bytes,
      totalUs: sum.totalUs + part.totalUs,
    }),
    noTotals,
  )

const totalsOf = ({ requests, errors, bytes, totalUs }: Totals): Totals => ({
  requests,
  errors,
  bytes,
  totalUs,
})

const timesOf = (parts: readonly Counts[], shares: readonly number[]): readonly number[] => {
  const counts = new Float64Array(timeBuckets)
  for (const { times } of parts) {
    const { buckets, requests } = times
    for (let index = 0; index < buckets.length; index += 1) {
      const bucket = buckets[index] ?? 0
      counts[bucket] = (counts[bucket] ?? 0) + (requests[index] ?? 0)
    }
  }
  return percentiles(counts, shares)
}

type OnClient = (high: number, low: number, requests: number) => void

const eachClient = ({ hashes, requests }: Clients, limit: number, onClient: OnClient): void => {
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength)
  const count = Math.min(requests.length, limit)
  for (let index = 0; index < count; index += 1) {
    const at = index * clientBytes
    onClient(view.getUint32(at), view.getUint32(at + 4), requests[index] ?? 0)
  }
}

/** 53 of the 64 bits, which a number holds: a million clients have two alike in one case of 18,000. */
const shortHash = (high: number, low: number): number => high * 2 ** 21 + (low >>> 11)

const hex = (half: number): string => half.toString(16).padStart(8, '0')

/** How many came on one day. */
const clientsOfDay = ({ sketch, requests }: Clients): number =>
  sketch ? sketchCount(sketch) : requests.length

const countClients = (
  parts: readonly Clients[],
): Pick<UsageReport, 'uniqueClients' | 'topClients'> => {
  const listed = parts.reduce((sum, { requests }) => sum + requests.length, 0)
  const limit = listed > exactClients ? frequentOfDay : Number.POSITIVE_INFINITY
  const isExact = listed <= exactClients && parts.every(({ sketch }) => sketch === null)

  const counted = new Map<number, number>()
  for (const part of parts) {
    eachClient(part, limit, (high, low, requests) => {
      const key = shortHash(high, low)
      counted.set(key, (counted.get(key) ?? 0) + requests)
    })
  }
  // All who may come in by a tie; the order among them needs the whole hash.
  const frequency = [...counted.values()].sort((one, other) => other - one)
  const least = frequency[topClients - 1] ?? 0
  const top = new Map<string, number>()
  for (const part of parts) {
    eachClient(part, limit, (high, low) => {
      const requests = counted.get(shortHash(high, low)) ?? 0
      if (requests > 0 && requests >= least) top.set(hex(high) + hex(low), requests)
    })
  }
  const sorted = [...top]
    .map(([client, requests]) => ({ client, requests }))
    .sort((one, other) => other.requests - one.requests || (one.client < other.client ? -1 : 1))
    .slice(0, topClients)
  if (isExact) return { uniqueClients: counted.size, topClients: sorted }

  const sketch = emptySketch()
  for (const part of parts) {
    if (part.sketch) mergeSketch(sketch, part.sketch)
    else eachClient(part, part.requests.length, (high, low) => addToSketch(sketch, high, low))
  }
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

const sumCallers = (parts: readonly Counts[]): UsageReport['callers'] => {
  const sums = new Map<string, { requests: number; lastSeen: number }>()
  for (const { callers } of parts) {
    for (const { name, requests, lastSeen } of callers) {
      const before = sums.get(name) ?? { requests: 0, lastSeen: 0 }
      sums.set(name, {
        requests: before.requests + requests,
        lastSeen: Math.max(before.lastSeen, lastSeen),
      })
    }
  }
  return [...sums]
    .map(([name, sum]) => ({ name, ...sum }))
    .sort((one, other) => other.requests - one.requests || (one.name < other.name ? -1 : 1))
    .slice(0, topCallers)
}

const byRoute = (days: readonly DayCounts[]): ReadonlyMap<string, readonly Counts[]> => {
  const grouped = new Map<string, Counts[]>()
  for (const { endpoints } of days) {
    for (const [route, counts] of endpoints) {
      const group = grouped.get(route)
      if (group) group.push(counts)
      else grouped.set(route, [counts])
    }
  }
  return grouped
}

/**
 * What was counted on `days` days of which `lastDay` is the last, of all requests or of one endpoint.
 * `calendar.read` hands out values that nothing changes later.
 */
export const buildReport = (
  calendar: Pick<Calendar, 'read'>,
  { lastDay, days, route }: { lastDay: number; days: number; route: string | undefined },
): UsageReport => {
  const firstDay = lastDay - days + 1
  const read = Array.from({ length: days }, (_, index) => ({
    date: dateOf(firstDay + index),
    counts: calendar.read(firstDay + index),
  }))
  const part = (counts: DayCounts | undefined): Counts | undefined =>
    route === undefined ? counts?.all : counts?.endpoints.get(route)
  const parts = read.flatMap(({ counts }) => part(counts) ?? [])
  const [p50Us = 0, p95Us = 0, p99Us = 0] = timesOf(parts, [0.5, 0.95, 0.99])
  const endpoints = byRoute(read.flatMap(({ counts }) => counts ?? []))
  return {
    from: dateOf(firstDay),
    to: dateOf(lastDay),
    totals: sumTotals(parts),
    maxUs: parts.reduce((max, { maxUs }) => Math.max(max, maxUs), 0),
    p50Us,
    p95Us,
    p99Us,
    ...countClients(parts.map(({ clients }) => clients)),
    days: read.map(({ date, counts }) => {
      const own = part(counts)
      return {
        date,
        ...(own ? totalsOf(own) : noTotals),
        uniqueClients: own ? clientsOfDay(own.clients) : 0,
      }
    }),
    endpoints: [...endpoints]
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

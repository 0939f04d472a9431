import { addCaller, type CallerTable, topCallers } from './callerTable.ts'
import { addClient, addList, countClients, listClients, openClients } from './clients.ts'
import {
  type Caller,
  type Counts,
  closedLimits,
  type DayCounts,
  type ListLimits,
  maxTopClients,
  noLimits,
  openLimits,
} from './counts.ts'
import { type UsageEvent, unmatched } from './event.ts'
import { addTimes, listTimes, timeBucket, timeBuckets } from './responseTimes.ts'

const noCallers = (): CallerTable => new Map()

const openCounts = (limits: ListLimits) => ({
  limits,
  requests: 0,
  errors: 0,
  bytes: 0,
  totalUs: 0,
  maxUs: 0,
  statuses: new Map<number, number>(),
  times: new Uint32Array(timeBuckets),
  clients: openClients(),
  callers: noCallers(),
})
type OpenCounts = ReturnType<typeof openCounts>

const addNamed = (counts: OpenCounts, caller: Caller): void => {
  addCaller(counts.callers, caller)
  if (counts.callers.size <= counts.limits.callers) return
  const kept = topCallers(counts.callers, counts.limits.callers / 2)
  counts.callers = new Map(kept.map((each) => [each.name, each]))
}

const addEvent = (counts: OpenCounts, event: UsageEvent, bucket: number): void => {
  const { status, durationUs, bytes, client, caller, timeMs } = event
  counts.requests += 1
  if (status >= 400) counts.errors += 1
  counts.bytes += bytes
  counts.totalUs += durationUs
  if (durationUs > counts.maxUs) counts.maxUs = durationUs
  counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
  counts.times[bucket] = (counts.times[bucket] ?? 0) + 1
  // Named callers are listed as callers, not as clients.
  addClient(counts.clients, client, {
    added: caller === null ? 1 : 0,
    limit: counts.limits.clients,
  })
  if (caller !== null) {
    addNamed(counts, { name: caller, requests: 1, lastSeen: Math.floor(timeMs / 1000) })
  }
}

const addCounts = (counts: OpenCounts, added: Counts): void => {
  counts.requests += added.requests
  counts.errors += added.errors
  counts.bytes += added.bytes
  counts.totalUs += added.totalUs
  counts.maxUs = Math.max(counts.maxUs, added.maxUs)
  for (const [status, requests] of added.statuses) {
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + requests)
  }
  addTimes(counts.times, added.times)
  addList(counts.clients, added.clients, counts.limits.clients)
  for (const caller of added.callers) addNamed(counts, caller)
}

/** Immutable copy, with the lists cut to the limits. */
const copyCounts = (counts: OpenCounts, limits: ListLimits): Counts => ({
  requests: counts.requests,
  errors: counts.errors,
  bytes: counts.bytes,
  totalUs: counts.totalUs,
  maxUs: counts.maxUs,
  uniqueClients: countClients(counts.clients, limits.clients),
  statuses: [...counts.statuses],
  times: listTimes(counts.times),
  clients: listClients(counts.clients, limits.clients),
  callers: topCallers(counts.callers, limits.callers),
})

/** Max endpoints of a day; further ones count as unmatched. */
const maxEndpoints = 1000

/** Creates a day that is being counted, empty and bounded in memory. */
export const openDay = () => {
  const all = openCounts(openLimits.all)
  const endpoints = new Map<string, OpenCounts>()
  const countsOf = (route: string): OpenCounts => {
    const name = endpoints.has(route) || endpoints.size < maxEndpoints ? route : unmatched
    return endpoints.getOrInsertComputed(name, () => openCounts(openLimits.endpoint))
  }
  const view = (read: (counts: OpenCounts, kind: 'all' | 'endpoint') => Counts): DayCounts => ({
    all: read(all, 'all'),
    endpoints: new Map([...endpoints].map(([route, counts]) => [route, read(counts, 'endpoint')])),
  })
  return {
    add: (event: UsageEvent): void => {
      const bucket = timeBucket(event.durationUs)
      addEvent(all, event, bucket)
      addEvent(countsOf(event.route), event, bucket)
    },
    addDay: (day: DayCounts): void => {
      addCounts(all, day.all)
      for (const [route, counts] of day.endpoints) addCounts(countsOf(route), counts)
    },
    read: (): DayCounts => view((counts) => copyCounts(counts, noLimits)),
    /** Immutable copy with only the busiest clients, and the exact number of all. */
    live: (): DayCounts =>
      view((counts) => ({
        ...copyCounts(counts, { ...noLimits, clients: maxTopClients }),
        uniqueClients: countClients(counts.clients, noLimits.clients),
      })),
    /** Immutable copy cut to the limits of a closed day. */
    close: (): DayCounts => view((counts, kind) => copyCounts(counts, closedLimits[kind])),
  }
}
export type OpenDay = ReturnType<typeof openDay>

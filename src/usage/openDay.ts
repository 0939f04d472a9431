import { addCaller, type CallerTable, pruneCallers, topCallers } from './callerTable.ts'
import {
  byFrequency,
  type ClientTable,
  createClientTable,
  pruneClients,
  putClient,
  sketchOf,
} from './clientTable.ts'
import {
  type Caller,
  type ClientList,
  type Counts,
  clientBytes,
  closedLimits,
  type DayCounts,
  type ListLimits,
  noLimits,
  openLimits,
} from './counts.ts'
import { type UsageEvent, unmatched } from './event.ts'
import { addToSketch, mergeSketch, type Sketch, sketchCount } from './hyperLogLog.ts'
import { addTimes, listTimes, timeBucket, timeBuckets } from './responseTimes.ts'

interface OpenCounts {
  readonly limits: ListLimits
  requests: number
  errors: number
  bytes: number
  totalUs: number
  maxUs: number
  readonly statuses: Map<number, number>
  readonly times: Uint32Array
  clients: ClientTable
  sketch: Sketch | null
  callers: CallerTable
}

const openCounts = (limits: ListLimits): OpenCounts => ({
  limits,
  requests: 0,
  errors: 0,
  bytes: 0,
  totalUs: 0,
  maxUs: 0,
  statuses: new Map(),
  times: new Uint32Array(timeBuckets),
  clients: createClientTable(),
  sketch: null,
  callers: new Map(),
})

const addClient = (counts: OpenCounts, client: string, added: number): void => {
  const { clients, sketch, limits } = counts
  const known = clients.places.get(client)
  if (known !== undefined) {
    clients.requests[known] = (clients.requests[known] ?? 0) + added
    return
  }
  const at = putClient(clients, client, added) * clientBytes
  if (sketch) addToSketch(sketch, clients.hashes.getUint32(at), clients.hashes.getUint32(at + 4))
  if (clients.places.size <= limits.clients) return
  counts.sketch ??= sketchOf(clients)
  counts.clients = pruneClients(clients, limits.clients / 2)
}

const addNamed = (counts: OpenCounts, caller: Caller): void => {
  addCaller(counts.callers, caller)
  if (counts.callers.size <= counts.limits.callers) return
  counts.callers = pruneCallers(counts.callers, counts.limits.callers / 2)
}

const addEvent = (counts: OpenCounts, event: UsageEvent): void => {
  const { status, durationUs, bytes, client, caller, timeMs } = event
  counts.requests += 1
  if (status >= 400) counts.errors += 1
  counts.bytes += bytes
  counts.totalUs += durationUs
  if (durationUs > counts.maxUs) counts.maxUs = durationUs
  counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
  const bucket = timeBucket(durationUs)
  counts.times[bucket] = (counts.times[bucket] ?? 0) + 1
  // Named callers are listed as callers, not as clients.
  addClient(counts, client, caller === null ? 1 : 0)
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
  const { hashes, requests, sketch } = added.clients
  if (sketch) {
    counts.sketch ??= sketchOf(counts.clients)
    mergeSketch(counts.sketch, sketch)
  }
  const hex = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length).toString('hex')
  for (let index = 0; index < requests.length; index += 1) {
    addClient(counts, hex.slice(index * 16, index * 16 + 16), requests[index] ?? 0)
  }
  for (const caller of added.callers) addNamed(counts, caller)
}

/** View of the clients in memory, valid until the next event. */
const liveClients = ({
  clients: { places, hashes, requests },
  sketch,
}: OpenCounts): ClientList => ({
  isSorted: false,
  hashes: new Uint8Array(hashes.buffer, 0, places.size * clientBytes),
  requests: requests.subarray(0, places.size),
  sketch,
})

const closeClients = ({ clients, sketch }: OpenCounts, kept: number): ClientList => {
  const listed = byFrequency(clients).subarray(0, kept)
  const hashes = new Uint8Array(listed.length * clientBytes)
  const view = new DataView(hashes.buffer)
  const requests = new Uint32Array(listed.length)
  for (let index = 0; index < listed.length; index += 1) {
    const place = listed[index] ?? 0
    view.setBigUint64(index * clientBytes, clients.hashes.getBigUint64(place * clientBytes))
    requests[index] = clients.requests[place] ?? 0
  }
  const isCut = listed.length < clients.places.size
  return {
    isSorted: true,
    hashes,
    requests,
    sketch: sketch?.slice() ?? (isCut ? sketchOf(clients) : null),
  }
}

/** View of the counts; expensive parts are computed when read. */
const liveCounts = (counts: OpenCounts): Counts => ({
  requests: counts.requests,
  errors: counts.errors,
  bytes: counts.bytes,
  totalUs: counts.totalUs,
  maxUs: counts.maxUs,
  get uniqueClients() {
    return counts.sketch ? sketchCount(counts.sketch) : counts.clients.places.size
  },
  get statuses() {
    return [...counts.statuses].sort(([one], [other]) => one - other)
  },
  get times() {
    return listTimes(counts.times)
  },
  get clients() {
    return liveClients(counts)
  },
  get callers() {
    return topCallers(counts.callers, Number.POSITIVE_INFINITY)
  },
})

const closeCounts = (counts: OpenCounts, limits: ListLimits): Counts => ({
  ...liveCounts(counts),
  clients: closeClients(counts, limits.clients),
  callers: topCallers(counts.callers, limits.callers),
})

/** Max endpoints of a day; further ones count as unmatched. */
const maxEndpoints = 1000

/** A day that is being counted. */
export interface OpenDay {
  readonly add: (event: UsageEvent) => void
  readonly addDay: (day: DayCounts) => void
  /** Immutable copy of the counts. */
  readonly read: () => DayCounts
  /** View of the counts, valid until the next event; parts are computed when read. */
  readonly live: () => DayCounts
  /** Immutable copy cut to the limits of a closed day. */
  readonly close: () => DayCounts
}

/** Creates an empty day, bounded in memory. */
export const openDay = (): OpenDay => {
  const all = openCounts(openLimits.all)
  const endpoints = new Map<string, OpenCounts>()
  const countsOf = (route: string): OpenCounts => {
    const known = endpoints.get(route)
    if (known) return known
    const name = endpoints.size < maxEndpoints ? route : unmatched
    const counts = endpoints.get(name) ?? openCounts(openLimits.endpoint)
    endpoints.set(name, counts)
    return counts
  }
  const view = (read: (counts: OpenCounts, kind: 'all' | 'endpoint') => Counts): DayCounts => ({
    all: read(all, 'all'),
    endpoints: new Map([...endpoints].map(([route, counts]) => [route, read(counts, 'endpoint')])),
  })
  return {
    add: (event) => {
      addEvent(all, event)
      addEvent(countsOf(event.route), event)
    },
    addDay: (day) => {
      addCounts(all, day.all)
      for (const [route, counts] of day.endpoints) addCounts(countsOf(route), counts)
    },
    read: () => view((counts) => closeCounts(counts, noLimits)),
    live: () => view(liveCounts),
    close: () => view((counts, kind) => closeCounts(counts, closedLimits[kind])),
  }
}

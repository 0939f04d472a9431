import { type UsageEvent, unmatched } from './event.ts'
import { addToSketch, emptySketch, mergeSketch, type Sketch } from './hyperLogLog.ts'
import { timeBucket, timeBuckets } from './responseTimes.ts'

/** How often somebody who gave a name came, and when last (Unix seconds). */
export interface Caller {
  readonly name: string
  readonly requests: number
  readonly lastSeen: number
}

/** Callers beyond the number of names that are kept. */
export const otherCallers = '(other keys)'

interface Sums {
  readonly requests: number
  /** Answers with status 400 and above. */
  readonly errors: number
  readonly bytes: number
  readonly totalUs: number
  readonly maxUs: number
}

/** Counts as they are read, kept and written: of one endpoint, or of all, on one day. */
export interface Counts extends Sums {
  readonly statuses: readonly (readonly [status: number, requests: number])[]
  /** Buckets of response times that are not empty, and the requests in each. */
  readonly times: { readonly buckets: Uint16Array; readonly requests: Uint32Array }
  readonly clients: Clients
  readonly callers: readonly Caller[]
}

/** Who came how often, the most frequent first. */
export interface Clients {
  /** 8 bytes for each client. */
  readonly hashes: Uint8Array
  readonly requests: Uint32Array
  /** Set when there were more clients than are listed; made from all of them. */
  readonly sketch: Sketch | null
}

export interface DayCounts {
  readonly all: Counts
  readonly endpoints: ReadonlyMap<string, Counts>
}

/** How much is kept of those who came. */
interface Limits {
  readonly clients: number
  readonly callers: number
}

/** Of a day that is being counted. Reaching a limit halves what is kept; the rare go first. */
const openLimits = {
  all: { clients: 10_000, callers: 500 },
  endpoint: { clients: 1000, callers: 100 },
} as const satisfies Record<string, Limits>

/** Of a day that is over, which then takes some 30 KiB, and 5 KiB for each endpoint. */
const closedLimits = {
  all: { clients: 2000, callers: 100 },
  endpoint: { clients: 100, callers: 20 },
} as const satisfies Record<string, Limits>

const noLimits: Limits = { clients: Number.POSITIVE_INFINITY, callers: Number.POSITIVE_INFINITY }

const byRequests = (
  [, one]: readonly [string, { requests: number }],
  [, other]: readonly [string, { requests: number }],
): number => other.requests - one.requests

/** A log that was written by hand may hold any number of routes. */
const endpointsOfDay = 1000

/** Each client hash is so long. */
export const clientBytes = 8
const hashOf = (client: string): Buffer => Buffer.from(client, 'hex')

interface OpenCounts {
  readonly limits: Limits
  requests: number
  errors: number
  bytes: number
  totalUs: number
  maxUs: number
  readonly statuses: Map<number, number>
  readonly times: Uint32Array
  clients: Map<string, number>
  sketch: Sketch | null
  callers: Map<string, { requests: number; lastSeen: number }>
}

const openCounts = (limits: Limits): OpenCounts => ({
  limits,
  requests: 0,
  errors: 0,
  bytes: 0,
  totalUs: 0,
  maxUs: 0,
  statuses: new Map(),
  times: new Uint32Array(timeBuckets),
  clients: new Map(),
  sketch: null,
  callers: new Map(),
})

const sketchClient = (sketch: Sketch, hash: Buffer): void =>
  addToSketch(sketch, hash.readUInt32BE(0), hash.readUInt32BE(4))

const sketchOf = (clients: Iterable<string>): Sketch => {
  const sketch = emptySketch()
  for (const client of clients) sketchClient(sketch, hashOf(client))
  return sketch
}

/**
 * The most frequent first, and of the equally frequent those who came first. Numbers are sorted, of
 * both in one, which takes a fifth of the time of comparing entries.
 */
const byFrequency = (clients: ReadonlyMap<string, number>): readonly [string, number][] => {
  const entries = [...clients]
  const keys = Float64Array.from(entries, ([, requests], index) => index - requests * 2 ** 20)
  return Array.from(keys.sort(), (key) => entries[((key % 2 ** 20) + 2 ** 20) % 2 ** 20]).flatMap(
    (entry) => (entry ? [entry] : []),
  )
}

/** Keeps the more frequent half. */
const pruneClients = (counts: OpenCounts): void => {
  counts.sketch ??= sketchOf(counts.clients.keys())
  counts.clients = new Map(byFrequency(counts.clients).slice(0, counts.limits.clients / 2))
}

const addClient = (counts: OpenCounts, client: string, requests: number): void => {
  const before = counts.clients.get(client)
  counts.clients.set(client, (before ?? 0) + requests)
  if (before !== undefined) return
  if (counts.sketch) sketchClient(counts.sketch, hashOf(client))
  if (counts.clients.size > counts.limits.clients) pruneClients(counts)
}

const sumCallers = (
  callers: readonly { requests: number; lastSeen: number }[],
): { requests: number; lastSeen: number } => ({
  requests: callers.reduce((sum, { requests }) => sum + requests, 0),
  lastSeen: callers.reduce((last, { lastSeen }) => Math.max(last, lastSeen), 0),
})

/** The most frequent callers; all others together are the last. */
const mostFrequent = (
  callers: ReadonlyMap<string, { requests: number; lastSeen: number }>,
  kept: number,
): readonly (readonly [string, { requests: number; lastSeen: number }])[] => {
  const named = [...callers].filter(([name]) => name !== otherCallers).sort(byRequests)
  const others = callers.get(otherCallers)
  const rest = named.slice(kept).map(([, caller]) => caller)
  if (rest.length === 0 && !others) return named
  const together = sumCallers(others ? [others, ...rest] : rest)
  return [...named.slice(0, kept), [otherCallers, together]]
}

const addCaller = (counts: OpenCounts, { name, requests, lastSeen }: Caller): void => {
  const before = counts.callers.get(name)
  if (before) {
    before.requests += requests
    before.lastSeen = Math.max(before.lastSeen, lastSeen)
    return
  }
  counts.callers.set(name, { requests, lastSeen })
  if (counts.callers.size <= counts.limits.callers) return
  counts.callers = new Map(mostFrequent(counts.callers, counts.limits.callers / 2))
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
  // Who gives a name is listed under it, and not as a client beside it.
  addClient(counts, client, caller === null ? 1 : 0)
  if (caller !== null) {
    addCaller(counts, { name: caller, requests: 1, lastSeen: Math.floor(timeMs / 1000) })
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
  for (const [index, bucket] of added.times.buckets.entries()) {
    counts.times[bucket] = (counts.times[bucket] ?? 0) + (added.times.requests[index] ?? 0)
  }
  const { hashes, requests, sketch } = added.clients
  if (sketch) {
    counts.sketch ??= sketchOf(counts.clients.keys())
    mergeSketch(counts.sketch, sketch)
  }
  const hex = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length).toString('hex')
  for (const [index, count] of requests.entries()) {
    addClient(counts, hex.slice(index * 16, index * 16 + 16), count)
  }
  for (const caller of added.callers) addCaller(counts, caller)
}

const closeClients = ({ clients, sketch }: OpenCounts, kept: number): Clients => {
  const sorted = byFrequency(clients)
  const listed = sorted.slice(0, kept)
  const cut = listed.length < sorted.length
  return {
    hashes: new Uint8Array(hashOf(listed.map(([client]) => client).join(''))),
    requests: Uint32Array.from(listed, ([, requests]) => requests),
    sketch: sketch ? sketch.slice() : cut ? sketchOf(clients.keys()) : null,
  }
}

const closeTimes = (times: Uint32Array): Counts['times'] => {
  const buckets = Uint16Array.from(
    times.entries().flatMap(([bucket, requests]) => (requests > 0 ? [bucket] : [])),
  )
  return { buckets, requests: Uint32Array.from(buckets, (bucket) => times[bucket] ?? 0) }
}

const closeCounts = (counts: OpenCounts, limits: Limits): Counts => ({
  requests: counts.requests,
  errors: counts.errors,
  bytes: counts.bytes,
  totalUs: counts.totalUs,
  maxUs: counts.maxUs,
  statuses: [...counts.statuses].sort(([one], [other]) => one - other),
  times: closeTimes(counts.times),
  clients: closeClients(counts, limits.clients),
  callers: mostFrequent(counts.callers, limits.callers).map(([name, caller]) => ({
    name,
    ...caller,
  })),
})

/** A day to which events are added. */
export interface OpenDay {
  readonly add: (event: UsageEvent) => void
  readonly addDay: (day: DayCounts) => void
  /** All that was counted. */
  readonly read: () => DayCounts
  /** The same with the lists of clients and callers cut to what is kept of a day that is over. */
  readonly close: () => DayCounts
}

/** Starts counting a day. Its size is bounded, whoever comes however often. */
export const openDay = (): OpenDay => {
  const all = openCounts(openLimits.all)
  const endpoints = new Map<string, OpenCounts>()
  const countsOf = (route: string): OpenCounts => {
    const known = endpoints.get(route)
    if (known) return known
    const name = endpoints.size < endpointsOfDay ? route : unmatched
    const counts = endpoints.get(name) ?? openCounts(openLimits.endpoint)
    endpoints.set(name, counts)
    return counts
  }
  const read = (limits: { all: Limits; endpoint: Limits }): DayCounts => ({
    all: closeCounts(all, limits.all),
    endpoints: new Map(
      [...endpoints].map(([route, counts]) => [route, closeCounts(counts, limits.endpoint)]),
    ),
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
    read: () => read({ all: noLimits, endpoint: noLimits }),
    close: () => read(closedLimits),
  }
}

import { type UsageEvent, unmatched } from './event.ts'
import { addToSketch, emptySketch, mergeSketch, type Sketch, sketchCount } from './hyperLogLog.ts'
import { timeBucket, timeBuckets } from './responseTimes.ts'

/** How often somebody who gave a name came, and when last (Unix seconds). */
export interface Caller {
  readonly name: string
  readonly requests: number
  readonly lastSeen: number
}

/** Callers beyond the number of names that are kept. */
export const otherCallers = '(other keys)'

/** Sums over some requests; times in microseconds. */
export interface Totals {
  readonly requests: number
  /** Answers with status 400 and above. */
  readonly errors: number
  readonly bytes: number
  readonly totalUs: number
}

/** Counts as they are read and kept: of one endpoint, or of all, on one day or on several. */
export interface Counts extends Totals {
  readonly maxUs: number
  /** Estimated where the clients are more than were kept. */
  readonly uniqueClients: number
  readonly statuses: readonly (readonly [status: number, requests: number])[]
  /** Buckets of response times that are not empty, and the requests in each. */
  readonly times: { readonly buckets: Uint16Array; readonly requests: Uint32Array }
  readonly clients: Clients
  readonly callers: readonly Caller[]
}

/** Clients and their numbers of requests. */
export interface Clients {
  /** Whether the most frequent come first. */
  readonly isSorted: boolean
  /** 8 bytes for each client, big-endian. */
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

/** A table of clients that grows: half the memory of a map of objects, and read without a copy. */
interface OpenClients {
  readonly places: Map<string, number>
  hashes: DataView<ArrayBuffer>
  requests: Uint32Array
}

const firstPlaces = 16
const openClients = (): OpenClients => ({
  places: new Map(),
  hashes: new DataView(new ArrayBuffer(firstPlaces * clientBytes)),
  requests: new Uint32Array(firstPlaces),
})

interface OpenCounts {
  readonly limits: Limits
  requests: number
  errors: number
  bytes: number
  totalUs: number
  maxUs: number
  readonly statuses: Map<number, number>
  readonly times: Uint32Array
  clients: OpenClients
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
  clients: openClients(),
  sketch: null,
  callers: new Map(),
})

const sketchOf = ({ places, hashes }: OpenClients): Sketch => {
  const sketch = emptySketch()
  for (let at = 0; at < places.size * clientBytes; at += clientBytes) {
    addToSketch(sketch, hashes.getUint32(at), hashes.getUint32(at + 4))
  }
  return sketch
}

/**
 * The most frequent first, and of the equally frequent those who came first. Numbers are sorted, of
 * both in one, which takes a fifth of the time of comparing entries.
 */
const byFrequency = ({ places, requests }: OpenClients): Float64Array => {
  const keys = new Float64Array(places.size)
  for (let place = 0; place < keys.length; place += 1) {
    keys[place] = place - (requests[place] ?? 0) * 2 ** 20
  }
  keys.sort()
  return keys.map((key) => ((key % 2 ** 20) + 2 ** 20) % 2 ** 20)
}

const putClient = (clients: OpenClients, client: string, added: number): number => {
  const place = clients.places.size
  if (place === clients.requests.length) {
    const hashes = new Uint8Array(2 * place * clientBytes)
    hashes.set(new Uint8Array(clients.hashes.buffer))
    clients.hashes = new DataView(hashes.buffer)
    const requests = new Uint32Array(2 * place)
    requests.set(clients.requests)
    clients.requests = requests
  }
  clients.places.set(client, place)
  clients.hashes.setUint32(place * clientBytes, Number.parseInt(client.slice(0, 8), 16))
  clients.hashes.setUint32(place * clientBytes + 4, Number.parseInt(client.slice(8), 16))
  clients.requests[place] = added
  return place
}

/** Keeps the more frequent half. */
const pruneClients = (counts: OpenCounts): void => {
  const { clients, limits } = counts
  counts.sketch ??= sketchOf(clients)
  const names = [...clients.places.keys()]
  const kept = openClients()
  for (const place of byFrequency(clients).subarray(0, limits.clients / 2)) {
    const name = names[place]
    if (name !== undefined) putClient(kept, name, clients.requests[place] ?? 0)
  }
  counts.clients = kept
}

const addClient = (counts: OpenCounts, client: string, added: number): void => {
  const { clients, sketch, limits } = counts
  const known = clients.places.get(client)
  if (known !== undefined) {
    clients.requests[known] = (clients.requests[known] ?? 0) + added
    return
  }
  const at = putClient(clients, client, added) * clientBytes
  if (sketch) addToSketch(sketch, clients.hashes.getUint32(at), clients.hashes.getUint32(at + 4))
  if (clients.places.size > limits.clients) pruneClients(counts)
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
  const { buckets, requests: timed } = added.times
  for (let index = 0; index < buckets.length; index += 1) {
    const bucket = buckets[index] ?? 0
    counts.times[bucket] = (counts.times[bucket] ?? 0) + (timed[index] ?? 0)
  }
  const { hashes, requests, sketch } = added.clients
  if (sketch) {
    counts.sketch ??= sketchOf(counts.clients)
    mergeSketch(counts.sketch, sketch)
  }
  const hex = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length).toString('hex')
  for (let index = 0; index < requests.length; index += 1) {
    addClient(counts, hex.slice(index * 16, index * 16 + 16), requests[index] ?? 0)
  }
  for (const caller of added.callers) addCaller(counts, caller)
}

/** As they are kept in memory, until the next is added. */
const liveClients = ({ clients: { places, hashes, requests }, sketch }: OpenCounts): Clients => ({
  isSorted: false,
  hashes: new Uint8Array(hashes.buffer, 0, places.size * clientBytes),
  requests: requests.subarray(0, places.size),
  sketch,
})

const closeClients = ({ clients, sketch }: OpenCounts, kept: number): Clients => {
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

const closeTimes = (times: Uint32Array): Counts['times'] => {
  const buckets: number[] = []
  for (let bucket = 0; bucket < times.length; bucket += 1) {
    if (times[bucket]) buckets.push(bucket)
  }
  return {
    buckets: Uint16Array.from(buckets),
    requests: Uint32Array.from(buckets, (bucket) => times[bucket] ?? 0),
  }
}

const closeCallers = ({ callers }: OpenCounts, kept: number): readonly Caller[] =>
  mostFrequent(callers, kept).map(([name, caller]) => ({ name, ...caller }))

/** Counts as of now. What costs something is made when it is read, as most reports need little of it. */
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
    return closeTimes(counts.times)
  },
  get clients() {
    return liveClients(counts)
  },
  get callers() {
    return closeCallers(counts, Number.POSITIVE_INFINITY)
  },
})

const closeCounts = (counts: OpenCounts, limits: Limits): Counts => ({
  ...liveCounts(counts),
  clients: closeClients(counts, limits.clients),
  callers: closeCallers(counts, limits.callers),
})

/** A day to which events are added. */
export interface OpenDay {
  readonly add: (event: UsageEvent) => void
  readonly addDay: (day: DayCounts) => void
  /** All that was counted, as of now. */
  readonly read: () => DayCounts
  /** The same for use before the next event is added; only what is read of it costs anything. */
  readonly live: () => DayCounts
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

const mergeCounts = function* (
  parts: readonly (Counts | undefined)[],
  kind: 'all' | 'endpoint',
): Generator<void, Counts> {
  const sum = openCounts(openLimits[kind])
  for (const part of parts) {
    if (part) addCounts(sum, part)
    yield
  }
  return closeCounts(sum, closedLimits[kind])
}

/** The counts of several days together, cut like those of one day; each step takes below 1 ms. */
export const mergeDays = function* (days: readonly DayCounts[]): Generator<void, DayCounts> {
  const all = yield* mergeCounts(
    days.map((day) => day.all),
    'all',
  )
  const endpoints = new Map<string, Counts>()
  for (const route of new Set(days.flatMap((day) => [...day.endpoints.keys()]))) {
    const parts = days.map((day) => day.endpoints.get(route))
    endpoints.set(route, yield* mergeCounts(parts, 'endpoint'))
  }
  return { all, endpoints }
}

import type { Sketch } from './hyperLogLog.ts'
import type { TimeCounts } from './responseTimes.ts'

/** Requests of a named caller, and the time of the last (Unix seconds). */
export interface Caller {
  readonly name: string
  readonly requests: number
  readonly lastSeen: number
}

/** The sum of the callers whose names are not kept. */
export const otherCallers = '(other keys)'

/** Sums over some requests; times in microseconds. */
export interface RequestTotals {
  readonly requests: number
  /** Answers with status 400 and above. */
  readonly errors: number
  readonly bytes: number
  readonly totalUs: number
}

/** Counts as they are read and kept: of one endpoint, or of all, on one day or on several. */
export interface Counts extends RequestTotals {
  readonly maxUs: number
  /** Estimated where the clients are more than were kept. */
  readonly uniqueClients: number
  readonly statuses: readonly (readonly [status: number, requests: number])[]
  readonly times: TimeCounts
  readonly clients: ClientList
  readonly callers: readonly Caller[]
}

/** ClientList and their numbers of requests. */
export interface ClientList {
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

/** Length of a client hash. */
export const clientBytes = 8

/** Bounds of the lists of clients and callers. */
export interface ListLimits {
  readonly clients: number
  readonly callers: number
}

/** Of a day that is being counted. At a limit the less frequent half is dropped. */
export const openLimits = {
  all: { clients: 10_000, callers: 500 },
  endpoint: { clients: 1000, callers: 100 },
} as const satisfies Record<string, ListLimits>

/** Of a day that is over, which then takes some 30 KiB, and 5 KiB for each endpoint. */
export const closedLimits = {
  all: { clients: 2000, callers: 100 },
  endpoint: { clients: 100, callers: 20 },
} as const satisfies Record<string, ListLimits>

export const noLimits: ListLimits = {
  clients: Number.POSITIVE_INFINITY,
  callers: Number.POSITIVE_INFINITY,
}

import type { Sketch } from './hyperLogLog.ts'
import type { TimeCounts } from './responseTimes.ts'

/** Requests of a named caller and the time of the last one (Unix seconds). */
export interface Caller {
  readonly name: string
  readonly requests: number
  readonly lastSeen: number
}

/** Name that sums the callers beyond the limit. */
export const otherCallers = '(other keys)'

/** Sums of requests; times in microseconds. */
export interface RequestTotals {
  readonly requests: number
  /** Responses with status 400 and above. */
  readonly errors: number
  readonly bytes: number
  readonly totalUs: number
}

/** Counts of one endpoint, or of all, on one or more days. */
export interface Counts extends RequestTotals {
  readonly maxUs: number
  /** Estimated if there are more clients than are kept. */
  readonly uniqueClients: number
  readonly statuses: readonly (readonly [status: number, requests: number])[]
  readonly times: TimeCounts
  readonly clients: ClientList
  readonly callers: readonly Caller[]
}

/** Clients and their numbers of requests. */
export interface ClientList {
  /** Sorted by number of requests, descending. */
  readonly isSorted: boolean
  /** 8 bytes for each client, big-endian. */
  readonly hashes: Uint8Array
  readonly requests: Uint32Array
  /** Sketch of all clients if there are more than are listed, else null. */
  readonly sketch: Sketch | null
}

export interface DayCounts {
  readonly all: Counts
  readonly endpoints: ReadonlyMap<string, Counts>
}

/** Length of a client hash. */
export const clientBytes = 8

/** Limits of the lists of clients and callers. */
export interface ListLimits {
  readonly clients: number
  readonly callers: number
}

/** Limits of an open day. At a limit the less frequent half is dropped. */
export const openLimits = {
  all: { clients: 10_000, callers: 500 },
  endpoint: { clients: 1000, callers: 100 },
} as const satisfies Record<string, ListLimits>

/** Limits of a closed day, which takes about 30 KiB, and 5 KiB per endpoint. */
export const closedLimits = {
  all: { clients: 2000, callers: 100 },
  endpoint: { clients: 100, callers: 20 },
} as const satisfies Record<string, ListLimits>

export const noLimits: ListLimits = {
  clients: Number.POSITIVE_INFINITY,
  callers: Number.POSITIVE_INFINITY,
}

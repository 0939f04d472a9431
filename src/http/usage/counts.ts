import type { PackedSketch } from './hyperLogLog.ts'
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
  /** Estimated unless all clients are listed. */
  readonly uniqueClients: number
  readonly statuses: readonly (readonly [status: number, requests: number])[]
  readonly times: TimeCounts
  readonly clients: ClientList
  readonly callers: readonly Caller[]
}

/** Clients and their numbers of requests, busiest first. */
export interface ClientList {
  readonly hashes: BigUint64Array
  readonly requests: Uint32Array
  /** Requests of all clients, listed or not. */
  readonly sketch: PackedSketch
  /** True if all clients are listed. */
  readonly isAll: boolean
}

export interface DayCounts {
  readonly all: Counts
  readonly endpoints: ReadonlyMap<string, Counts>
}

export interface ListLimits {
  readonly clients: number
  readonly callers: number
}

/** Limits of an open day. At a limit the less frequent half is dropped. */
export const openLimits = {
  all: { clients: 10_000, callers: 500 },
  endpoint: { clients: 1000, callers: 100 },
} as const satisfies Record<string, ListLimits>

/** Maximum number of clients in a report, and per endpoint of a closed day. */
export const maxTopClients = 20

export const closedLimits = {
  all: { clients: maxTopClients, callers: 100 },
  endpoint: { clients: maxTopClients, callers: 20 },
} as const satisfies Record<string, ListLimits>

export const noLimits: ListLimits = {
  clients: Number.POSITIVE_INFINITY,
  callers: Number.POSITIVE_INFINITY,
}

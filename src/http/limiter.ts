import { LRUCache } from 'lru-cache'
import { createTrust, type Network } from './trustedNetworks.ts'
import { networkOf } from './usage/address.ts'

/** Limits of one client: an IPv4 address, or the /64 of an IPv6 address. */
export interface ClientLimits {
  /** Units per second; 0 means no limit. */
  readonly rate: number
  /** Units that a client can use at once. */
  readonly burst: number
  /** Maximum number of requests that wait for the main thread; 0 means no limit. */
  readonly maxWaiting: number
  /** Networks to which none of these limits applies. */
  readonly trustedNetworks?: readonly Network[]
}

interface Cost {
  /** True if a handler ran. */
  readonly isMade: boolean
  readonly sentBytes: number
}

/** Units of a response that is not cached, which takes about this many times as long as a cached one. */
const unitsMadeAnew = 5
/** Body bytes that cost one more unit. */
const bytesPerUnit = 256 * 1024
/**
 * Maximum number of clients known at a time (5 MB after 10 million addresses); the least recently seen is forgotten
 * with its debt.
 */
export const maxClients = 100_000
/** Maximum time to pay a debt. */
const maxDebtSeconds = 60

/** Length of the longest IPv4 address. */
const maxShortLength = 15
/** Key of a client. IPv4 addresses are not parsed, which would take 5 µs. */
const clientOf = (address: string): string =>
  address.length <= maxShortLength && !address.includes(':') ? address : networkOf(address)

interface Bucket {
  units: number
  atMs: number
}

/** Token buckets of the clients. `nowMs` is monotonic. */
export const createLimiter = (limits: ClientLimits, nowMs = () => performance.now()) => {
  const { rate, burst, maxWaiting, trustedNetworks = [] } = limits
  const isTrusted = createTrust(trustedNetworks)
  const buckets = new LRUCache<string, Bucket>({ max: maxClients })
  /** Places in use; a client without any has no entry. */
  const places = new Map<string, number>()

  const bucketOf = (address: string): Bucket => {
    const client = clientOf(address)
    const at = nowMs()
    const known = buckets.get(client)
    if (known) {
      known.units = Math.min(burst, known.units + ((at - known.atMs) / 1000) * rate)
      known.atMs = at
      return known
    }
    const bucket = { units: burst, atMs: at }
    buckets.set(client, bucket)
    return bucket
  }

  return {
    limits,
    /** Takes one unit; returns the seconds to wait if there is none. */
    take: (address: string): number | undefined => {
      if (rate === 0 || isTrusted(address)) return undefined
      const bucket = bucketOf(address)
      if (bucket.units < 1) return Math.max(1, Math.ceil((1 - bucket.units) / rate))
      bucket.units -= 1
      return undefined
    },
    /** Seconds until a client owes no units; undefined if it owes none. */
    debt: (address: string): number | undefined => {
      if (rate === 0 || isTrusted(address)) return undefined
      const { units } = bucketOf(address)
      return units < 0 ? Math.max(1, Math.ceil(-units / rate)) : undefined
    },
    /** Takes the cost of a response beyond its first unit; a client may run into debt. */
    charge: (address: string, { isMade, sentBytes }: Cost): void => {
      if (rate === 0) return
      const units = (isMade ? unitsMadeAnew - 1 : 0) + Math.floor(sentBytes / bytesPerUnit)
      if (units === 0 || isTrusted(address)) return
      const bucket = bucketOf(address)
      bucket.units = Math.max(-rate * maxDebtSeconds, bucket.units - units)
    },
    /** Takes a place for work; undefined if the client has all of its places in use. */
    enter: (address: string): (() => void) | undefined => {
      if (maxWaiting === 0 || isTrusted(address)) return () => undefined
      const client = clientOf(address)
      const own = places.get(client) ?? 0
      if (own >= maxWaiting) return undefined
      places.set(client, own + 1)
      return () => {
        const left = (places.get(client) ?? 1) - 1
        if (left > 0) places.set(client, left)
        else places.delete(client)
      }
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>

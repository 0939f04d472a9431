import { LRUCache } from 'lru-cache'
import { dayMs, dayOf } from '../../data/journal/day.ts'
import { networkOf } from './address.ts'
import {
  type ClientKey,
  type KeyRotation,
  newClientKey,
  periodOf,
  readClientKey,
  writeClientKey,
} from './clientKey.ts'

const hashBytes = 8

/** Limits of the cache of hashes: callers, and characters of an address with its user agent. */
const maxCachedCallers = 4096
const maxCachedLength = 400

const createHash = ({ key }: ClientKey) => {
  const known = new LRUCache<string, string>({ max: maxCachedCallers })
  const hash = (address: string, userAgent: string): string =>
    new Bun.CryptoHasher('sha256', key)
      .update(`${networkOf(address)}\n${userAgent}`)
      .digest()
      // Slicing the full hex text would keep all of it in memory.
      .toString('hex', 0, hashBytes)
  return (address: string, userAgent: string): string => {
    if (address.length + userAgent.length > maxCachedLength) return hash(address, userAgent)
    const caller = `${address}\n${userAgent}`
    const before = known.get(caller)
    if (before !== undefined) return before
    const made = hash(address, userAgent)
    known.set(caller, made)
    return made
  }
}

/**
 * Creates anonymous client ids: 16 hex digits of HMAC-SHA-256 over the address (IPv6 cut to its
 * /64) and the user agent. The key is 32 random bytes, replaced in memory and at `keyPath` when its
 * period is over, so ids of different periods cannot be linked. Hashes are cached per key.
 */
export const createClientHasher = ({
  nowMs,
  rotation,
  keyPath,
}: {
  nowMs: number
  rotation: KeyRotation
  /** Path of the key file; undefined keeps the key in memory only. */
  keyPath: string | undefined
}) => {
  const firstPeriod = periodOf(nowMs, rotation)
  let current = newClientKey(firstPeriod)
  let saved: ClientKey | undefined
  let hash = createHash(current)
  let day = dayOf(nowMs)
  let rotatedMs = nowMs

  const rotate = (timeMs: number): void => {
    if (dayOf(timeMs) === day) return
    // Late events and small clock corrections do not rotate the key.
    if (timeMs < rotatedMs && timeMs > rotatedMs - dayMs) return
    day = dayOf(timeMs)
    rotatedMs = timeMs
    const period = periodOf(timeMs, rotation)
    if (period === current.period) return
    current = newClientKey(period)
    hash = createHash(current)
  }
  let isRead = false
  const load = async (path: string): Promise<void> => {
    const found = await readClientKey(path, firstPeriod)
    isRead = true
    if (!found || current.period !== firstPeriod) return
    current = found
    saved = found
    hash = createHash(current)
  }
  return {
    /** Settles once the key has been read from its file; undefined if no read is pending. */
    loaded: keyPath === undefined ? undefined : load(keyPath).catch(() => undefined),
    hash: (timeMs: number, address: string, userAgent: string): string => {
      rotate(timeMs)
      return hash(address, userAgent)
    },
    /** Replaces a key whose period is over. */
    rotate,
    /** Saves the key unless it is saved already; reads its file first. Throws I/O errors. */
    save: async (): Promise<void> => {
      if (keyPath === undefined) return
      if (!isRead) await load(keyPath)
      const key = current
      if (saved === key) return
      await writeClientKey(keyPath, key)
      saved = key
    },
    /** Marks the key as not saved, after its file was removed. */
    forgetSaved: (): void => {
      saved = undefined
    },
  }
}
export type ClientHasher = ReturnType<typeof createClientHasher>

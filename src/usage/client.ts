import { LRUCache } from 'lru-cache'
import type { Config } from '../config.ts'
import { networkOf } from './address.ts'
import {
  type ClientKey,
  newClientKey,
  periodOf,
  readClientKey,
  writeClientKey,
} from './clientKey.ts'
import { dayMs, dayOf } from './event.ts'

const hashBytes = 8

/** Callers whose hash is kept at hand, with texts no longer than most of them send. */
const maxCachedCallers = 4096
const maxCachedLength = 400

/** The anonymous name of a client, see {@link createClientHasher}. */
type HashClient = (address: string, userAgent: string) => string

const createHash = ({ key }: ClientKey): HashClient => {
  const known = new LRUCache<string, string>({ max: maxCachedCallers })
  const hash: HashClient = (address, userAgent) =>
    new Bun.CryptoHasher('sha256', key)
      .update(`${networkOf(address)}\n${userAgent}`)
      .digest()
      // A slice of the whole digest in hex would keep the whole in memory.
      .toString('hex', 0, hashBytes)
  return (address, userAgent) => {
    if (address.length + userAgent.length > maxCachedLength) return hash(address, userAgent)
    const caller = `${address}\n${userAgent}`
    const before = known.get(caller)
    if (before !== undefined) return before
    const made = hash(address, userAgent)
    known.set(caller, made)
    return made
  }
}

export interface ClientHasher {
  readonly hash: (timeMs: number, address: string, userAgent: string) => string
  /** Puts another key in the place of one whose time is over. */
  readonly rotate: (timeMs: number) => void
  /** Writes the key to its file if it is not there yet. Throws what the system does. */
  readonly save: () => Promise<void>
  /** The file is gone. */
  readonly forgetSaved: () => void
}

/**
 * Names clients without telling who they are: 16 hex digits of HMAC-SHA-256 over the address, IPv6 cut
 * to its /64, and the user agent. The key is one of 32 random bytes that nothing else shows; when its
 * time is over another takes its place, in memory and at `keyPath`, and what was named under the old
 * one cannot be linked with anything any more. Hashes of callers who come often are kept, and go with
 * the key.
 */
export const createClientHasher = ({
  nowMs,
  rotation,
  keyPath,
}: {
  nowMs: number
  rotation: Config['clientKeyRotation']
  /** Undefined keeps the key in memory alone. */
  keyPath: string | undefined
}): ClientHasher => {
  const firstPeriod = periodOf(nowMs, rotation)
  const found = keyPath === undefined ? undefined : readClientKey(keyPath, firstPeriod)
  let current = found ?? newClientKey(firstPeriod)
  let saved = found
  let hash = createHash(current)
  let day = dayOf(nowMs)
  let rotatedMs = nowMs

  const rotate = (timeMs: number): void => {
    if (dayOf(timeMs) === day) return
    // A late event, or a clock set back a little, is no reason for yet another key.
    if (timeMs < rotatedMs && timeMs > rotatedMs - dayMs) return
    day = dayOf(timeMs)
    rotatedMs = timeMs
    const period = periodOf(timeMs, rotation)
    if (period === current.period) return
    current = newClientKey(period)
    hash = createHash(current)
  }
  return {
    hash: (timeMs, address, userAgent) => {
      rotate(timeMs)
      return hash(address, userAgent)
    },
    rotate,
    save: async () => {
      const key = current
      if (keyPath === undefined || saved === key) return
      await writeClientKey(keyPath, key)
      saved = key
    },
    forgetSaved: () => {
      saved = undefined
    },
  }
}

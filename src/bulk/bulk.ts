import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Archive } from '../archive/archive.ts'
import { newlyHiddenKeys } from '../archive/hidden.ts'
import { createTimeSlice } from '../timeSlice.ts'
import { createCompressor, type Member } from './members.ts'
import { type BulkName, bulkTables } from './tables.ts'

/** Wait of a request for its file; the first one of a league of 120,000 fights takes longer. */
const defaultWaitMs = 10_000
/** The files take memory for this long after the last request. */
const defaultIdleMs = 600_000

/** A file in memory: gzip members in their order. */
export interface BulkFile {
  readonly name: BulkName
  readonly members: readonly Uint8Array[]
  readonly bytes: number
  readonly rows: number
  readonly sha256: string
  readonly version: string
  /** Unix seconds at which this process first had these bytes. */
  readonly updated: number
}

interface BulkOptions {
  readonly archive: () => Archive | undefined
  readonly waitMs?: number
  readonly idleMs?: number
}

/** Both are keyed weakly: what belongs to replaced data is collected with it. */
const createStore = () => ({
  files: new WeakMap<Archive['dataset'], Map<BulkName, BulkFile>>(),
  members: new WeakMap<object, Map<BulkName, Member>>(),
})

const entryOf = <Key extends object, Name, Value>(
  map: WeakMap<Key, Map<Name, Value>>,
  key: Key,
): Map<Name, Value> => {
  const entry = map.get(key) ?? new Map<Name, Value>()
  map.set(key, entry)
  return entry
}

/**
 * Makes the files of `/bulk` when they are requested: nobody may ask for them during an event, when the data
 * changes each second. A file is put together from a member for each tournament of the archive, so that it
 * cannot have one that is not served. One is made at a time, by the main thread in slices of a millisecond
 * and by the compressor's threads.
 */
export const createBulk = ({
  archive: current,
  waitMs = defaultWaitMs,
  idleMs = defaultIdleMs,
}: BulkOptions) => {
  const inTurn = pLimit(1)
  const making = new Map<BulkName, Promise<BulkFile | undefined>>()
  const last = new Map<BulkName, Pick<BulkFile, 'sha256' | 'updated'>>()
  let store = createStore()
  let idle: Timer | undefined

  const build = async (name: BulkName, archive: Archive): Promise<BulkFile> => {
    const table = bulkTables[name]
    const compressor = createCompressor(table)
    const slice = createTimeSlice()
    const hash = new Bun.CryptoHasher('sha256')
    const members: Uint8Array[] = []
    let [bytes, rows] = [0, 0]
    const append = async (member: Member): Promise<void> => {
      members.push(member.bytes)
      hash.update(member.bytes)
      bytes += member.bytes.length
      rows += member.rows
      if (slice.isOver()) await slice.next()
    }
    const parts = table.parts(archive)
    // A gzip file has one member at least.
    if (table.opening !== '' || parts.length === 0) await append(await compressor.opening())
    for (const part of parts) {
      const known = entryOf(store.members, part.of)
      const member = known.get(name) ?? (await compressor.member(part))
      known.set(name, member)
      await append(member)
    }
    const sha256 = hash.digest('hex')
    const before = last.get(name)
    const updated = before?.sha256 === sha256 ? before.updated : Math.floor(Date.now() / 1000)
    last.set(name, { sha256, updated })
    return { name, members, bytes, rows, sha256, version: archive.dataVersion, updated }
  }

  /** Makes a file of the newest data; later calls share it until it begins. */
  const make = (name: BulkName): Promise<BulkFile | undefined> => {
    const waiting = making.get(name)
    if (waiting) return waiting
    const made = inTurn(async () => {
      making.delete(name)
      for (;;) {
        const archive = current()
        if (!archive) return undefined
        const known = entryOf(store.files, archive.dataset)
        const file = known.get(name) ?? (await build(name, archive))
        known.set(name, file)
        // What was hidden meanwhile is not sent: the next file is made of the members that remain.
        const after = current()
        if (after && newlyHiddenKeys(archive, after).length === 0) return file
      }
    })
    making.set(name, made)
    return made
  }

  /**
   * The file of this data or of newer data. `busy` if making it takes too long, undefined until data is
   * loaded.
   */
  const file = async (name: BulkName): Promise<BulkFile | 'busy' | undefined> => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      store = createStore()
    }, idleMs).unref()
    const archive = current()
    const ready = archive && store.files.get(archive.dataset)?.get(name)
    if (ready) return ready
    const timeout = new AbortController()
    const late = delay(waitMs, 'busy' as const, { signal: timeout.signal }).catch(
      () => 'busy' as const,
    )
    try {
      return await Promise.race([make(name), late])
    } finally {
      timeout.abort()
    }
  }
  return { file }
}

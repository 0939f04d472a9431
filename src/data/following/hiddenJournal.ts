import { constants } from 'node:fs/promises'
import { type DiskFile, disk } from '../../runtime/disk.ts'
import { codeOf, readWhole, whyOf } from '../../runtime/files.ts'

/** Reserved at start (4,096 entries), so that entries can be written to a full disk. */
const sizeBytes = 64 * 1024
/** Bytes of an entry: a digest, and the digest of the digest. */
const entryBytes = 16

const digestOf = (key: string): bigint => Bun.hash.xxHash64(key)
const checkOf = (digest: bigint): bigint => Bun.hash.xxHash64(`hidden ${digest}`)

/** The entry at an offset: a digest, undefined for a free place, or null if it is damaged. */
const entryAt = (bytes: Buffer, at: number): bigint | undefined | null => {
  const [digest, check] = [bytes.readBigUInt64LE(at), bytes.readBigUInt64LE(at + 8)]
  if (digest === 0n && check === 0n) return undefined
  return check === checkOf(digest) ? digest : null
}

/** Changes the bytes of the journal in place; returns the offsets of changed entries. */
type Edit = (bytes: Buffer, offsets: readonly number[]) => readonly number[]

/**
 * Opens the persistent set of digests of hidden keys at `path` and reserves its space. The set is written before an
 * archive without them is served. Never throws: I/O errors go to `onError`.
 */
export const openHiddenJournal = async (path: string, onError: (reason: string) => void) => {
  /** Numbers of the entries by digest. */
  const numbers = new Map<bigint, number>()
  let mark = 0
  let isDamaged = false
  const note = (digest: bigint): void => {
    mark += 1
    numbers.set(digest, mark)
  }

  const apply = async (file: DiskFile, edit: Edit): Promise<void> => {
    const bytes = Buffer.alloc(sizeBytes)
    const bytesRead = await file.read(bytes, sizeBytes, 0)
    const offsets = Array.from({ length: sizeBytes / entryBytes }, (_, index) => index * entryBytes)
    const changed = edit(bytes, offsets)
    const start = Math.min(bytesRead, ...changed)
    const end = bytesRead < sizeBytes ? sizeBytes : Math.max(0, ...changed) + entryBytes
    if (changed.length > 0 || bytesRead < sizeBytes) {
      await file.write(bytes.subarray(start, end), start)
    }
    await file.datasync()
  }
  let last: Promise<unknown> = Promise.resolve()
  /** Applies edits one after the other; resolves to false on an I/O error. */
  const change = (edit: Edit): Promise<boolean> => {
    const changing = last.then(async () => {
      let file: DiskFile | undefined
      try {
        // A journal that cannot be opened for a moment must not be emptied.
        file = await disk.open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
        await apply(file, edit)
        return true
      } catch (error) {
        onError(whyOf(error))
        return false
      } finally {
        await file?.close().catch(() => undefined)
      }
    })
    last = changing
    return changing
  }

  try {
    const bytes = await readWhole(path, { maxBytes: sizeBytes })
    for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
      const entry = entryAt(bytes, at)
      if (entry === null) isDamaged = true
      else if (entry !== undefined) note(entry)
    }
  } catch (error) {
    isDamaged = codeOf(error) !== 'ENOENT'
  }
  await change(() => [])

  return {
    /** An entry, or the whole file, cannot be read: anything may be hidden. */
    isDamaged: () => isDamaged,
    isEmpty: () => numbers.size === 0 && !isDamaged,
    has: (key: string): boolean => numbers.size > 0 && numbers.has(digestOf(key)),
    /** Number of the last entry. */
    mark: () => mark,
    /** Resolves to false if the keys could not be written. */
    add: (keys: readonly string[]): Promise<boolean> => {
      const digests = keys.map(digestOf)
      for (const digest of digests) note(digest)
      return change((bytes, offsets) => {
        const free = offsets.filter((at) => entryAt(bytes, at) === undefined)
        if (free.length < digests.length) throw new RangeError('the journal is full')
        return digests.map((digest, index) => {
          const at = free[index] ?? 0
          bytes.writeBigUInt64LE(digest, at)
          bytes.writeBigUInt64LE(checkOf(digest), at + 8)
          return at
        })
      })
    },
    /** Removes the entries up to a mark, once no saved archive holds them, and damaged ones. */
    removeUntil: async (until: number): Promise<void> => {
      const isGone = (entry: bigint | undefined | null): boolean =>
        entry === null || (entry !== undefined && (numbers.get(entry) ?? Infinity) <= until)
      const isRemoved = await change((bytes, offsets) => {
        const gone = offsets.filter((at) => isGone(entryAt(bytes, at)))
        for (const at of gone) bytes.fill(0, at, at + entryBytes)
        return gone
      })
      if (!isRemoved) return
      isDamaged = false
      for (const [digest, number] of numbers) if (number <= until) numbers.delete(digest)
    },
  }
}

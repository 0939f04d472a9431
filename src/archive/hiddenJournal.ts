import { type FileHandle, open } from 'node:fs/promises'
import { codeOf } from '../files.ts'

/** Room for 4,096 entries, taken when there is room: on a full disk they can still be written. */
const sizeBytes = 64 * 1024
/** A digest and a check on it. */
const entryBytes = 16

const digestOf = (key: string): bigint => Bun.hash.xxHash64(key)
const checkOf = (digest: bigint): bigint => Bun.hash.xxHash64(`hidden ${digest}`)

/** Digests of keys that must not be shown again, on the disk before the archive without them is. */
export interface HiddenJournal {
  readonly isEmpty: () => boolean
  readonly has: (key: string) => boolean
  /** False when they could not be written. */
  readonly add: (keys: readonly string[]) => Promise<boolean>
  /** Everything in it is gone from the saved archives. */
  readonly clear: () => Promise<void>
}

/** Opens the journal at a path, and reserves its space. Throws nothing: a disk that fails costs it. */
export const openHiddenJournal = async (
  path: string,
  onError: (reason: string) => void,
): Promise<HiddenJournal> => {
  const digests = new Set<bigint>()

  /** True when all of it was done. */
  const withFile = async (work: (file: FileHandle) => Promise<void>): Promise<boolean> => {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'r+').catch(() => open(path, 'w+', 0o600))
      await work(file)
      await file.datasync()
      return true
    } catch (error) {
      onError(codeOf(error))
      return false
    } finally {
      await file?.close().catch(() => undefined)
    }
  }

  /** The bytes of the file, at their full length, and where the entries end. */
  const read = async (
    file: FileHandle,
  ): Promise<{ bytes: Buffer; end: number; length: number }> => {
    const bytes = Buffer.alloc(sizeBytes)
    const { bytesRead: length } = await file.read(bytes, 0, sizeBytes, 0)
    let end = 0
    for (let at = 0; at + entryBytes <= length; at += entryBytes) {
      if (bytes.readBigUInt64LE(at) !== 0n) end = at + entryBytes
    }
    return { bytes, end, length }
  }

  await withFile(async (file) => {
    const { bytes, end, length } = await read(file)
    for (let at = 0; at < end; at += entryBytes) {
      const digest = bytes.readBigUInt64LE(at)
      // What was cut off while it was written hides nothing.
      if (bytes.readBigUInt64LE(at + 8) === checkOf(digest)) digests.add(digest)
    }
    if (length < sizeBytes) await file.write(bytes, length, sizeBytes - length, length)
  })

  return {
    isEmpty: () => digests.size === 0,
    has: (key) => digests.size > 0 && digests.has(digestOf(key)),
    add: async (keys) => {
      const added = keys.map(digestOf)
      for (const digest of added) digests.add(digest)
      const entries = Buffer.alloc(added.length * entryBytes)
      for (const [index, digest] of added.entries()) {
        entries.writeBigUInt64LE(digest, index * entryBytes)
        entries.writeBigUInt64LE(checkOf(digest), index * entryBytes + 8)
      }
      return withFile(async (file) => {
        // Another process may have written since: the one before this one, in a rolling restart.
        const { end } = await read(file)
        if (end + entries.length > sizeBytes) throw new RangeError('the journal is full')
        await file.write(entries, 0, entries.length, end)
      })
    },
    clear: async () => {
      if (digests.size === 0) return
      digests.clear()
      await withFile(
        async (file) => void (await file.write(Buffer.alloc(sizeBytes), 0, sizeBytes, 0)),
      )
    },
  }
}

import { type FileHandle, open, readFile } from 'node:fs/promises'
import { codeOf } from '../files.ts'

/** Reserved at start (4,096 entries), so that entries can be written to a full disk. */
const sizeBytes = 64 * 1024
/** Bytes of an entry: a digest and its checksum. */
const entryBytes = 16

const digestOf = (key: string): bigint => Bun.hash.xxHash64(key)
const checkOf = (digest: bigint): bigint => Bun.hash.xxHash64(`hidden ${digest}`)

/** Persistent set of digests of hidden keys, written before the archive without them is saved. */
export interface HiddenJournal {
  /** An entry, or the whole file, cannot be read: anything may be hidden. */
  readonly isDamaged: () => boolean
  readonly isEmpty: () => boolean
  readonly has: (key: string) => boolean
  /** Resolves to false if the keys could not be written. */
  readonly add: (keys: readonly string[]) => Promise<boolean>
  /** Empties the journal, once no saved archive holds a hidden entry. */
  readonly clear: () => Promise<void>
}

/** Opens the journal at `path` and reserves its space. Never throws: I/O errors go to `onError`. */
export const openHiddenJournal = async (
  path: string,
  onError: (reason: string) => void,
): Promise<HiddenJournal> => {
  const digests = new Set<bigint>()
  let isDamaged = false

  /** Resolves to false on an I/O error. */
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

  /** File content padded to full size, its actual length, and the end of the last entry. */
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

  const readEntries = async (): Promise<void> => {
    try {
      const bytes = await readFile(path)
      for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
        const [digest, check] = [bytes.readBigUInt64LE(at), bytes.readBigUInt64LE(at + 8)]
        if (digest === 0n && check === 0n) continue
        if (check === checkOf(digest)) digests.add(digest)
        else isDamaged = true
      }
    } catch (error) {
      isDamaged = codeOf(error) !== 'ENOENT'
    }
  }
  await readEntries()
  await withFile(async (file) => {
    const { bytes, length } = await read(file)
    if (length < sizeBytes) await file.write(bytes, length, sizeBytes - length, length)
  })

  return {
    isDamaged: () => isDamaged,
    isEmpty: () => digests.size === 0 && !isDamaged,
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
        // Another process may have appended since, during a rolling restart.
        const { end } = await read(file)
        if (end + entries.length > sizeBytes) throw new RangeError('the journal is full')
        await file.write(entries, 0, entries.length, end)
      })
    },
    clear: async () => {
      if (digests.size === 0 && !isDamaged) return
      digests.clear()
      isDamaged = false
      await withFile(
        async (file) => void (await file.write(Buffer.alloc(sizeBytes), 0, sizeBytes, 0)),
      )
    },
  }
}

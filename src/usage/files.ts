import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { constants, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, replaceFile, syncFolder, writeWhole } from '../files.ts'

/**
 * Appends to a file, made when it is not there, and returns when the bytes are on the disk.
 * `length` is what the file is known to hold: bytes after it are what a failed append left, and are
 * overwritten; a file that has become shorter is continued where it ends. Gives the position at which
 * the bytes begin. What throws has appended nothing that a later append does not overwrite.
 */
export const appendDurably = async (
  path: string,
  length: number,
  bytes: Uint8Array,
): Promise<number> => {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    const { size } = await handle.stat()
    const start = Math.min(size, length)
    if (size > start) await handle.truncate(start)
    try {
      await writeWhole(handle, bytes, start)
      await handle.datasync()
    } catch (error) {
      await handle.truncate(start).catch(() => undefined)
      throw error
    }
    if (size === 0) await syncFolder(dirname(path))
    return start
  } finally {
    await handle.close()
  }
}

/** {@link replaceFile} of a text that only the owner may read. */
export const replaceDurably = (path: string, text: string): Promise<void> =>
  replaceFile(path, { temporary: `${path}.tmp`, mode: 0o600 }, (file) => file.writeFile(text))

/** A lock that the system takes back when the process ends, however it ends. */
export interface Lock {
  /** False once the locked file is no longer the one at its path. */
  readonly holds: () => Promise<boolean>
  readonly release: () => void
}

/**
 * Locks a file for this process alone, and makes it when it is not there; undefined while another
 * process has it. SQLite is here for its portable file locks: nothing is ever stored in the file.
 */
export const takeLock = (path: string): Lock | undefined => {
  const database = new Database(path, { create: true, readwrite: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (codeOf(error).startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
  const { ino } = statSync(path)
  return {
    holds: async () => {
      const now = await stat(path).catch(() => undefined)
      return now?.ino === ino
    },
    release: () => database.close(),
  }
}

import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { constants, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The error code of the system, such as `ENOSPC`. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

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
      let written = 0
      while (written < bytes.length) {
        const left = bytes.length - written
        written += (await handle.write(bytes, written, left, start + written)).bytesWritten
      }
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

/** Writes a file whole or not at all; what was there stays until the new one is on the disk. */
export const replaceDurably = async (path: string, text: string): Promise<void> => {
  const temporary = `${path}.tmp`
  try {
    const handle = await open(temporary, 'w', 0o600)
    try {
      await handle.writeFile(text)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

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

import { Database } from 'bun:sqlite'
import { lstatSync, rmSync, statSync } from 'node:fs'
import { constants, type FileHandle, lstat, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, replaceFile, syncFolder, writeWhole } from '../files.ts'

const withFile = async <Result>(
  path: string,
  flags: number,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> => {
  const file = await open(path, flags | constants.O_NOFOLLOW, 0o600)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Makes a folder that only the owner may enter. Throws where a symbolic link stands in its place. */
export const makeFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if ((await lstat(path)).isDirectory()) return
  throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' })
}

/** Opens a file for reading; what is a symbolic link or no regular file throws. */
export const readingFile = <Result>(
  path: string,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> =>
  withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, async (file) => {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is no file`)
    return use(file)
  })

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
  const flags = constants.O_RDWR | constants.O_CREAT
  return withFile(path, flags, async (file) => {
    const { size } = await file.stat()
    const start = Math.min(size, length)
    if (size > start) await file.truncate(start)
    try {
      await writeWhole(file, bytes, start)
      await file.datasync()
    } catch (error) {
      await file.truncate(start).catch(() => undefined)
      throw error
    }
    if (size === 0) await syncFolder(dirname(path))
    return start
  })
}

/** {@link replaceFile} of a text that only the owner may read. */
export const replaceDurably = (path: string, text: string): Promise<void> =>
  replaceFile(path, { temporary: `${path}.tmp`, mode: 0o600 }, (file) => file.writeFile(text))

/** A lock that the system takes back when the process ends, however it ends. */
export interface Lock {
  /** False once the locked file is no longer the one at its path. */
  readonly isHeld: () => Promise<boolean>
  readonly release: () => void
}

/**
 * Locks a file for this process alone, and makes it when it is not there; undefined while another
 * process has it. SQLite is here for its portable file locks: nothing is ever stored in the file.
 */
export const takeLock = (path: string): Lock | undefined => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path)
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
    isHeld: async () => {
      const now = await stat(path).catch(() => undefined)
      return now?.ino === ino
    },
    release: () => database.close(),
  }
}

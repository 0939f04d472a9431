import { Database } from 'bun:sqlite'
import { lstatSync, rmSync, statSync } from 'node:fs'
import { constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type DiskFile, disk } from '../../runtime/disk.ts'
import { codeOf, replaceFile, syncFolder } from '../../runtime/files.ts'

const openFile = (path: string, flags: number): Promise<DiskFile> =>
  disk.open(path, flags | constants.O_NOFOLLOW, 0o600)

const closing = async <Result>(
  file: DiskFile,
  use: (file: DiskFile) => Promise<Result>,
): Promise<Result> => {
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Creates a folder with mode 0700. Throws if a symbolic link is in its place. */
export const makeFolder = async (path: string): Promise<void> => {
  await disk.makeFolder(path, 0o700)
  if ((await disk.lstat(path)).isDirectory()) return
  throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' })
}

/** Opens a file for reading; throws for a symbolic link or an irregular file. */
export const openRegular = async (path: string): Promise<DiskFile> => {
  const file = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw Object.assign(new Error(`${path} is not a file`), { code: 'EINVAL' })
}

/** {@link openRegular} until `use` has ended. */
export const readingFile = async <Result>(
  path: string,
  use: (file: DiskFile) => Promise<Result>,
): Promise<Result> => closing(await openRegular(path), use)

/**
 * Appends durably to a file, created if missing, and returns the position of the bytes. `length` is
 * its known length: bytes beyond it, left by a failed append, are overwritten; a shorter file is
 * continued at its end. After an error the next append overwrites what was written.
 */
export const appendDurably = async (
  path: string,
  length: number,
  bytes: Uint8Array,
): Promise<number> => {
  const file = await openFile(path, constants.O_RDWR | constants.O_CREAT)
  try {
    const { size } = await file.stat()
    const start = Math.min(size, length)
    if (size > start) await file.truncate(start)
    try {
      await file.write(bytes, start)
      await file.datasync()
    } catch (error) {
      await file.truncate(start).catch(() => undefined)
      throw error
    }
    if (size === 0) await syncFolder(dirname(path))
    return start
  } finally {
    // Not awaited: synced data can be published.
    void file.close().catch(() => undefined)
  }
}

/** The text of a file; empty if it cannot be read. */
export const readText = (path: string): Promise<string> =>
  readingFile(path, (file) => file.readText()).catch(() => '')

/** {@link replaceFile} with the whole content and mode 0600. */
export const replaceDurably = (path: string, content: string | Uint8Array): Promise<void> =>
  replaceFile(path, { temporary: `${path}.tmp`, mode: 0o600 }, (file) =>
    file.write(Buffer.from(content), 0),
  )

/**
 * Locks a file, created if missing; undefined while another process holds the lock. SQLite provides
 * portable file locks, released by the system when the process ends; the file stays empty.
 */
export const takeLock = (path: string) => {
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
    /** False if the file at the path was removed or replaced. Throws if that cannot be determined. */
    isHeld: async (): Promise<boolean> => {
      try {
        return (await disk.stat(path)).ino === ino
      } catch (error) {
        if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false
        throw error
      }
    },
    /** Releases the lock. On a hung disk the lock is kept until the process ends, as closing the file would block. */
    release: async (): Promise<void> => {
      const answers = await disk.access(dirname(path)).then(
        () => true,
        (error) => codeOf(error) !== 'ETIMEDOUT',
      )
      if (answers) database.close()
    },
  }
}
export type Lock = NonNullable<ReturnType<typeof takeLock>>

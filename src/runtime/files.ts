import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type DiskFile, disk } from './disk.ts'

/** Files within the executable, by name; empty if the sources are run. */
export const embeddedFiles: ReadonlyMap<string, Blob> = new Map(
  Bun.embeddedFiles.flatMap((file) => ('name' in file ? [[String(file.name), file]] : [])),
)

/** True for the path of a file within the executable; `Bun.file` reads it and `open` does not. */
export const isEmbedded = (path: string): boolean => path.startsWith('/$bunfs/')

/** Error code of the system, such as `ENOSPC`, or the reason why a file is not read. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

const words: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota of the disk is used up'],
  ['SQLITE_FULL', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
  ['ETIMEDOUT', 'the disk does not answer'],
  ['SQLITE_READONLY', 'the file system is read-only'],
  ['SQLITE_CANTOPEN', 'a file cannot be created or opened'],
])

/** Reason for people, with the code of the system: `the disk is full (ENOSPC)`. */
export const whyOf = (error: unknown): string => {
  const code = codeOf(error)
  const [, base = code] = /^(SQLITE_[A-Z]+)_/.exec(code) ?? []
  const why = words.get(code) ?? words.get(base)
  return why === undefined ? code : `${why} (${code})`
}

const unusable = (code: string): Error => Object.assign(new Error(code), { code })

interface ReadOptions {
  readonly maxBytes?: number
  /** Called with the first bytes of a file and its size; throws if the file must not be read. */
  readonly check?: (start: Buffer, sizeBytes: number) => void
}

const startBytes = 4096

/** Reads a whole file. Pipes and devices are refused: they can block for ever, or have no end. */
export const readWhole = async (
  path: string,
  { maxBytes = Number.POSITIVE_INFINITY, check }: ReadOptions = {},
): Promise<Buffer> => {
  if (isEmbedded(path)) return readFile(path)
  const entry = await disk.stat(path)
  if (!entry.isFile() && !entry.isDirectory()) throw unusable('not a regular file')
  const file = await disk.open(path, 'r')
  try {
    // State of the open file; the path may name another file by now.
    const { size } = await file.stat()
    if (size > maxBytes) throw unusable(`larger than ${maxBytes} bytes`)
    if (check) check(await file.readBytes(Math.min(startBytes, size)), size)
    return await file.readBytes(size)
  } finally {
    await file.close()
  }
}

/**
 * Reason why files cannot be written into a folder, which is made if missing; undefined if they can, unless the disk is
 * full.
 */
export const folderProblem = async (folder: string): Promise<string | undefined> => {
  try {
    await disk.makeFolder(folder, 0o700)
    await disk.access(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return whyOf(error)
  }
}

/** Temporary path next to the target, unique even if two containers share a pid. */
export const temporaryPath = (path: string): string =>
  `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`

/** Syncs a folder, so that created, renamed and removed entries survive a crash. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await disk.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Replaces a file atomically through a synced temporary file in the same folder. A leftover at the
 * temporary path, also a symbolic link, is removed and never written through.
 */
export const replaceFile = async <Result>(
  path: string,
  { temporary, mode }: { readonly temporary: string; readonly mode: number },
  write: (file: DiskFile) => Promise<Result>,
): Promise<Result> => {
  await disk.remove(temporary)
  const file = await disk.open(temporary, 'wx', mode)
  try {
    const result = await write(file)
    await file.sync()
    await file.close()
    await disk.rename(temporary, path)
    await syncFolder(dirname(resolve(path)))
    return result
  } catch (error) {
    await file.close().catch(() => undefined)
    await disk.remove(temporary).catch(() => undefined)
    throw error
  }
}

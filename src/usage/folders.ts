import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../files.ts'
import { dayOfFile } from './readDay.ts'

/** A folder that cannot be counted; one line. */
export class UsageFolderError extends Error {}

/** The clock of retention, which a usage folder has before any log. */
const clockName = 'clock'

/** Names in a folder; empty if it is missing, or a symbolic link. */
const namesIn = async (folder: string): Promise<readonly string[]> => {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() ? readdir(folder) : []
}

const isUsage = (names: readonly string[]): boolean =>
  names.some((name) => name === clockName || dayOfFile(name) !== undefined)

/** The usage folder that is meant by a folder or by a `DATA_DIR`. */
const findFolder = async (path: string): Promise<string> => {
  try {
    if (isUsage(await readdir(path))) return path
    const below = join(path, 'usage')
    if (isUsage(await namesIn(below))) return below
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') throw new UsageFolderError(`${path} does not exist`)
    throw new UsageFolderError(
      code === 'ENOTDIR' ? `${path} is no folder` : `${path} cannot be read (${code})`,
    )
  }
  throw new UsageFolderError(`${path} is neither a DATA_DIR with usage nor its usage folder`)
}

/**
 * The usage folders of several services, given as such or as their `DATA_DIR`. Throws a
 * {@link UsageFolderError} for a folder without usage, and for one that is given twice, also by a link.
 */
export const findUsageFolders = async (paths: readonly string[]): Promise<readonly string[]> => {
  const known = new Map<string, string>()
  const folders: string[] = []
  for (const path of paths) {
    const folder = await findFolder(path)
    const { dev, ino } = await stat(folder)
    const before = known.get(`${dev} ${ino}`)
    if (before !== undefined) {
      throw new UsageFolderError(`${before} and ${path} are the same folder`)
    }
    known.set(`${dev} ${ino}`, path)
    folders.push(folder)
  }
  return folders
}

import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The error code of the system, such as `ENOSPC`. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** What was made, renamed or removed in a folder stays so when the machine stops. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes all of the bytes, however few the system takes at a time. */
export const writeWhole = async (
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
): Promise<void> => {
  let written = 0
  while (written < bytes.length) {
    const left = bytes.length - written
    written += (await file.write(bytes, written, left, position + written)).bytesWritten
  }
}

/**
 * Writes a file whole or not at all, through a temporary one in the same folder; what was there stays
 * until the new one is on the disk. A leftover at the temporary path, a symbolic link included, is
 * removed and never written through.
 */
export const replaceFile = async <Result>(
  path: string,
  { temporary, mode }: { readonly temporary: string; readonly mode: number },
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> => {
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', mode)
  try {
    const result = await write(file)
    await file.sync()
    await file.close()
    await rename(temporary, path)
    await syncFolder(dirname(resolve(path)))
    return result
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

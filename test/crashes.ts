import { spyOn } from 'bun:test'
import { cp, type FileHandle, open } from 'node:fs/promises'
import { temporaryFolder } from './process.ts'

/** The prototype of open files, so that their system calls can be observed. */
export const fileHandlePrototype = async () => {
  const handle = await open(import.meta.path, 'r')
  await handle.close()
  const prototype: Pick<FileHandle, 'sync' | 'datasync' | 'read' | 'readFile'> =
    Object.getPrototypeOf(handle)
  return prototype
}

/**
 * Calls back with a copy of a folder before and after each sync of a file or folder, until disposed of: the states that
 * a killed process may leave. `failing` refuses a sync.
 */
export const observeSyncs = async (
  folder: string,
  onCopy: (copy: string) => void,
  failing = (): boolean => false,
): Promise<Disposable> => {
  const prototype = await fileHandlePrototype()
  const copy = async (): Promise<void> => {
    const target = await temporaryFolder()
    await cp(folder, target, { recursive: true })
    onCopy(target)
  }
  const spies = (['sync', 'datasync'] as const).map((name) => {
    const original = prototype[name]
    return spyOn(prototype, name).mockImplementation(async function (this: FileHandle) {
      await copy()
      if (failing()) throw Object.assign(new Error('input/output error'), { code: 'EIO' })
      await original.call(this)
      await copy()
    })
  })
  return {
    [Symbol.dispose]: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

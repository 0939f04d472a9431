import {
  access,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  truncate,
} from 'node:fs/promises'

/**
 * File operations in DATA_DIR, one at a time. Bun runs them on a thread pool (two threads on a small machine) that also
 * compresses and resolves host names: a hung disk (a network share, a frozen file system) would block all threads.
 * Here it blocks only one, and an operation that times out fails like on a broken disk.
 */
const maxOperationMs = 5000

/** Max bytes of one read or write, so that a slow disk does not count as a hung one. */
const maxOperationBytes = 4 * 2 ** 20

const noAnswer = (): Error =>
  Object.assign(new Error('the disk does not answer'), { code: 'ETIMEDOUT' })

/** Reject functions of the running operation and of the operations queued behind it. */
const waiting = new Set<(error: Error) => void>()
/** Settles when all queued operations have ended. */
let last: Promise<void> = Promise.resolve()
/** Start of the operation that timed out, on the monotonic clock. */
let hangsSinceMs: number | undefined

const hang = (sinceMs: number): void => {
  hangsSinceMs = sinceMs
  for (const refuse of waiting) refuse(noAnswer())
  waiting.clear()
}

/** Runs an operation; after 5 s it and all queued ones are rejected. */
const limited = async <Result>(operation: () => Promise<Result>): Promise<Result> => {
  const sinceMs = performance.now()
  const timer = setTimeout(() => hang(sinceMs), maxOperationMs)
  try {
    return await operation()
  } finally {
    clearTimeout(timer)
    hangsSinceMs = undefined
  }
}

/**
 * Queues an operation. Rejects with the code `ETIMEDOUT` if it, or one before it, runs for more than 5 s. An operation
 * that had begun may still take effect; `abandoned` then receives its result.
 */
const inTurn = <Result>(
  operation: () => Promise<Result>,
  abandoned?: (result: Result) => void,
): Promise<Result> => {
  if (hangsSinceMs !== undefined) return Promise.reject(noAnswer())
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  waiting.add(reject)
  last = last.then(async () => {
    if (!waiting.has(reject)) return
    try {
      const result = await limited(operation)
      if (waiting.has(reject)) resolve(result)
      else abandoned?.(result)
    } catch (error) {
      reject(error)
    }
    waiting.delete(reject)
  })
  return promise
}

/** Queues the close of a file without waiting for it; on a hung disk it runs once the disk answers. */
const closeInTurn = (file: FileHandle): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const abandon = (): void => resolve()
  if (hangsSinceMs === undefined) waiting.add(abandon)
  else abandon()
  last = last.then(async () => {
    await limited(() => file.close()).then(resolve, reject)
    waiting.delete(abandon)
  })
  return promise
}

const diskFile = (file: FileHandle) => ({
  read: (into: Buffer, length: number, position: number): Promise<number> =>
    inTurn(async () => (await file.read(into, 0, length, position)).bytesRead),
  /** The first bytes of a file; fewer if it is shorter. */
  readBytes: async (length: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(length)
    let end = 0
    while (end < length) {
      const part = bytes.subarray(end, end + maxOperationBytes)
      const from = end
      end += await inTurn(async () => (await file.read(part, 0, part.length, from)).bytesRead)
      if (end === from) break
    }
    return bytes.subarray(0, end)
  },
  readText: (): Promise<string> => inTurn(() => file.readFile('utf8')),
  /** Writes all bytes, repeating partial writes. */
  write: async (bytes: Uint8Array, position: number): Promise<void> => {
    let written = 0
    while (written < bytes.length) {
      const length = Math.min(bytes.length - written, maxOperationBytes)
      const from = written
      written += await inTurn(
        async () => (await file.write(bytes, from, length, position + from)).bytesWritten,
      )
    }
  },
  stat: () => inTurn(() => file.stat()),
  truncate: (length: number): Promise<void> => inTurn(() => file.truncate(length)),
  chmod: (mode: number): Promise<void> => inTurn(() => file.chmod(mode)),
  sync: (): Promise<void> => inTurn(() => file.sync()),
  datasync: (): Promise<void> => inTurn(() => file.datasync()),
  close: (): Promise<void> => closeInTurn(file),
})

/** An open file. */
export type DiskFile = ReturnType<typeof diskFile>

/** Functions of `node:fs/promises`, queued by {@link inTurn}. */
export const disk = {
  open: async (path: string, flags: string | number, mode?: number): Promise<DiskFile> =>
    diskFile(
      await inTurn(
        () => open(path, flags, mode),
        (file) => void closeInTurn(file).catch(() => undefined),
      ),
    ),
  access: (path: string, mode?: number): Promise<void> => inTurn(() => access(path, mode)),
  link: (existing: string, path: string): Promise<void> => inTurn(() => link(existing, path)),
  lstat: (path: string) => inTurn(() => lstat(path)),
  /** Creates a folder and its parents; does nothing if it exists. */
  makeFolder: async (path: string, mode?: number): Promise<void> =>
    void (await inTurn(() =>
      mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) }),
    )),
  readdir: (path: string): Promise<string[]> => inTurn(() => readdir(path)),
  rename: (from: string, to: string): Promise<void> => inTurn(() => rename(from, to)),
  /** Removes a file; does nothing if it does not exist. */
  remove: (path: string): Promise<void> => inTurn(() => rm(path, { force: true })),
  /** Removes a folder; rejects unless it is empty. */
  removeFolder: (path: string): Promise<void> => inTurn(() => rmdir(path)),
  stat: (path: string) => inTurn(() => stat(path)),
  truncate: (path: string, length: number): Promise<void> => inTurn(() => truncate(path, length)),
}

/** One sentence while an operation is timed out, else nothing. */
export const diskProblems = (): readonly string[] => {
  if (hangsSinceMs === undefined) return []
  const seconds = Math.floor((performance.now() - hangsSinceMs) / 1000)
  return [`the disk of DATA_DIR has not answered for ${seconds} s: nothing is kept over a restart`]
}

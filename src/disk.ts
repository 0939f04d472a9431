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
 * File operations below DATA_DIR, one at a time. Bun runs them on a pool of threads, two on a small machine, that also
 * compresses and resolves host names: a disk that hangs (a network share, a frozen file system) would take all of them.
 * So it takes one, and an operation without an answer fails as on any broken disk.
 */
const maxOperationMs = 5000

/** The largest read or write of one operation: a slow disk that answers must not count as one that hangs. */
const maxOperationBytes = 4 * 2 ** 20

const noAnswer = (): Error =>
  Object.assign(new Error('the disk does not answer'), { code: 'ETIMEDOUT' })

/** Rejections of the operation under way and of those behind it. */
const waiting = new Set<(error: Error) => void>()
/** Settles once all operations have ended. */
let last: Promise<void> = Promise.resolve()
/** Start of the operation that has no answer, on the monotonic clock. */
let hangsSinceMs: number | undefined

const hang = (sinceMs: number): void => {
  hangsSinceMs = sinceMs
  for (const refuse of waiting) refuse(noAnswer())
  waiting.clear()
}

/** Runs an operation; what waits is refused once it has had no answer for 5 s. */
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
 * Runs an operation after those before it. Rejects with the code `ETIMEDOUT` when it, or one before it, has had no answer
 * for 5 s; it may still take effect if it had begun, and `abandoned` then gets its result.
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

/** Closes a file in its turn, also on a disk that hangs, once that answers; nobody waits for that. */
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
  /** The first bytes; fewer of a shorter file. */
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

/** `node:fs/promises` in turn, see {@link inTurn}. */
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
  /** With all folders above it; does nothing if it exists. */
  makeFolder: async (path: string, mode?: number): Promise<void> =>
    void (await inTurn(() =>
      mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) }),
    )),
  readdir: (path: string): Promise<string[]> => inTurn(() => readdir(path)),
  rename: (from: string, to: string): Promise<void> => inTurn(() => rename(from, to)),
  /** Does nothing if there is no such file. */
  remove: (path: string): Promise<void> => inTurn(() => rm(path, { force: true })),
  /** Rejects unless it is empty. */
  removeFolder: (path: string): Promise<void> => inTurn(() => rmdir(path)),
  stat: (path: string) => inTurn(() => stat(path)),
  truncate: (path: string, length: number): Promise<void> => inTurn(() => truncate(path, length)),
}

/** One sentence while an operation has no answer, else nothing. */
export const diskProblems = (): readonly string[] => {
  if (hangsSinceMs === undefined) return []
  const seconds = Math.floor((performance.now() - hangsSinceMs) / 1000)
  return [`the disk of DATA_DIR has not answered for ${seconds} s: nothing is kept over a restart`]
}

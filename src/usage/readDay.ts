import type { FileHandle } from 'node:fs/promises'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../files.ts'
import { type Aggregate, decodeAggregate } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import { dateOf, dayOfDate } from './event.ts'
import { openRegular, readingFile } from './files.ts'
import { replay } from './replay.ts'

/** Bytes that identify a log; fewer than in any line. */
const startBytes = 64
/** Longer than any line that the service writes. */
const firstLineBytes = 4096
/** Attempts to read a day whose log is removed or replaced meanwhile. */
const maxAttempts = 10

export const logPath = (folder: string, day: number): string => join(folder, `${dateOf(day)}.jsonl`)
export const aggregatePath = (folder: string, day: number): string =>
  join(folder, `${dateOf(day)}.aggregate`)

/** The day whose log or aggregate has this name; undefined for other files. */
export const dayOfFile = (name: string): number | undefined => {
  const [, date = ''] = /^(.*)\.(?:jsonl|aggregate)$/.exec(name) ?? []
  return dayOfDate(date)
}

/** Shares equal texts, as the same names occur on every day. */
export const createIntern = (): ((text: string) => string) => {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known === undefined) names.set(text, text)
    return known ?? text
  }
}

/** State of the two files of a day, as read. */
export interface ReadDay {
  /** Bytes of complete lines in the log; its size if it cannot be read. */
  readonly length: number
  /** Bytes of these included in the aggregate. */
  readonly aggregatedBytes: number
  /** Whether the aggregate is that of a closed day. */
  readonly isClosed: boolean
  /** Whether lines after the aggregate were read. */
  readonly isReplayed: boolean
  /** Lines that are no event of this day. */
  readonly badLines: number
  /** Bytes of an incomplete last line. */
  readonly tornBytes: number
  /** Whether the log ends before the part that the aggregate includes. */
  readonly isShort: boolean
  /** Why the aggregate was not counted: a code of the system, or `damaged`. */
  readonly aggregateFailure: string | undefined
  /** Why the log was not counted, or not to its end. */
  readonly logFailure: string | undefined
  /** Digests that only copies of these files have in common. */
  readonly fingerprints: readonly string[]
}

const sha256 = (bytes: Uint8Array | string): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Digests of the beginning and of the first line of a log; of no line if it is incomplete. */
const readStart = async (
  file: FileHandle,
): Promise<{ readonly logStart: string; readonly firstLine: string | undefined }> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(firstLineBytes), 0, firstLineBytes, 0)
  const read = buffer.subarray(0, bytesRead)
  const end = read.indexOf('\n')
  return {
    logStart: sha256(read.subarray(0, startBytes)).slice(0, 16),
    firstLine: end < 0 ? undefined : sha256(read.subarray(0, end)),
  }
}

/** Digest of the beginning of a log, by which its aggregate knows it. */
export const readLogStart = (path: string): Promise<string> =>
  readingFile(path, async (file) => (await readStart(file)).logStart)

interface FoundAggregate {
  readonly aggregate?: Aggregate
  /** SHA-256 of its JSON. */
  readonly digest?: string | undefined
  readonly failure?: string
}

const readAggregate = async (
  path: string,
  intern: (text: string) => string,
): Promise<FoundAggregate> => {
  try {
    const text = await readingFile(path, (file) => file.readFile('utf8'))
    const aggregate = decodeAggregate(text, intern)
    return aggregate ? { aggregate, digest: text.split('\n', 1)[0] } : { failure: 'damaged' }
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' ? {} : { failure: code }
  }
}

interface FoundLog {
  readonly file?: FileHandle
  readonly size: number
  readonly failure?: string
}

const openLog = async (path: string): Promise<FoundLog> => {
  try {
    const file = await openRegular(path)
    return { file, size: (await file.stat()).size }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return { size: 0 }
    const size = (await lstat(path).catch(() => undefined))?.size ?? 0
    return { size, failure: code }
  }
}

/** Whether the opened log is still the one at the path. */
const isCurrent = async (path: string, { file, failure }: FoundLog): Promise<boolean> => {
  if (failure !== undefined) return true
  const [opened, now] = [await file?.stat(), await lstat(path).catch(() => undefined)]
  return opened?.ino === now?.ino
}

type Counted = Pick<Calendar, 'add' | 'addDay'>

const readLog = async (
  { file, size, failure }: FoundLog,
  { aggregate }: FoundAggregate,
  day: number,
  into: Counted,
) => {
  const nothing = { length: size, isReplayed: false, badLines: 0, tornBytes: 0, isShort: false }
  const covered = aggregate?.coveredBytes ?? 0
  const unread = { ...nothing, aggregatedBytes: covered, firstLine: undefined }
  if (!file) return { ...unread, failure }
  try {
    const { logStart, firstLine } = await readStart(file)
    const isCovered = aggregate?.logStart === undefined || aggregate.logStart === logStart
    const aggregatedBytes = isCovered ? covered : 0
    const isShort = size < covered && (isCovered || size < startBytes)
    const known = { ...nothing, aggregatedBytes, firstLine, isShort, failure }
    if (size <= aggregatedBytes) return known
    const replayed = await replay(file, day, aggregatedBytes, into.add)
    return { ...known, ...replayed, isReplayed: true }
  } catch (error) {
    return { ...unread, failure: codeOf(error) }
  }
}

/**
 * Adds a day's aggregate and the lines after it to `into`. Changes nothing, and reads the files of a
 * running service consistently: the log is opened before the aggregate is read, so that it has all that
 * the aggregate lacks, also if it is removed meanwhile.
 */
export const readDay = async (
  folder: string,
  day: number,
  into: Counted,
  intern: (text: string) => string,
): Promise<ReadDay> => {
  const path = logPath(folder, day)
  for (let attempt = 1; ; attempt += 1) {
    const opened = await openLog(path)
    try {
      const found = await readAggregate(aggregatePath(folder, day), intern)
      // An aggregate of a later log would count the lines of this one, too.
      if (attempt < maxAttempts && !(await isCurrent(path, opened))) continue
      const { aggregate, digest } = found
      if (aggregate) into.addDay(day, aggregate.counts)
      const { failure, firstLine, ...log } = await readLog(opened, found, day, into)
      return {
        ...log,
        isClosed: aggregate?.isClosed ?? false,
        aggregateFailure: found.failure,
        logFailure: failure,
        fingerprints: [digest, firstLine].filter((each) => each !== undefined),
      }
    } finally {
      await opened.file?.close()
    }
  }
}

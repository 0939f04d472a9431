import { type FileHandle, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../files.ts'
import { type Aggregate, decodeAggregate } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import { dateOf, dayOfDate } from './event.ts'
import { readingFile } from './files.ts'
import { replay } from './replay.ts'

/** Bytes that identify a log; fewer than in any line. */
const startBytes = 64

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
  /** Why the aggregate was not counted: a code of the system, or `damaged`. */
  readonly aggregateFailure: string | undefined
  /** Why the log was not counted, or not to its end. */
  readonly logFailure: string | undefined
}

const startOf = async (file: FileHandle): Promise<string> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
  const hash = new Bun.CryptoHasher('sha256').update(buffer.subarray(0, bytesRead))
  return hash.digest('hex').slice(0, 16)
}

/** Digest of the beginning of a log, by which its aggregate knows it. */
export const readLogStart = (path: string): Promise<string> => readingFile(path, startOf)

interface FoundAggregate {
  readonly aggregate?: Aggregate
  readonly failure?: string
}

const readAggregate = async (
  path: string,
  intern: (text: string) => string,
): Promise<FoundAggregate> => {
  try {
    const text = await readingFile(path, (file) => file.readFile('utf8'))
    const aggregate = decodeAggregate(text, intern)
    return aggregate ? { aggregate } : { failure: 'damaged' }
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' ? {} : { failure: code }
  }
}

/** Adds a day's aggregate and the lines after it to `into`. */
export const readDay = async (
  folder: string,
  day: number,
  into: Pick<Calendar, 'add' | 'addDay'>,
  intern: (text: string) => string,
): Promise<ReadDay> => {
  const path = logPath(folder, day)
  const { aggregate, failure } = await readAggregate(aggregatePath(folder, day), intern)
  if (aggregate) into.addDay(day, aggregate.counts)
  const covered = aggregate?.coveredBytes ?? 0
  const unread = {
    length: 0,
    aggregatedBytes: covered,
    isClosed: aggregate?.isClosed ?? false,
    isReplayed: false,
    badLines: 0,
    tornBytes: 0,
    aggregateFailure: failure,
    logFailure: undefined,
  }
  try {
    return await readingFile(path, async (file) => {
      const { size: length } = await file.stat()
      const isCovered =
        aggregate?.logStart === undefined || aggregate.logStart === (await startOf(file))
      const aggregatedBytes = isCovered ? covered : 0
      if (length <= aggregatedBytes) return { ...unread, length, aggregatedBytes }
      const replayed = await replay(file, day, aggregatedBytes, into.add)
      return { ...unread, ...replayed, aggregatedBytes, isReplayed: true }
    })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return unread
    const length = (await lstat(path).catch(() => undefined))?.size ?? 0
    return { ...unread, length, logFailure: code }
  }
}

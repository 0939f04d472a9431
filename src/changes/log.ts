import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile, writeWhole } from '../files.ts'
import { dateOf, dayMs, dayOf, dayOfDate } from '../usage/event.ts'
import {
  appendDurably,
  type Lock,
  makeFolder,
  readingFile,
  replaceDurably,
  takeLock,
} from '../usage/files.ts'
import { createRetentionClock, type RetentionClock } from '../usage/retentionClock.ts'
import { formatLine, type Line, parseLine, placeOf } from './line.ts'
import { withoutRemoved } from './mentions.ts'

const keptDays = 7
/** A position is kept for each stretch of this many bytes. */
const markEveryBytes = 64 * 1024
/** Parsing this much takes some 3 ms. */
const chunkBytes = 128 * 1024
/** A single line longer than this is damage. */
const maxLineBytes = 64 * 2 ** 20
const lineFeed = 10

/** Where a stretch of a file begins, and the highest number before it. */
interface Mark {
  readonly after: number
  readonly offset: number
}

interface DayFile {
  readonly day: number
  /** Bytes of whole lines. */
  length: number
  /** The highest number in it. */
  last: number
  marks: Mark[]
}

/** A line as it is in a file. */
interface Found {
  /** With its line feed. */
  readonly bytes: Uint8Array
  readonly offset: number
}

/** The lines of a file from an offset up to `end`. What follows the last line feed is left out. */
async function* linesOf(path: string, from: number, end: number): AsyncGenerator<Found> {
  let rest = Buffer.alloc(0)
  let offset = from
  for (let at = from; at < end; ) {
    const chunk = await readingFile(path, async (file) => {
      const bytes = Buffer.alloc(Math.min(chunkBytes, end - at))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at)
      return bytes.subarray(0, bytesRead)
    })
    if (chunk.length === 0) return
    at += chunk.length
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (;;) {
      const stop = bytes.indexOf(lineFeed, start)
      if (stop < 0) break
      yield { bytes: bytes.subarray(start, stop + 1), offset }
      offset += stop + 1 - start
      start = stop + 1
    }
    rest = Buffer.from(bytes.subarray(start))
    if (rest.length > maxLineBytes) return
  }
}

/** What the process before has left. */
export interface Loaded {
  /** Undefined when there is nothing to continue. */
  readonly epoch: string | undefined
  /** The highest number given. */
  readonly last: number
}

export interface ChangeLog {
  /**
   * Reads the lines of the last epoch, oldest first; `onStart` comes before the first one and whenever
   * those before are void: another epoch began, or a damaged line lost its changes. Undefined
   * while another process has the folder.
   */
  readonly load: (onLine: (line: Line) => void, onStart: () => void) => Promise<Loaded | undefined>
  /** Appends a line and returns when it is on the disk. Throws what the system does. */
  readonly append: (line: Line) => Promise<void>
  /** Removes everything: a line of another epoch is next. */
  readonly clear: () => Promise<void>
  /** Finishes the removals of the lines that were appended; a file that cannot be replaced is deleted. */
  readonly purge: () => Promise<void>
  /** Lines with numbers after one, oldest first. */
  readonly linesAfter: (seq: number) => AsyncGenerator<Line>
  /** The number after which all is kept; undefined where nothing is. */
  readonly keptAfter: () => number | undefined
  /** Removes what is too old or too much. */
  readonly tidy: () => Promise<void>
  readonly close: () => void
}

/**
 * The log of changes in a folder: for each UTC day a file `DATE.ndjson`, to which lines are appended. It
 * is kept for 7 days and within `maxBytes`. `purged` holds the number up to which removals are done, so
 * that the next process finishes those of one that was killed. One process at a time has the folder.
 */
export const openChangeLog = ({
  folder,
  maxBytes,
  now,
  monotonicNow,
}: {
  folder: string
  maxBytes: number
  now: () => number
  monotonicNow: () => number
}): ChangeLog => {
  let files: DayFile[] = []
  let lock: Lock | undefined
  let wasTried = false
  let retention: RetentionClock | undefined
  /** Removals to be done: each key, and the number up to which nothing may mention it. */
  let removals = new Map<string, number>()
  /** Changes whenever a file is replaced, and with it all offsets. */
  let generation = 0
  let replacing: Promise<unknown> = Promise.resolve()
  const pathOf = (day: number): string => join(folder, `${dateOf(day)}.ndjson`)
  const clockPath = join(folder, 'clock')
  const purgedPath = join(folder, 'purged')

  const removeFile = async ({ day }: DayFile): Promise<void> => {
    generation += 1
    await rm(pathOf(day), { force: true })
    files = files.filter((file) => file.day !== day)
  }

  /** Removes the files of days that are not among those in use. */
  const removeOthers = async (): Promise<void> => {
    const used = new Set(files.map(({ day }) => `${dateOf(day)}.ndjson`))
    for (const name of await readdir(folder)) {
      const isLeft = name.endsWith('.tmp') || (name.endsWith('.ndjson') && !used.has(name))
      if (isLeft) await rm(join(folder, name), { force: true })
    }
  }

  const own = async (): Promise<boolean> => {
    if (lock && (await lock.isHeld())) return true
    lock?.release()
    lock = undefined
    await makeFolder(folder)
    lock = takeLock(join(folder, 'lock'))
    if (!lock) return false
    // What is in the folder by now is of another process, and of another epoch.
    if (wasTried) {
      files = []
      await removeOthers()
    }
    return true
  }

  const note = (
    file: DayFile,
    { after, last }: Pick<Line, 'after' | 'last'>,
    { bytes, offset }: Found,
  ): void => {
    const from = file.marks.at(-1)
    if (!from || offset - from.offset >= markEveryBytes) file.marks.push({ after, offset })
    file.length = offset + bytes.length
    file.last = last
  }

  const noteRemoved = ({ removed, after }: Line): void => {
    for (const key of removed) removals.set(key, after)
  }

  /** Writes a file anew with what `keep` leaves of its lines. */
  const rewrite = async (
    file: DayFile,
    keep: (found: Found) => Uint8Array | undefined,
  ): Promise<void> => {
    const path = pathOf(file.day)
    const fresh: DayFile = { day: file.day, length: 0, last: file.last, marks: [] }
    generation += 1
    const { promise, resolve } = Promise.withResolvers<void>()
    replacing = promise
    try {
      await replaceFile(path, { temporary: `${path}.tmp`, mode: 0o600 }, async (target) => {
        for await (const found of linesOf(path, 0, file.length)) {
          const bytes = keep(found)
          const place = bytes && placeOf(bytes)
          if (!bytes || !place) continue
          await writeWhole(target, bytes, fresh.length)
          note(fresh, place, { bytes, offset: fresh.length })
        }
      })
      Object.assign(file, fresh)
    } catch (error) {
      await removeFile(file)
      throw error
    } finally {
      resolve()
    }
  }

  const purge = async (): Promise<void> => {
    if (removals.size === 0) return
    const due = removals
    removals = new Map()
    const texts = [...due.keys()].map(subjectOf)
    for (const file of [...files]) {
      let isConcerned = false
      for await (const { bytes } of linesOf(pathOf(file.day), 0, file.length)) {
        isConcerned = mentionsAny(bytes, texts)
        if (isConcerned) break
      }
      if (!isConcerned) continue
      await rewrite(file, ({ bytes }) => {
        const line = mentionsAny(bytes, texts) ? parseLine(bytes) : undefined
        if (!line) return bytes
        const removed = new Set([...due].flatMap(([key, upTo]) => (line.last <= upTo ? key : [])))
        const changes = line.changes.flatMap(([seq, change]): Line['changes'] => {
          const left = withoutRemoved(change, removed)
          return left ? [[seq, left]] : []
        })
        return formatLine({ ...line, changes })
      })
    }
    const last = files.at(-1)?.last
    if (last !== undefined) await replaceDurably(purgedPath, `${last}\n`)
  }

  const numberIn = async (path: string): Promise<number | undefined> => {
    const text = await readingFile(path, (file) => file.readFile('utf8')).catch(() => '')
    return /^\d{1,16}\n$/.test(text) ? Number(text) : undefined
  }

  const load: ChangeLog['load'] = async (onLine, onStart) => {
    const isOwn = await own()
    wasTried = true
    if (!isOwn) return undefined
    const purged = (await numberIn(purgedPath)) ?? 0
    let epoch: string | undefined
    let last = 0
    const begin = (next: string | undefined): void => {
      epoch = next
      files = []
      removals = new Map()
      onStart()
    }
    for (const name of (await readdir(folder)).toSorted()) {
      const day = name.endsWith('.ndjson') ? dayOfDate(name.slice(0, -7)) : undefined
      if (day === undefined) continue
      const path = pathOf(day)
      const size = await readingFile(path, async (file) => (await file.stat()).size)
      const file: DayFile = { day, length: 0, last: 0, marks: [] }
      /** Lines before this offset are void. */
      let start = 0
      for await (const found of linesOf(path, 0, size)) {
        const line = parseLine(found.bytes)
        const follows = line && line.epoch === epoch && line.after === last
        if (!follows) {
          begin(line?.epoch)
          start = line ? found.offset : found.offset + found.bytes.length
          file.marks = []
        }
        file.length = found.offset + found.bytes.length
        if (!line) continue
        last = line.last
        note(file, line, found)
        if (last > purged) noteRemoved(line)
        onLine(line)
      }
      if (epoch === undefined) continue
      files.push(file)
      if (start > 0)
        await rewrite(file, ({ bytes, offset }) => (offset < start ? undefined : bytes))
    }
    await removeOthers()
    await purge()
    const [wallMs, newest] = [now(), files.at(-1)?.day]
    const lastUsedMs = newest === undefined ? wallMs : Math.min(wallMs, (newest + 1) * dayMs)
    const savedMs = await numberIn(clockPath)
    retention = createRetentionClock(savedMs ?? lastUsedMs, wallMs, monotonicNow())
    return { epoch, last }
  }

  return {
    load,
    append: async (line) => {
      if (!(await own())) throw Object.assign(new Error('locked'), { code: 'ELOCKED' })
      const current = files.at(-1)
      // A clock that is set back continues the file of the newest day.
      const day = Math.max(dayOf(now()), current?.day ?? Number.NEGATIVE_INFINITY)
      const file = current?.day === day ? current : { day, length: 0, last: 0, marks: [] }
      const bytes = formatLine(line)
      const offset = await appendDurably(pathOf(day), file.length, bytes)
      if (offset < file.length) {
        await removeFile(file)
        throw Object.assign(new Error('the log was shortened'), { code: 'ESHORTENED' })
      }
      if (file !== current) files.push(file)
      note(file, line, { bytes, offset })
      noteRemoved(line)
    },
    clear: async () => {
      if (!(await own())) return
      files = []
      removals = new Map()
      generation += 1
      await removeOthers()
    },
    purge,
    linesAfter: async function* (seq) {
      let reached = seq
      for (;;) {
        await replacing
        const known = generation
        const file = files.find(({ last }) => last > reached)
        if (!file) return
        const { day, length, last } = file
        const from = file.marks.findLast(({ after }) => after <= reached)?.offset ?? 0
        for await (const { bytes } of linesOf(pathOf(day), from, length)) {
          if (generation !== known) break
          const line = parseLine(bytes)
          if (!line || line.last <= reached) continue
          reached = line.last
          yield line
        }
        if (generation === known && reached < last) return
      }
    },
    keptAfter: () => files[0]?.marks[0]?.after,
    tidy: async () => {
      if (!retention || !lock) return
      const reachedMs = retention.advance(now(), monotonicNow())
      await replaceDurably(clockPath, `${Math.floor(reachedMs)}\n`)
      const oldest = dayOf(retention.now()) - keptDays
      for (const file of [...files]) if (file.day < oldest) await removeFile(file)
      const bytes = (): number => files.reduce((sum, { length }) => sum + length, 0)
      while (bytes() > maxBytes && files.length > 1) {
        const [first] = files
        if (first) await removeFile(first)
      }
      const [only] = files
      if (!only || bytes() <= maxBytes) return
      const cut = only.marks.find(({ offset }) => offset >= only.length / 2)?.offset ?? only.length
      await rewrite(only, ({ bytes, offset }) => (offset < cut ? undefined : bytes))
    },
    close: () => {
      lock?.release()
      lock = undefined
    },
  }
}

/** The id in a key as spelled in a line. */
const subjectOf = (key: string): string => {
  const subject = key.slice(key.indexOf(' ') + 1)
  if (!key.startsWith('fight ')) return JSON.stringify(subject).slice(1, -1)
  const [, gameID]: unknown[] = JSON.parse(subject)
  return JSON.stringify(gameID).slice(1, -1)
}

const mentionsAny = (bytes: Uint8Array, subjects: readonly string[]): boolean => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return subjects.some((subject) => buffer.includes(subject))
}

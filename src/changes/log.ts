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

const keptDays = 7
/** A position is kept for each stretch of this many bytes. */
const markEveryBytes = 64 * 1024
/** Parsing this much takes some 3 ms. */
const chunkBytes = 128 * 1024
/** A single line longer than this is damage. */
const maxLineBytes = 64 * 2 ** 20
const lineFeed = 10

const lockedError = (): Error => Object.assign(new Error('locked'), { code: 'ELOCKED' })

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
  /**
   * Replaces all that there is by a line, in an order in which a kill leaves either nothing of what was
   * there, or some of it without the line. Throws what the system does.
   */
  readonly cut: (line: Line) => Promise<void>
  /** Removes everything: a line of another epoch is next. */
  readonly clear: () => Promise<void>
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
 * is kept for 7 days and within `maxBytes`. One process at a time has the folder.
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
  /** Changes whenever a file is replaced, and with it all offsets. */
  let generation = 0
  let replacing: Promise<unknown> = Promise.resolve()
  const pathOf = (day: number): string => join(folder, `${dateOf(day)}.ndjson`)
  const clockPath = join(folder, 'clock')

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

  /** Removes the lines of a file before an offset. */
  const dropBefore = async (file: DayFile, start: number): Promise<void> => {
    const path = pathOf(file.day)
    const fresh: DayFile = { day: file.day, length: 0, last: file.last, marks: [] }
    generation += 1
    const { promise, resolve } = Promise.withResolvers<void>()
    replacing = promise
    try {
      await replaceFile(path, { temporary: `${path}.tmp`, mode: 0o600 }, async (target) => {
        for await (const { bytes } of linesOf(path, start, file.length)) {
          const place = placeOf(bytes)
          if (!place) continue
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

  const numberIn = async (path: string): Promise<number | undefined> => {
    const text = await readingFile(path, (file) => file.readFile('utf8')).catch(() => '')
    return /^\d{1,16}\n$/.test(text) ? Number(text) : undefined
  }

  const load: ChangeLog['load'] = async (onLine, onStart) => {
    const isOwn = await own()
    wasTried = true
    if (!isOwn) return undefined
    let epoch: string | undefined
    let last = 0
    const begin = (next: string | undefined): void => {
      epoch = next
      files = []
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
        onLine(line)
      }
      if (epoch === undefined) continue
      files.push(file)
      if (start > 0) await dropBefore(file, start)
    }
    await removeOthers()
    const [wallMs, newest] = [now(), files.at(-1)?.day]
    const lastUsedMs = newest === undefined ? wallMs : Math.min(wallMs, (newest + 1) * dayMs)
    const savedMs = await numberIn(clockPath)
    retention = createRetentionClock(savedMs ?? lastUsedMs, wallMs, monotonicNow())
    return { epoch, last }
  }

  /** A clock that is set back continues the file of the newest day. */
  const dayOfNext = (): number =>
    Math.max(dayOf(now()), files.at(-1)?.day ?? Number.NEGATIVE_INFINITY)

  return {
    load,
    append: async (line) => {
      if (!(await own())) throw lockedError()
      const current = files.at(-1)
      const day = dayOfNext()
      const file = current?.day === day ? current : { day, length: 0, last: 0, marks: [] }
      const bytes = formatLine(line)
      const offset = await appendDurably(pathOf(day), file.length, bytes)
      if (offset < file.length) {
        await removeFile(file)
        throw Object.assign(new Error('the log was shortened'), { code: 'ESHORTENED' })
      }
      if (file !== current) files.push(file)
      note(file, line, { bytes, offset })
    },
    cut: async (line) => {
      if (!(await own())) throw lockedError()
      const day = dayOfNext()
      const bytes = formatLine(line)
      generation += 1
      // Older files first: what a kill leaves is either the newest lines, which a start compares with
      // the data, or this line.
      for (const file of files) if (file.day !== day) await removeFile(file)
      await replaceDurably(pathOf(day), bytes)
      files = [{ day, length: 0, last: 0, marks: [] }]
      for (const file of files) note(file, line, { bytes, offset: 0 })
    },
    clear: async () => {
      if (!(await own())) return
      files = []
      generation += 1
      await removeOthers()
    },
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
      await dropBefore(only, cut)
    },
    close: () => {
      lock?.release()
      lock = undefined
    },
  }
}

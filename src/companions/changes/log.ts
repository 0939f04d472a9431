import { dayOf } from '../../data/journal/day.ts'
import { openJournal } from '../../data/journal/journal.ts'
import { formatLine, type Line, type LoggedLine, parseLine } from './line.ts'

const keptDays = 7
/** The position of a line is kept for each stretch of this many bytes. */
const placeEveryBytes = 64 * 1024
/** A day's file of this share of the limit is continued in the next day's file, so that a part can be removed. */
const fileShare = 0.25

const failWith = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

/** Position of a line, and the highest number before it. */
interface Place {
  readonly after: number
  readonly offset: number
}

interface DayFile {
  readonly day: number
  /** Highest number in the line. */
  last: number
  readonly places: Place[]
}

/** State left by the previous process. */
export interface Loaded {
  /** Epoch to continue; undefined if there is none. */
  readonly epoch: string | undefined
  /** Highest number given. */
  readonly last: number
}

/**
 * The log of changes in a folder, one appended line per version of the data. It is kept for 7 days and within
 * `maxBytes`; the newest file always stays. One process at a time owns the folder.
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
}) => {
  const journal = openJournal({ folder, extension: 'ndjson', now, monotonicNow })
  /** The files with lines of this epoch, oldest first. */
  let files: readonly DayFile[] = []
  /** Last long line that was read: its readers need it several times. */
  let kept: LoggedLine | undefined
  /** True while a removal of lines has not succeeded; nothing is appended until then. */
  let isClearDue = false

  const addPlace = (
    file: DayFile,
    { after, last }: Pick<Line, 'after' | 'last'>,
    offset: number,
  ): void => {
    const before = file.places.at(-1)
    if (!before || offset - before.offset >= placeEveryBytes) file.places.push({ after, offset })
    file.last = last
  }
  /** Removes the files of days that are not in use. */
  const removeOthers = async (): Promise<void> => {
    const used = new Set(files.map(({ day }) => day))
    for (const day of journal.days()) if (!used.has(day)) await journal.remove(day)
  }
  const clear = async (): Promise<void> => {
    isClearDue = true
    files = []
    kept = undefined
    await removeOthers()
    isClearDue = false
  }
  /** Lines of a folder taken after the start belong to another process and another epoch. */
  const own = async (): Promise<void> => {
    if (!(await journal.acquire(clear))) failWith('ELOCKED')
  }

  const read = async (onLine: (line: LoggedLine) => void, onStart: () => void): Promise<Loaded> => {
    let epoch: string | undefined
    let last = 0
    for (const day of journal.days()) {
      let file: DayFile = { day, last: 0, places: [] }
      await journal.load(day, 0, ({ bytes, start }) => {
        const line = parseLine(bytes)
        if (line?.epoch !== epoch || line?.after !== last) {
          files = []
          file = { day, last: 0, places: [] }
          epoch = line?.epoch
          onStart()
        }
        if (!line) return
        last = line.last
        addPlace(file, line, start)
        onLine(line)
      })
      if (epoch !== undefined) files = [...files, file]
    }
    await removeOthers()
    return { epoch, last }
  }

  /** The newest file is continued if the clock is set back. */
  const dayOfNext = (): number => {
    const newest = files.at(-1)?.day ?? Number.NEGATIVE_INFINITY
    return Math.max(
      dayOf(now()),
      journal.length(newest) > maxBytes * fileShare ? newest + 1 : newest,
    )
  }

  return {
    /**
     * Reads the lines of the last epoch, oldest first. `onStart` comes before the first line, and whenever the lines
     * before it are void: another epoch began, or a damaged line lost its changes. Undefined while another process owns
     * the folder.
     */
    load: async (
      onLine: (line: LoggedLine) => void,
      onStart: () => void,
    ): Promise<Loaded | undefined> => {
      let loaded: Loaded | undefined
      await journal.acquire(async () => {
        loaded = await read(onLine, onStart)
      })
      return loaded
    },
    /** Appends a line and returns when it is on the disk. Throws system errors. */
    append: async (line: Line): Promise<void> => {
      await own()
      if (isClearDue) await clear()
      const day = dayOfNext()
      const length = journal.length(day)
      const start = await journal.append(day, formatLine(line))
      if (start < length) {
        files = files.filter((file) => file.day !== day)
        await journal.remove(day)
        failWith('ESHORTENED')
      }
      const newest = files.at(-1)
      const file = newest?.day === day ? newest : { day, last: 0, places: [] }
      if (file !== newest) files = [...files, file]
      addPlace(file, line, start)
    },
    /**
     * Replaces all lines by one. Older files go first: a kill leaves the newest lines, which a start compares with the
     * data, or nothing, or the new line. Throws system errors; the lines are then removed before the next one is
     * written, or by {@link tidy}.
     */
    cut: async (line: Line): Promise<void> => {
      isClearDue = true
      await own()
      const day = dayOfNext()
      files = []
      kept = undefined
      for (const other of journal.days()) if (other !== day) await journal.remove(other)
      await journal.replace(day, formatLine(line))
      isClearDue = false
      files = [{ day, last: line.last, places: [{ after: line.after, offset: 0 }] }]
    },
    /** Removes everything before a line of another epoch. After an error it is retried like a failed {@link cut}. */
    clear: async (): Promise<void> => {
      isClearDue = true
      await own()
      await clear()
    },
    /** Lines with numbers after this one, oldest first; they end early, or in an error, if the next line is removed. */
    linesAfter: async function* (seq: number): AsyncGenerator<LoggedLine> {
      let reached = seq
      if (kept && kept.after <= seq && kept.last > seq) {
        reached = kept.last
        yield kept
      }
      for (;;) {
        const file = files.find(({ last }) => last > reached)
        const from = file?.places.findLast(({ after }) => after <= reached)?.offset
        if (!file || from === undefined) return
        const before = reached
        for await (const group of journal.lines(file.day, from)) {
          for (const { bytes } of group) {
            const isLong = bytes.length > placeEveryBytes
            const line = parseLine(isLong ? Buffer.from(bytes) : bytes)
            if (!line || line.last <= reached) continue
            reached = line.last
            if (isLong) kept = line
            yield line
          }
        }
        if (reached === before) return
      }
    },
    /** The number after which everything is kept; undefined if nothing is. */
    keptAfter: (): number | undefined => files[0]?.places[0]?.after,
    /** Removes lines beyond the maximum age or size, and retries failed removals. */
    tidy: async (): Promise<void> => {
      kept = undefined
      if (isClearDue) {
        await own()
        await clear()
      }
      const newest = files.at(-1)?.day
      await journal.retain({ days: keptDays, bytes: maxBytes, mayRemove: (day) => day !== newest })
      files = files.filter(({ day }) => journal.length(day) > 0)
    },
    close: journal.close,
  }
}
export type ChangeLog = ReturnType<typeof openChangeLog>

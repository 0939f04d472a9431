import { createTimeSlice } from '../../runtime/timeSlice.ts'
import { type Entry, type Filter, headOf, matches } from './entry.ts'
import type { LoggedLine, Numbered } from './line.ts'

/** A reader that needs older changes than memory has. */
interface Behind {
  /** Number of the last change that the reader has. */
  seq: number
  readonly filter: Filter
  readonly limit: number
  readonly found: Entry[]
  /** True if the limit was reached and more changes follow. */
  hasMore: boolean
  scanned: number
  readonly end: () => void
}

/** Changes found for a reader, and the number of the last change that was checked. */
export type Found = Pick<Behind, 'seq' | 'found' | 'hasMore' | 'scanned'>

/**
 * Reads the log for all readers that are behind, in one pass at a time and in time slices: each change is parsed once
 * for all readers that wait for it, and other requests are answered meanwhile.
 */
export const createBehind = ({
  linesAfter,
  entryIn,
  keptAfter,
}: {
  linesAfter: (seq: number) => AsyncIterable<LoggedLine>
  entryIn: (line: LoggedLine, change: Numbered) => Entry
  /** Number from which on memory has every change. */
  keptAfter: () => number
}) => {
  const readers = new Set<Behind>()
  let isReading = false

  const finish = (reader: Behind): void => {
    readers.delete(reader)
    reader.end()
  }

  /** Gives a change to the readers that wait for it; false if none does. */
  const give = (line: LoggedLine, numbered: Numbered): boolean => {
    const [seq, change] = numbered
    const head = headOf(change)
    let entry: Entry | undefined
    let isWanted = false
    for (const reader of readers) {
      if (reader.seq !== seq - 1) continue
      isWanted = true
      const isFound = matches(reader.filter, head)
      if (isFound && reader.found.length === reader.limit) {
        reader.hasMore = true
        finish(reader)
        continue
      }
      if (isFound) {
        entry ??= entryIn(line, numbered)
        reader.found.push(entry)
      }
      reader.seq = seq
      reader.scanned += 1
      if (seq >= keptAfter()) finish(reader)
    }
    return isWanted
  }

  /** Reads from the place of the reader furthest behind until no reader waits for the next change. */
  const pass = async (from: number): Promise<void> => {
    const slice = createTimeSlice()
    for await (const line of linesAfter(from)) {
      for (const change of line.changesAfter(from)) {
        if (!give(line, change)) return
        if (slice.isOver()) await slice.next()
      }
    }
  }

  const readAll = async (): Promise<void> => {
    isReading = true
    while (readers.size > 0) {
      const from = readers.values().reduce((least, { seq }) => Math.min(least, seq), Infinity)
      const last = [...readers].filter(({ seq }) => seq === from)
      await pass(from).catch(() => undefined)
      // The log has no further change for the remaining readers.
      for (const reader of last) if (readers.has(reader) && reader.seq === from) finish(reader)
    }
    isReading = false
  }

  return {
    /** Reads changes after a number, up to the first one in memory, the limit or the end of the log. */
    read: (seq: number, filter: Filter, limit: number): Promise<Found> => {
      const { promise, resolve } = Promise.withResolvers<Found>()
      const reader: Behind = {
        seq,
        filter,
        limit,
        found: [],
        hasMore: false,
        scanned: 0,
        end: () => resolve(reader),
      }
      readers.add(reader)
      if (!isReading) void readAll()
      return promise
    },
  }
}

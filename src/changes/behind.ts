import { createTimeSlice } from '../timeSlice.ts'
import { type Entry, type Filter, headOf, matches } from './entry.ts'
import type { LoggedLine, Numbered } from './line.ts'

/** A reader that is behind what memory has. */
interface Behind {
  /** It has all changes up to this one. */
  seq: number
  readonly filter: Filter
  readonly limit: number
  readonly found: Entry[]
  /** The limit is reached, and there are more. */
  hasMore: boolean
  scanned: number
  readonly end: () => void
}

/** Changes that a reader found, and up to where it has looked. */
export type Found = Pick<Behind, 'seq' | 'found' | 'hasMore' | 'scanned'>

/**
 * Reads the log for all readers that are behind, in one pass at a time and in time slices: each change is parsed once
 * for those that wait for it at that moment, and others are answered in between.
 */
export const createBehind = ({
  linesAfter,
  entryIn,
  keptAfter,
}: {
  linesAfter: (seq: number) => AsyncIterable<LoggedLine>
  entryIn: (line: LoggedLine, change: Numbered) => Entry
  /** The number after which memory has all. */
  keptAfter: () => number
}) => {
  const readers = new Set<Behind>()
  let isReading = false

  const finish = (reader: Behind): void => {
    readers.delete(reader)
    reader.end()
  }

  /** Gives a change to the readers whose next one it is; false where there is none. */
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

  /** From the reader that is furthest behind to where none waits for the next change. */
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
      // The log has no next change for them.
      for (const reader of last) if (readers.has(reader) && reader.seq === from) finish(reader)
    }
    isReading = false
  }

  return {
    /** Looks for changes after a number: up to those in memory, unless there are more than the limit, or the log ends before. */
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

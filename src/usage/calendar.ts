import { createTimeSlice } from '../timeSlice.ts'
import type { DayCounts } from './counts.ts'
import { dayOf, type UsageEvent } from './event.ts'
import { mergeDays } from './mergeDays.ts'
import { type OpenDay, openDay } from './openDay.ts'

interface Entry {
  open: OpenDay | undefined
  closed: DayCounts | undefined
}

/** The counts of every day, in memory. */
export interface Calendar {
  readonly add: (event: UsageEvent) => void
  /** Adds counts read from disk. */
  readonly addDay: (day: number, counts: DayCounts) => void
  /** Immutable copy of a day's counts; undefined if nothing was counted. */
  readonly read: (day: number) => DayCounts | undefined
  /** View of a day's counts, valid until the next event; parts are computed when read. */
  readonly live: (day: number) => DayCounts | undefined
  /**
   * Counts from first to last day in few parts: merged blocks of 64 and 8 closed days, and single
   * days. A block keeps fewer clients than its days do.
   */
  readonly parts: (first: number, last: number) => readonly DayCounts[]
  /** Merges the blocks that `parts` needs, in steps below 1 ms. */
  readonly prepare: (first: number, last: number) => Promise<void>
  readonly has: (day: number) => boolean
  /** Whether the day has events since it was last closed. */
  readonly isOpen: (day: number) => boolean
  /** Cuts a day to the limits of a closed day. A later event reopens it. */
  readonly close: (day: number) => void
  readonly forget: (day: number) => void
  readonly days: () => readonly number[]
  /** Templates of all counted routes. */
  readonly routes: () => ReadonlySet<string>
}

/** Sizes of blocks, largest first; a year has at most 33 parts. */
const blockDays = [64, 8] as const
type BlockDays = (typeof blockDays)[number]

/** Merged blocks of closed days, computed on demand and kept until one of their days changes. */
const createBlocks = (entries: ReadonlyMap<number, Entry>) => {
  const blocks = new Map<string, DayCounts | undefined>()
  let changes = 0
  const keyOf = (days: BlockDays, first: number): string => `${days} ${first}`

  const isClosed = (first: number, days: number): boolean => {
    for (let day = first; day < first + days; day += 1) {
      if (entries.get(day)?.open) return false
    }
    return true
  }

  const make = function* (days: BlockDays, first: number): Generator<void, void> {
    const key = keyOf(days, first)
    const before = changes
    if (blocks.has(key)) return
    const parts: DayCounts[] = []
    for (let at = first; at < first + days; at += days / 8) {
      if (days === 64) yield* make(8, at)
      const part = days === 64 ? blocks.get(keyOf(8, at)) : entries.get(at)?.closed
      if (part) parts.push(part)
    }
    const merged = parts.length < 2 ? parts[0] : yield* mergeDays(parts)
    // Discard the result if a day was reopened meanwhile.
    if (changes === before) blocks.set(key, merged)
  }

  /** Divides the range into blocks and single days. */
  const divide = (
    first: number,
    last: number,
    onBlock: (days: BlockDays, first: number) => void,
    onDay: (day: number) => void,
  ): void => {
    for (let day = first; day <= last; ) {
      const days = blockDays.find(
        (size) => day % size === 0 && day + size - 1 <= last && isClosed(day, size),
      )
      if (days) onBlock(days, day)
      else onDay(day)
      day += days ?? 1
    }
  }

  return {
    divide,
    make,
    read: (days: BlockDays, first: number) => blocks.get(keyOf(days, first)),
    drop: (day: number): void => {
      changes += 1
      for (const days of blockDays) blocks.delete(keyOf(days, day - (day % days)))
    },
  }
}

export const createCalendar = (): Calendar => {
  const entries = new Map<number, Entry>()
  const blocks = createBlocks(entries)
  const routes = new Set<string>()
  let last: { day: number; open: OpenDay } | undefined

  const opened = (day: number): OpenDay => {
    if (last?.day === day) return last.open
    const entry = entries.get(day) ?? { open: undefined, closed: undefined }
    entries.set(day, entry)
    if (!entry.open) {
      blocks.drop(day)
      entry.open = openDay()
      if (entry.closed) entry.open.addDay(entry.closed)
      entry.closed = undefined
    }
    last = { day, open: entry.open }
    return entry.open
  }

  /** Serialized, so that concurrent requests share the merged blocks. */
  let preparing: Promise<void> = Promise.resolve()
  const prepare = async (first: number, last: number): Promise<void> => {
    const missing: Generator<void, void>[] = []
    blocks.divide(
      first,
      last,
      (days, at) => missing.push(blocks.make(days, at)),
      () => undefined,
    )
    const slice = createTimeSlice()
    for (const steps of missing) {
      for (const _step of steps) if (slice.isOver()) await slice.next()
    }
  }

  return {
    add: (event) => {
      routes.add(event.route)
      opened(dayOf(event.timeMs)).add(event)
    },
    addDay: (day, counts) => {
      for (const route of counts.endpoints.keys()) routes.add(route)
      blocks.drop(day)
      if (entries.has(day)) opened(day).addDay(counts)
      else entries.set(day, { open: undefined, closed: counts })
    },
    read: (day) => {
      const entry = entries.get(day)
      return entry?.open?.read() ?? entry?.closed
    },
    live: (day) => {
      const entry = entries.get(day)
      return entry?.open?.live() ?? entry?.closed
    },
    parts: (first, last) => {
      const parts: (DayCounts | undefined)[] = []
      blocks.divide(
        first,
        last,
        (days, at) => {
          for (const _step of blocks.make(days, at));
          parts.push(blocks.read(days, at))
        },
        (day) => {
          const entry = entries.get(day)
          parts.push(entry?.open?.live() ?? entry?.closed)
        },
      )
      return parts.filter((part) => part !== undefined)
    },
    prepare: (first, last) => {
      preparing = preparing.then(() => prepare(first, last))
      return preparing
    },
    has: (day) => entries.has(day),
    isOpen: (day) => entries.get(day)?.open !== undefined,
    close: (day) => {
      if (!entries.has(day)) return
      const closed = opened(day).close()
      blocks.drop(day)
      entries.set(day, { open: undefined, closed })
      last = undefined
    },
    forget: (day) => {
      if (last?.day === day) last = undefined
      blocks.drop(day)
      entries.delete(day)
    },
    days: () => [...entries.keys()],
    routes: () => routes,
  }
}

import { dayOf } from '../journal/day.ts'
import type { DayCounts } from './counts.ts'
import type { UsageEvent } from './event.ts'
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
  /** Immutable copy for a report, with the busiest clients alone. */
  readonly live: (day: number) => DayCounts | undefined
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

export const createCalendar = (): Calendar => {
  const entries = new Map<number, Entry>()
  const routes = new Set<string>()
  let last: { day: number; open: OpenDay } | undefined

  const opened = (day: number): OpenDay => {
    if (last?.day === day) return last.open
    const entry = entries.get(day) ?? { open: undefined, closed: undefined }
    entries.set(day, entry)
    if (!entry.open) {
      entry.open = openDay()
      if (entry.closed) entry.open.addDay(entry.closed)
      entry.closed = undefined
    }
    last = { day, open: entry.open }
    return entry.open
  }

  return {
    add: (event) => {
      routes.add(event.route)
      opened(dayOf(event.timeMs)).add(event)
    },
    addDay: (day, counts) => {
      for (const route of counts.endpoints.keys()) routes.add(route)
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
    has: (day) => entries.has(day),
    isOpen: (day) => entries.get(day)?.open !== undefined,
    close: (day) => {
      if (!entries.has(day)) return
      const closed = opened(day).close()
      entries.set(day, { open: undefined, closed })
      last = undefined
    },
    forget: (day) => {
      if (last?.day === day) last = undefined
      entries.delete(day)
    },
    days: () => [...entries.keys()],
    routes: () => routes,
  }
}

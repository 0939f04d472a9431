import { type DayCounts, type OpenDay, openDay } from './counts.ts'
import { dayOf, type UsageEvent } from './event.ts'

interface Entry {
  open: OpenDay | undefined
  closed: DayCounts | undefined
}

/** The counts of every day, in memory. */
export interface Calendar {
  readonly add: (event: UsageEvent) => void
  /** Adds what was counted before, as read from the disk. */
  readonly addDay: (day: number, counts: DayCounts) => void
  /** All of one day; undefined when nothing was counted. */
  readonly read: (day: number) => DayCounts | undefined
  readonly has: (day: number) => boolean
  /** Whether events were added since the day was last closed, or it never was. */
  readonly isOpen: (day: number) => boolean
  /** Cuts a day to what is kept of one that is over. A later event opens it again. */
  readonly close: (day: number) => void
  readonly forget: (day: number) => void
  readonly days: () => readonly number[]
  /** Templates of all routes ever counted. */
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

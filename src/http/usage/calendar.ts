import { dayOf } from '../../data/journal/day.ts'
import type { DayCounts } from './counts.ts'
import type { UsageEvent } from './event.ts'
import { type OpenDay, openDay } from './openDay.ts'

interface Entry {
  open: OpenDay | undefined
  closed: DayCounts | undefined
}

/** The counts of every day, in memory. */
export const createCalendar = () => {
  const entries = new Map<number, Entry>()
  const routes = new Set<string>()
  let last: { day: number; open: OpenDay } | undefined

  const opened = (day: number): OpenDay => {
    if (last?.day === day) return last.open
    const entry = entries.getOrInsertComputed(day, () => ({ open: undefined, closed: undefined }))
    if (!entry.open) {
      entry.open = openDay()
      if (entry.closed) entry.open.addDay(entry.closed)
      entry.closed = undefined
    }
    last = { day, open: entry.open }
    return entry.open
  }

  return {
    add: (event: UsageEvent): void => {
      routes.add(event.route)
      opened(dayOf(event.timeMs)).add(event)
    },
    /** Adds counts read from disk. */
    addDay: (day: number, counts: DayCounts): void => {
      for (const route of counts.endpoints.keys()) routes.add(route)
      if (entries.has(day)) opened(day).addDay(counts)
      else entries.set(day, { open: undefined, closed: counts })
    },
    /** Immutable copy of a day's counts; undefined if nothing was counted. */
    read: (day: number): DayCounts | undefined => {
      const entry = entries.get(day)
      return entry?.open?.read() ?? entry?.closed
    },
    /** Immutable copy for a report, with only the busiest clients. */
    live: (day: number): DayCounts | undefined => {
      const entry = entries.get(day)
      return entry?.open?.live() ?? entry?.closed
    },
    has: (day: number): boolean => entries.has(day),
    /** True if the day has events since it was last closed. */
    isOpen: (day: number): boolean => entries.get(day)?.open !== undefined,
    /** Cuts a day to the limits of a closed day. A later event reopens it. */
    close: (day: number): void => {
      if (!entries.has(day)) return
      const closed = opened(day).close()
      entries.set(day, { open: undefined, closed })
      last = undefined
    },
    forget: (day: number): void => {
      if (last?.day === day) last = undefined
      entries.delete(day)
    },
    days: (): readonly number[] => [...entries.keys()],
    routes: (): ReadonlySet<string> => routes,
  }
}
export type Calendar = ReturnType<typeof createCalendar>

import type { Timed } from '../../http/trackedArchive.ts'
import { once } from '../../runtime/once.ts'
import { createDayIn } from '../../runtime/timeZone.ts'
import { type Html, html } from './html.ts'

const iso = (unix: number): string => new Date(unix * 1000).toISOString().replace('.000Z', 'Z')

/** Kinds of English; each has names for only some zones, such as `CET` or `EDT`, and `GMT+1` for others. */
const english = ['en-GB', 'en-US', 'en-AU', 'en-IN', 'en-ZA'] as const

const zoneNames = (timeZone: string): ((unix: number) => string) => {
  const formats = once(() =>
    english.map((locale) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })),
  )
  return (unix) => {
    let name = ''
    for (const format of formats()) {
      const parts = format.formatToParts(unix * 1000)
      name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
      if (!/[+-]/.test(name)) break
    }
    return name
  }
}

/**
 * Times as markup, in the time zone of the events. `site.js` shows the viewer's time if it differs. A formatter takes
 * 30 µs to make and 1 µs to use.
 */
export const createTimes = (timeZone: string) => {
  const formatter = (options: Intl.DateTimeFormatOptions): ((unix: number) => string) => {
    const format = once(() => new Intl.DateTimeFormat('en-GB', { timeZone, ...options }))
    return (unix) => format().format(unix * 1000)
  }
  const dayOfYear = { day: 'numeric', month: 'short' } as const
  const date = { ...dayOfYear, year: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const full = formatter({ weekday: 'short', ...date, ...time })
  const zoneName = zoneNames(timeZone)
  const day = formatter(date)
  const shortDay = formatter(dayOfYear)
  const clock = formatter(time)
  return {
    /** A full time such as `Sat 14 Mar 2026, 17:05 EDT`. */
    full: (unix: number): Html =>
      html`<time datetime="${iso(unix)}" class="full">${full(unix)} ${zoneName(unix)}</time>`,
    /** A day such as `14 Mar 2026`, or `14 Mar`. */
    day: (unix: number, hasYear = true): Html =>
      html`<time datetime="${iso(unix)}">${(hasYear ? day : shortDay)(unix)}</time>`,
    /** A clock time such as `17:05`, or `17:05 EDT`. */
    clock: (unix: number, hasZone = false): Html =>
      html`<time datetime="${iso(unix)}">${clock(unix)}${hasZone && ` ${zoneName(unix)}`}</time>`,
    timeZone,
    dayText: day,
    /** A day such as `2026-03-14`, to compare days of events. */
    dayKey: createDayIn(timeZone),
  }
}

/** Each unit with the distance in seconds from which on it is used: a whole number of the previous unit. */
const units = [
  { unit: 'year', seconds: 31_557_600, from: 2 * 31_557_600 },
  { unit: 'month', seconds: 2_629_800, from: 60 * 86_400 },
  { unit: 'day', seconds: 86_400, from: 2 * 86_400 },
  { unit: 'hour', seconds: 3600, from: 3600 },
  { unit: 'minute', seconds: 60, from: 60 },
] as const

const relativeFormat = once(() => new Intl.RelativeTimeFormat('en'))

/** Distance of a time from now, such as `3 hours ago` and `in 12 days`. */
export const relative = (unix: number, now: number): Timed<string> => {
  const found = units.find(({ from }) => Math.abs(now - unix) >= from)
  if (!found) return { value: 'now', validUntil: unix + 60 }
  const { unit, seconds } = found
  const count = Math.floor(Math.abs(now - unix) / seconds)
  return now < unix
    ? { value: relativeFormat().format(count, unit), validUntil: unix - count * seconds + 1 }
    : { value: relativeFormat().format(-count, unit), validUntil: unix + (count + 1) * seconds }
}

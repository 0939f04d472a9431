import { CellError } from '../problems.ts'
import { dateTime } from '../values.ts'
import { type MediaFolder, mediaFileAddress } from './media.ts'

/** Rules for reading dates and times in cells. */
export interface CellOptions {
  /** IANA time zone of times that name none. */
  readonly timeZone: string
  /** Order of day and month in `3/4/2026`; such dates are refused if it is undefined. */
  readonly dates: 'dmy' | 'mdy' | undefined
  /** Encoding of files that are not Unicode; guessed if it is undefined. */
  readonly encoding?: string | undefined
  /** Films that cells can name instead of a URL. */
  readonly media?: MediaFolder | undefined
}

/** Seconds that a zone is ahead of UTC at an instant. */
const zoneOffset = (unix: number, timeZone: string): number => {
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(unix) * 1000)
  return instant.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e9
}

/** Instant at which clocks of a zone show a time; the time is given as if it were UTC. */
const fromZone = (local: number, timeZone: string): number => {
  const guess = local - zoneOffset(local, timeZone)
  return local - zoneOffset(guess, timeZone)
}

const isoDate = (day: string, month: string, year: string): string =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`

/** Order of day and month that the two numbers of a date allow; undefined if they allow both. */
const orderOf = (one: string, two: string): CellOptions['dates'] => {
  if (Number(one) > 12) return 'dmy'
  return Number(two) > 12 ? 'mdy' : undefined
}

/** A date as spreadsheets write it, in the order of ISO 8601. */
const isoOrder = (cell: string, { dates }: CellOptions): string => {
  const match = /^(\d{1,2})([./])(\d{1,2})\2(\d{4}|\d\d)(?!\d)(.*)$/.exec(cell)
  if (!match) return cell
  const [, one = '', separator, two = '', year = '', rest = ''] = match
  const order = separator === '.' ? 'dmy' : (dates ?? orderOf(one, two))
  if (!order) {
    throw new CellError(`'${cell}' has an ambiguous date: use 2026-03-14, or --dates dmy or mdy`)
  }
  const whole = year.padStart(4, '20')
  return (order === 'dmy' ? isoDate(one, two, whole) : isoDate(two, one, whole)) + rest
}

/** Turns `3:05 PM` at the end into `15:05`; an hour outside that half of the day stays, and is refused later. */
const hours24 = (cell: string): string =>
  cell
    .replace(/[ T](\d{1,2})(:\d\d(?::\d\d)?)\s*([ap])\.?m\.?$/i, (whole, hour, rest, half) => {
      const isAfternoon = /p/i.test(half)
      if (Number(hour) > (isAfternoon ? 23 : 12)) return whole
      const twelve = Number(hour) % 12
      return ` ${String(isAfternoon ? twelve + 12 : twelve).padStart(2, '0')}${rest}`
    })
    .replace(/[ T](\d):/, ' 0$1:')

/** Unix seconds; null for an empty cell. */
export const readTime = (cell: string, options: CellOptions): number | null => {
  if (cell === '') return null
  const iso = hours24(isoOrder(cell, options))
  const read = dateTime(iso)
  const hasZone = /[T ].*(Z|[+-]\d\d:?\d\d)$/i.test(iso)
  const unix = read === null || hasZone ? read : fromZone(read, options.timeZone)
  if (unix === null || unix < 0) {
    const hint = /^\d+([.,]\d+)?$/.test(cell) ? ': format these cells as date and time' : ''
    throw new CellError(`'${cell}' is not a time; use the form 2026-03-14 15:05${hint}`)
  }
  return unix
}

const isTimeAlone = (cell: string): boolean => /^\d{1,2}:\d\d/.test(cell)

const daySeconds = 86_400

/** `2026-03-14` on the clocks of a zone. */
const dateIn = (unix: number, { timeZone }: CellOptions): string =>
  new Date((unix + zoneOffset(unix, timeZone)) * 1000).toISOString().slice(0, 10)

/** `2026-03-14 15:05`, with seconds if there are any, in the form that {@link readTime} reads. */
export const writeTime = (unix: number, { timeZone }: CellOptions): string =>
  new Date((unix + zoneOffset(unix, timeZone)) * 1000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
    .replace(/:00$/, '')

const nextDate = (date: string): string =>
  new Date(Date.parse(date) + daySeconds * 1000).toISOString().slice(0, 10)

/** {@link readTime}; a time without a date is its first occurrence from an instant on. */
export const readTimeFrom = (
  cell: string,
  from: number | null,
  options: CellOptions,
): number | null => {
  if (from === null || !isTimeAlone(cell)) return readTime(cell, options)
  const date = dateIn(from, options)
  const found = readTime(`${date} ${cell}`, options)
  return found !== null && found < from ? readTime(`${nextDate(date)} ${cell}`, options) : found
}

/** Reason why a time read by {@link readTimeFrom} is probably wrong. */
export const doubtAbout = (
  cell: string,
  unix: number | null,
  from: number | null,
  options: CellOptions,
): string | undefined => {
  if (unix === null || from === null) return undefined
  const seconds = unix - from
  if (seconds < 0) return `'${cell}' is before the start of the tournament`
  const isNextDay = isTimeAlone(cell) && dateIn(unix, options) !== dateIn(from, options)
  return isNextDay && seconds > daySeconds / 2
    ? `'${cell}' is before the start of the tournament, so it is taken for the next day`
    : undefined
}

/** {@link readTime} of an end: a date without a time is the end of that day. */
export const readEnd = (cell: string, options: CellOptions): number | null => {
  const found = readTime(cell, options)
  return found === null || cell.includes(':') ? found : found + 86_399
}

/** Whole number of at least 0; null for an empty cell. */
export const readCount = (cell: string): number | null => {
  if (cell === '') return null
  if (!/^\d{1,9}$/.test(cell)) throw new CellError(`'${cell}' is not a whole number`)
  return Number(cell)
}

/**
 * Seconds of `95` or `1:35`. Spreadsheets take a length for a time of day: `01:35:00` is 1:35, too, and so is
 * `0:01:35`; `0:03:00` is refused, since it could be 3 seconds or 3 minutes.
 */
export const readLength = (cell: string): number | null => {
  const [, ambiguous] = /^0?0:0?([1-9]):00$/.exec(cell) ?? []
  if (ambiguous !== undefined) {
    const seconds = Number(ambiguous)
    throw new CellError(`'${cell}' is seconds or minutes: write ${seconds} or ${60 * seconds}`)
  }
  const match =
    /^(\d{1,3}):([0-5]\d)(?::00)?$/.exec(cell) ?? /^0?0:([0-5]?\d):([0-5]\d)$/.exec(cell)
  if (match) return Number(match[1]) * 60 + Number(match[2])
  if (cell !== '' && !/^\d{1,5}$/.test(cell)) {
    throw new CellError(`'${cell}' is not a fight length; use seconds such as 95 or 1:35`)
  }
  return readCount(cell)
}

/**
 * Yes and no, with words and truth values of spreadsheets in German, Spanish, French, Italian, Dutch, Polish and
 * Portuguese.
 */
const yes =
  'yes y true 1 x ja j wahr waar sí si verdadero oui o vrai sì vero tak prawda sim verdadeiro'
const no = 'no n false 0 nein falsch nee onwaar falso non faux nie fałsz não nao'
const answers: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ...yes.split(' ').map((word) => [word, true] as const),
  ...no.split(' ').map((word) => [word, false] as const),
])

/** `yes` or `no`; an empty cell is no. */
export const readFlag = (cell: string): boolean => {
  const found = answers.get(cell.toLowerCase())
  if (found === undefined) throw new CellError(`'${cell}' is neither yes nor no`)
  return found
}

/** One of some words, with spaces, hyphens or underscores; an empty cell is the first one. */
export const readWord = <const Word extends string>(cell: string, words: readonly Word[]): Word => {
  const wanted = cell.toLowerCase().replace(/[\s-]+/g, '_')
  const found = cell === '' ? words[0] : words.find((word) => word === wanted)
  if (found === undefined) throw new CellError(`'${cell}' must be one of ${words.join(', ')}`)
  return found
}

/** An http(s) address; null for an empty cell. */
export const readAddress = (
  cell: string,
  { media }: Pick<CellOptions, 'media'> = {},
): string | null => {
  if (cell === '') return null
  if (media && !/^\w+:\/\//.test(cell)) return mediaFileAddress(media, cell)
  if (!/^https?:\/\//i.test(cell) || !URL.canParse(cell)) {
    throw new CellError(`'${cell}' is not a URL that begins with https://`)
  }
  return cell
}

/** An id: up to 128 characters that can be a segment of a URL. */
export const readId = (cell: string): string => {
  if (cell === '.' || cell === '..') throw new CellError(`'${cell}' cannot be an id`)
  if (cell.length > 128) throw new CellError('longer than 128 characters')
  return cell
}

/** Points of the red and the blue corner of `2-1`; undefined for an empty cell. */
export const readScore = (cell: string): readonly [number, number] | undefined => {
  if (cell === '') return undefined
  const [, red, blue] = /^(\d{1,3})\s*[-–:]\s*(\d{1,3})$/.exec(cell) ?? []
  if (red === undefined) throw new CellError(`'${cell}' is not a score; use the form 2-1`)
  return [Number(red), Number(blue)]
}

/** `2` and `cage 2` are `Cage 2`; other names stay. */
export const readCage = (cell: string): string | null => {
  if (cell === '') return null
  const [, number] = /^(?:cage\s*)?(\d{1,4})$/i.exec(cell) ?? []
  return number === undefined ? cell : `Cage ${Number(number)}`
}

import { CellError } from '../problems.ts'
import { dateTime } from '../values.ts'
import { fromZone, isRepeated, zoneOffset } from './clocks.ts'
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

const hasZone = (cell: string): boolean => /[T ].*(Z|[+-]\d\d:?\d\d)$/i.test(cell)

/** An instant, and whether clocks skip the time that the cell names; undefined for a cell that is no time. */
const instantOf = (cell: string, options: CellOptions) => {
  const iso = hours24(isoOrder(cell, options))
  const read = dateTime(iso)
  if (read === null) return undefined
  const found = hasZone(iso) ? { unix: read, isSkipped: false } : fromZone(read, options.timeZone)
  return found.unix < 0 ? undefined : found
}

/** Unix seconds; null for an empty cell. A date without a time is its first moment. */
export const readTime = (cell: string, options: CellOptions): number | null => {
  if (cell === '') return null
  const found = instantOf(cell, options)
  if (!found) {
    const hint = /^\d+([.,]\d+)?$/.test(cell) ? ': format these cells as date and time' : ''
    throw new CellError(`'${cell}' is not a time; use the form 2026-03-14 15:05${hint}`)
  }
  if (found.isSkipped && cell.includes(':')) {
    const { timeZone } = options
    throw new CellError(
      `'${cell}' is never shown by clocks in ${timeZone}, which are set forward then: write ` +
        `${writeTime(found.unix, options)}, or the right --time-zone`,
    )
  }
  return found.unix
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
  const found = instantOf(`${date} ${cell}`, options)
  const isNextDay = found !== undefined && found.unix < from
  return readTime(`${isNextDay ? nextDate(date) : date} ${cell}`, options)
}

/** Doubt about a time in the hour that clocks repeat in autumn. */
export const repeatedHour = (
  cell: string,
  unix: number | null,
  options: CellOptions,
): string | undefined => {
  if (unix === null || !cell.includes(':') || hasZone(cell)) return undefined
  const { timeZone } = options
  if (!isRepeated(unix, timeZone)) return undefined
  const offset = Temporal.Instant.fromEpochMilliseconds(unix * 1000).toZonedDateTimeISO(timeZone)
  return (
    `'${cell}' is shown twice by clocks in ${timeZone}, which are set back then; it is taken for the first ` +
    `time, ${writeTime(unix, options)}${offset.offset}: write it with its offset`
  )
}

/** Reason why a time read by {@link readTimeFrom} is probably wrong. */
export const doubtAbout = (
  cell: string,
  unix: number | null,
  from: number | null,
  options: CellOptions,
): string | undefined => {
  const repeated = repeatedHour(cell, unix, options)
  if (repeated !== undefined || unix === null || from === null) return repeated
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

/** Forms of a length with their minutes and seconds, which can have decimals. */
const lengthForms: readonly RegExp[] = [
  /^(?<minutes>\d{1,3}):(?<seconds>[0-5]\d([.,]\d{1,3})?)(:00)?$/,
  /^0?0:(?<minutes>[0-5]?\d):(?<seconds>[0-5]\d([.,]\d{1,3})?)$/,
  /^(?<seconds>\d{1,5})$/,
  // A short one with decimals can be minutes.
  /^(?<seconds>\d{2,5}[.,]\d{1,3})$/,
  /^(?<seconds>\d{1,5}([.,]\d{1,3})?)\s*s(ec(onds?|s)?|ek(unden)?|egundos)?\.?$/i,
  /^(?<minutes>\d{1,3})\s*m(in(utes?|uten|utos)?)?\.?\s*((?<seconds>[0-5]?\d)\s*(s(ec|ek)?\.?)?)?$/i,
]

/**
 * Seconds of `95`, `94,5`, `95 s` or `1:35`, rounded. Spreadsheets take a length for a time of day: `01:35:00` is 1:35,
 * too, and so is `0:01:35`; `0:03:00` is refused, since it could be 3 seconds or 3 minutes.
 */
export const readLength = (cell: string): number | null => {
  if (cell === '') return null
  const [, ambiguous] = /^0?0:0?([1-9]):00$/.exec(cell) ?? []
  if (ambiguous !== undefined) {
    const seconds = Number(ambiguous)
    throw new CellError(`'${cell}' is seconds or minutes: write ${seconds} or ${60 * seconds}`)
  }
  const groups = lengthForms.map((form) => form.exec(cell)?.groups).find(Boolean)
  if (!groups)
    throw new CellError(`'${cell}' is not a fight length; use seconds such as 95 or 1:35`)
  const { minutes = '0', seconds = '0' } = groups
  return Number(minutes) * 60 + Math.round(Number(seconds.replace(',', '.')))
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

const scorePattern = /^(\d{1,3})\s*[-–:]\s*(\d{1,3})$/

/** Points of the red and the blue corner of `2-1`, or the sets they won of `1-3,3-0,3-2`; undefined for an empty cell. */
export const readScore = (cell: string): readonly [number, number] | undefined => {
  if (cell === '') return undefined
  const sets = cell.split(/\s*[,;|/]\s*|(?<=\d)\s+(?=\d)/).map((set) => {
    const [, red, blue] = scorePattern.exec(set) ?? []
    if (red === undefined) throw new CellError(`'${cell}' is not a score; use the form 2-1`)
    return [Number(red), Number(blue)] as const
  })
  const [only] = sets
  if (sets.length === 1) return only
  return [sets.filter(([a, b]) => a > b).length, sets.filter(([a, b]) => a < b).length]
}

/** `2` and `cage 2` are `Cage 2`; other names stay. */
export const readCage = (cell: string): string | null => {
  if (cell === '') return null
  const [, number] = /^(?:cage\s*)?(\d{1,4})$/i.exec(cell) ?? []
  return number === undefined ? cell : `Cage ${Number(number)}`
}

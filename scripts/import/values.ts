import { cleanName } from '../../src/data/league/cleanName.ts'

/**
 * Tolerant reading of JSON of unknown shape: numbers as text, missing fields, unset dates. A value that
 * cannot be read is null; the schemas of the rows are checked later.
 */

/** An object whose fields can be missing or of any type. */
export type Loose = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object, or an empty one. */
export const record = (value: unknown): Loose => (isObject(value) ? value : {})

/** The objects of a list; other entries are left out. */
export const records = (value: unknown): readonly Loose[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Text without characters that Postgres cannot store: NUL and lone surrogates. */
export const text = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : ''
}

export const textOrNull = (value: unknown): string | null => text(value) || null

/** The value, if it is one of several texts. */
export const oneOf = <Value extends string>(
  value: unknown,
  values: readonly Value[],
): Value | undefined => values.find((each) => each === value)

/** A number, also as decimal text; null if it is none. */
export const number = (value: unknown): number | null => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || !/^\s*-?\d{1,16}(\.\d{1,9})?\s*$/.test(value)) return null
  return Number(value)
}

export const integer = (value: unknown): number | null => {
  const found = number(value)
  return found !== null && Number.isSafeInteger(found) ? found : null
}

/** Whole pounds of a weight class, at least 1: `1.5` is 2; `0` stays, because it is a mixed class. */
export const wholePounds = (pounds: number): number =>
  pounds === 0 ? 0 : Math.max(1, Math.round(pounds))

/** A whole number of at least 0; null otherwise. */
export const count = (value: unknown): number | null => {
  const found = integer(value)
  return found !== null && found >= 0 ? found : null
}

export const flag = (value: unknown): boolean =>
  value === true || value === 1 || value === '1' || value === 'true'

/** Larger numbers are milliseconds: as seconds they would be after the year 5138. */
const maxSeconds = 99_999_999_999

/** Unix seconds, from seconds or milliseconds, also as text; 0 and empty are null. */
export const unixTime = (value: unknown): number | null => {
  const found = number(value)
  if (found === null || found <= 0) return null
  return found > maxSeconds ? found / 1000 : found
}

/** {@link unixTime} in whole seconds. */
export const unixSeconds = (value: unknown): number | null => {
  const found = unixTime(value)
  return found === null ? null : Math.floor(found)
}

const dateTimePattern =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i

/**
 * Unix seconds of `2026-03-14T15:00:00Z` or `2026-03-14 15:00:00`, UTC without a zone. `0000-00-00
 * 00:00:00` and dates that do not exist are null.
 */
export const dateTime = (value: unknown): number | null => {
  const [, date = '', time = '00:00', seconds = '00', zone = 'Z'] =
    dateTimePattern.exec(text(value).trim()) ?? []
  if (date < '1970') return null
  try {
    const minute = Temporal.Instant.from(`${date}T${time}${zone}`).epochMilliseconds / 1000
    const unix = minute + Number(seconds)
    return unix < 0 || Number(seconds) > 60 ? null : unix
  } catch {
    return null
  }
}

/** Equal for all spellings of one name. */
export const nameKey = (name: string): string => cleanName(name) || name.trim()

/** An http(s) address; null for anything else. */
export const address = (value: unknown): string | null => {
  const found = text(value).trim()
  return /^https?:\/\//i.test(found) && URL.canParse(found) ? found : null
}

const halfRange = 2 ** 51

/** A number from 2^52 on that depends only on the text, for rows whose source has no number. */
export const stableNumber = (text: string): number =>
  Number(Bun.hash.xxHash64(text) & (2n ** 51n - 1n)) + 2 * halfRange

/** Such a number for a row of a file, in a range of its own: a file is not part of another source. */
export const fileNumber = (text: string): number => stableNumber(text) + halfRange
/** Such a number for a row of a folder, whose import removes rows that are gone from it. */
export const folderNumber = (text: string): number => stableNumber(text) - halfRange
export const isFolderNumber = (id: unknown): boolean =>
  typeof id === 'number' && id >= halfRange && id < 2 * halfRange
export const isFileNumber = (id: unknown): boolean =>
  isFolderNumber(id) || (typeof id === 'number' && id >= 3 * halfRange)

export const unixNow = (): number => Math.floor(Date.now() / 1000)

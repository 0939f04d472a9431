import { type TObject, type TSchema, Type, TypeGuard } from '@sinclair/typebox'
import { cleanName } from '../league/cleanName.ts'
import { exchangeOf } from './exchange.ts'

/** At most so many characters of a text are read, unless its schema has a `maxLength`. */
const maxTextLength = 64
/** No bot has a longer name. */
const maxNameLength = 4096

/** An id, which counts as it stands. */
export const idParameter = (description: string) =>
  Type.Optional(Type.String({ 'x-read': 'exact', description }))

/** A bot by clean or display name; handlers see the clean name. */
export const botParameter = (description: string) =>
  Type.Optional(Type.String({ 'x-read': 'cleanName', description }))

/**
 * A decimal integer moved to the nearest bound; the default for anything else, `1e3`, `0x10`,
 * `1.5` and the empty text included.
 */
const readInteger = (schema: TSchema, text: string): unknown => {
  if (!/^-?\d+$/.test(text)) return schema.default
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  return Math.min(Math.max(Number(text), minimum), maximum)
}

/** NFKD, but for the few characters that it makes another clean name of: `µ`, Thai `ำ`, `℃`. */
const decompose = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (character) => {
    const decomposed = character.normalize('NFKD')
    return cleanName(decomposed) === cleanName(character) ? decomposed : character
  })

/**
 * Decomposed without the marks of Latin letters and of what is no letter, and composed again: in other
 * scripts a mark makes another letter (`ボ`, `й`), which transliteration needs.
 */
const withoutMarks = (text: string): string =>
  decompose(text)
    .replace(/(^|[^\p{L}\p{M}]|\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')

/**
 * Trimmed, {@link withoutMarks} and cut, unless the schema says how it is read; the default when
 * nothing is left. A bot's name that cleans to nothing is the empty string, which names no bot.
 */
const readText = (schema: TSchema, text: string): unknown => {
  if (schema['x-read'] === 'exact') return text || schema.default
  if (schema['x-read'] === 'cleanName') {
    return text.trim() === '' ? schema.default : cleanName(text.slice(0, maxNameLength))
  }
  const { maxLength = maxTextLength } = schema
  // Marks are cut with the rest of a text that is longer than anybody types.
  const read = withoutMarks(text.trim().slice(0, 16 * maxLength))
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
    // The same when read again: the text is part of the key of the stored answer.
    .trim()
  return read || schema.default
}

/** `?flag`, `?flag=1`, `true` or `yes` in any case. */
const readFlag = (text: string): boolean => /^(1|true|yes)?$/i.test(text.trim())

const readParameter = (schema: TSchema, text: string | undefined): unknown => {
  if (text === undefined) return schema.default
  if (TypeGuard.IsInteger(schema)) return readInteger(schema, text)
  if (TypeGuard.IsBoolean(schema)) return readFlag(text)
  if (TypeGuard.IsUnion(schema)) {
    return schema.anyOf.some(({ const: value }) => value === text) ? text : schema.default
  }
  return readText(schema, text)
}

/** No program of ours or others' asks in more; reading it would take longer than answering. */
const longestQuery = 32 * 1024

const queries = new WeakMap<Request, ReadonlyMap<string, string>>()

/** The query of a request by name, whatever its names are; of a repeated one the last counts. */
export const queryOf = (request: Request): ReadonlyMap<string, string> => {
  const known = queries.get(request)
  if (known) return known
  const { url } = request
  const start = url.indexOf('?')
  const query = start < 0 ? '' : url.slice(start + 1, start + 1 + longestQuery)
  const read = new Map(new URLSearchParams(query))
  queries.set(request, read)
  return read
}

/**
 * Route options for a query that is never refused: the schema documents it, and a hook reads each
 * parameter by its own kind, bounds and default before validation. Kinds are integer, flag (a
 * boolean), text, and a union of literals; an optional one without a default is undefined when absent. Unknown parameters
 * are ignored, of a repeated one the last counts.
 */
export const lenient = <T extends TObject>(schema: T) => ({
  query: schema,
  transform: (context: { request: Request; query: unknown }): void => {
    const given = queryOf(context.request)
    const canonical = new URLSearchParams()
    const values: Record<string, unknown> = {}
    for (const [name, parameter] of Object.entries(schema.properties)) {
      const value = readParameter(parameter, given.get(name))
      if (value !== undefined) values[name] = value
      if (value !== parameter.default) canonical.set(name, String(value))
    }
    context.query = values
    exchangeOf(context.request).query = canonical.toString()
  },
})

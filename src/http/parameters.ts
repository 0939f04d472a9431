import { type Static, type TObject, type TSchema, Type, TypeGuard } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { cleanName } from '../league/cleanName.ts'
import type { Opening } from './opening.ts'
import { contextOf } from './requestContext.ts'

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

/** Longer than the query of any known program; reading it would take longer than answering. */
const maxQueryLength = 32 * 1024

/** The query of a request by name; of a repeated name the last value counts. */
const readQuery = ({ url }: Request): ReadonlyMap<string, string> => {
  const start = url.indexOf('?')
  const query = start < 0 ? '' : url.slice(start + 1, start + 1 + maxQueryLength)
  return new Map(new URLSearchParams(query))
}

/** Parts of a request besides the declared parameters. */
interface Sources {
  /** The whole query, whatever its names are. */
  readonly given: ReadonlyMap<string, string>
  /** The header named by `varyOn`. */
  readonly header: string | null
}

interface Options<Query extends TObject, Normalized extends object> {
  /** The query as it is documented. */
  readonly query?: Query
  /** Whether every path parameter names a bot: handlers see clean names. */
  readonly hasBotsInPath?: boolean
  /** The one header that the response depends on besides those that all do. */
  readonly varyOn?: string
  /** Values that replace those of the query, the same for every spelling of a request. */
  readonly normalize?: (values: Static<Query>, sources: Sources) => Normalized
  /** The start of the body that repeats what a request sent, see {@link Opening}. */
  readonly opening?: (values: Static<Query>) => Opening
}

const noQuery = Type.Object({})

const readValues = (
  schema: TObject,
  given: ReadonlyMap<string, string>,
): Record<string, unknown> => {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(schema.properties)) {
    // Absent ones too, so that the names are in one order.
    values[name] = readParameter(parameter, given.get(name))
  }
  return values
}

/**
 * Route options for parameters that are never refused: the schema documents the query, and one hook reads
 * each parameter by its own kind, bounds and default before validation. Kinds are integer, flag (a
 * boolean), text, and a union of literals; an optional one without a default is undefined when absent.
 * Unknown parameters are ignored, of a repeated one the last counts. Handlers see nothing else of a
 * request, and the values are the key of the cached response. All that a route has to say of its
 * parameters goes into one call: of two hooks in one object, the later would replace the other.
 */
export const parameters = <
  Query extends TObject = typeof noQuery,
  Normalized extends object = Record<never, never>,
>({
  query,
  hasBotsInPath = false,
  varyOn,
  normalize,
  opening,
}: Options<Query, Normalized>) => {
  const schema: TObject = query ?? noQuery
  // The router refuses names that the schema does not have, such as those of `normalize`.
  const open = { ...schema, additionalProperties: true }
  return {
    query: Type.Unsafe<Static<Query> & Normalized>(open),
    transform: (context: {
      readonly request: Request
      query: unknown
      readonly params: Record<string, string>
    }): void => {
      const { request, params } = context
      if (hasBotsInPath) {
        for (const [name, value] of Object.entries(params)) params[name] = cleanName(value)
      }
      const given = readQuery(request)
      const values = readValues(schema, given)
      const header = varyOn === undefined ? null : request.headers.get(varyOn)
      const own = contextOf(request)
      own.hasDeclaredQuery = true
      own.variesByHeader = varyOn !== undefined
      context.query = values
      if (!query || !Value.Check(query, values)) return
      own.opening = opening?.(values)
      context.query = { ...values, ...normalize?.(values, { given, header }) }
    },
  }
}

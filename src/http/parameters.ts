import {
  KindGuard,
  type Static,
  type StringOptions,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { cleanName } from '../data/league/cleanName.ts'
import { classNameKey } from '../data/league/weightClass.ts'
import type { Settable } from './htmlPage.ts'
import { visitOf } from './requestContext.ts'

/** Maximum number of characters read of a text, unless its schema has a `maxLength`. */
const maxTextLength = 64
/** Matches no player; players whose names have no clean characters share the empty one. Links repeat it. */
const noBot = '-'
/** Maximum number of characters read of a bot name; no bot has a longer one. */
const maxNameLength = 4096

/** A text that may be left out. */
export const textParameter = (description: string, options: StringOptions = {}) =>
  Type.Optional(Type.String({ ...options, description }))

/** An id, read without normalization. */
export const idParameter = (description: string) =>
  textParameter(description, { 'x-read': 'exact' })

/**
 * Values separated by commas, in one parameter or several. With `values`, the description gives it as an array of these;
 * the handler checks them.
 */
export const listParameter = (description: string, values?: readonly string[]) =>
  textParameter(description, { 'x-read': 'exact', 'x-list': true, 'x-values': values })

/** A bot by clean or display name; handlers see the clean name. */
export const botParameter = (description: string) =>
  textParameter(description, { 'x-read': 'cleanName' })

/** Parameters in paths that are names of bots or teams; handlers get clean names. */
const namesInPaths = new Set(['bot', 'bot1', 'bot2', 'team'])

/** Replaces names of bots and teams among the parameters of a path by clean names. */
export const cleanPathParameters = (params: Record<string, string | undefined>): void => {
  for (const name in params) {
    if (namesInPaths.has(name)) params[name] = cleanName(params[name] ?? '')
  }
}

/**
 * Reads a decimal integer, clamped to its bounds; the default for any other text, such as `1e3`,
 * `0x10`, `1.5` and the empty text.
 */
const readInteger = (schema: TSchema, text: string): unknown => {
  if (!/^-?\d+$/.test(text)) return schema.default
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  return Math.min(Math.max(Number(text), minimum), maximum)
}

/** A weight in pounds, such as `30lb`. */
const pounds = /^\s*(\d+)[\s-]*(?:lbs?|pounds?)\s*$/i

/** NFKD, except for the few characters whose clean name it would change: `µ`, Thai `ำ`, `℃`. */
const decompose = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (character) => {
    const decomposed = character.normalize('NFKD')
    return cleanName(decomposed) === cleanName(character) ? decomposed : character
  })

/**
 * Removes combining marks of Latin letters and non-letters. In other scripts a mark makes another
 * letter (`ボ`, `й`), which transliteration needs.
 */
const withoutMarks = (text: string): string =>
  decompose(text)
    .replace(/(^|[^\p{L}\p{M}]|\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')

/**
 * Reads a text: trimmed, {@link withoutMarks} and cut, unless the schema's `x-read` differs; the
 * default if nothing is left. A bot name without clean characters is {@link noBot}.
 */
const readText = (schema: TSchema, text: string): unknown => {
  if (schema['x-read'] === 'exact') return text || schema.default
  if (schema['x-read'] === 'cleanName') {
    return text.trim() === '' ? schema.default : cleanName(text.slice(0, maxNameLength)) || noBot
  }
  if (schema['x-read'] === 'className') return classNameKey(text) || schema.default
  const { maxLength = maxTextLength } = schema
  // Bounds the work on texts that consist of marks.
  const read = withoutMarks(text.trim().slice(0, 16 * maxLength))
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
    // Idempotent: the text is part of the cache key.
    .trim()
  return read || schema.default
}

/** `?flag`, `?flag=1`, `true` or `yes` in any case. */
const readFlag = (text: string): boolean => /^(1|true|yes)?$/i.test(text.trim())

/** One of several values; undefined for any other text. */
const readMember = (schema: TSchema, text: string): unknown =>
  KindGuard.IsLiteral(schema)
    ? schema.const === text
      ? text
      : undefined
    : readParameter(schema, text)

const readParameter = (schema: TSchema, text: string | undefined): unknown => {
  if (text === undefined) return schema.default
  if (KindGuard.IsInteger(schema)) {
    const unit = schema['x-read'] === 'pounds' ? pounds.exec(text)?.[1] : undefined
    return readInteger(schema, unit ?? text)
  }
  if (KindGuard.IsBoolean(schema)) return readFlag(text)
  if (KindGuard.IsUnion(schema)) {
    return (
      schema.anyOf.map((member) => readMember(member, text)).find((value) => value !== undefined) ??
      schema.default
    )
  }
  return readText(schema, text)
}

/** Maximum number of characters read of a query; no known program sends more. */
const maxQueryLength = 32 * 1024

const noParameters: ReadonlyMap<string, string> = new Map()

/**
 * Query parameters by name. The last of a repeated name wins; values of a list are joined by two commas, which no name
 * has.
 */
export const readQuery = (
  { url }: Request,
  lists: readonly string[],
): ReadonlyMap<string, string> => {
  const start = url.indexOf('?')
  if (start < 0) return noParameters
  const query = new URLSearchParams(url.slice(start + 1, start + 1 + maxQueryLength))
  const read = new Map(query)
  for (const name of lists) {
    if (read.has(name)) read.set(name, query.getAll(name).join(',,'))
  }
  return read
}

/** Data version in a URL, the last one of several; undefined if it has none. */
export const versionIn = (url: string): string | undefined => {
  const start = url.search(/[?&]v=/) < 0 ? -1 : url.indexOf('?')
  if (start < 0) return undefined
  return new URLSearchParams(url.slice(start + 1)).getAll('v').at(-1)
}

/** Read on every route: the version in URLs of `/changes`, and the name of a caller. */
const isCommon = (name: string): boolean => name === 'v' || name === 'key'

/** Names that may be repeated in a header. */
const plainName = /^[\w[\]-]{1,64}$/
const maxIgnored = 10

/** Names of the given parameters that are not declared, as a header; undefined if there are none. */
export const ignoredParameters = (
  given: ReadonlyMap<string, string>,
  isDeclared: (name: string) => boolean,
): string | undefined => {
  const names = [...given.keys()].filter(
    (name) => !isCommon(name) && !isDeclared(name) && plainName.test(name),
  )
  return names.length === 0 ? undefined : names.slice(0, maxIgnored).join(', ')
}

/** Names a parameter whose value a handler could not use, in its response. */
export const ignore = ({ headers }: Settable, name: string): void => {
  const before = headers['x-ignored-parameters']
  headers['x-ignored-parameters'] = before === undefined ? name : `${before}, ${name}`
}

/** Other parts of a request that `normalize` can read. */
interface Sources {
  /** The whole query, including undeclared names. */
  readonly given: ReadonlyMap<string, string>
  /** The headers named by `varyOn`, and no others. */
  readonly headers: Headers
}

/** Parts of a request that a route reads besides the parameters of its schema. */
interface ReadWith {
  /** Names that `normalize` reads besides the names in the schema. */
  readonly alsoRead?: RegExp | undefined
  /** Names of headers that the response depends on, besides the common ones. */
  readonly varyOn?: readonly string[]
}

/** Parts of a request that a route has read. */
export interface Read {
  /** Names of the headers that its response depends on, besides the common ones. */
  readonly variesBy: readonly string[]
  /** Header that names the given parameters which the route does not know; undefined without any. */
  readonly ignored: string | undefined
}

/** Reads a request of a route without query parameters. */
export const readNothing = (request: Request): Read => ({
  variesBy: [],
  ignored: ignoredParameters(readQuery(request, []), () => false),
})

interface Options<Fields extends TProperties, Normalized extends object> extends ReadWith {
  /** Values that replace the query's: equal for equivalent requests, because they are the cache key. */
  readonly normalize?: (values: Static<TObject<Fields>>, sources: Sources) => Normalized
}

const onlyHeaders = (headers: Headers, names: readonly string[]): Headers => {
  const only = new Headers()
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null) only.set(name, value)
  }
  return only
}

const readValues = (
  fields: TProperties,
  given: ReadonlyMap<string, string>,
): Record<string, unknown> => {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(fields)) {
    // Includes absent ones, for a fixed order of names.
    values[name] = readParameter(parameter, given.get(name))
  }
  return values
}

/**
 * Route options for lenient parameters: out-of-range integers are clamped; other invalid values,
 * unknown names and all but the last of a repeated name are ignored. The fields document the
 * query; one hook reads it before validation by kind: integer, boolean flag, text, or union of
 * literals. Handlers see only the resulting values, which are the cache key. One call per route: of
 * two `transform` hooks in one object, the later replaces the other.
 */
export const parameters = <
  Fields extends TProperties,
  Normalized extends object = Record<never, never>,
>(
  fields: Fields,
  { alsoRead, varyOn = [], normalize }: Options<Fields, Normalized> = {},
) => {
  const names = new Set(Object.keys(fields))
  const lists = [...names].filter((name) => fields[name]?.['x-list'])
  const isDeclared = (name: string): boolean => names.has(name) || (alsoRead?.test(name) ?? false)
  const schema = Type.Object(fields)
  // Elysia's types reject names missing from the schema, such as the ones that `normalize` adds.
  const open = { ...schema, additionalProperties: true, 'x-vary-on': varyOn }
  return {
    query: Type.Unsafe<Static<TObject<Fields>> & Normalized>(open),
    transform: (context: { readonly request: Request; query: unknown }): void => {
      const { request } = context
      const given = readQuery(request, lists)
      const values = readValues(fields, given)
      if (!Value.Check(schema, values)) throw new TypeError('the query breaks its schema')
      const headers = onlyHeaders(request.headers, varyOn)
      context.query = { ...values, ...normalize?.(values, { given, headers }) }
      visitOf(request).read = { variesBy: varyOn, ignored: ignoredParameters(given, isDeclared) }
    },
  }
}

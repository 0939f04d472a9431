import type { TInteger, TObject } from '@sinclair/typebox'
import { exchangeOf } from './exchange.ts'

/** A query of whole numbers, each with a default and bounds. */
type Integers = TObject<Record<string, TInteger>>

/**
 * A decimal integer moved to the nearest bound; the default for anything else, `1e3`, `0x10`,
 * `1.5` and the empty text included.
 */
const readInteger = (schema: TInteger, text: string | undefined): number => {
  if (text === undefined || !/^-?\d+$/.test(text)) return Number(schema.default)
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  return Math.min(Math.max(Number(text), minimum), maximum)
}

const queryOf = (url: string): URLSearchParams => {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}

/**
 * Route options for a query that is never refused: the schema documents it, and a hook reads each
 * parameter by its own bounds and default before validation. Unknown parameters are ignored, of a
 * repeated one the last counts.
 */
export const lenient = <T extends Integers>(schema: T) => ({
  query: schema,
  transform: (context: { request: Request; query: Record<string, unknown> }): void => {
    const given = queryOf(context.request.url)
    const canonical = new URLSearchParams()
    const values: Record<string, number> = {}
    for (const [name, parameter] of Object.entries(schema.properties)) {
      const value = readInteger(parameter, given.getAll(name).at(-1))
      values[name] = value
      if (value !== parameter.default) canonical.set(name, String(value))
    }
    context.query = values
    exchangeOf(context.request).query = canonical.toString()
  },
})

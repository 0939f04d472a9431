import type { TSchema } from '@sinclair/typebox'
import { isOfRatings } from '../http/openapi/ofRatings.ts'

/** Columns of a table by name. Not a whole schema, which would be too deep for the compiler. */
export interface RowSchema {
  readonly properties: Readonly<Record<string, TSchema>>
}

export const columnsOf = ({ properties }: RowSchema, hasRatings: boolean): [string, TSchema][] =>
  Object.entries(properties).filter(([, schema]) => hasRatings || !isOfRatings(schema))

/**
 * Texts that spreadsheets run as formulas (OWASP, CSV injection), with the full-width characters that
 * some read as the same.
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/**
 * A value in a line of CSV (RFC 4180). A text that would be a formula begins with an apostrophe; lists are
 * joined by spaces, null is empty. Written here because csv-stringify takes 0.1 ms for a row.
 */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = Array.isArray(value) ? value.join(' ') : String(value)
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A line of CSV with its line end. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\n`

/** Writes rows as lines of CSV with these columns. */
export const csvTable = (row: RowSchema, hasRatings: boolean) => {
  const columns = columnsOf(row, hasRatings).map(([column]) => column)
  return {
    /** The line of column names. */
    opening: csvLine(columns),
    line: (row: object): string => {
      const values = new Map<string, unknown>(Object.entries(row))
      return csvLine(columns.map((column) => values.get(column)))
    },
  }
}

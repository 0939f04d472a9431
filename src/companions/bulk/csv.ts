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

import { foldText, maxFoldedLength } from '../../data/league/foldText.ts'
import { once } from '../../runtime/once.ts'

/**
 * Server-side processing of DataTables (`serverSide: true`): searching, ordering and paging.
 * https://datatables.net/manual/server-side
 */

/** A row of a table; every value is text. */
export type Row = Readonly<Record<string, string>>

export interface RowShape {
  /** Default columns, in order. */
  readonly fields: readonly string[]
  /** Fields ordered as decimal numbers. */
  readonly numericFields: ReadonlySet<string>
}

/** Rows that are searched many times: the folded form of each distinct value is kept. */
export interface Table<T extends Row> extends RowShape {
  readonly rows: readonly T[]
  readonly fold: (value: string) => string
}

export const createTable = <T extends Row>(rows: readonly T[], shape: RowShape): Table<T> => {
  const folded = new Map<string, string>()
  return { ...shape, rows, fold: (value) => folded.getOrInsertComputed(value, foldText) }
}

interface Column {
  /** Field that the column shows; undefined if it has none. */
  readonly field: string | undefined
  readonly isSearchable: boolean
  readonly isOrderable: boolean
  readonly terms: readonly Term[]
}

/** A search term in folded form: a substring, or a whole value. */
interface Term {
  readonly text: string
  readonly isWhole: boolean
}

/** Max columns and terms read of a request. */
const maxColumns = 100
const maxTerms = 8

/** Splits a text into words; a quoted phrase is one. */
const wordsOf = (text: string): readonly Term[] =>
  (foldText(text).match(/"[^"]+"|[^\s"]+/g) ?? []).map((word) => ({
    text: word.replaceAll('"', ''),
    isWhole: false,
  }))

/** An escaped literal text between `^` and `$`. */
const escapedText = /^\^((?:\\[^a-zA-Z0-9]|[^\\^$.*+?()[\]{}|])*)\$$/

/**
 * Reads the one supported regular expression, a whole value such as `^text$`. Others can take
 * exponential time and are read as words.
 */
const patternOf = (expression: string): readonly Term[] => {
  const [, escaped] = expression.slice(0, 4 * maxFoldedLength).match(escapedText) ?? []
  if (escaped === undefined) return wordsOf(expression)
  return [{ text: foldText(escaped.replaceAll(/\\(.)/gs, '$1')), isWhole: true }]
}

/** Reads the terms of a search parameter, including the fixed ones of a program. */
const readTerms = (parameters: ReadonlyMap<string, string>, name: string): readonly Term[] => {
  const value = parameters.get(`${name}[value]`) ?? ''
  const terms = [
    ...(parameters.get(`${name}[regex]`) === 'true' ? patternOf(value) : wordsOf(value)),
  ]
  for (let index = 0; index < maxTerms; index += 1) {
    const fixed = parameters.get(`${name}[fixed][${index}][term]`)
    if (fixed === undefined) break
    // Placeholder of a client-side function.
    if (fixed !== 'function') terms.push(...wordsOf(fixed))
  }
  return terms.slice(0, maxTerms)
}

const holds = (text: string, { text: part, isWhole }: Term): boolean =>
  isWhole ? text === part : text.includes(part)

const readColumns = (
  parameters: ReadonlyMap<string, string>,
  fields: readonly string[],
): readonly Column[] => {
  const columns: Column[] = []
  for (let index = 0; index < maxColumns; index += 1) {
    const part = (name: string) => parameters.get(`columns[${index}]${name}`)
    const data = part('[data]')
    if (data === undefined) break
    columns.push({
      field: fields.find((field) => field === data),
      isSearchable: part('[searchable]') !== 'false',
      isOrderable: part('[orderable]') !== 'false',
      terms: readTerms(parameters, `columns[${index}][search]`),
    })
  }
  if (columns.length > 0) return columns
  return fields.map((field) => ({ field, isSearchable: true, isOrderable: true, terms: [] }))
}

const readOrder = (parameters: ReadonlyMap<string, string>, columns: readonly Column[]) => {
  const order: { field: string; isDescending: boolean }[] = []
  for (let index = 0; index < maxColumns; index += 1) {
    const number = parameters.get(`order[${index}][column]`)
    if (number === undefined) break
    const column = /^\d+$/.test(number) ? columns[Number(number)] : undefined
    if (column?.field === undefined || !column.isOrderable) continue
    // A repeated column changes no order, but each comparison would read it again.
    if (order.some(({ field }) => field === column.field)) continue
    const isDescending = parameters.get(`order[${index}][dir]`)?.toLowerCase() === 'desc'
    order.push({ field: column.field, isDescending })
  }
  return order
}

/**
 * Reads a table request from the query; invalid parts are ignored. A row must match all terms, each in any
 * searchable column.
 */
export const readTableRequest = (
  parameters: ReadonlyMap<string, string>,
  { fields }: RowShape,
  { start, length }: { readonly start: number; readonly length: number },
) => {
  const columns = readColumns(parameters, fields)
  return {
    terms: readTerms(parameters, 'search'),
    columns,
    /** Most significant column first. */
    order: readOrder(parameters, columns),
    start,
    /** -1 means all rows. */
    length,
  }
}
type TableRequest = ReturnType<typeof readTableRequest>

const search = <T extends Row>(
  { rows, fold }: Table<T>,
  { terms, columns }: TableRequest,
): readonly T[] => {
  const narrowed = columns.filter((column) => column.terms.length > 0)
  const searched = terms.length === 0 ? [] : columns.filter(({ isSearchable }) => isSearchable)
  if (terms.length === 0 && narrowed.length === 0) return rows
  return rows.filter((row) => {
    const textOf = ({ field }: Column): string =>
      field === undefined ? '' : fold(row[field] ?? '')
    const isInColumns = narrowed.every((column) => {
      const text = textOf(column)
      return column.terms.every((term) => holds(text, term))
    })
    if (!isInColumns) return false
    const texts = searched.map(textOf)
    return terms.every((term) => texts.some((text) => holds(text, term)))
  })
}

/** Natural order of texts: `W-2` before `W-10`, case and accents last. */
const collator = once(() => new Intl.Collator('en', { numeric: true }))

const sort = <T extends Row>(
  rows: readonly T[],
  { order }: TableRequest,
  { numericFields }: RowShape,
): readonly T[] => {
  if (order.length === 0) return rows
  return rows.toSorted((a, b) => {
    for (const { field, isDescending } of order) {
      const [one = '', other = ''] = [a[field], b[field]]
      const difference = numericFields.has(field)
        ? Number(one) - Number(other)
        : collator().compare(one, other)
      if (difference !== 0) return isDescending ? -difference : difference
    }
    return 0
  })
}

/** Rows of the requested page; the sort is stable. */
export const answerTable = <T extends Row>(
  table: Table<T>,
  request: TableRequest,
): { recordsTotal: number; recordsFiltered: number; data: T[] } => {
  const found = search(table, request)
  const { start, length } = request
  return {
    recordsTotal: table.rows.length,
    recordsFiltered: found.length,
    data: sort(found, request, table).slice(start, length < 0 ? undefined : start + length),
  }
}

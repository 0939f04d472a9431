import { foldText } from '../dataset/foldText.ts'

/**
 * The server's side of DataTables (`serverSide: true`), which leaves searching, ordering and paging
 * to us: https://datatables.net/manual/server-side
 */

/** A row as the table gets it: every value is text. */
export type Row = Readonly<Record<string, string>>

/** What the rows of a table hold. */
export interface RowShape {
  /** In the order of the columns of a table that names none. */
  readonly fields: readonly string[]
  /** Their texts are decimal numbers and are ordered as such. */
  readonly numericFields: ReadonlySet<string>
}

interface Column {
  /** Undefined where the table shows something that is no field. */
  readonly field: string | undefined
  readonly isSearchable: boolean
  readonly isOrderable: boolean
  readonly words: readonly string[]
}

/** What a table asks. A row must hold all words, each in any searchable column. */
export interface TableRequest {
  readonly words: readonly string[]
  readonly columns: readonly Column[]
  /** The first counts most. */
  readonly order: readonly { readonly field: string; readonly isDescending: boolean }[]
  readonly start: number
  /** -1 is all. */
  readonly length: number
}

/** So much of a request is read: a table has no more columns, and a text no more words. */
const mostColumns = 100
const mostWords = 8

/** Words, and what stands between double quotes as one, as they are compared. */
const wordsOf = (text: string | undefined): readonly string[] =>
  (foldText(text ?? '').match(/"[^"]+"|[^\s"]+/g) ?? [])
    .slice(0, mostWords)
    .map((word) => word.replaceAll('"', ''))

const readColumns = (
  parameters: ReadonlyMap<string, string>,
  fields: readonly string[],
): readonly Column[] => {
  const columns: Column[] = []
  for (let index = 0; index < mostColumns; index += 1) {
    const part = (name: string) => parameters.get(`columns[${index}]${name}`)
    const data = part('[data]')
    if (data === undefined) break
    columns.push({
      field: fields.find((field) => field === data),
      isSearchable: part('[searchable]') !== 'false',
      isOrderable: part('[orderable]') !== 'false',
      words: wordsOf(part('[search][value]')),
    })
  }
  if (columns.length > 0) return columns
  return fields.map((field) => ({ field, isSearchable: true, isOrderable: true, words: [] }))
}

const readOrder = (
  parameters: ReadonlyMap<string, string>,
  columns: readonly Column[],
): TableRequest['order'] => {
  const order: { field: string; isDescending: boolean }[] = []
  for (let index = 0; index < mostColumns; index += 1) {
    const number = parameters.get(`order[${index}][column]`)
    if (number === undefined) break
    const column = /^\d+$/.test(number) ? columns[Number(number)] : undefined
    if (column?.field === undefined || !column.isOrderable) continue
    // What is ordered by already makes no difference a second time.
    if (order.some(({ field }) => field === column.field)) continue
    const isDescending = parameters.get(`order[${index}][dir]`)?.toLowerCase() === 'desc'
    order.push({ field: column.field, isDescending })
  }
  return order
}

/** Reads what is asked from the parameters of a query; what makes no sense is left out. */
export const readTableRequest = (
  parameters: ReadonlyMap<string, string>,
  { fields }: RowShape,
  { start, length }: { readonly start: number; readonly length: number },
): TableRequest => {
  const columns = readColumns(parameters, fields)
  return {
    words: wordsOf(parameters.get('search[value]')),
    columns,
    order: readOrder(parameters, columns),
    start,
    length,
  }
}

const search = <T extends Row>(
  rows: readonly T[],
  { words, columns }: TableRequest,
): readonly T[] => {
  const narrowed = columns.filter((column) => column.words.length > 0)
  if (words.length === 0 && narrowed.length === 0) return rows
  const searched = columns.flatMap(({ field, isSearchable }) =>
    field !== undefined && isSearchable ? [field] : [],
  )
  const textOf = (row: T, field: string | undefined): string =>
    field === undefined ? '' : foldText(row[field] ?? '')
  return rows.filter((row) => {
    const isInColumns = narrowed.every(({ field, words }) => {
      const text = textOf(row, field)
      return words.every((word) => text.includes(word))
    })
    if (!isInColumns || words.length === 0) return isInColumns
    const text = searched.map((field) => textOf(row, field)).join('\n')
    return words.every((word) => text.includes(word))
  })
}

/** Texts as people order them: `W-2` before `W-10`, case and accents last. */
const collator = new Intl.Collator('en', { numeric: true })

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
        : collator.compare(one, other)
      if (difference !== 0) return isDescending ? -difference : difference
    }
    return 0
  })
}

/** The part of a table that is asked for; rows that the order leaves equal keep theirs. */
export const answerTable = <T extends Row>(
  rows: readonly T[],
  request: TableRequest,
  shape: RowShape,
): { recordsTotal: number; recordsFiltered: number; data: T[] } => {
  const found = search(rows, request)
  const { start, length } = request
  return {
    recordsTotal: rows.length,
    recordsFiltered: found.length,
    data: sort(found, request, shape).slice(start, length < 0 ? undefined : start + length),
  }
}

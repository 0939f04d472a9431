import { CsvError, parse } from 'csv-parse/sync'
import type { Report } from '../problems.ts'

/** A column of a file. */
export interface Column {
  readonly meaning: string
  readonly isRequired?: boolean
  /** Cell of the template's line; without any, the template has headings alone. */
  readonly example?: string
  /** Further headings that are understood. */
  readonly aliases?: readonly string[]
}
export type Columns<Name extends string = string> = Readonly<Record<Name, Column>>

/** A row of a file; a missing cell is empty. */
export interface CsvRow<Name extends string> {
  readonly cells: Readonly<Record<Name, string>>
  /** `players.csv:7`. */
  readonly where: string
}

export const maxFileBytes = 64 * 1024 * 1024

/** Text of a file in UTF-8, UTF-16 with a byte order mark, or else Windows-1252, as spreadsheets save it. */
export const decodeText = (bytes: Uint8Array): string => {
  const decode = (encoding: ConstructorParameters<typeof TextDecoder>[0], fatal: boolean): string =>
    new TextDecoder(encoding, { fatal }).decode(bytes)
  const text = ((): string => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return decode('utf-16le', false)
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return decode('utf-16be', false)
    try {
      return decode('utf-8', true)
    } catch {
      return decode('windows-1252', false)
    }
  })()
  return text.replaceAll('\0', '').toWellFormed().replace(/\r\n?/g, '\n')
}

/** The separator that the first line has most of, outside quotes. */
const separatorOf = (text: string): string => {
  const heading = (text.trimStart().split('\n', 1)[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (separator: string): number => heading.split(separator).length
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
}

const plain = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]/g, '')

const newlines = (cells: readonly string[]): number => cells.join('').split('\n').length - 1

interface Parsed {
  readonly cells: readonly string[]
  readonly line: number
}

const isParsed = (value: unknown): value is { record: string[]; info: { lines: number } } =>
  typeof value === 'object' && value !== null && 'record' in value && 'info' in value

const parseRows = (text: string): readonly Parsed[] => {
  const rows: unknown = parse(text, {
    delimiter: separatorOf(text),
    info: true,
    trim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    skip_empty_lines: true,
  })
  return (Array.isArray(rows) ? rows : []).flatMap((row: unknown) =>
    isParsed(row) ? [{ cells: row.record, line: row.info.lines - newlines(row.record) }] : [],
  )
}

/**
 * Reads a file with headings. The separator is `,`, `;` or a tab; case, spaces and order of headings do not
 * matter. Problems with the file as a whole are reported, and give no rows.
 */
export const readTable = <Name extends string>(
  name: string,
  bytes: Uint8Array,
  columns: Columns<Name>,
  report: Report,
): readonly CsvRow<Name>[] => {
  let parsed: readonly Parsed[]
  try {
    parsed = parseRows(decodeText(bytes))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report({ where: name, reason: error.message })
    return []
  }
  const [head, ...rows] = parsed
  if (!head) {
    report({ where: name, reason: 'the file is empty' })
    return []
  }
  const names = Object.keys(columns).filter((each): each is Name => each in columns)
  const byHeading = new Map(
    names.flatMap((each) =>
      [each, ...(columns[each].aliases ?? [])].map((heading) => [plain(heading), each] as const),
    ),
  )
  const found = head.cells.map((heading) => byHeading.get(plain(heading)))
  const where = `${name}:${head.line}`
  const unknown = head.cells.filter((heading, index) => heading !== '' && !found[index])
  const missing = names.filter((each) => columns[each].isRequired && !found.includes(each))
  const repeated = found.filter((each, index) => each && found.indexOf(each) !== index)
  for (const heading of unknown) {
    report({ where, reason: `unknown column '${heading}'; there are: ${names.join(', ')}` })
  }
  for (const each of missing) report({ where, reason: `the column '${each}' is missing` })
  for (const each of repeated) report({ where, reason: `the column '${each}' is there twice` })
  if (unknown.length + missing.length + repeated.length > 0) return []
  return rows.flatMap(({ cells, line }): CsvRow<Name>[] => {
    const at = `${name}:${line}`
    if (cells.length > head.cells.length && cells.slice(head.cells.length).some(Boolean)) {
      report({ where: at, reason: `${cells.length} cells, but ${head.cells.length} headings` })
      return []
    }
    const values = new Map(found.map((each, index) => [each, cells[index] ?? '']))
    const entries = names.map((each) => [each, values.get(each) ?? ''])
    const whole: Readonly<Record<Name, string>> = Object.fromEntries(entries)
    const empty = names.find((each) => columns[each].isRequired && whole[each] === '')
    if (empty === undefined) return [{ cells: whole, where: at }]
    report({ where: at, reason: `'${empty}' is empty` })
    return []
  })
}

import { CsvError, parse } from 'csv-parse/sync'
import type { Report } from '../problems.ts'
import { remedyOf } from './reading/brokenCells.ts'
import { type DecodedText, decodeText } from './reading/encoding.ts'
import { areHeadings, hasHeading, plain, readHeadings } from './reading/headings.ts'
import { isTotal } from './reading/totals.ts'

/** A column of a file. */
export interface Column {
  readonly meaning: string
  readonly isRequired?: boolean
  /** True if cells of a required column can be empty. */
  readonly canBeEmpty?: boolean
  /** Cell of the template's line; if no column has one, the template has only headings. */
  readonly example?: string
  /** Further accepted headings. */
  readonly aliases?: readonly string[]
  /** Headings of other programs that are no misspelling of this one. */
  readonly others?: readonly string[]
  /** Headings that probably mean this column, in lower case. */
  readonly near?: readonly string[]
  /** Headings that this column is taken from if all columns with a fallback are missing. */
  readonly fallback?: readonly string[]
  /** True for a column of exports that is not in the template. */
  readonly isExport?: boolean
  /** Advice if the column is missing. */
  readonly ifMissing?: string
  /** Headings of values that no row can hold, without spaces, and what to write instead. */
  readonly refused?: readonly [heading: RegExp, reason: string]
}
export type Columns<Name extends string = string> = Readonly<Record<Name, Column>>

/** A row of a file; a missing cell is empty. */
export interface CsvRow<Name extends string> {
  readonly cells: Readonly<Record<Name, string>>
  /** Place such as `players.csv:7`. */
  readonly where: string
}

export const maxFileBytes = 64 * 1024 * 1024
/** Reports unreadable characters of a text, as `players.csv:7:12`. */
export const readableText = (name: string, { text, bad }: DecodedText, report: Report) => {
  for (const { line, column, reason } of bad) report({ where: `${name}:${line}:${column}`, reason })
  const lines = new Set(bad.map(({ line }) => line))
  return {
    text,
    /** True if any of these lines has such a character. */
    isBad: (first: number, last = first): boolean => {
      if (lines.size === 0) return false
      for (let line = first; line <= last; line += 1) if (lines.has(line)) return true
      return false
    },
  }
}

const separatorLine = /^sep=([,;\t])\n/i

/** Headings are looked for in so many lines. */
const maxTitleLines = 10
const maxHeadCharacters = 100_000

const separators = [',', ';', '\t'] as const

/**
 * The separator of the line of headings, outside quotes, or the one that Excel's own line `sep=;` names. If no line has
 * headings, it is the most frequent one of the first line.
 */
const separatorOf = (text: string, columns: Columns): string => {
  const [, named] = separatorLine.exec(text) ?? []
  if (named !== undefined) return named
  const lines = text
    .slice(0, maxHeadCharacters)
    .trimStart()
    .split('\n', 2 * maxTitleLines)
    .map((line) => line.replace(/"([^"]*)"/g, (_, cell) => cell.replace(/[,;\t]/g, ' ')))
  const isHeadings = (line: string): boolean =>
    separators.some((separator) => areHeadings(line.split(separator).map(tidy), columns))
  const heading = lines.find(isHeadings) ?? lines[0] ?? ''
  const count = (separator: string): number => heading.split(separator).length
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best))
}

const isDash = (cell: string): boolean => /^[-–—]$/.test(cell)

/** Maximum length, as in the tables. */
const maxCellLength = 4096

const newlines = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0)

const isCells = (value: unknown): value is string[] => Array.isArray(value)

/** A record of a file with its first and last line. */
interface Parsed {
  readonly cells: readonly string[]
  readonly line: number
  readonly lastLine: number
}

/** A cell within a pair of quotes, which is not part of its text. */
const quotedCell =
  /^(?:"([^"]*)"|'([^']*)'|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|‘([^‘’]*)’|「([^「」]*)」)$/

/**
 * Text of a cell without spaces, quotes and invisible characters around it, and without the `'` by which a spreadsheet
 * keeps the text of what looks like a formula.
 */
const tidy = (cell: string): string => {
  if (cell === '') return cell
  const text = cell.replace(/^[\s\u200b\u200e\u200f\u2060]+|[\s\u200b\u200e\u200f\u2060]+$/g, '')
  const inner = quotedCell
    .exec(text)
    ?.slice(1)
    .find((each) => each !== undefined)
  return (inner ?? text.replace(/^'(?=[=+@-])/, '')).trim()
}

/** Calls back for each record, because a list of all takes twice the memory. */
const parseRecords = (text: string, columns: Columns, onRecord: (record: Parsed) => void): void => {
  // The line stays, empty, so that lines keep their numbers.
  parse(text.replace(separatorLine, '\n'), {
    delimiter: separatorOf(text, columns),
    trim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    skip_empty_lines: true,
    on_record: (cells: unknown, { lines }) => {
      if (isCells(cells)) {
        const own = { cells: cells.map(tidy), line: lines - newlines(cells), lastLine: lines }
        if (own.cells.some(Boolean)) onRecord(own)
      }
      return null
    },
  })
}

/** Starts of workbooks of Excel and LibreOffice, as text in Windows-1252. */
const workbookStarts = ['PK\u0003\u0004', 'ÐÏ\u0011à'] as const

/** Error for a file that is not the text file of a spreadsheet. */
const foreignFormat = (text: string): string | undefined => {
  if (workbookStarts.some((start) => text.startsWith(start)))
    return 'a workbook, not CSV: save its sheet as CSV'
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) {
    return 'a web page, such as one to sign in, not CSV: share the sheet by link, or download it as CSV'
  }
  return text.trim() === '' ? 'the file is empty' : undefined
}

/** Mistake in the cells of a line, independent of its columns. */
const mistakeIn = (cells: readonly (readonly [heading: string, cell: string])[]) => {
  const filled = cells.filter(([, cell]) => cell !== '')
  if (filled.length > 1 && filled.every(([heading, cell]) => plain(cell) === heading))
    return 'the headings once more: remove this line'
  for (const [heading, cell] of filled) {
    if (cell.length > maxCellLength)
      return `'${heading}' has ${cell.length} characters, more than ${maxCellLength}`
    const remedy = remedyOf(cell)
    if (remedy !== undefined) return `'${cell}' in '${heading}' is no value: ${remedy}`
  }
  return undefined
}

/** Reports on a file. */
export interface TableReports {
  /** Unusable lines. */
  readonly report: Report
  /** Columns that are ignored. */
  readonly ignore: Report
  /** Lines that are no rows, such as totals. */
  readonly skip?: Report
  /** Cells that can be used but are probably wrong. */
  readonly warn?: Report
  /** Encoding of the file; guessed from its bytes if undefined. */
  readonly encoding?: string | undefined
}

/**
 * Reads a file with headings. The separator is `,`, `;` or a tab; case, spaces and order of headings do not matter. A
 * file that cannot be read as a whole is reported, and so is a last line that ends early. `onBadRow` is called for
 * reported lines.
 */
export const readRows = <Name extends string>(
  name: string,
  bytes: Uint8Array,
  columns: Columns<Name>,
  reports: TableReports,
  onRow: (row: CsvRow<Name>) => void,
  onBadRow?: (row: CsvRow<Name>) => void,
): void => {
  const { report } = reports
  const decoded = decodeText(bytes, reports.encoding)
  const foreign = foreignFormat(decoded.text) ?? decoded.refused
  if (foreign !== undefined) {
    report({ where: name, reason: foreign })
    return
  }
  const { text, isBad } = readableText(name, decoded, report)
  let headings: number | undefined
  let indexes: ReadonlyMap<Name, number> | undefined
  let required: readonly Name[] = []
  /** Places without a heading, until a cell there is reported. */
  let unnamed: readonly number[] = []
  /** First lines, until one has headings. */
  let first: Parsed[] = []
  let held: Parsed | undefined
  let ended = 0
  const names = Object.keys(columns).filter((each): each is Name => each in columns)
  const readRow = ({ cells, line, lastLine }: Parsed): void => {
    if (!indexes || headings === undefined) return
    const where = `${name}:${line}`
    if (isTotal(cells)) {
      reports.skip?.({ where, reason: `'${cells.find(Boolean)}': a line of totals` })
      return
    }
    const cellOf = (each: Name): string => {
      const cell = cells[indexes?.get(each) ?? -1] ?? ''
      // A dash is an open corner in the columns of the bots.
      return isDash(cell) && !columns[each].canBeEmpty ? '' : cell
    }
    const blank = unnamed.find((index) => cells[index])
    if (blank !== undefined) {
      reports.ignore({ where, reason: `'${cells[blank]}' and other cells without a heading` })
      unnamed = []
    }
    const entries = names.map((each) => [each, cellOf(each)])
    const row = { cells: Object.fromEntries(entries), where }
    const empty = required.find((each) => cellOf(each) === '')
    const reason = cells.slice(headings).some(Boolean)
      ? `${cells.length} cells, but ${headings} headings`
      : (mistakeIn(names.map((each) => [each, cellOf(each)])) ?? (empty && `'${empty}' is empty`))
    const isUnreadable = isBad(line, lastLine)
    if (reason !== undefined && !isUnreadable) report({ where, reason, cells })
    if (reason === undefined && !isUnreadable) onRow(row)
    else onBadRow?.(row)
  }
  const readRecord = (record: Parsed): void => {
    if (held) readRow(held)
    held = record
  }
  /** Takes the headings from the first lines; those before them are a title. */
  const settleHeadings = (): void => {
    const strong = first.findIndex(({ cells }) => areHeadings(cells, columns))
    const weak = first.findIndex(({ cells }) => hasHeading(cells, columns))
    const at = Math.max(0, strong < 0 ? weak : strong)
    const { cells, line, lastLine } = first[at] ?? { cells: [], line: 1, lastLine: 1 }
    headings = cells.length
    unnamed = cells.flatMap((heading, index) => (heading === '' ? [index] : []))
    for (const title of first.slice(0, at)) {
      const reason = `'${title.cells.find(Boolean)}': a line above the headings`
      reports.skip?.({ where: `${name}:${title.line}`, reason })
    }
    if (!isBad(line, lastLine)) indexes = readHeadings(`${name}:${line}`, cells, columns, reports)
    required = names.filter((each) => columns[each].isRequired && !columns[each].canBeEmpty)
    first.slice(at + 1).forEach(readRecord)
    first = []
  }
  try {
    parseRecords(text, columns, (record) => {
      ended = record.lastLine
      if (headings !== undefined) return readRecord(record)
      first.push(record)
      if (first.length === maxTitleLines || areHeadings(record.cells, columns)) settleHeadings()
    })
    if (first.length > 0) settleHeadings()
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code !== 'CSV_QUOTE_NOT_CLOSED') report({ where: name, reason: error.message })
    else {
      const reason = 'a quotation mark is not closed from here on: close it, or save the file again'
      report({ where: `${name}:${ended + 1}`, reason })
    }
    return
  }
  if (!held || headings === undefined) return
  if (!text.endsWith('\n') && held.cells.length < headings) {
    const reason = 'the file ends within this line: save it again, or end it with a line break'
    report({ where: `${name}:${held.line}`, reason })
  } else readRow(held)
}

/** The rows of {@link readRows}. */
export const readTable = <Name extends string>(
  name: string,
  bytes: Uint8Array,
  columns: Columns<Name>,
  reports: TableReports,
): readonly CsvRow<Name>[] => {
  const rows: CsvRow<Name>[] = []
  readRows(name, bytes, columns, reports, (row) => rows.push(row))
  return rows
}

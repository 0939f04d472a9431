import { CsvError, parse } from 'csv-parse/sync'
import type { Report } from '../problems.ts'
import { isOneLetterApart } from './names.ts'
import { remedyOf } from './reading/brokenCells.ts'
import { type DecodedText, decodeText } from './reading/encoding.ts'
import { columnOf } from './words.ts'

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
/** Each unknown heading is compared with all known ones. */
const maxHeadings = 1000

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

/** The separator that is most frequent in the first line, outside quotes, or that Excel's own line `sep=;` names. */
const separatorOf = (text: string): string => {
  const [, named] = separatorLine.exec(text) ?? []
  if (named !== undefined) return named
  const heading = (text.trimStart().split('\n', 1)[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (separator: string): number => heading.split(separator).length
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
}

const plain = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]/g, '')

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
const parseRecords = (text: string, onRecord: (record: Parsed) => void): void => {
  // The line stays, empty, so that lines keep their numbers.
  parse(text.replace(separatorLine, '\n'), {
    delimiter: separatorOf(text),
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

/** The column of each heading; undefined if the headings do not fit, which is reported. */
const readHeadings = <Name extends string>(
  name: string,
  { cells, line }: Parsed,
  columns: Columns<Name>,
  { report, ignore }: TableReports,
): readonly (Name | undefined)[] | undefined => {
  const where = `${name}:${line}`
  if (cells.filter(Boolean).length > maxHeadings) {
    report({ where, reason: `more than ${maxHeadings} columns with a heading` })
    return undefined
  }
  const names = Object.keys(columns).filter((each): each is Name => each in columns)
  const byHeading = new Map(
    names.flatMap((each) =>
      [each, ...(columns[each].aliases ?? [])].map((heading) => [plain(heading), each] as const),
    ),
  )
  const known = cells.map(
    (heading) => byHeading.get(plain(heading)) ?? names.find((each) => each === columnOf(heading)),
  )
  /** A heading with a column's own name wins over other accepted headings. */
  const found = known.map((each, index) => {
    if (each === undefined) return undefined
    const own = cells.findIndex((heading) => plain(heading) === plain(each))
    const first = own < 0 ? known.indexOf(each) : own
    return first === index || plain(cells[index] ?? '') === plain(each) ? each : undefined
  })
  const mistakes: string[] = []
  const ignored: string[] = []
  for (const [index, heading] of cells.entries()) {
    if (heading === '' || found[index]) continue
    const refused = names.find((each) => columns[each].refused?.[0].test(plain(heading)))
    if (refused) {
      mistakes.push(`'${heading}' ${columns[refused].refused?.[1]}`)
      continue
    }
    const isOther = names.some((each) => columns[each].others?.includes(plain(heading)))
    const meant = isOther
      ? undefined
      : byHeading.keys().find((each) => isOneLetterApart(each, plain(heading)))
    const column = meant === undefined ? undefined : byHeading.get(meant)
    if (column !== undefined && known[index] === undefined && !found.includes(column)) {
      mistakes.push(`unknown column '${heading}': write '${column}', or another name`)
    } else ignored.push(`'${heading}'`)
  }
  if (ignored.length > 0)
    ignore({ where, reason: `${ignored.join(', ')}; there are: ${names.join(', ')}` })
  if (found.every((each) => each === undefined) && mistakes.length === 0) {
    const reason = `no heading of this line is known: the first line has the headings, such as ${names.join(', ')}`
    report({ where, reason })
    return undefined
  }
  for (const each of names) {
    if (columns[each].isRequired && !found.includes(each)) {
      const { ifMissing } = columns[each]
      mistakes.push(`the column '${each}' is missing${ifMissing ? `: ${ifMissing}` : ''}`)
    }
  }
  for (const [index, each] of found.entries()) {
    if (each && found.indexOf(each) !== index) mistakes.push(`the column '${each}' is there twice`)
  }
  for (const reason of mistakes) report({ where, reason })
  return mistakes.length === 0 ? found : undefined
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
  let indexes: ReadonlyMap<Name | undefined, number> | undefined
  let required: readonly Name[] = []
  let held: Parsed | undefined
  let ended = 0
  const names = Object.keys(columns).filter((each): each is Name => each in columns)
  const readRow = ({ cells, line, lastLine }: Parsed): void => {
    if (!indexes || headings === undefined) return
    const where = `${name}:${line}`
    const cellOf = (each: Name): string => {
      const cell = cells[indexes?.get(each) ?? -1] ?? ''
      // A dash is an open corner in the columns of the bots.
      return isDash(cell) && !columns[each].canBeEmpty ? '' : cell
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
  try {
    parseRecords(text, (record) => {
      ended = record.lastLine
      if (headings !== undefined) {
        if (held) readRow(held)
        held = record
        return
      }
      headings = record.cells.length
      if (isBad(record.line, record.lastLine)) return
      const found = readHeadings(name, record, columns, reports)
      indexes = found && new Map(found.map((each, index) => [each, index]))
      required = names.filter((each) => columns[each].isRequired && !columns[each].canBeEmpty)
    })
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

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

/** A character of a file that cannot be read; lines and columns count from 1. */
interface BadCharacter {
  readonly line: number
  readonly column: number
  readonly reason: string
}

interface DecodedText {
  readonly text: string
  /** The first one of each line. */
  readonly bad: readonly BadCharacter[]
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** A character of several bytes: without any, bytes that are not UTF-8 are Windows-1252. */
const longCharacter = /[\u0080-\ufffc]/

/** Text, in which U+FFFD replaces what cannot be read if `isWhole` is not set. */
const decode = (bytes: Uint8Array, encoding: Encoding) => {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), isWhole: true }
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), isWhole: false }
  }
}

const encodingOf = (bytes: Uint8Array): Encoding => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const { text, isWhole } = decode(bytes, 'utf-8')
  return hasMark || isWhole || longCharacter.test(text) ? 'utf-8' : 'windows-1252'
}

/** Text of a file in UTF-8, UTF-16 with a byte order mark, or else Windows-1252, as spreadsheets save it. */
export const decodeText = (bytes: Uint8Array): DecodedText => {
  const encoding = encodingOf(bytes)
  const decoded = decode(bytes, encoding)
  const text = decoded.text.replace(/\r\n?/g, '\n')
  const bad: BadCharacter[] = []
  let line = 1
  let lineStart = 0
  let searched = 0
  for (const { index, 0: found } of text.matchAll(decoded.isWhole ? /\0/g : /[\0\ufffd]/g)) {
    for (let end = text.indexOf('\n', searched); end >= 0 && end < index; ) {
      line += 1
      lineStart = end + 1
      end = text.indexOf('\n', lineStart)
    }
    searched = index
    if (bad.at(-1)?.line === line) continue
    const reason =
      found === '\0' ? 'a NUL character' : `bytes that are not ${encoding.toUpperCase()}`
    bad.push({ line, column: index - lineStart + 1, reason })
  }
  return { text, bad }
}

/** Reports what cannot be read of a text, as `players.csv:7:12`. */
export const readableText = (name: string, bytes: Uint8Array, report: Report) => {
  const { text, bad } = decodeText(bytes)
  for (const { line, column, reason } of bad) report({ where: `${name}:${line}:${column}`, reason })
  const lines = new Set(bad.map(({ line }) => line))
  return {
    text,
    /** Whether a line of some has such a character. */
    isBad: (first: number, last = first): boolean => {
      if (lines.size === 0) return false
      for (let line = first; line <= last; line += 1) if (lines.has(line)) return true
      return false
    },
  }
}

/** The separator that the first line has most of, outside quotes. */
const separatorOf = (text: string): string => {
  const heading = (text.trimStart().split('\n', 1)[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (separator: string): number => heading.split(separator).length
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best))
}

const plain = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]/g, '')

const newlines = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0)

interface Parsed {
  readonly cells: readonly string[]
  readonly line: number
  readonly lastLine: number
}

const isCells = (value: unknown): value is string[] => Array.isArray(value)

const parseRows = (text: string): readonly Parsed[] => {
  const rows: Parsed[] = []
  parse(text, {
    delimiter: separatorOf(text),
    trim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    skip_empty_lines: true,
    // Its own list would take twice the memory.
    on_record: (cells: unknown, { lines }) => {
      if (isCells(cells)) rows.push({ cells, line: lines - newlines(cells), lastLine: lines })
      return null
    },
  })
  return rows
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
  const readable = readableText(name, bytes, report)
  try {
    parsed = parseRows(readable.text)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report({ where: name, reason: error.message })
    return []
  }
  const [head, ...all] = parsed
  const rows = all.filter(({ line, lastLine }) => !readable.isBad(line, lastLine))
  if (head && readable.isBad(head.line, head.lastLine)) return []
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

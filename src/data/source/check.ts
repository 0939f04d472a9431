import type { Static, TObject } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { isWebAddress, optionalAddresses } from './fields.ts'
import {
  isSound,
  PackedRecordings,
  type PackedRows,
  packRecordings,
  unpackRecordings,
} from './recordingTable.ts'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  RecordingRow,
  TournamentRow,
  type TournamentRows,
  tournamentTables,
} from './rows.ts'
import { childTables, rowKey } from './tables.ts'

/** Rows as read from a source: each property can be missing, and can have any type. */
export type Unchecked<T> = { readonly [K in keyof T]?: unknown }

/** A row that breaks its schema, and the first violation. */
export interface BadRow {
  readonly table: string
  readonly problem: string
  /** Values of the row's key columns, cut to 200 characters. */
  readonly key?: string
  /** Tournament that the row belongs to. */
  readonly tournament?: string
}
export type OnBadRow = (bad: BadRow) => void

type Row = Readonly<Record<string, unknown>>
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

const maxKeyLength = 200
const keyText = (value: unknown, key: readonly string[]): string =>
  key
    .map((column) => (isRow(value) ? String(value[column]) : ''))
    .join(' ')
    .slice(0, maxKeyLength)

/** Checks of the rows of one table. */
interface Checked {
  readonly table: string
  readonly key: readonly string[]
  readonly check: TypeCheck<TObject>
}

const describe = ({ table, key, check }: Checked, value: unknown): BadRow => {
  const error = check.Errors(value).First()
  const problem = error ? `${error.path || '/'}: ${error.message}` : 'unreadable'
  return { table, problem, key: keyText(value, key) }
}

/** True if the rows are strictly ascending by key, so that there are no duplicates. */
const areAscending = (rows: readonly Row[], key: readonly string[]): boolean => {
  let before: Row | undefined
  for (const row of rows) {
    if (before) {
      let at = 0
      let column = key[at] ?? ''
      while (row[column] === before[column]) {
        at += 1
        if (at === key.length) return false
        column = key[at] ?? ''
      }
      const [a, b] = [before[column], row[column]]
      const isAfter =
        (typeof a === 'string' && typeof b === 'string' && a < b) ||
        (typeof a === 'number' && typeof b === 'number' && a < b)
      if (!isAfter) return false
    }
    before = row
  }
  return true
}

/** Keeps the first row of each key. A database with a corrupt index can return duplicates. */
const withoutDuplicates = <T extends Row>(
  rows: readonly T[],
  { table, key, onBadRow }: { table: string; key: readonly string[]; onBadRow: OnBadRow },
): readonly T[] => {
  if (areAscending(rows, key)) return rows
  const seen = new Set<string>()
  return rows.filter((row) => {
    const own = JSON.stringify(key.map((column) => row[column]))
    if (!seen.has(own)) return seen.add(own)
    onBadRow({ table, problem: 'the key is that of another row', key: keyText(row, key) })
    return false
  })
}

/**
 * Makes a function that keeps the valid rows of a table, one per key, and reports the others. An
 * optional address that is not http(s) is replaced by null instead, so the rest of the row is kept;
 * an empty one is not reported.
 */
const tableChecker = <T extends TObject>(
  table: string,
  schema: T,
  key: readonly string[],
): ((value: unknown, onBadRow: OnBadRow) => readonly Static<T>[]) => {
  const check = TypeCompiler.Compile(schema)
  const checked = { table, key, check }
  const addresses = optionalAddresses(schema)
  const fits = (row: unknown): row is Static<T> => check.Check(row)

  /** Replaces invalid optional addresses by null; undefined if the row is still invalid. */
  const repair = (row: unknown, onBadRow: OnBadRow): Static<T> | undefined => {
    if (fits(row)) return row
    const bad = isRow(row)
      ? addresses.filter((name) => typeof row[name] === 'string' && !isWebAddress(row[name]))
      : []
    const kept = isRow(row) && { ...row, ...Object.fromEntries(bad.map((name) => [name, null])) }
    if (!fits(kept)) {
      onBadRow(describe(checked, row))
      return undefined
    }
    if (isRow(row) && bad.some((name) => row[name] !== '')) {
      onBadRow(describe(checked, row))
    }
    return kept
  }

  const repaired = (rows: readonly unknown[], onBadRow: OnBadRow): readonly Static<T>[] =>
    rows.flatMap((row): readonly Static<T>[] => {
      const kept = repair(row, onBadRow)
      return kept === undefined ? [] : [kept]
    })

  return (value, onBadRow) => {
    if (!Array.isArray(value)) {
      onBadRow({ table, problem: 'the table is missing' })
      return []
    }
    const rows: readonly unknown[] = value
    const fitting = rows.every(fits) ? rows : repaired(rows, onBadRow)
    return withoutDuplicates(fitting, { table, key, onBadRow })
  }
}

const checkRecordingRows = tableChecker('recordings', RecordingRow, rowKey('recordings'))

/** Valid recordings, packed. */
const checkRecordings = (value: unknown, onBadRow: OnBadRow): PackedRecordings => {
  if (!(value instanceof PackedRecordings))
    return packRecordings(checkRecordingRows(value, onBadRow))
  return isSound(value) ? value : checkRecordings(unpackRecordings(value), onBadRow)
}

const tournamentCheck = TypeCompiler.Compile(TournamentRow)
const checkedTournament = { table: 'tournaments', key: ['id'], check: tournamentCheck }
const childCheckers = childTables.map(
  (table) =>
    [
      table,
      table === 'recordings'
        ? checkRecordings
        : tableChecker(table, tournamentTables[table], rowKey(table)),
    ] as const,
)
const cages = tableChecker('cages', CageRow, ['number'])
const cageQueue = tableChecker('cageQueue', CageQueueRow, ['cage', 'position'])

/** Type guard: all child tables are present. */
const isWhole = (rows: object): rows is Omit<PackedRows, 'tournament'> =>
  childTables.every((table) => table in rows)

/** Valid rows of a tournament, with packed recordings; undefined if its own row is invalid. */
export const checkPacked = (
  rows: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): PackedRows | undefined => {
  const { tournament } = rows
  if (!tournamentCheck.Check(tournament)) {
    onBadRow(describe(checkedTournament, tournament))
    return undefined
  }
  const onOwnBadRow: OnBadRow = (bad) => onBadRow({ ...bad, tournament: tournament.id })
  const tables = Object.fromEntries(
    childCheckers.map(([table, check]) => [table, check(rows[table], onOwnBadRow)]),
  )
  return isWhole(tables) ? { tournament, ...tables } : undefined
}

/** {@link checkPacked} for the few callers that need each recording as a row. */
export const checkTournament = (
  unchecked: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): TournamentRows | undefined => {
  const rows = checkPacked(unchecked, onBadRow)
  return rows && { ...rows, recordings: unpackRecordings(rows.recordings) }
}

/** Valid cage rows. */
export const checkCages = (rows: Unchecked<CageRows>, onBadRow: OnBadRow): CageRows => ({
  cages: cages(rows.cages, onBadRow),
  cageQueue: cageQueue(rows.cageQueue, onBadRow),
})

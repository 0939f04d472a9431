import type { Static, TObject } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  optionalAddresses,
  TournamentRow,
  type TournamentRows,
  tournamentTables,
} from './rows.ts'
import { childTables, rowKey } from './tables.ts'

/** What a source hands over: nothing is known of the values, nor whether they are there. */
export type Unchecked<T> = { readonly [K in keyof T]?: unknown }

/** A row that breaks its schema: where it stood and the first thing wrong with it. */
export interface BadRow {
  readonly table: string
  readonly problem: string
}
export type OnBadRow = (bad: BadRow) => void

const describe = (table: string, check: TypeCheck<TObject>, value: unknown): BadRow => {
  const error = check.Errors(value).First()
  return { table, problem: error ? `${error.path || '/'}: ${error.message}` : 'unreadable' }
}

type Row = Readonly<Record<string, unknown>>

/** Whether each row comes after the one before it, which sources deliver and which excludes duplicates. */
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

/** The first row of each key. A database that lost an index can hold several. */
const withoutDuplicates = <T extends Row>(
  rows: readonly T[],
  { table, key, onBadRow }: { table: string; key: readonly string[]; onBadRow: OnBadRow },
): readonly T[] => {
  if (areAscending(rows, key)) return rows
  const seen = new Set<string>()
  return rows.filter((row) => {
    const own = JSON.stringify(key.map((column) => row[column]))
    if (!seen.has(own)) return seen.add(own)
    onBadRow({ table, problem: 'the key is that of another row' })
    return false
  })
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

/**
 * A function that keeps the rows of one table that fit, one of each key, and reports each one that it
 * leaves out. Of an address that may be missing only the value is left out when it is no http(s) one: the
 * recording with its time and camera still counts. An empty text is a missing address.
 */
const tableChecker = <T extends TObject>(
  table: string,
  schema: T,
  key: readonly string[],
): ((value: unknown, onBadRow: OnBadRow) => readonly Static<T>[]) => {
  const check = TypeCompiler.Compile(schema)
  const addresses = optionalAddresses(schema)
  const fits = (row: unknown): row is Static<T> => check.Check(row)

  /** The row, or without the addresses that do not fit; undefined where something else is wrong. */
  const repair = (row: unknown, onBadRow: OnBadRow): Static<T> | undefined => {
    if (fits(row)) return row
    const bad = isRow(row)
      ? addresses.filter(
          (name) => typeof row[name] === 'string' && !/^https?:\/\//i.test(row[name]),
        )
      : []
    const kept = isRow(row) && { ...row, ...Object.fromEntries(bad.map((name) => [name, null])) }
    if (!fits(kept)) {
      onBadRow(describe(table, check, row))
      return undefined
    }
    if (isRow(row) && bad.some((name) => row[name] !== '')) {
      onBadRow(describe(table, check, row))
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

const tournamentCheck = TypeCompiler.Compile(TournamentRow)
const childCheckers = childTables.map(
  (table) => [table, tableChecker(table, tournamentTables[table], rowKey(table))] as const,
)
const cages = tableChecker('cages', CageRow, ['number'])
const cageQueue = tableChecker('cageQueue', CageQueueRow, ['cage', 'position'])

/** True of what the checkers of all tables made. */
const isWhole = (rows: object): rows is Omit<TournamentRows, 'tournament'> =>
  childTables.every((table) => table in rows)

/** The rows that fit their schemas; undefined when the tournament's own row does not. */
export const checkTournament = (
  rows: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): TournamentRows | undefined => {
  const { tournament } = rows
  if (!tournamentCheck.Check(tournament)) {
    onBadRow(describe('tournaments', tournamentCheck, tournament))
    return undefined
  }
  const tables = Object.fromEntries(
    childCheckers.map(([table, check]) => [table, check(rows[table], onBadRow)]),
  )
  return isWhole(tables) ? { tournament, ...tables } : undefined
}

/** The cage rows that fit their schemas. */
export const checkCages = (rows: Unchecked<CageRows>, onBadRow: OnBadRow): CageRows => ({
  cages: cages(rows.cages, onBadRow),
  cageQueue: cageQueue(rows.cageQueue, onBadRow),
})

import { isDeepStrictEqual } from 'node:util'
import type { Unchecked } from '../../../src/data/source/check.ts'
import type { TournamentRows, TournamentTable } from '../../../src/data/source/rows.ts'
import { childTables, rowKey, type Table } from '../../../src/data/source/tables.ts'
import { compareTexts } from '../../../src/runtime/compareTexts.ts'

/** Rows to write so that a table holds other rows. */
export type Difference = {
  readonly [Kind in 'inserted' | 'updated' | 'deleted']: readonly object[]
}

/** Numbers of rows of a {@link Difference}. */
export type Changes = { readonly [Kind in keyof Difference]: number }

export const noChanges: Changes = { inserted: 0, updated: 0, deleted: 0 }

export const addChanges = (a: Changes, b: Changes): Changes => ({
  inserted: a.inserted + b.inserted,
  updated: a.updated + b.updated,
  deleted: a.deleted + b.deleted,
})

export const isChange = ({ inserted, updated, deleted }: Changes): boolean =>
  inserted + updated + deleted > 0

export const countDifferences = (differences: Iterable<Difference>): Changes =>
  [...differences]
    .map(({ inserted, updated, deleted }) => ({
      inserted: inserted.length,
      updated: updated.length,
      deleted: deleted.length,
    }))
    .reduce(addChanges, noChanges)

export const propertyOf = (row: object, property: string): unknown => Reflect.get(row, property)

export const keyText = (table: Table, row: object): string =>
  JSON.stringify(rowKey(table).map((property) => propertyOf(row, property)))

const compareValues = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b))

/** Order of the rows of a table. */
export const byKey =
  (table: Table) =>
  (a: object, b: object): number => {
    for (const property of rowKey(table)) {
      const order = compareValues(propertyOf(a, property), propertyOf(b, property))
      if (order !== 0) return order
    }
    return 0
  }

/** Calls back with the rows of two lists, rows with the same key together, in the order of keys. */
export const pairRows = <After extends object>(
  table: Table,
  [before, after]: readonly [readonly object[], readonly After[]],
  onPair: (before: object | undefined, after: After | undefined) => void,
): void => {
  const compare = byKey(table)
  const [old, now] = [before.toSorted(compare), after.toSorted(compare)]
  for (let o = 0, n = 0; o < old.length || n < now.length; ) {
    const [one, other] = [old[o], now[n]]
    const order = one && other ? compare(one, other) : one ? -1 : 1
    if (order <= 0) o += 1
    if (order >= 0) n += 1
    onPair(order <= 0 ? one : undefined, order >= 0 ? other : undefined)
  }
}

const areEqual = (a: object, b: object): boolean =>
  Object.keys(b).every((property) =>
    isDeepStrictEqual(propertyOf(a, property), propertyOf(b, property)),
  )

/** Compares the present rows of a table with the wanted ones. */
export const differenceOf = (
  table: Table,
  before: readonly object[],
  after: readonly object[],
): Difference => {
  if (before.length === 0) return { inserted: after, updated: [], deleted: [] }
  const inserted: object[] = []
  const updated: object[] = []
  const deleted: object[] = []
  pairRows(table, [before, after], (old, now) => {
    if (old && now) {
      if (!areEqual(old, now)) updated.push(now)
    } else if (now) inserted.push(now)
    else if (old) deleted.push(old)
  })
  return { inserted, updated, deleted }
}

/** The present rows of a table of a tournament; empty if there is no tournament. */
export const presentRows = (
  rows: Unchecked<TournamentRows> | undefined,
  table: TournamentTable,
): readonly object[] => {
  const found = rows?.[table]
  return Array.isArray(found) ? found : []
}

/** Differences in each table of a tournament. */
export type TournamentDifference = ReadonlyMap<'tournaments' | TournamentTable, Difference>

export const tournamentDifference = (
  before: Unchecked<TournamentRows> | undefined,
  after: TournamentRows,
): TournamentDifference => {
  const present = before?.tournament
  const own = typeof present === 'object' && present !== null ? [present] : []
  return new Map([
    ['tournaments', differenceOf('tournaments', own, [after.tournament])] as const,
    ...childTables.map(
      (table) => [table, differenceOf(table, presentRows(before, table), after[table])] as const,
    ),
  ])
}

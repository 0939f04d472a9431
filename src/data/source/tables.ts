import type { TObject } from '@sinclair/typebox'
import type { Storage } from './fields.ts'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  TournamentRow,
  type TournamentTable,
  tournamentTables,
} from './rows.ts'

/** Oldest schema version that is still read, until `migrate` is run. */
export const minSchemaVersion = 4

/** Tables of the database, parents first, by the names of their rows. */
export type Table = 'tournaments' | TournamentTable | keyof CageRows
const schemas: Readonly<Record<Table, TObject>> = {
  tournaments: TournamentRow,
  ...tournamentTables,
  cages: CageRow,
  cageQueue: CageQueueRow,
}

export const isTournamentTable = (name: string): name is TournamentTable => name in tournamentTables
/** Tables below a tournament, parents before children. */
export const childTables: readonly TournamentTable[] =
  Object.keys(tournamentTables).filter(isTournamentTable)

export interface Column {
  readonly property: string
  readonly name: string
  readonly storage: Storage
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]|(?<![0-9])[0-9]/g, (letter) => `_${letter.toLowerCase()}`)

/** Name of a table in the database, without its schema. */
export const sqlName = (table: Table): string => snakeCase(table)

const isTable = (name: string): name is Table => name in schemas
export const allTables: readonly Table[] = Object.keys(schemas).filter(isTable)

const makeColumns = (table: Table): readonly Column[] =>
  Object.entries(schemas[table].properties).map(([property, schema]) => {
    const storage: Storage = schema.storage ?? {}
    return { property, name: storage.name ?? snakeCase(property), storage }
  })
const columns = new Map(allTables.map((table) => [table, makeColumns(table)]))

/** Columns of a table in the order of the row's properties, without `tournament_id`. */
export const columnsOf = (table: Table): readonly Column[] => columns.get(table) ?? []

/** SQL that reads a column as JSON has it. */
const readExpression = (name: string, kind: Storage['kind']): string => {
  switch (kind) {
    case 'seconds':
      return `floor(extract(epoch FROM ${name}))`
    case 'fractionalSeconds':
      return `floor(extract(epoch FROM ${name}) * 1000) / 1000`
    case 'milliseconds':
      return `floor(extract(epoch FROM ${name}) * 1000)`
    case undefined:
      return name
  }
}

/** SQL for each column of a table, in the order of {@link columnsOf}. */
export const readExpressions = (table: Table, version: number): readonly string[] =>
  columnsOf(table).map(({ name, storage: { kind, since = 0 } }) =>
    version < since ? 'NULL::text' : readExpression(name, kind),
  )

/** SQL for a row as a JSON array. JSON has all types, and texts of any characters. */
export const rowExpression = (table: Table, version: number): string =>
  `json_build_array(${readExpressions(table, version).join(', ')})`

/** Key of a table within a tournament; rows are sorted by it. */
export const rowKey = (table: Table): readonly string[] => schemas[table].key

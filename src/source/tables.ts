import type { TObject } from '@sinclair/typebox'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  TournamentRow,
  type TournamentTable,
  tournamentTables,
} from './rows.ts'

/** Newest schema version: the number of the last file in `schema`. */
export const schemaVersion = 4
/** Oldest schema version that is still read, until `migrate` is run. */
export const minSchemaVersion = 1
/** First version with public views; since then readers have no right on the tables. */
export const publicViewsVersion = 4

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

/** Conversion of a column: to Unix seconds (whole or fractional), to milliseconds, or none. */
type ColumnKind = 'seconds' | 'fractionalSeconds' | 'milliseconds' | 'bigint' | 'list' | 'same'
export interface Column {
  readonly property: string
  readonly name: string
  readonly kind: ColumnKind
}

/** Columns that hold instants, read as whole Unix seconds. */
const seconds: Readonly<Partial<Record<Table, readonly string[]>>> = {
  tournaments: ['createTime', 'scheduledStartTime', 'startTime', 'endTime', 'updateTime'],
  games: ['scheduledTime', 'availableSince', 'calledSince', 'stopTime', 'endTime'],
  pauses: ['startTime', 'stopTime'],
  clips: ['createdTime'],
  stills: ['takenTime'],
  cages: ['pausedSince', 'updateTime'],
}
const otherKinds: Readonly<Partial<Record<Table, Readonly<Record<string, Column>>>>> = {
  tournaments: {
    allowedWinAnnotations: {
      property: 'allowedWinAnnotations',
      name: 'allowed_win_annotations',
      kind: 'list',
    },
  },
  games: {
    startTime: { property: 'startTime', name: 'start_time', kind: 'fractionalSeconds' },
  },
  recordings: {
    id: { property: 'id', name: 'id', kind: 'bigint' },
    startMs: { property: 'startMs', name: 'start_time', kind: 'milliseconds' },
  },
  stills: { id: { property: 'id', name: 'id', kind: 'bigint' } },
  stillTags: { stillId: { property: 'stillId', name: 'still_id', kind: 'bigint' } },
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]|(?<![0-9])[0-9]/g, (letter) => `_${letter.toLowerCase()}`)

/** The name of a table in the database, without its schema. */
export const sqlName = (table: Table): string => snakeCase(table)

const isTable = (name: string): name is Table => name in schemas
export const allTables: readonly Table[] = Object.keys(schemas).filter(isTable)

/** Columns of a table in the order of the row's properties, without `tournament_id`. */
export const columnsOf = (table: Table): readonly Column[] =>
  Object.keys(schemas[table].properties).map(
    (property) =>
      otherKinds[table]?.[property] ?? {
        property,
        name: snakeCase(property),
        kind: seconds[table]?.includes(property) ? 'seconds' : 'same',
      },
  )

/**
 * SQL to read a column. Numbers are read as float8, which the client parses and which is exact to
 * 2^53.
 */
const readExpressions: Readonly<Record<ColumnKind, (column: string) => string>> = {
  seconds: (column) => `floor(extract(epoch FROM ${column}))::float8`,
  fractionalSeconds: (column) => `floor(extract(epoch FROM ${column}) * 1000)::float8 / 1000`,
  milliseconds: (column) => `floor(extract(epoch FROM ${column}) * 1000)::float8`,
  bigint: (column) => `${column}::float8`,
  // The text form of an array can contain bounds.
  list: (column) => `to_json(${column})`,
  same: (column) => column,
}

/** Expressions for columns that a schema version lacks. */
const missingColumns: ReadonlyMap<
  number,
  Readonly<Partial<Record<Table, Readonly<Record<string, string>>>>>
> = new Map([
  [
    1,
    {
      recordings: {
        proxy720Url: 'CASE WHEN has_720 AND video_url IS NOT NULL THEN true END',
        proxy360Url: 'CASE WHEN has_360 AND video_url IS NOT NULL THEN true END',
        proxy72Url: 'CASE WHEN has_72 AND video_url IS NOT NULL THEN true END',
      },
    },
  ],
])

/** Select list of a table, in the order of {@link columnsOf}. */
export const selectList = (table: Table, version: number): string => {
  const missing = missingColumns.get(version)?.[table]
  return columnsOf(table)
    .map(({ property, name, kind }) => missing?.[property] ?? readExpressions[kind](name))
    .join(', ')
}

/** Key of each table within a tournament, by which its rows are sorted. */
export const rowKeys = {
  brackets: ['id'],
  rounds: ['bracketId', 'idx'],
  players: ['id'],
  games: ['id'],
  slots: ['gameId', 'idx'],
  pauses: ['gameId', 'idx'],
  judgeLines: ['gameId', 'idx'],
  recordings: ['id'],
  clips: ['token'],
  stills: ['id'],
  stillTags: ['stillId', 'tag'],
} as const satisfies Record<TournamentTable, readonly string[]>

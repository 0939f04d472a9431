import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Packr } from 'msgpackr'
import { CageQueueRow, CageRow, TournamentRow, tournamentTables } from './rows.ts'

/** The rows in a snapshot file, by the names under which a file lists their columns. */
const rowSchemas: Readonly<Record<string, TObject>> = {
  tournament: TournamentRow,
  ...tournamentTables,
  cages: CageRow,
  cageQueue: CageQueueRow,
}
const tournamentRows = ['tournament', ...Object.keys(tournamentTables)]
const cageRows = ['cages', 'cageQueue']

const name = Type.String({ pattern: '^[a-z][A-Za-z0-9]{0,63}$' })
/**
 * The kinds of records in a file with the names of their columns, in the order of both. msgpackr
 * writes a record as its number and its values: what they mean is here alone.
 */
export const SnapshotLayout = Type.Array(
  Type.Tuple([name, Type.Array(name, { maxItems: 64, uniqueItems: true })]),
  { maxItems: 32 },
)
export type SnapshotLayout = Static<typeof SnapshotLayout>

/** What this program writes. */
export const ownLayout: SnapshotLayout = [
  ...Object.entries(rowSchemas).map(([table, { properties }]): SnapshotLayout[number] => [
    table,
    Object.keys(properties),
  ]),
  ['tournamentRows', tournamentRows],
  ['cageRows', cageRows],
]

export type Row = Readonly<Record<string, unknown>>
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

const equalLists = (a: readonly string[], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index])

/** A row as this program knows it, from one in a file with other columns. */
export type RowMapping = (row: Row) => Row

/**
 * How the rows of a table are mapped by the names of their columns; undefined where they need not be.
 * A column that the file lacks is null; one that is unknown here is left out.
 */
const rowMapping = (
  table: string,
  columns: readonly string[],
  refuse: (why: string) => never,
): RowMapping | undefined => {
  const { properties = {} } = rowSchemas[table] ?? {}
  const own = Object.keys(properties)
  if (equalLists(own, columns)) return undefined
  for (const [column, schema] of Object.entries(properties)) {
    if (!columns.includes(column) && !Value.Check(schema, null)) {
      refuse(`lacks the column ${column} of ${table}`)
    }
  }
  return (row) => {
    const mapped: Record<string, unknown> = {}
    for (const column of own) mapped[column] = row[column] ?? null
    return mapped
  }
}

const mapRows = (value: unknown, mapping: RowMapping | undefined): unknown => {
  if (!mapping) return value
  if (!Array.isArray(value)) return isRow(value) ? mapping(value) : value
  return value.map((row: unknown) => (isRow(row) ? mapping(row) : row))
}

/** How the frames of a file are read. */
export interface FrameReader {
  /** The layout is that of this program: equal rows have equal frames. */
  readonly isOwn: boolean
  /** Throws for a frame that is no table. */
  readonly decode: (packed: Uint8Array) => Row
}

const packrOf = (layout: SnapshotLayout): Packr =>
  new Packr({
    structures: layout.map(([, columns]) => [...columns]),
    maxSharedStructures: layout.length,
  })
const ownPackr = packrOf(ownLayout)

/** Equal rows, with their properties in the order of their schema, have equal bytes. */
export const packFrame = (value: unknown): Uint8Array => ownPackr.pack(value)

export const unpackFrame = (packed: Uint8Array): Row => {
  const value: unknown = ownPackr.unpack(packed)
  if (!isRow(value)) throw new TypeError('no table')
  return value
}

/**
 * A reader of the frames of files with this layout; refuses one that cannot be mapped to rows.
 * `special` holds those of tables whose columns cannot be mapped by their names.
 */
export const frameReader = (
  layout: SnapshotLayout,
  refuse: (why: string) => never,
  special: Readonly<Record<string, RowMapping>> = {},
): FrameReader => {
  const columnsOf = new Map(layout)
  const isOwn =
    layout.length === ownLayout.length &&
    ownLayout.every(
      ([table, columns], index) =>
        layout[index]?.[0] === table && equalLists(columns, layout[index]?.[1]),
    )
  const holders = [
    ['tournamentRows', tournamentRows],
    ['cageRows', cageRows],
  ] as const
  for (const [holder, tables] of holders) {
    for (const table of tables) {
      if (!columnsOf.get(holder)?.includes(table)) refuse(`lacks the table ${table}`)
    }
  }
  const mappings = new Map(
    Object.keys(rowSchemas).map((table) => {
      const columns = columnsOf.get(table) ?? refuse(`lacks the columns of ${table}`)
      return [table, special[table] ?? rowMapping(table, columns, refuse)] as const
    }),
  )
  const packr = packrOf(layout)
  return {
    isOwn,
    decode: (packed) => {
      if (isOwn) return unpackFrame(packed)
      const value: unknown = packr.unpack(packed)
      if (!isRow(value)) throw new TypeError('no table')
      return Object.fromEntries(
        Object.entries(value).map(([table, rows]) => [table, mapRows(rows, mappings.get(table))]),
      )
    },
  }
}

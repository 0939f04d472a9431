import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Packr } from 'msgpackr/pack'
import type { PackedRows } from './recordingTable.ts'
import {
  packRecordings,
  restoreRecordings,
  StoredRecordings,
  storeRecordings,
} from './recordingTable.ts'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  TournamentRow,
  type TournamentRows,
  tournamentTables,
} from './rows.ts'

/** Schemas of the rows in a snapshot file, by the names of their record types. */
const rowSchemas: Readonly<Record<string, TObject>> = {
  tournament: TournamentRow,
  ...tournamentTables,
  cages: CageRow,
  cageQueue: CageQueueRow,
}
const tournamentRows = ['tournament', ...Object.keys(tournamentTables)]
const cageRows = ['cages', 'cageQueue']

/** Recordings are stored as columns; format 4 and earlier store them as rows. */
const storedColumns = Object.keys(StoredRecordings.properties)

const name = Type.String({ pattern: '^[a-z][A-Za-z0-9]{0,63}$' })
/**
 * Record types of a file with their column names, in stored order. msgpackr stores a record as the
 * number of its type and its values.
 */
export const SnapshotLayout = Type.Array(
  Type.Tuple([name, Type.Array(name, { maxItems: 64, uniqueItems: true })]),
  { maxItems: 32 },
)
export type SnapshotLayout = Static<typeof SnapshotLayout>

/** Layout that this version writes. */
export const ownLayout: SnapshotLayout = [
  ...Object.entries(rowSchemas).map(([table, { properties }]): SnapshotLayout[number] => [
    table,
    table === 'recordings' ? storedColumns : Object.keys(properties),
  ]),
  ['tournamentRows', tournamentRows],
  ['cageRows', cageRows],
]

type Row = Readonly<Record<string, unknown>>
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

const equalLists = (a: readonly string[], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index])

/** Converts a row with the columns of a file to a row with the columns of this version. */
type RowMapping = (row: Row) => Row

const areStored = (table: string, columns: readonly string[] | undefined): boolean =>
  table === 'recordings' && equalLists(storedColumns, columns)

/**
 * Maps rows by column name; undefined if the columns are equal. A missing column becomes null; an
 * unknown one is dropped.
 */
const rowMapping = (
  table: string,
  columns: readonly string[],
  refuse: (why: string) => never,
): RowMapping | undefined => {
  const { properties = {} } = rowSchemas[table] ?? {}
  const own = Object.keys(properties)
  if (equalLists(own, columns) || areStored(table, columns)) return undefined
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

/** Decoder of the frames of a file. */
export interface FrameReader {
  /** True if the file has the layout of this version, so that equal rows have equal frames. */
  readonly isOwn: boolean
  /** Throws for an invalid frame. */
  readonly decode: (packed: Uint8Array) => Row
}

const packrOf = (layout: SnapshotLayout): Packr =>
  new Packr({
    // A frame that defines such a type itself does so only for itself.
    structures: layout.map(([, columns]) => Object.assign([...columns], { isShared: true })),
    maxSharedStructures: layout.length,
  })
const ownPackr = packrOf(ownLayout)

const ownColumns = new Map(ownLayout)

/** One or more rows with the columns of a table in the order of the layout. */
const inOrder = (table: string, value: unknown): unknown => {
  const columns = ownColumns.get(table) ?? []
  const isOrdered = (row: unknown): boolean => isRow(row) && equalLists(columns, Object.keys(row))
  const ordered = (row: unknown): unknown =>
    isRow(row) && !isOrdered(row)
      ? Object.fromEntries(columns.map((column) => [column, row[column]]))
      : row
  if (!Array.isArray(value)) return ordered(value)
  return value.every(isOrdered) ? value : value.map(ordered)
}

/** Packs rows. Equal rows give equal bytes, whatever the order of their properties. */
export const packFrame = (rows: TournamentRows | PackedRows | CageRows): Uint8Array => {
  const tables: Row = { ...rows }
  return ownPackr.pack(
    Object.fromEntries(
      ('tournament' in rows ? tournamentRows : cageRows).map((table) => [
        table,
        table === 'recordings' && 'recordings' in rows
          ? storeRecordings(packRecordings(rows.recordings))
          : inOrder(table, tables[table]),
      ]),
    ),
  )
}

/** Rows with the recordings that are stored as columns. */
const withRecordings = (rows: Row): Row =>
  'tournament' in rows ? { ...rows, recordings: restoreRecordings(rows.recordings) } : rows

/** Bytes of the length that follows each msgpack token from 0xc0 on, and other bytes before the payload. */
const lengthBytes = [
  0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4,
]
const otherBytes = [
  0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 0, 0, 0, 0, 0, 0, 0,
]
/** An object or array without its values, and a value. */
const containerBytes = 64
const valueBytes = 8

/**
 * Number of bytes of msgpack, and of the objects and arrays that they make: a league has one in 140 bytes, but a
 * hostile file can have one per byte. Takes a tenth of the time of unpacking.
 */
export const unpackedBytes = (packed: Buffer): number => {
  let sum = packed.length
  for (let at = 0; at < packed.length; ) {
    const token = packed[at] ?? 0
    at += 1
    if (token < 0x40 || token >= 0xe0) continue
    if (token < 0xa0 || token >= 0xdc) sum += containerBytes
    if (token < 0xc0) {
      if (token >= 0xa0) at += token - 0xa0
      continue
    }
    const start = at + (lengthBytes[token - 0xc0] ?? 0)
    const length = start > at && start <= packed.length ? packed.readUIntBE(at, start - at) : 0
    at = start + (otherBytes[token - 0xc0] ?? 0)
    if (token < 0xdc) at += length
    else sum += Math.min(length, packed.length) * valueBytes
  }
  return sum
}

export const unpackFrame = (packed: Uint8Array): Row => {
  const value: unknown = ownPackr.unpack(packed)
  if (!isRow(value)) throw new TypeError('no table')
  return withRecordings(value)
}

/** Creates a decoder for a layout; calls `refuse` if it cannot be mapped. */
export const frameReader = (
  layout: SnapshotLayout,
  refuse: (why: string) => never,
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
      return [table, rowMapping(table, columns, refuse)] as const
    }),
  )
  const packr = packrOf(layout)
  const areColumns = areStored('recordings', columnsOf.get('recordings'))
  return {
    isOwn,
    decode: (packed) => {
      if (isOwn) return unpackFrame(packed)
      const value: unknown = packr.unpack(packed)
      if (!isRow(value)) throw new TypeError('no table')
      const mapped = Object.fromEntries(
        Object.entries(value).map(([table, rows]) => [table, mapRows(rows, mappings.get(table))]),
      )
      return areColumns ? withRecordings(mapped) : mapped
    },
  }
}

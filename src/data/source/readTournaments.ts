import { createTimeSlice } from '../../runtime/timeSlice.ts'
import type { Unchecked } from './check.ts'
import type { Query } from './connection.ts'
import { packValid, recordingColumns, recordingExpressions } from './recordingColumns.ts'
import type { PackedRecordings } from './recordingTable.ts'
import { isShown, type ReadOptions, relation } from './relations.ts'
import type { TournamentRows, TournamentTable } from './rows.ts'
import { type Part, type Parts, stampDigestOf } from './stampDigest.ts'
import {
  childTables,
  columnsOf,
  readExpressions,
  rowExpression,
  rowKey,
  type Table,
} from './tables.ts'

type Row = Record<string, unknown>

/** Tournaments per query, about 9,000 rows. */
const batchSize = 8

/** Max elements of a list that one query reads. */
export const inBatches = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize),
  )

export const shownTournaments = ({ includeHidden = false }: Partial<ReadOptions>): string =>
  includeHidden ? 'true' : isShown

const compareKeys = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return 0
}

/** Sorts texts by code unit. The database sorts by bytes, which differs above U+FFFF. */
export const sortByKey = (rows: Row[], key: readonly string[]): Row[] =>
  rows.sort((a, b) => {
    for (const property of key) {
      const order = compareKeys(a[property], b[property])
      if (order !== 0) return order
    }
    return 0
  })

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A row from its values, see {@link rowExpression}. */
export const toRow = (table: Table, values: unknown): Row => {
  const list = listOf(values)
  return Object.fromEntries(columnsOf(table).map(({ property }, at) => [property, list[at]]))
}

/** Unchecked rows of a tournament, read in one snapshot. */
export interface ReadTournament {
  readonly id: string
  readonly rows: Unchecked<TournamentRows>
  /** Digest of the stamps of all rows, see {@link stampDigests}. */
  readonly stampDigest: string
  /** Digest of the stamps of the recordings. */
  readonly recordings: Part
}

/** Recordings as they were read, all valid. */
export interface KnownRecordings {
  readonly packed: PackedRecordings
  readonly part: Part
}

const noRecordings: ReadonlyMap<string, KnownRecordings> = new Map()

/**
 * SQL for the rows of a table below the tournament `own` as JSON: the sum of their stamps, and one array per column.
 * Server and process make and read arrays in half the time of rows. A subquery uses the index of the table; a join
 * would read all tournaments.
 */
const columnsQuery = (table: TournamentTable, options: ReadOptions): string => {
  const expressions =
    table === 'recordings'
      ? recordingExpressions(options.version)
      : readExpressions(table, options.version)
  const arrays = expressions.map((each) => `json_agg(${each})`)
  return `(SELECT json_build_array(sum(xmin::text::float8), ${arrays.join(', ')})
    FROM ${relation(table, options)} WHERE tournament_id = own.id)`
}

/** Rows of a table by key, from an array for each column. */
const rowsOf = (table: TournamentTable, columns: readonly (readonly unknown[])[]): Row[] => {
  const rows = Array.from(columns[0] ?? [], (): Row => ({}))
  for (const [index, { property }] of columnsOf(table).entries()) {
    const values = columns[index] ?? []
    let at = 0
    for (const row of rows) {
      row[property] = values[at]
      at += 1
    }
  }
  return sortByKey(rows, rowKey(table))
}

/** Packed if all rows are valid: a row object for each takes twice the time. */
const recordingsOf = (columns: readonly (readonly unknown[])[]): PackedRecordings | Row[] =>
  packValid(columns) ?? rowsOf('recordings', columns)

/**
 * Reads the shown tournaments with these ids and all their rows, in time slices. Known recordings are not read: the
 * recordings of a tournament of 3,800 take the server 12 ms, all other rows 2 ms.
 */
export const readShown = async (
  query: Query,
  ids: readonly string[],
  options: ReadOptions,
  known = noRecordings,
): Promise<readonly ReadTournament[]> => {
  const found: ReadTournament[] = []
  for (const batch of inBatches(ids)) found.push(...(await readBatch(query, batch, options, known)))
  return found
}

/** {@link readShown} of one batch, ascending by id. */
const readBatch = async (
  query: Query,
  ids: readonly string[],
  options: ReadOptions,
  known = noRecordings,
): Promise<readonly ReadTournament[]> => {
  const tables = childTables.map((table) => {
    const columns = columnsQuery(table, options)
    return table === 'recordings'
      ? `CASE WHEN id = ANY ($2) THEN NULL ELSE ${columns} END`
      : columns
  })
  const answer = await query(
    `SELECT ${rowExpression('tournaments', options.version)}, ${tables.join(', ')}
     FROM ${relation('tournaments', options)} AS own
     WHERE id = ANY ($1) AND ${shownTournaments(options)}`,
    [ids, ids.filter((id) => known.has(id))],
  )
  const { isOver, next } = createTimeSlice()
  const found: ReadTournament[] = []
  for (const [values, ...children] of answer) {
    const tournament = toRow('tournaments', values)
    const id = String(tournament.id)
    const parts: Parts = new Map()
    const tables: Partial<Record<TournamentTable, unknown>> = {}
    for (const [index, table] of childTables.entries()) {
      if (isOver()) await next()
      const [stamps, ...sent] = listOf(children[index])
      const columns = sent.map(listOf)
      tables[table] =
        table === 'recordings' ? recordingsOf(recordingColumns(columns)) : rowsOf(table, columns)
      parts.set(table, { rows: columns[0]?.length ?? 0, stamps: Number(stamps) })
    }
    const kept = known.get(id)
    if (kept) {
      tables.recordings = kept.packed
      parts.set('recordings', kept.part)
    }
    found.push({
      id,
      rows: { tournament, ...tables },
      stampDigest: stampDigestOf(parts),
      recordings: parts.get('recordings') ?? { rows: 0, stamps: 0 },
    })
  }
  return found.sort((a, b) => compareKeys(a.id, b.id))
}

/** Reads every shown tournament in batches, ascending by id. */
export async function* eachTournament(
  query: Query,
  options: ReadOptions,
): AsyncGenerator<Unchecked<TournamentRows>> {
  const answer = await query(
    `SELECT id FROM ${relation('tournaments', options)} WHERE ${shownTournaments(options)}`,
  )
  const ids = answer.map(([id]) => String(id)).sort(compareKeys)
  for (const batch of inBatches(ids)) {
    for (const { rows } of await readBatch(query, batch, options)) yield rows
  }
}

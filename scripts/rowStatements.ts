import { openPool, sourceError, type Transaction, transact } from '../src/data/source/connection.ts'
import { proxyUrl } from '../src/data/source/proxies.ts'
import type { RecordingRow } from '../src/data/source/rows.ts'
import { SnapshotError } from '../src/data/source/snapshot.ts'
import { type Column, columnsOf, rowKey, sqlName, type Table } from '../src/data/source/tables.ts'
import { CommandError } from './command.ts'

/** Works in one transaction of a database. Throws a one-line error. */
export const inDatabase = async (
  url: string,
  work: (sql: Transaction) => Promise<void>,
): Promise<void> => {
  const pool = openPool(url, { max: 1, connectSeconds: 10 })
  try {
    await transact(pool, work)
  } catch (error) {
    const isOwn = error instanceof CommandError || error instanceof SnapshotError
    throw isOwn ? error : sourceError(error)
  } finally {
    await pool.end({ timeout: 1 })
  }
}

/** An instant in the syntax of Postgres, in a year up to 9999. */
const instant = (ms: number): string => new Date(ms).toISOString()

const columnValue = ({ kind }: Column['storage'], value: unknown): unknown => {
  if (typeof value !== 'number') return value
  if (kind === 'seconds' || kind === 'fractionalSeconds') return instant(Math.round(value * 1000))
  return kind === 'milliseconds' ? instant(value) : value
}

/** Full addresses of the smaller versions of a recording, as stored. */
export const withProxyUrls = (row: RecordingRow): object => ({
  ...row,
  proxy720Url: proxyUrl(row.videoUrl, 720, row.proxy720Url),
  proxy360Url: proxyUrl(row.videoUrl, 360, row.proxy360Url),
  proxy72Url: proxyUrl(row.videoUrl, 72, row.proxy72Url),
})

/** The rows as one JSON text for `json_populate_recordset`. */
const recordsOf = (table: Table, rows: readonly object[], tournamentId?: string): string => {
  const columns = columnsOf(table)
  return JSON.stringify(
    rows.map((row) => {
      const values = new Map<string, unknown>(Object.entries(row))
      const record: Record<string, unknown> = {}
      if (tournamentId !== undefined) record.tournament_id = tournamentId
      for (const { property, name, storage } of columns) {
        record[name] = columnValue(storage, values.get(property))
      }
      return record
    }),
  )
}

const tableName = (table: Table): string => `cageside.${sqlName(table)}`

const source = (table: Table): string =>
  `json_populate_recordset(NULL::${tableName(table)}, $1::text::json)`

/** Columns of the key, with the tournament if the row belongs to one. */
const keyColumns = (table: Table, tournamentId: string | undefined): readonly string[] => {
  const key = rowKey(table)
  const own = columnsOf(table)
    .filter(({ property }) => key.includes(property))
    .map(({ name }) => name)
  return tournamentId === undefined ? own : ['tournament_id', ...own]
}

const matches = (table: Table, tournamentId: string | undefined): string =>
  keyColumns(table, tournamentId)
    .map((name) => `target.${name} = source.${name}`)
    .join(' AND ')

/** Makes a function that sends a statement with all rows as one JSON text; nothing without rows or text. */
const sending =
  (textOf: (table: Table, tournamentId: string | undefined) => string | undefined) =>
  async (
    sql: Transaction,
    table: Table,
    rows: readonly object[],
    tournamentId?: string,
  ): Promise<void> => {
    const text = rows.length > 0 ? textOf(table, tournamentId) : undefined
    if (text === undefined) return
    await sql.unsafe(text, [recordsOf(table, rows, tournamentId)], { prepare: true })
  }

/** Inserts rows of a table. */
export const insertRows = sending(
  (table) => `INSERT INTO ${tableName(table)} SELECT * FROM ${source(table)}`,
)

/** Updates the rows of these keys. */
export const updateRows = sending((table, tournamentId) => {
  const key = keyColumns(table, tournamentId)
  const columns = columnsOf(table).flatMap(({ name }) =>
    key.includes(name) ? [] : `${name} = source.${name}`,
  )
  if (columns.length === 0) return undefined
  return `UPDATE ${tableName(table)} AS target SET ${columns.join(', ')}
    FROM ${source(table)} AS source WHERE ${matches(table, tournamentId)}`
})

/** Deletes the rows of these keys. */
export const deleteRows = sending(
  (table, tournamentId) =>
    `DELETE FROM ${tableName(table)} AS target USING ${source(table)} AS source
     WHERE ${matches(table, tournamentId)}`,
)

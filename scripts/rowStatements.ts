import type { Transaction } from '../src/source/connection.ts'
import { proxyUrl } from '../src/source/proxies.ts'
import type { RecordingRow } from '../src/source/rows.ts'
import { type Column, columnsOf, rowKey, sqlName, type Table } from '../src/source/tables.ts'

/** An instant in the syntax of Postgres, whose years have no sign and any number of digits. */
const instant = (ms: number): string => new Date(ms).toISOString().replace(/^\+0*/, '')

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

/** Columns of the key, with the tournament where the row belongs to one. */
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

/** Inserts all rows of a table in one statement, sent as one JSON text. */
export const insertRows = async (
  sql: Transaction,
  table: Table,
  rows: readonly object[],
  tournamentId?: string,
): Promise<void> => {
  if (rows.length === 0) return
  await sql.unsafe(
    `INSERT INTO ${tableName(table)} SELECT * FROM ${source(table)}`,
    [recordsOf(table, rows, tournamentId)],
    { prepare: true },
  )
}

/** Updates the rows of these keys in one statement. */
export const updateRows = async (
  sql: Transaction,
  table: Table,
  rows: readonly object[],
  tournamentId?: string,
): Promise<void> => {
  const key = keyColumns(table, tournamentId)
  const columns = columnsOf(table)
    .map(({ name }) => name)
    .filter((name) => !key.includes(name))
  if (rows.length === 0 || columns.length === 0) return
  await sql.unsafe(
    `UPDATE ${tableName(table)} AS target
     SET ${columns.map((name) => `${name} = source.${name}`).join(', ')}
     FROM ${source(table)} AS source WHERE ${matches(table, tournamentId)}`,
    [recordsOf(table, rows, tournamentId)],
    { prepare: true },
  )
}

/** Deletes the rows of these keys in one statement. */
export const deleteRows = async (
  sql: Transaction,
  table: Table,
  rows: readonly object[],
  tournamentId?: string,
): Promise<void> => {
  if (rows.length === 0) return
  await sql.unsafe(
    `DELETE FROM ${tableName(table)} AS target USING ${source(table)} AS source
     WHERE ${matches(table, tournamentId)}`,
    [recordsOf(table, rows, tournamentId)],
    { prepare: true },
  )
}

import { createTimeSlice } from '../timeSlice.ts'
import type { Unchecked } from './check.ts'
import type { Query } from './connection.ts'
import { recordingsOf, recordingTexts, shortProxies, sliceRows } from './recordingColumns.ts'
import type { PackedRecordings } from './recordingTable.ts'
import { isShown, type ReadOptions, relation } from './relations.ts'
import type { TournamentRows, TournamentTable } from './rows.ts'
import { type Part, stampDigestOf } from './stampDigest.ts'
import { type Column, childTables, columnsOf, rowKey, selectList } from './tables.ts'

type Row = Readonly<Record<string, unknown>>

/** Tournaments per query, about 2,500 rows, which the client parses in 15 ms at most. */
const batchSize = 2

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

export const toRow = (
  columns: readonly Column[],
  values: readonly unknown[],
): Record<string, unknown> => {
  const row: Record<string, unknown> = {}
  let index = 0
  for (const { property } of columns) row[property] = values[index++]
  return row
}

/** Unchecked rows of a tournament, read in one snapshot. */
export interface ReadTournament {
  readonly id: string
  readonly rows: Unchecked<TournamentRows>
  /** See {@link stampDigests}. */
  readonly stampDigest: string
  /** Of its recordings. */
  readonly recordings: Part
}

/** Recordings as they were read, all valid. */
export interface KnownRecordings {
  readonly packed: PackedRecordings
  readonly part: Part
}

const noRecordings: ReadonlyMap<string, KnownRecordings> = new Map()

/**
 * Reads the shown tournaments of these ids with all their rows, in time slices. Recordings that are known
 * are not read: those of a tournament of 3,800 take the server 40 ms, its other rows 2 ms.
 */
export const readShown = async (
  query: Query,
  ids: readonly string[],
  options: ReadOptions,
  known = noRecordings,
): Promise<readonly ReadTournament[]> => {
  const found: ReadTournament[] = []
  for (let start = 0; start < ids.length; start += batchSize) {
    found.push(...(await readBatch(query, ids.slice(start, start + batchSize), options, known)))
  }
  return found
}

/** {@link readShown} of some, ascending by id. */
const readBatch = async (
  query: Query,
  ids: readonly string[],
  options: ReadOptions,
  known = noRecordings,
): Promise<readonly ReadTournament[]> => {
  const columns = columnsOf('tournaments')
  const readOwn = async () => {
    const answer = await query(
      `SELECT ${selectList('tournaments', options.version)} FROM ${relation('tournaments', options)}
       WHERE id = ANY ($1) AND ${shownTournaments(options)}`,
      [ids],
    )
    const own = sortByKey(
      answer.map((values) => toRow(columns, values)),
      ['id'],
    ).map((tournament) => ({
      id: String(tournament.id),
      tournament,
      tables: Object.fromEntries(childTables.map((table): [string, Row[]] => [table, []])),
      parts: new Map<TournamentTable, Part>(),
    }))
    return new Map(own.map((each) => [each.id, each]))
  }
  const reading = readOwn()
  const slice = createTimeSlice()
  const { isOver, next } = slice
  const readRows = async (table: TournamentTable, ids: readonly string[]): Promise<void> => {
    const own = columnsOf(table)
    const children = await query(
      `SELECT ${selectList(table, options.version)}, xmin, tournament_id
       FROM ${relation(table, options)} WHERE tournament_id = ANY ($1)`,
      [ids],
    )
    const byID = await reading
    for (const [index, values] of children.entries()) {
      if (index % sliceRows === 0 && isOver()) await next()
      const holder = byID.get(String(values.at(-1)))
      if (!holder) continue
      const row = toRow(own, values)
      holder.tables[table]?.push(
        table === 'recordings' ? Object.assign(row, shortProxies(row)) : row,
      )
      const part = holder.parts.getOrInsertComputed(table, () => ({ rows: 0, stamps: 0 }))
      part.rows += 1
      part.stamps += Number(values.at(-2))
    }
  }
  const readRecordings = async (ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return
    const children = await query(
      `SELECT tournament_id, count(*)::int, sum(xmin::text::float8), ${recordingTexts(options.version).join(', ')}
       FROM ${relation('recordings', options)} WHERE tournament_id = ANY ($1)
       GROUP BY tournament_id`,
      [ids],
    )
    const byID = await reading
    const unreadable: string[] = []
    for (const [id, count, stamps, ...columns] of children) {
      const holder = byID.get(String(id))
      if (!holder) continue
      const rows = await recordingsOf(Number(count), columns, slice)
      if (!rows) {
        unreadable.push(holder.id)
        continue
      }
      holder.tables.recordings = rows
      holder.parts.set('recordings', { rows: rows.length, stamps: Number(stamps) })
    }
    if (unreadable.length > 0) await readRows('recordings', unreadable)
  }
  const [byID] = await Promise.all([
    reading,
    ...childTables.map((table) =>
      // Two thirds of all rows: as columns they take a third of the CPU time here.
      table === 'recordings'
        ? readRecordings(ids.filter((id) => !known.has(id)))
        : readRows(table, ids),
    ),
  ])
  const found = [...byID.values()]
  for (const { tables } of found) {
    for (const table of childTables) {
      if (isOver()) await next()
      sortByKey(tables[table] ?? [], rowKey(table))
    }
  }
  return found.map(({ id, tournament, tables, parts }) => {
    const kept = known.get(id)
    if (kept) parts.set('recordings', kept.part)
    return {
      id,
      rows: { tournament, ...tables, ...(kept && { recordings: kept.packed }) },
      stampDigest: stampDigestOf(parts),
      recordings: parts.get('recordings') ?? { rows: 0, stamps: 0 },
    }
  })
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
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = await readBatch(query, ids.slice(start, start + batchSize), options)
    for (const { rows } of batch) yield rows
  }
}

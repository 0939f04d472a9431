import type { Unchecked } from '../../../src/data/source/check.ts'
import { checkCages } from '../../../src/data/source/check.ts'
import {
  openPool,
  parameterText,
  type Query,
  sourceError,
  type Transaction,
  transact,
} from '../../../src/data/source/connection.ts'
import { readCages } from '../../../src/data/source/postgres.ts'
import { readShown } from '../../../src/data/source/readTournaments.ts'
import { PackedRecordings, unpackRecordings } from '../../../src/data/source/recordingTable.ts'
import {
  schemaVersion,
  type TournamentRows,
  type TournamentTable,
} from '../../../src/data/source/rows.ts'
import { childTables } from '../../../src/data/source/tables.ts'
import { CommandError, program } from '../../command.ts'
import { deleteRows, insertRows, updateRows, withProxyUrls } from '../../rowStatements.ts'
import {
  type Changes,
  countDifferences,
  type Difference,
  differenceOf,
  keyText,
  noChanges,
  presentRows,
  type TournamentDifference,
  tournamentDifference,
} from './difference.ts'
import { type Target, type Updated, type UpdateOptions, validRows, withoutKeys } from './target.ts'

const readOptions = { version: schemaVersion, includeHidden: true } as const

const parents: readonly TournamentTable[] = ['games', 'players', 'rounds', 'brackets']
/** Tables that no other row depends on; their deletions come first, because their keys can be reused. */
const leaves = childTables.filter((table) => !parents.includes(table)).toReversed()

const queryOf =
  (sql: Transaction): Query =>
  (text, parameters = []) =>
    sql.unsafe(text, parameters.map(parameterText), { prepare: true }).values()

const tokenOf = (row: object): unknown => ('token' in row ? row.token : undefined)

/**
 * Gives the tokens of changed stills free: tokens are unique, and another row of this transaction can get one. The
 * placeholders are random, because tokens of a source can be any text.
 */
const releaseTokens = async (
  sql: Transaction,
  before: readonly object[],
  updated: readonly object[],
): Promise<void> => {
  const tokens = new Map(before.map((row) => [keyText('stills', row), tokenOf(row)]))
  const moved = updated.filter((row) => tokens.get(keyText('stills', row)) !== tokenOf(row))
  if (moved.length === 0) return
  await sql.unsafe(
    `UPDATE cageside.stills SET token = gen_random_uuid()::text
     WHERE id = ANY ($1::text::bigint[])`,
    [parameterText(moved.map((row) => ('id' in row ? String(row.id) : '')))],
  )
}

/** Writes the differing rows, in an order that the foreign keys allow. */
const writeTournament = async (
  sql: Transaction,
  existing: Unchecked<TournamentRows> | undefined,
  merged: Unchecked<TournamentRows>,
  rows: TournamentRows,
): Promise<Changes> => {
  const { id } = rows.tournament
  const differences = [...tournamentDifference(existing, rows)].map(([table, difference]) => {
    const { deleted } = difference
    if (deleted.length === 0 || table === 'tournaments') return [table, difference] as const
    // A present row that breaks the rules of the reader stays in the database.
    const kept = new Set(presentRows(merged, table).map((row) => keyText(table, row)))
    const gone = deleted.filter((row) => !kept.has(keyText(table, row)))
    return [table, { ...difference, deleted: gone }] as const
  })
  const byTable: TournamentDifference = new Map(differences)
  const stored = (table: 'tournaments' | TournamentTable, kind: keyof Difference) => {
    const changed = byTable.get(table)?.[kind] ?? []
    if (table !== 'recordings' || changed.length === 0 || kind === 'deleted') return changed
    const keys = new Set(changed.map((row) => keyText(table, row)))
    return rows.recordings.filter((row) => keys.has(keyText(table, row))).map(withProxyUrls)
  }
  for (const table of leaves) await deleteRows(sql, table, stored(table, 'deleted'), id)
  await releaseTokens(sql, presentRows(existing, 'stills'), stored('stills', 'updated'))
  await insertRows(sql, 'tournaments', stored('tournaments', 'inserted'))
  await updateRows(sql, 'tournaments', stored('tournaments', 'updated'))
  for (const table of childTables) {
    await insertRows(sql, table, stored(table, 'inserted'), id)
    await updateRows(sql, table, stored(table, 'updated'), id)
  }
  for (const table of parents) await deleteRows(sql, table, stored(table, 'deleted'), id)
  return countDifferences(byTable.values())
}

/** Makes other imports of the same tournament wait, even if there is no row to lock yet. */
const lockImports = (sql: Transaction, what: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`cageside import ${what}`}, 0))`

/** Rows of other tournaments with keys that are unique in the league. */
const ownersOf = async (
  sql: Transaction,
  { tournament, recordings, clips, stills }: TournamentRows,
): Promise<
  readonly { table: keyof typeof deleteStatements; key: string; token: string; owner: string }[]
> =>
  sql.unsafe(
    `SELECT 'recordings' AS table, id::text AS key, '' AS token, tournament_id AS owner
     FROM cageside.recordings WHERE id = ANY ($2::text::bigint[]) AND tournament_id <> $1
     UNION ALL SELECT 'clips', token, '', tournament_id
     FROM cageside.clips WHERE token = ANY ($3::text::text[]) AND tournament_id <> $1
     UNION ALL SELECT 'stills', id::text, token, tournament_id
     FROM cageside.stills
     WHERE (id = ANY ($4::text::bigint[]) OR token = ANY ($5::text::text[])) AND tournament_id <> $1`,
    [
      tournament.id,
      parameterText(recordings.map(({ id }) => String(id))),
      parameterText(clips.map(({ token }) => token)),
      parameterText(stills.map(({ id }) => String(id))),
      parameterText(stills.map(({ token }) => token)),
    ],
  )

const deleteStatements = {
  recordings: 'DELETE FROM cageside.recordings WHERE id = $1::text::bigint',
  clips: 'DELETE FROM cageside.clips WHERE token = $1',
  stills: 'DELETE FROM cageside.stills WHERE id = $1::text::bigint',
} as const

/**
 * Removes rows that moved here from another tournament of the source, and returns the league keys that other
 * sources use.
 */
const settleOwners = async (
  sql: Transaction,
  rows: TournamentRows,
  isOfSource: UpdateOptions['isOfSource'],
): Promise<ReadonlySet<string>> => {
  const taken = new Set<string>()
  for (const { table, key, token, owner } of await ownersOf(sql, rows)) {
    if (isOfSource(owner)) await sql.unsafe(deleteStatements[table], [key])
    else taken.add(`${table} ${key}`).add(`${table} ${token}`)
  }
  return taken
}

const readExisting = async (
  sql: Transaction,
  tournamentId: string,
): Promise<Unchecked<TournamentRows> | undefined> => {
  const [found] = await readShown(queryOf(sql), [tournamentId], readOptions)
  if (!(found?.rows.recordings instanceof PackedRecordings)) return found?.rows
  return { ...found.rows, recordings: unpackRecordings(found.rows.recordings) }
}

/** Opens a migrated database with a role that may write. Throws a one-line error. */
export const openPostgresTarget = async (url: string): Promise<Target> => {
  const pool = openPool(url, { max: 1, connectSeconds: 10 })
  const inTransaction = async <T>(work: (sql: Transaction) => Promise<T>): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>()
    try {
      await transact(pool, async (sql) => {
        await sql.unsafe(`SET LOCAL lock_timeout = '30s'; SET LOCAL statement_timeout = '120s'`)
        resolve(await work(sql))
      })
    } catch (error) {
      throw sourceError(error)
    }
    return promise
  }
  const version = await inTransaction(async (sql) => {
    const [row] = await sql<{ version: number | null }[]>`
      SELECT max(version) AS version FROM cageside.schema_version`
    return row?.version ?? 0
  })
  if (version !== schemaVersion) {
    await pool.end({ timeout: 1 })
    throw new CommandError(`the database is not migrated: run ${program} migrate`)
  }
  return {
    sources: () =>
      inTransaction(async (sql) => {
        const rows = await sql<{ id: string; source: string | null }[]>`
          SELECT id, source FROM cageside.tournaments ORDER BY id`
        return new Map(rows.map(({ id, source }) => [id, source]))
      }),
    read: (tournamentId) => inTransaction((sql) => readExisting(sql, tournamentId)),
    update: (tournamentId, change, { onBadRow, isOfSource }) =>
      inTransaction(async (sql): Promise<Updated | undefined> => {
        await lockImports(sql, `tournament ${tournamentId}`)
        await sql`SELECT FROM cageside.tournaments WHERE id = ${tournamentId} FOR UPDATE`
        const existing = await readExisting(sql, tournamentId)
        const unchecked = change(existing)
        const rows = unchecked && validRows(unchecked, onBadRow)
        if (!rows) return undefined
        const free = withoutKeys(rows, await settleOwners(sql, rows, isOfSource), onBadRow)
        return { rows: free, changes: await writeTournament(sql, existing, unchecked, free) }
      }),
    remove: (tournamentId) =>
      inTransaction(async (sql) => {
        const removed = await sql`DELETE FROM cageside.tournaments WHERE id = ${tournamentId}`
        return { ...noChanges, deleted: removed.count }
      }),
    updateCages: (change) =>
      inTransaction(async (sql) => {
        const ignore = (): void => undefined
        await lockImports(sql, 'cages')
        const before = checkCages(await readCages(queryOf(sql), readOptions), ignore)
        const after = checkCages(change(before), ignore)
        const differences = (['cages', 'cageQueue'] as const).map((table) => {
          return [table, differenceOf(table, before[table], after[table])] as const
        })
        for (const [table, { deleted, inserted, updated }] of differences) {
          await deleteRows(sql, table, deleted)
          await insertRows(sql, table, inserted)
          await updateRows(sql, table, updated)
        }
        return countDifferences(differences.map(([, each]) => each))
      }),
    close: () => pool.end({ timeout: 5 }),
    abandon: () => pool.end({ timeout: 1 }),
  }
}

import { checkCages, checkTournament, type OnBadRow } from '../src/source/check.ts'
import { openPool, sourceError, type Transaction, transact } from '../src/source/connection.ts'
import { proxyUrl } from '../src/source/proxies.ts'
import type { CageRows, RecordingRow, TournamentRows } from '../src/source/rows.ts'
import { readSnapshot, SnapshotError } from '../src/source/snapshot.ts'
import { type Column, childTables, columnsOf, sqlName, type Table } from '../src/source/tables.ts'
import { CommandError, databaseUrl, readArguments, runCommand } from './command.ts'

const help = `Usage: bun run load [--database-url URL] SNAPSHOT

Puts a snapshot into a migrated Postgres database that holds no tournaments yet.

  --database-url URL   the database, as a role that may write (default: DATABASE_ADMIN_URL)
  --help               this text`

/** An instant in the syntax of Postgres, whose years have no sign and any number of digits. */
const instant = (ms: number): string => new Date(ms).toISOString().replace(/^\+0*/, '')

const columnValue = ({ kind }: Column['storage'], value: unknown): unknown => {
  if (typeof value !== 'number') return value
  if (kind === 'seconds' || kind === 'fractionalSeconds') return instant(Math.round(value * 1000))
  return kind === 'milliseconds' ? instant(value) : value
}

/** Inserts all rows of a table in one statement, sent as one JSON text. */
const insert = async (
  sql: Transaction,
  table: Table,
  rows: readonly object[],
  tournamentId?: string,
): Promise<void> => {
  if (rows.length === 0) return
  const columns = columnsOf(table)
  const records = rows.map((row) => {
    const values = new Map<string, unknown>(Object.entries(row))
    const record: Record<string, unknown> = {}
    if (tournamentId !== undefined) record.tournament_id = tournamentId
    for (const { property, name, storage } of columns) {
      record[name] = columnValue(storage, values.get(property))
    }
    return record
  })
  const name = `cageside.${sqlName(table)}`
  await sql.unsafe(
    `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1::text::json)`,
    [JSON.stringify(records)],
    { prepare: true },
  )
}

const withProxyUrls = (row: RecordingRow): object => ({
  ...row,
  proxy720Url: proxyUrl(row.videoUrl, 720, row.proxy720Url),
  proxy360Url: proxyUrl(row.videoUrl, 360, row.proxy360Url),
  proxy72Url: proxyUrl(row.videoUrl, 72, row.proxy72Url),
})

/** Inserts a tournament with all rows below it. */
export const insertTournament = async (sql: Transaction, rows: TournamentRows): Promise<void> => {
  const { id } = rows.tournament
  await insert(sql, 'tournaments', [rows.tournament])
  for (const table of childTables) {
    const own = table === 'recordings' ? rows.recordings.map(withProxyUrls) : rows[table]
    await insert(sql, table, own, id)
  }
}

/** Loads a league into an empty database in one transaction. Throws a one-line error. */
export const insertLeague = async (
  url: string,
  league: CageRows & { readonly tournaments: Iterable<TournamentRows> },
): Promise<void> => {
  const pool = openPool(url, { max: 1, connectSeconds: 10 })
  try {
    await transact(pool, async (sql) => {
      await sql.unsafe(
        `SET LOCAL lock_timeout = '10s';
         LOCK TABLE cageside.tournaments, cageside.cages IN SHARE ROW EXCLUSIVE MODE`,
      )
      const present = await sql`
        SELECT FROM cageside.tournaments UNION ALL SELECT FROM cageside.cages LIMIT 1`
      if (present.length > 0) throw new CommandError('the database already holds a league')
      for (const rows of league.tournaments) await insertTournament(sql, rows)
      await insert(sql, 'cages', league.cages)
      await insert(sql, 'cageQueue', league.cageQueue)
      await sql`ANALYZE`
    })
  } catch (error) {
    throw error instanceof CommandError || error instanceof SnapshotError
      ? error
      : sourceError(error)
  } finally {
    await pool.end({ timeout: 1 })
  }
}

/** {@link insertLeague} of a snapshot; every row must be valid. */
export const load = async (url: string, path: string): Promise<{ tournaments: number }> => {
  const snapshot = await readSnapshot(path)
  const refuse: OnBadRow = ({ table, problem }) => {
    throw new CommandError(`snapshot ${path} holds a bad row in ${table}: ${problem}`)
  }
  const checked = function* (): Generator<TournamentRows> {
    for (const unchecked of snapshot.tournaments()) {
      const rows = checkTournament(unchecked, refuse)
      if (rows) yield rows
    }
  }
  await insertLeague(url, { ...checkCages(snapshot.cages, refuse), tournaments: checked() })
  return { tournaments: snapshot.tournamentCount }
}

const main = async (): Promise<void> => {
  const { values, positionals } = readArguments({
    'database-url': { type: 'string' },
    help: { type: 'boolean' },
  })
  if (values.help) return console.log(help)
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) {
    throw new CommandError('one snapshot file is expected (see --help)')
  }
  const { tournaments } = await load(databaseUrl(values['database-url']), path)
  console.log(`${tournaments} tournaments of ${path} are in the database`)
}

if (import.meta.main) await runCommand(main)

import bundledSnapshot from '../snapshot/sample.cageside' with { type: 'file' }
import { checkCages, checkTournament, type OnBadRow } from '../src/data/source/check.ts'
import type { Transaction } from '../src/data/source/connection.ts'
import type { CageRows, TournamentRows } from '../src/data/source/rows.ts'
import { readSnapshot } from '../src/data/source/snapshot.ts'
import { allTables, childTables, sqlName } from '../src/data/source/tables.ts'
import {
  CommandError,
  databaseUrl,
  type Main,
  program,
  readArguments,
  runCommand,
} from './command.ts'
import { flag, text } from './option.ts'
import { inDatabase, insertRows, withProxyUrls } from './rowStatements.ts'

const help = `Usage: ${program} load [--database-url URL] SNAPSHOT | --sample

Puts a snapshot into a migrated Postgres database that holds no tournaments yet.

  --database-url URL   the database, as a role that may write (default: DATABASE_ADMIN_URL)
  --sample             the bundled sample league instead of a file
  --help               this text`

/** Inserts a tournament with all rows below it. */
export const insertTournament = async (sql: Transaction, rows: TournamentRows): Promise<void> => {
  const { id } = rows.tournament
  await insertRows(sql, 'tournaments', [rows.tournament])
  for (const table of childTables) {
    const own = table === 'recordings' ? rows.recordings.map(withProxyUrls) : rows[table]
    await insertRows(sql, table, own, id)
  }
}

/** Loads a league into an empty database in one transaction. Throws a one-line error. */
export const insertLeague = async (
  url: string,
  league: CageRows & { readonly tournaments: Iterable<TournamentRows> },
): Promise<void> => {
  await inDatabase(url, async (sql) => {
    await sql.unsafe(
      `SET LOCAL lock_timeout = '10s';
       LOCK TABLE cageside.tournaments, cageside.cages IN SHARE ROW EXCLUSIVE MODE`,
    )
    const present = await sql`
      SELECT FROM cageside.tournaments UNION ALL SELECT FROM cageside.cages LIMIT 1`
    if (present.length > 0) throw new CommandError('the database already holds a league')
    for (const rows of league.tournaments) await insertTournament(sql, rows)
    await insertRows(sql, 'cages', league.cages)
    await insertRows(sql, 'cageQueue', league.cageQueue)
    await sql.unsafe(`ANALYZE ${allTables.map((table) => `cageside.${sqlName(table)}`).join()}`)
  })
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

export const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, { 'database-url': text, sample: flag })
  const [path, ...more] = [...(values.sample ? [bundledSnapshot] : []), ...positionals]
  if (path === undefined || more.length > 0) {
    throw new CommandError('one snapshot file is expected (see --help)')
  }
  const { tournaments } = await load(databaseUrl(values['database-url']), path)
  const source = values.sample ? 'the sample' : path
  console.log(`${tournaments} tournaments of ${source} are in the database`)
}

if (import.meta.main) await runCommand(main)

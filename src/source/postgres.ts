import type { Unchecked } from './check.ts'
import { type Query, SourceError } from './connection.ts'
import type { CageRows, TournamentRows, TournamentTable } from './rows.ts'
import {
  allSqlNames,
  type Column,
  childTables,
  columnsOf,
  rowKeys,
  schemaVersion,
  selectList,
  sqlName,
} from './tables.ts'

/** What a load knows besides the rows. */
export interface Head extends Unchecked<CageRows> {
  /** Differs between two databases, and after a restart, restore or fail-over: the mark is void then. */
  readonly systemIdentifier: string
  /** Every later change has a `row_xid` of at least this, as decimal text. */
  readonly mark: string
  /** Which transactions the load sees; another text for another moment with other data. */
  readonly snapshot: string
  /** The server's clock, in Unix seconds. */
  readonly now: number
}

interface ReadOptions {
  /** Private, unlisted and test tournaments too: for scripts alone. */
  readonly includeHidden?: boolean
}

type Row = Readonly<Record<string, unknown>>

/** How many tournaments are asked for at once, some 9,000 rows. 50 need twice the memory, and longer. */
const batchSize = 8

/**
 * Comes before the first query, which fixes the moment that the transaction sees: everybody sees a
 * TRUNCATE at once, and it would otherwise empty some tables of a load under way.
 */
const lockTables = `LOCK TABLE ${allSqlNames.join(', ')} IN ACCESS SHARE MODE`

const shownTournaments = ({ includeHidden = false }: ReadOptions): string =>
  includeHidden ? 'true' : "privacy = 'public' AND NOT is_test"

const compareKeys = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return 0
}

/** Texts by code unit. The database sorts by bytes, which differs above U+FFFF. */
const sortByKey = (rows: Row[], key: readonly string[]): Row[] =>
  rows.sort((a, b) => {
    for (const property of key) {
      const order = compareKeys(a[property], b[property])
      if (order !== 0) return order
    }
    return 0
  })

const toRow = (columns: readonly Column[], values: readonly unknown[]): Row => {
  const row: Record<string, unknown> = {}
  let index = 0
  for (const { property } of columns) row[property] = values[index++]
  return row
}

/** The rows of one table below some tournaments, by tournament. */
const readChildren = async (
  query: Query,
  table: TournamentTable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row[]>> => {
  const columns = columnsOf(table)
  const answer = await query(
    `SELECT ${selectList(table)}, tournament_id FROM ${sqlName(table)} WHERE tournament_id = ANY ($1)`,
    [ids],
  )
  const byTournament = new Map<string, Row[]>(ids.map((id) => [id, []]))
  for (const values of answer) {
    byTournament.get(String(values.at(-1)))?.push(toRow(columns, values))
  }
  for (const rows of byTournament.values()) sortByKey(rows, rowKeys[table])
  return byTournament
}

const readBatch = async (
  query: Query,
  ids: readonly string[],
  options: ReadOptions,
): Promise<readonly Unchecked<TournamentRows>[]> => {
  const columns = columnsOf('tournaments')
  const answer = await query(
    `SELECT ${selectList('tournaments')} FROM cageside.tournaments
     WHERE id = ANY ($1) AND ${shownTournaments(options)}`,
    [ids],
  )
  const tournaments = sortByKey(
    answer.map((values) => toRow(columns, values)),
    ['id'],
  )
  const shownIds = tournaments.map(({ id }) => String(id))
  const children = new Map(
    await Promise.all(
      childTables.map(
        async (table) => [table, await readChildren(query, table, shownIds)] as const,
      ),
    ),
  )
  return tournaments.map((tournament) => {
    const rows = (table: TournamentTable): readonly Row[] =>
      children.get(table)?.get(String(tournament.id)) ?? []
    return {
      tournament,
      brackets: rows('brackets'),
      rounds: rows('rounds'),
      players: rows('players'),
      games: rows('games'),
      slots: rows('slots'),
      pauses: rows('pauses'),
      judgeLines: rows('judgeLines'),
      recordings: rows('recordings'),
      clips: rows('clips'),
      stills: rows('stills'),
      stillTags: rows('stillTags'),
    }
  })
}

/**
 * The tournaments of these ids that exist and are shown, with all their rows, with no more than a batch
 * in memory. Ascending by id, if the ids are.
 */
export async function* readTournaments(
  query: Query,
  ids: readonly string[],
  options: ReadOptions = {},
): AsyncGenerator<Unchecked<TournamentRows>> {
  for (let start = 0; start < ids.length; start += batchSize) {
    yield* await readBatch(query, ids.slice(start, start + batchSize), options)
  }
}

/** Every shown tournament with all its rows, ascending by id, with no more than a batch in memory. */
export async function* eachTournament(
  query: Query,
  options: ReadOptions = {},
): AsyncGenerator<Unchecked<TournamentRows>> {
  const answer = await query(
    `SELECT id FROM cageside.tournaments WHERE ${shownTournaments(options)}`,
  )
  const ids = answer.map(([id]) => String(id)).sort(compareKeys)
  yield* readTournaments(query, ids, options)
}

/** What a cage shows of a tournament that is not public: nothing, not even when it changes. */
const notShown = {
  status: 'idle',
  tournamentId: null,
  gameId: null,
  pausedSince: null,
  updateTime: 0,
} as const

/** The cages and their queues. A game of a hidden tournament is not in them: its cage is idle. */
const readCages = async (query: Query, options: ReadOptions): Promise<Unchecked<CageRows>> => {
  const isShown = `tournament_id IN (
    SELECT id FROM cageside.tournaments WHERE ${shownTournaments(options)}
  )`
  const [cages, cageQueue] = await Promise.all([
    query(`SELECT ${selectList('cages')}, tournament_id IS NULL OR ${isShown} FROM cageside.cages`),
    query(`SELECT ${selectList('cageQueue')} FROM cageside.cage_queue WHERE ${isShown}`),
  ])
  return {
    cages: sortByKey(
      cages.map((values) => {
        const cage = toRow(columnsOf('cages'), values)
        return values.at(-1) === true ? cage : { ...cage, ...notShown }
      }),
      ['number'],
    ),
    cageQueue: sortByKey(
      cageQueue.map((values) => toRow(columnsOf('cageQueue'), values)),
      ['cage', 'position'],
    ),
  }
}

/**
 * What a load starts with. It must be the first thing that a transaction reads, so that no table is
 * emptied under it.
 */
export const readHead = async (query: Query, options: ReadOptions = {}): Promise<Head> => {
  await query(lockTables)
  const [answer = []] = await query(
    // The identity holds all whose change makes a mark void: the cluster, its timeline (a fail-over),
    // its start (older files put in place, or commits lost in a crash: transaction numbers are given
    // out again then), the database, and the tables (dropped and made anew).
    `SELECT (SELECT max(version) FROM cageside.schema_version),
       concat_ws('/', system_identifier, timeline_id,
         extract(epoch FROM pg_postmaster_start_time()), database.oid,
         'cageside.schema_version'::regclass::oid),
       pg_snapshot_xmin(pg_current_snapshot())::text,
       pg_current_snapshot()::text,
       floor(extract(epoch FROM clock_timestamp()))::float8
     FROM pg_control_system(), pg_control_checkpoint(), pg_database AS database
     WHERE database.datname = current_database()`,
  )
  const [version, systemIdentifier, mark, snapshot, now] = answer
  if (version !== schemaVersion) {
    throw new SourceError(
      `the database has schema version ${version}, and ${schemaVersion} is what this program reads`,
    )
  }
  return {
    systemIdentifier: String(systemIdentifier),
    mark: String(mark),
    snapshot: String(snapshot),
    now: Number(now),
    ...(await readCages(query, options)),
  }
}

const changedSince = `SELECT id, count(*)::int FROM (${[
  'SELECT id FROM cageside.tournaments WHERE row_xid >= $1::xid8',
  ...childTables.map(
    (table) => `SELECT tournament_id FROM ${sqlName(table)} WHERE row_xid >= $1::xid8`,
  ),
  `SELECT tournament_id FROM cageside.tombstones
   WHERE row_xid >= $1::xid8 AND table_name NOT IN ('cages', 'cage_queue')`,
].join(' UNION ALL ')}) AS changed GROUP BY id`

/**
 * The tournaments with rows written or deleted since a mark, hidden and deleted ones too, and the
 * number of those rows.
 */
export const changedTournaments = async (
  query: Query,
  mark: string,
): Promise<ReadonlyMap<string, number>> =>
  new Map((await query(changedSince, [mark])).map(([id, rows]) => [String(id), Number(rows)]))

/** The tournaments that are there and must not be shown. */
export const hiddenTournaments = async (query: Query): Promise<ReadonlySet<string>> => {
  const answer = await query(
    `SELECT id FROM cageside.tournaments WHERE NOT (${shownTournaments({})})`,
  )
  return new Set(answer.map(([id]) => String(id)))
}

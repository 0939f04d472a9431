import type { Unchecked } from './check.ts'
import { type Query, SourceError } from './connection.ts'
import { type ProxyHeight, proxyAddress } from './proxies.ts'
import { type CageRows, hiddenCage, type TournamentRows, type TournamentTable } from './rows.ts'
import {
  allSqlNames,
  type Column,
  childTables,
  columnsOf,
  oldestSchemaVersion,
  rowKeys,
  schemaVersion,
  selectList,
  sqlName,
} from './tables.ts'

/** What a load knows besides the rows. */
export interface Head extends Unchecked<CageRows> {
  /** Of the schema; what reads the rows needs it. */
  readonly version: number
  /** Differs between two databases, and after a restart, restore or fail-over: the mark is void then. */
  readonly systemIdentifier: string
  /** Every later change has a `row_xid` of at least this, as decimal text. */
  readonly mark: string
  /** The server's clock, in Unix seconds. */
  readonly now: number
}

interface ReadOptions {
  /** As the head tells it. */
  readonly version: number
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

const shownTournaments = ({ includeHidden = false }: Partial<ReadOptions>): string =>
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

const shortProxy = (row: Row, height: ProxyHeight): unknown => {
  const { videoUrl, [`proxy${height}Url`]: url } = row
  return typeof videoUrl === 'string' && typeof url === 'string'
    ? proxyAddress(videoUrl, height, url)
    : url
}

/** The usual addresses in their short form. */
const withShortProxies = (row: Row): Row => ({
  ...row,
  proxy720Url: shortProxy(row, 720),
  proxy360Url: shortProxy(row, 360),
  proxy72Url: shortProxy(row, 72),
})

/** The rows of one table below some tournaments, by tournament. */
const readChildren = async (
  query: Query,
  table: TournamentTable,
  ids: readonly string[],
  { version }: ReadOptions,
): Promise<ReadonlyMap<string, Row[]>> => {
  const columns = columnsOf(table)
  const answer = await query(
    `SELECT ${selectList(table, version)}, tournament_id FROM ${sqlName(table)}
     WHERE tournament_id = ANY ($1)`,
    [ids],
  )
  const byTournament = new Map<string, Row[]>(ids.map((id) => [id, []]))
  for (const values of answer) {
    const row = toRow(columns, values)
    byTournament
      .get(String(values.at(-1)))
      ?.push(table === 'recordings' ? withShortProxies(row) : row)
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
    `SELECT ${selectList('tournaments', options.version)} FROM cageside.tournaments
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
        async (table) => [table, await readChildren(query, table, shownIds, options)] as const,
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
  options: ReadOptions,
): AsyncGenerator<Unchecked<TournamentRows>> {
  for (let start = 0; start < ids.length; start += batchSize) {
    yield* await readBatch(query, ids.slice(start, start + batchSize), options)
  }
}

/** Every shown tournament with all its rows, ascending by id, with no more than a batch in memory. */
export async function* eachTournament(
  query: Query,
  options: ReadOptions,
): AsyncGenerator<Unchecked<TournamentRows>> {
  const answer = await query(
    `SELECT id FROM cageside.tournaments WHERE ${shownTournaments(options)}`,
  )
  const ids = answer.map(([id]) => String(id)).sort(compareKeys)
  yield* readTournaments(query, ids, options)
}

/** The cages and their queues. A game of a hidden tournament is not in them: its cage is idle. */
const readCages = async (query: Query, options: ReadOptions): Promise<Unchecked<CageRows>> => {
  const isShown = `tournament_id IN (
    SELECT id FROM cageside.tournaments WHERE ${shownTournaments(options)}
  )`
  const [cages, cageQueue] = await Promise.all([
    query(
      `SELECT ${selectList('cages', options.version)}, tournament_id IS NULL OR ${isShown} FROM cageside.cages`,
    ),
    query(
      `SELECT ${selectList('cageQueue', options.version)} FROM cageside.cage_queue WHERE ${isShown}`,
    ),
  ])
  return {
    cages: sortByKey(
      cages.map((values) => {
        const cage = toRow(columnsOf('cages'), values)
        return values.at(-1) === true ? cage : { ...cage, ...hiddenCage }
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
export const readHead = async (
  query: Query,
  options: Pick<ReadOptions, 'includeHidden'> = {},
): Promise<Head> => {
  await query(lockTables)
  const [answer = []] = await query(
    // The identity holds all whose change makes a mark void: the cluster, its timeline (a fail-over),
    // its start (older files put in place, or commits lost in a crash: transaction numbers are given
    // out again then), the database, the tables (dropped and made anew) and their version.
    `SELECT (SELECT max(version) FROM cageside.schema_version),
       concat_ws('/', system_identifier, timeline_id,
         extract(epoch FROM pg_postmaster_start_time()), database.oid,
         'cageside.schema_version'::regclass::oid,
         (SELECT max(version) FROM cageside.schema_version)),
       pg_snapshot_xmin(pg_current_snapshot())::text,
       floor(extract(epoch FROM clock_timestamp()))::float8
     FROM pg_control_system(), pg_control_checkpoint(), pg_database AS database
     WHERE database.datname = current_database()`,
  )
  const [found, systemIdentifier, mark, now] = answer
  const version = Number(found)
  if (!(version >= oldestSchemaVersion && version <= schemaVersion)) {
    throw new SourceError(
      `the database has schema version ${found}, and this program reads ${oldestSchemaVersion} to ${schemaVersion}`,
    )
  }
  return {
    version,
    systemIdentifier: String(systemIdentifier),
    mark: String(mark),
    now: Number(now),
    ...(await readCages(query, { ...options, version })),
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

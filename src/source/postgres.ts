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

/** How far a hot standby is behind its primary. */
export interface Standby {
  /** It has replayed everything that a running WAL receiver got. */
  readonly isCurrent: boolean
  /** Unix seconds of the last replayed commit; null before the first. */
  readonly replayedUntil: number | null
}

/** What a load knows besides the rows. */
export interface Head extends Unchecked<CageRows> {
  /** Of the schema; what reads the rows needs it. */
  readonly version: number
  /** Another text for another database. */
  readonly databaseIdentity: string
  /** Differs between two databases, and after a restart, restore or fail-over: the mark is void then. */
  readonly systemIdentifier: string
  /** Every later change has a `row_xid` of at least this, as decimal text. */
  readonly mark: string
  /** The server's clock, in Unix seconds. */
  readonly now: number
  /** Undefined for a primary. */
  readonly standby: Standby | undefined
}

interface ReadOptions {
  /** As the head tells it. */
  readonly version: number
  /** Private, unlisted and test tournaments too: for scripts alone. */
  readonly includeHidden?: boolean
}

type Row = Readonly<Record<string, unknown>>

/** How many tournaments are asked for at once, some 9,000 rows. 50 need twice the memory, and longer. */
export const batchSize = 8

/**
 * Comes before the first query, which fixes the moment that the transaction sees: everybody sees a
 * TRUNCATE at once, and it would otherwise empty some tables of a load under way. NOWAIT, and all tables
 * at once: a reader that waited for one while it holds another could deadlock a writer that alters both.
 */
const lockTables = `LOCK TABLE ${allSqlNames.join(', ')} IN ACCESS SHARE MODE NOWAIT`

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

/** The tournaments of these ids that exist and are shown, with all their rows, ascending by id. */
export const readBatch = async (
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
    // The identity holds all whose change makes a mark void: the cluster, the database, the tables
    // (dropped and made anew), their version, the timeline (a fail-over), and the start of the server
    // (older files put in place, or commits lost in a crash: transaction numbers are given out again then).
    `SELECT version,
       concat_ws('/', system_identifier, database.oid, 'cageside.schema_version'::regclass::oid),
       concat_ws('/', version, timeline_id, extract(epoch FROM pg_postmaster_start_time())),
       pg_snapshot_xmin(pg_current_snapshot())::text,
       floor(extract(epoch FROM clock_timestamp()))::float8,
       pg_is_in_recovery(),
       pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
         AND EXISTS (
           -- The time is visible to members of pg_read_all_stats alone.
           SELECT FROM pg_stat_wal_receiver
           WHERE coalesce(last_msg_receipt_time > clock_timestamp() - interval '45 s', true)
         ),
       extract(epoch FROM pg_last_xact_replay_timestamp())::float8
     FROM pg_control_system(), pg_control_checkpoint(), pg_database AS database,
       (SELECT max(version) AS version FROM cageside.schema_version) AS schema
     WHERE database.datname = current_database()`,
  )
  const [found, database, instance, mark, now, isStandby, isCurrent, replayedUntil] = answer
  const version = Number(found)
  if (!(version >= oldestSchemaVersion && version <= schemaVersion)) {
    throw new SourceError(
      `the database has schema version ${found}, and this program reads ${oldestSchemaVersion} to ${schemaVersion}`,
    )
  }
  return {
    version,
    databaseIdentity: String(database),
    systemIdentifier: `${database}/${instance}`,
    mark: String(mark),
    now: Number(now),
    standby:
      isStandby === true
        ? {
            isCurrent: isCurrent === true,
            replayedUntil: typeof replayedUntil === 'number' ? replayedUntil : null,
          }
        : undefined,
    ...(await readCages(query, { ...options, version })),
  }
}

/**
 * Rows written since a mark. Numbers that no transaction had yet are left out: a dump that is restored
 * into a new cluster brings numbers ahead of the server's, and all its rows would count at every look.
 */
const isChanged = 'row_xid >= $1::xid8 AND row_xid < pg_snapshot_xmax(pg_current_snapshot())'

const changedSince = `SELECT id, count(*)::int FROM (${[
  `SELECT id FROM cageside.tournaments WHERE ${isChanged}`,
  ...childTables.map((table) => `SELECT tournament_id FROM ${sqlName(table)} WHERE ${isChanged}`),
  `SELECT tournament_id FROM cageside.tombstones
   WHERE ${isChanged} AND table_name NOT IN ('cages', 'cage_queue')`,
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

/** A deleted row, as far as a reader asks for it: the key is that of the row in its tournament. */
export interface Deleted {
  readonly table: 'tournaments' | 'games' | 'clips' | 'stills'
  readonly tournamentID: string
  readonly key: string
}

/** What was deleted of some tournaments since a mark, row by row. */
export const deletedSince = async (
  query: Query,
  mark: string,
  ids: readonly string[],
): Promise<readonly Deleted[]> => {
  const answer = await query(
    `SELECT table_name, tournament_id, coalesce(key ->> 'id', key ->> 'token')
     FROM cageside.tombstones
     WHERE ${isChanged} AND table_name IN ('tournaments', 'games', 'clips', 'stills')
       AND tournament_id = ANY ($2)`,
    [mark, ids],
  )
  return answer.flatMap(([table, tournamentID, key]) =>
    table === 'tournaments' || table === 'games' || table === 'clips' || table === 'stills'
      ? [{ table, tournamentID: String(tournamentID), key: String(key) }]
      : [],
  )
}

/** A tournament as a glance at the database shows it. */
export interface Glance {
  readonly isShown: boolean
  /** The transaction that wrote its own row, as the server keeps it, with triggers or without. */
  readonly stamp: string
}

/** Every tournament, hidden ones too. */
export const glanceAtTournaments = async (query: Query): Promise<ReadonlyMap<string, Glance>> => {
  const answer = await query(
    `SELECT id, ${shownTournaments({})}, xmin::text FROM cageside.tournaments`,
  )
  return new Map(
    answer.map(([id, isShown, stamp]) => [
      String(id),
      { isShown: isShown === true, stamp: String(stamp) },
    ]),
  )
}

const fingerprintParts = childTables
  .map(
    (table) => `SELECT tournament_id, '${table}' AS part, count(*) AS rows,
       sum(xmin::text::bigint) AS stamps
     FROM ${sqlName(table)} WHERE tournament_id = ANY ($1) GROUP BY tournament_id`,
  )
  .join(' UNION ALL ')

/**
 * What changes with every write below a tournament, with triggers or without, but for rows that were
 * rewritten: of each table the number of rows and the sum of the transactions that wrote them, which
 * every write increases. The server keeps those itself (`xmin`).
 */
export const fingerprints = async (
  query: Query,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const found = new Map(ids.map((id) => [id, '']))
  const answer = await query(
    `SELECT tournament_id, string_agg(concat_ws(':', part, rows, stamps), ' ' ORDER BY part)
     FROM (${fingerprintParts}) AS parts GROUP BY tournament_id`,
    [ids],
  )
  for (const [id, text] of answer) {
    found.set(String(id), Bun.hash.xxHash64(String(text)).toString(36))
  }
  return found
}

/** Clips that must not be shown. */
export const hiddenClips = async (query: Query): Promise<ReadonlySet<string>> => {
  const answer = await query(
    `SELECT token FROM cageside.clips WHERE NOT (is_public AND state = 'completed')`,
  )
  return new Set(answer.map(([token]) => String(token)))
}

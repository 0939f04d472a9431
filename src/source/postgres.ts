import { createTimeSlice } from '../timeSlice.ts'
import type { Unchecked } from './check.ts'
import type { Query, Source } from './connection.ts'
import { fingerprintOf, type Part } from './fingerprint.ts'
import { recordingsOf, recordingTexts, shortProxies, sliceRows } from './recordingColumns.ts'
import type { PackedRecordings } from './recordingTable.ts'
import { isShown, type ReadOptions, relation } from './relations.ts'
import {
  type CageRows,
  hiddenCage,
  schemaVersion,
  type TournamentRows,
  type TournamentTable,
} from './rows.ts'
import { RefusedError, SetupError } from './sourceErrors.ts'
import {
  allTables,
  type Column,
  childTables,
  columnsOf,
  minSchemaVersion,
  rowKey,
  selectList,
} from './tables.ts'

/** Replication state of a hot standby. */
export interface Standby {
  /** All WAL received is replayed, and the receiver is running. */
  readonly isCurrent: boolean
  /** Unix seconds of the last replayed commit; null before the first. */
  readonly replayedUntil: number | null
}

/** The timeline in the {@link Head.systemIdentifier} of a position; 0 where it has none. */
export const timelineOf = (systemIdentifier: string): number =>
  Number(systemIdentifier.split('/').at(-2)) || 0

/** State of the database at the begin of a transaction, and its cages. */
export interface Head extends Unchecked<CageRows> {
  /** Schema version, which determines how rows are read. */
  readonly version: number
  /** Identity of the database. */
  readonly databaseIdentity: string
  /**
   * Identity of the database and its instance; marks are invalid after a restart, restore or
   * fail-over, which change it.
   */
  readonly systemIdentifier: string
  /** Of the WAL: each promotion begins a new one. */
  readonly timeline: number
  /** Min `row_xid` of every later change, as decimal text. */
  readonly mark: string
  /** The server's clock, in Unix seconds. */
  readonly now: number
  /** Undefined for a primary. */
  readonly standby: Standby | undefined
  /** The role can read private rows, which the service does not need. */
  readonly mayReadPrivate: boolean
}

type Row = Readonly<Record<string, unknown>>

/** Tournaments per query, about 2,500 rows, which the client parses in 15 ms at most. */
const batchSize = 2

/**
 * Locks all tables before the first query, which takes the snapshot: TRUNCATE is not MVCC-safe and
 * would empty tables during a load. NOWAIT and all tables at once, as waiting for one lock while
 * holding another can deadlock a writer. A lock on a view locks its tables.
 */
const lockTables = (options: ReadOptions): string =>
  `LOCK TABLE ${allTables.map((table) => relation(table, options)).join(', ')}
   IN ACCESS SHARE MODE NOWAIT`

const shownTournaments = ({ includeHidden = false }: Partial<ReadOptions>): string =>
  includeHidden ? 'true' : isShown

const compareKeys = (a: unknown, b: unknown): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return 0
}

/** Sorts texts by code unit. The database sorts by bytes, which differs above U+FFFF. */
const sortByKey = (rows: Row[], key: readonly string[]): Row[] =>
  rows.sort((a, b) => {
    for (const property of key) {
      const order = compareKeys(a[property], b[property])
      if (order !== 0) return order
    }
    return 0
  })

const toRow = (columns: readonly Column[], values: readonly unknown[]): Record<string, unknown> => {
  const row: Record<string, unknown> = {}
  let index = 0
  for (const { property } of columns) row[property] = values[index++]
  return row
}

/** Unchecked rows of a tournament, read in one snapshot. */
export interface ReadTournament {
  readonly id: string
  readonly rows: Unchecked<TournamentRows>
  /** See {@link fingerprints}. */
  readonly fingerprint: string
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
      const part = holder.parts.get(table) ?? { rows: 0, stamps: 0 }
      part.rows += 1
      part.stamps += Number(values.at(-2))
      holder.parts.set(table, part)
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
      fingerprint: fingerprintOf(parts),
      recordings: parts.get('recordings') ?? { rows: 0, stamps: 0 },
    }
  })
}

/** Reads the shown tournaments of these ids in batches, ascending by id if the ids are. */
export async function* readTournaments(
  query: Query,
  ids: readonly string[],
  options: ReadOptions,
): AsyncGenerator<Unchecked<TournamentRows>> {
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = await readBatch(query, ids.slice(start, start + batchSize), options)
    for (const { rows } of batch) yield rows
  }
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
  yield* readTournaments(query, ids, options)
}

/** Reads the cages and their queues. A cage with a game of a hidden tournament is idle. */
export const readCages = async (
  query: Query,
  options: ReadOptions,
): Promise<Unchecked<CageRows>> => {
  const isOfShown = `tournament_id IN (
    SELECT id FROM ${relation('tournaments', options)} WHERE ${shownTournaments(options)}
  )`
  const [cages, cageQueue] = await Promise.all([
    query(
      `SELECT ${selectList('cages', options.version)}, tournament_id IS NULL OR ${isOfShown}
       FROM ${relation('cages', options)}`,
    ),
    query(
      `SELECT ${selectList('cageQueue', options.version)} FROM ${relation('cageQueue', options)}
       WHERE ${isOfShown}`,
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

/** Reads the head, first in each transaction, after locking all tables against TRUNCATE. */
const readHead = async (query: Query, options: ReadOptions): Promise<Head> => {
  // Sent at once: each would wait for the server and for the event loop otherwise.
  const [, [answer = []], cages] = await Promise.all([
    query(lockTables(options)),
    query(
      // The identity contains everything whose change invalidates a mark: cluster, database, tables
      // (dropped and recreated), schema version, timeline (fail-over), and server start (files
      // restored, or commits lost in a crash: transaction numbers are then reused).
      `SELECT version,
       concat_ws('/', system_identifier, database.oid, 'cageside.schema_version'::regclass::oid),
       concat_ws('/', version, timeline, extract(epoch FROM pg_postmaster_start_time())),
       timeline,
       pg_snapshot_xmin(pg_current_snapshot())::text,
       floor(extract(epoch FROM clock_timestamp()))::float8,
       pg_is_in_recovery(),
       pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
         AND EXISTS (
           -- The time is visible to members of pg_read_all_stats alone.
           SELECT FROM pg_stat_wal_receiver
           WHERE coalesce(last_msg_receipt_time > clock_timestamp() - interval '45 s', true)
         ),
       extract(epoch FROM pg_last_xact_replay_timestamp())::float8,
       has_table_privilege('cageside.tournaments', 'SELECT')
     FROM pg_control_system(), pg_database AS database,
       -- The checkpoint's timeline may be that before a promotion, which a primary knows better.
       (SELECT CASE WHEN pg_is_in_recovery() THEN timeline_id
          ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
        FROM pg_control_checkpoint()) AS wal,
       (SELECT max(version) AS version FROM cageside.schema_version) AS schema
     WHERE database.datname = current_database()`,
    ),
    readCages(query, options),
  ])
  const [
    found,
    database,
    instance,
    timeline,
    mark,
    now,
    isStandby,
    isCurrent,
    replayedUntil,
    mayReadPrivate,
  ] = answer
  if (found !== options.version) throw new RefusedError('the schema was migrated meanwhile')
  return {
    version: options.version,
    databaseIdentity: String(database),
    systemIdentifier: `${database}/${instance}`,
    timeline: Number(timeline),
    mark: String(mark),
    now: Number(now),
    standby:
      isStandby === true
        ? {
            isCurrent: isCurrent === true,
            replayedUntil: typeof replayedUntil === 'number' ? replayedUntil : null,
          }
        : undefined,
    mayReadPrivate: mayReadPrivate === true,
    ...cages,
  }
}

const findVersion = (source: Source): Promise<number> =>
  source.transaction(async (query) => {
    const [[found] = []] = await query('SELECT max(version) FROM cageside.schema_version')
    const version = Number(found)
    if (version >= minSchemaVersion && version <= schemaVersion) return version
    throw new SetupError(
      '',
      `the database has schema version ${found}, and this program reads ${minSchemaVersion} to ${schemaVersion}${version < minSchemaVersion ? ': run migrate' : ''}`,
    )
  })

/** Last known schema version of each source: it determines which relations to lock. */
const versions = new WeakMap<Source, number>()

/** Runs `read` in a transaction that begins with the head, see {@link Source.transaction}. */
export const readTransaction = async <T>(
  source: Source,
  read: (query: Query, head: Head) => Promise<T>,
  options: Pick<ReadOptions, 'includeHidden'> = {},
): Promise<T> => {
  const readAs = (version: number): Promise<T> =>
    source.transaction(async (query) => read(query, await readHead(query, { ...options, version })))
  const known = versions.get(source) ?? (await findVersion(source))
  versions.set(source, known)
  try {
    return await readAs(known)
  } catch (error) {
    versions.delete(source)
    if (!(error instanceof RefusedError)) throw error
    const version = await findVersion(source)
    if (version === known) throw error
    versions.set(source, version)
    return readAs(version)
  }
}

import type { Unchecked } from './check.ts'
import type { Query, Source } from './connection.ts'
import { shownTournaments, sortByKey, toRow } from './readTournaments.ts'
import { type ReadOptions, relation } from './relations.ts'
import { type CageRows, hiddenCage, schemaVersion } from './rows.ts'
import { RefusedError, SetupError } from './sourceErrors.ts'
import { allTables, minSchemaVersion, rowExpression } from './tables.ts'

/** Replication state of a hot standby. */
export interface Standby {
  /** All WAL received is replayed, and the receiver is running. */
  readonly isCurrent: boolean
  /** Unix seconds of the last replayed commit; null before the first. */
  readonly replayedUntil: number | null
}

/** State of the database at the start of a transaction, and its cages. */
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
  /** WAL timeline; each promotion begins a new one. */
  readonly timeline: number
  /** Min `row_xid` of every later change, as decimal text. */
  readonly mark: string
  /** The server's clock, in Unix seconds. */
  readonly now: number
  /** Replication state of a standby; undefined on a primary. */
  readonly standby: Standby | undefined
  /** True if the role can read private rows, which the service does not need. */
  readonly mayReadPrivate: boolean
}

/**
 * Locks all tables before the first query, which takes the snapshot: TRUNCATE is not MVCC-safe and
 * would empty tables during a load. NOWAIT and all tables at once, as waiting for one lock while
 * holding another can deadlock a writer. A lock on a view locks its tables.
 */
const lockTables = (options: ReadOptions): string => {
  const rows = allTables.map((table) => relation(table, options))
  const all = [...rows, 'cageside.schema_version', 'cageside_public.tombstones']
  return `LOCK TABLE ${all.join(', ')} IN ACCESS SHARE MODE NOWAIT`
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
      `SELECT ${rowExpression('cages', options.version)}, tournament_id IS NULL OR ${isOfShown}
       FROM ${relation('cages', options)}`,
    ),
    query(
      `SELECT ${rowExpression('cageQueue', options.version)} FROM ${relation('cageQueue', options)}
       WHERE ${isOfShown}`,
    ),
  ])
  return {
    cages: sortByKey(
      cages.map(([values, isShown]) => {
        const cage = toRow('cages', values)
        return isShown === true ? cage : { ...cage, ...hiddenCage }
      }),
      ['number'],
    ),
    cageQueue: sortByKey(
      cageQueue.map(([values]) => toRow('cageQueue', values)),
      ['cage', 'position'],
    ),
  }
}

/** Reads the head, first in each transaction, after locking all tables against TRUNCATE. */
const readHead = async (query: Query, options: ReadOptions): Promise<Head> => {
  // The queries are sent together: otherwise each would wait for the server and for the event loop.
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
  if (found !== options.version)
    throw new RefusedError('the database refuses', 'the schema was migrated meanwhile')
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
    if (found === null)
      throw new SetupError('the database shows this role no schema version: run migrate')
    throw new SetupError(
      `the database has schema version ${found}, and this program reads ${minSchemaVersion} to ${schemaVersion}${version < minSchemaVersion ? ': run migrate' : ''}`,
    )
  })

/** Last known schema version of each source; it determines which relations to lock. */
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
    if (!(error instanceof RefusedError)) throw error
    const version = await findVersion(source)
    if (version === known) throw error
    versions.set(source, version)
    return readAs(version)
  }
}

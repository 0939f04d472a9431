import type { Unchecked } from './check.ts'
import { type Query, RefusedError, type Source, SourceError } from './connection.ts'
import { type ProxyHeight, proxyAddress } from './proxies.ts'
import {
  type CageRows,
  hiddenCage,
  type RecordingRow,
  type TournamentRows,
  type TournamentTable,
} from './rows.ts'
import {
  allTables,
  type Column,
  childTables,
  columnsOf,
  isTournamentTable,
  minSchemaVersion,
  publicViewsVersion,
  rowKeys,
  schemaVersion,
  selectList,
  sqlName,
  type Table,
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
  /** The role may read private rows, which this program does not need. */
  readonly mayReadPrivate: boolean
}

interface ReadOptions {
  /** Of the schema. */
  readonly version: number
  /** Private, unlisted and test tournaments too: for scripts alone. */
  readonly includeHidden?: boolean
}

type Row = Readonly<Record<string, unknown>>

/** How many tournaments are asked for at once, some 9,000 rows. 50 need twice the memory, and longer. */
export const batchSize = 8

/** The schema to read from: the views of public rows, or the tables. */
const schemaOf = ({ version, includeHidden = false }: ReadOptions): string =>
  version >= publicViewsVersion && !includeHidden ? 'cageside_public' : 'cageside'

/** The name of a table, or of the view of its public rows. */
const relation = (table: Table, options: ReadOptions): string =>
  `${schemaOf(options)}.${sqlName(table)}`

const isShown = "privacy = 'public' AND NOT is_test"
const digestOf = (column: string): string => `encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`

/** Views that tell of hidden rows, and what they hold in a schema that lacks them. */
const hiddenRelations = {
  clip_changes: 'cageside.clips',
  hidden_tournaments: `(SELECT ${digestOf('id')} AS digest FROM cageside.tournaments
    WHERE NOT (${isShown})) AS hidden_tournaments`,
  hidden_clips: `(SELECT ${digestOf('token')} AS digest FROM cageside.clips
    WHERE NOT (is_public AND state = 'completed')) AS hidden_clips`,
  tombstones: `(SELECT table_name, row_xid,
      CASE WHEN table_name <> 'tournaments' THEN tournament_id END AS tournament_id,
      CASE table_name WHEN 'tournaments' THEN ${digestOf('tournament_id')}
        WHEN 'clips' THEN ${digestOf("key ->> 'token'")} ELSE key ->> 'id' END AS key
    FROM cageside.tombstones) AS tombstones`,
} as const
const hiddenRelation = (
  name: keyof typeof hiddenRelations,
  { version }: Pick<ReadOptions, 'version'>,
): string => (version >= publicViewsVersion ? `cageside_public.${name}` : hiddenRelations[name])

/** How the database names a tournament or clip that it hides. */
export const hiddenDigest = (id: string): string =>
  new Bun.CryptoHasher('sha256').update(id).digest('hex')

/**
 * Comes before the first query, which fixes the moment that the transaction sees: everybody sees a
 * TRUNCATE at once, and it would otherwise empty some tables of a load under way. NOWAIT, and all tables
 * at once: a reader that waited for one while it holds another could deadlock a writer that alters both.
 * A lock on a view is one on its tables.
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

/** Texts by code unit. The database sorts by bytes, which differs above U+FFFF. */
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

const proxyColumns = [
  ['proxy720Url', 720],
  ['proxy360Url', 360],
  ['proxy72Url', 72],
] as const satisfies readonly (readonly [keyof RecordingRow, ProxyHeight])[]

/** Puts the usual addresses of a recording into their short form. */
const shortenProxies = (row: Record<string, unknown>): void => {
  const { videoUrl } = row
  for (const [property, height] of proxyColumns) {
    const url = row[property]
    if (typeof videoUrl === 'string' && typeof url === 'string') {
      row[property] = proxyAddress(videoUrl, height, url)
    }
  }
}

/** Of all tables below a tournament the number of rows, and the sum of the transactions that wrote them. */
type Parts = Map<TournamentTable, { rows: number; stamps: number }>

/** Empty for a tournament without rows below it. */
const fingerprintOf = (parts: Parts): string => {
  const text = childTables
    .flatMap((table) => {
      const part = parts.get(table)
      return part && part.rows > 0 ? [`${table}:${part.rows}:${part.stamps}`] : []
    })
    .join(' ')
  return text && Bun.hash.xxHash64(text).toString(36)
}

/** A tournament as it was read, in one moment. */
export interface ReadTournament {
  readonly id: string
  readonly rows: Unchecked<TournamentRows>
  /** See {@link fingerprints}. */
  readonly fingerprint: string
}

/** The tournaments of these ids that exist and are shown, with all their rows, ascending by id. */
export const readBatch = async (
  query: Query,
  ids: readonly string[],
  options: ReadOptions,
): Promise<readonly ReadTournament[]> => {
  const columns = columnsOf('tournaments')
  const answer = await query(
    `SELECT ${selectList('tournaments', options.version)} FROM ${relation('tournaments', options)}
     WHERE id = ANY ($1) AND ${shownTournaments(options)}`,
    [ids],
  )
  const found = sortByKey(
    answer.map((values) => toRow(columns, values)),
    ['id'],
  ).map((tournament) => ({
    id: String(tournament.id),
    tournament,
    tables: Object.fromEntries(childTables.map((table): [string, Row[]] => [table, []])),
    parts: new Map<TournamentTable, { rows: number; stamps: number }>(),
  }))
  const byID = new Map(found.map((each) => [each.id, each]))
  const readChildren = async (table: TournamentTable): Promise<void> => {
    const own = columnsOf(table)
    const children = await query(
      `SELECT ${selectList(table, options.version)}, xmin, tournament_id
       FROM ${relation(table, options)} WHERE tournament_id = ANY ($1)`,
      [[...byID.keys()]],
    )
    for (const values of children) {
      const holder = byID.get(String(values.at(-1)))
      if (!holder) continue
      const row = toRow(own, values)
      if (table === 'recordings') shortenProxies(row)
      holder.tables[table]?.push(row)
      const part = holder.parts.get(table) ?? { rows: 0, stamps: 0 }
      part.rows += 1
      part.stamps += Number(values.at(-2))
      holder.parts.set(table, part)
    }
    for (const { tables } of found) sortByKey(tables[table] ?? [], rowKeys[table])
  }
  if (found.length > 0) await Promise.all(childTables.map(readChildren))
  return found.map(({ id, tournament, tables, parts }) => ({
    id,
    rows: { tournament, ...tables },
    fingerprint: fingerprintOf(parts),
  }))
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
    const batch = await readBatch(query, ids.slice(start, start + batchSize), options)
    for (const { rows } of batch) yield rows
  }
}

/** Every shown tournament with all its rows, ascending by id, with no more than a batch in memory. */
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

/** The cages and their queues. A game of a hidden tournament is not in them: its cage is idle. */
const readCages = async (query: Query, options: ReadOptions): Promise<Unchecked<CageRows>> => {
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

/** What a load starts with: the first thing that a transaction reads, so that no table is emptied under it. */
const readHead = async (query: Query, options: ReadOptions): Promise<Head> => {
  await query(lockTables(options))
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
       extract(epoch FROM pg_last_xact_replay_timestamp())::float8,
       has_table_privilege('cageside.tournaments', 'SELECT')
     FROM pg_control_system(), pg_control_checkpoint(), pg_database AS database,
       (SELECT max(version) AS version FROM cageside.schema_version) AS schema
     WHERE database.datname = current_database()`,
  )
  const [
    found,
    database,
    instance,
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
    ...(await readCages(query, options)),
  }
}

const findVersion = (source: Source): Promise<number> =>
  source.transaction(async (query) => {
    const [[found] = []] = await query('SELECT max(version) FROM cageside.schema_version')
    const version = Number(found)
    if (version >= minSchemaVersion && version <= schemaVersion) return version
    throw new SourceError(
      `the database has schema version ${found}, and this program reads ${minSchemaVersion} to ${schemaVersion}`,
    )
  })

/** Of the schema behind each source, when it was last read: what must be locked depends on it. */
const versions = new WeakMap<Source, number>()

/** A transaction of a source that begins with the head, see {@link Source.transaction}. */
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

/**
 * Rows written since a mark. Numbers that no transaction had yet are left out: a dump that is restored
 * into a new cluster brings numbers ahead of the server's, and all its rows would count at every look.
 */
const isChanged = 'row_xid >= $1::xid8 AND row_xid < pg_snapshot_xmax(pg_current_snapshot())'

const changedSince = (version: number): string =>
  `SELECT id, count(*)::int FROM (${[
    `SELECT id FROM ${relation('tournaments', { version })} WHERE ${isChanged}`,
    ...childTables.map((table) => {
      const from =
        table === 'clips'
          ? hiddenRelation('clip_changes', { version })
          : relation(table, { version })
      return `SELECT tournament_id FROM ${from} WHERE ${isChanged}`
    }),
    `SELECT tournament_id FROM ${hiddenRelation('tombstones', { version })}
     WHERE ${isChanged} AND table_name NOT IN ('tournaments', 'cages', 'cage_queue')`,
  ].join(' UNION ALL ')}) AS changed GROUP BY id`

/**
 * The tournaments with rows written or deleted since a mark and the number of those rows. Of a tournament
 * that is not shown any more there may be none.
 */
export const changedTournaments = async (
  query: Query,
  { version }: ReadOptions,
  mark: string,
): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await query(changedSince(version), [mark])).map(([id, rows]) => [String(id), Number(rows)]),
  )

/**
 * A deleted row. The key is that of the row in its tournament, and a {@link hiddenDigest} for tournaments
 * and clips; the tournament is unknown where it was deleted itself.
 */
export interface Deleted {
  readonly table: 'tournaments' | 'games' | 'clips' | 'stills'
  readonly tournamentID: string | null
  readonly key: string
}

/** What was deleted since a mark: tournaments, and rows of some that are there. */
export const deletedSince = async (
  query: Query,
  options: ReadOptions,
  mark: string,
  ids: readonly string[],
): Promise<readonly Deleted[]> => {
  const answer = await query(
    `SELECT table_name, tournament_id, key FROM ${hiddenRelation('tombstones', options)}
     WHERE ${isChanged} AND (
       table_name = 'tournaments'
       OR table_name IN ('games', 'clips', 'stills') AND tournament_id = ANY ($2)
     )`,
    [mark, ids],
  )
  return answer.flatMap(([table, tournamentID, key]) =>
    table === 'tournaments' || table === 'games' || table === 'clips' || table === 'stills'
      ? [
          {
            table,
            tournamentID: typeof tournamentID === 'string' ? tournamentID : null,
            key: String(key),
          },
        ]
      : [],
  )
}

/**
 * The shown tournaments, each with the transaction that wrote its own row, as the server keeps it, with
 * triggers or without.
 */
export type Shown = ReadonlyMap<string, string>

export const shownStamps = async (query: Query, options: ReadOptions): Promise<Shown> => {
  const answer = await query(
    `SELECT id, xmin::text FROM ${relation('tournaments', options)} WHERE ${isShown}`,
  )
  return new Map(answer.map(([id, stamp]) => [String(id), String(stamp)]))
}

const fingerprintQuery = (version: number): string =>
  childTables
    .map(
      (table) => `SELECT tournament_id, '${table}', count(*)::float8, sum(xmin::text::float8)
       FROM ${relation(table, { version })} WHERE tournament_id = ANY ($1) GROUP BY tournament_id`,
    )
    .join(' UNION ALL ')

/**
 * What changes with every write below a tournament, with triggers or without, but for rows that were
 * rewritten: of each table the number of rows and the sum of the transactions that wrote them, which
 * every write increases. The server keeps those itself (`xmin`).
 */
export const fingerprints = async (
  query: Query,
  { version }: ReadOptions,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, Parts>(ids.map((id) => [id, new Map()]))
  for (const [id, table, rows, stamps] of await query(fingerprintQuery(version), [ids])) {
    const name = String(table)
    if (!isTournamentTable(name)) continue
    found.get(String(id))?.set(name, { rows: Number(rows), stamps: Number(stamps) })
  }
  return new Map([...found].map(([id, parts]) => [id, fingerprintOf(parts)]))
}

const digestsIn = async (
  query: Query,
  view: 'hidden_tournaments' | 'hidden_clips',
  options: ReadOptions,
): Promise<Pick<ReadonlySet<string>, 'has'>> => {
  const answer = await query(`SELECT digest FROM ${hiddenRelation(view, options)}`)
  const digests = new Set(answer.map(([digest]) => String(digest)))
  return { has: (id) => digests.has(hiddenDigest(id)) }
}

/** Tournaments, by id, that exist and must not be shown. */
export const hiddenTournaments = (
  query: Query,
  options: ReadOptions,
): Promise<Pick<ReadonlySet<string>, 'has'>> => digestsIn(query, 'hidden_tournaments', options)

/** Clips, by token, that exist and must not be shown. */
export const hiddenClips = (
  query: Query,
  options: ReadOptions,
): Promise<Pick<ReadonlySet<string>, 'has'>> => digestsIn(query, 'hidden_clips', options)

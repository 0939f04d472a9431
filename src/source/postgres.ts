import type { TObject } from '@sinclair/typebox'
import postgres from 'postgres'
import type { Unchecked } from './check.ts'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  TournamentRow,
  type TournamentRows,
  type TournamentTable,
  tournamentTables,
} from './rows.ts'

/**
 * A database that cannot be read. The message may be shown to anyone; `detail` is what the client or
 * the server said, one line without a password, for operators alone.
 */
export class SourceError extends Error {
  readonly detail: string
  constructor(message: string, detail = '') {
    super(message)
    this.detail = detail
  }
}

// Tables --------------------------------------------------------------------------------------

/** The version of schema.sql that this code reads. */
export const schemaVersion = 1

/** The tables of schema.sql by the names their rows have here, parents first. */
export type Table = 'tournaments' | TournamentTable | keyof CageRows
const schemas: Readonly<Record<Table, TObject>> = {
  tournaments: TournamentRow,
  ...tournamentTables,
  cages: CageRow,
  cageQueue: CageQueueRow,
}

const isTournamentTable = (name: string): name is TournamentTable => name in tournamentTables
/** The tables below a tournament, in an order that foreign keys allow to insert them in. */
export const childTables: readonly TournamentTable[] =
  Object.keys(tournamentTables).filter(isTournamentTable)

/** What a column holds: an instant that is Unix seconds or milliseconds here, or the same value. */
export type ColumnKind = 'seconds' | 'milliseconds' | 'bigint' | 'list' | 'same'
export interface Column {
  readonly property: string
  readonly name: string
  readonly kind: ColumnKind
}

/** Columns are named after their properties and hold the same value, but for these. */
const seconds: Readonly<Partial<Record<Table, readonly string[]>>> = {
  tournaments: ['createTime', 'scheduledStartTime', 'startTime', 'endTime', 'updateTime'],
  games: ['scheduledTime', 'availableSince', 'calledSince', 'startTime', 'stopTime', 'endTime'],
  pauses: ['startTime', 'stopTime'],
  clips: ['createdTime'],
  stills: ['takenTime'],
  cages: ['pausedSince', 'updateTime'],
}
const otherKinds: Readonly<Partial<Record<Table, Readonly<Record<string, Column>>>>> = {
  tournaments: {
    allowedWinAnnotations: {
      property: 'allowedWinAnnotations',
      name: 'allowed_win_annotations',
      kind: 'list',
    },
  },
  recordings: {
    id: { property: 'id', name: 'id', kind: 'bigint' },
    startMs: { property: 'startMs', name: 'start_time', kind: 'milliseconds' },
  },
  stills: { id: { property: 'id', name: 'id', kind: 'bigint' } },
  stillTags: { stillId: { property: 'stillId', name: 'still_id', kind: 'bigint' } },
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]|(?<![0-9])[0-9]/g, (letter) => `_${letter.toLowerCase()}`)

/** The name of a table in the database, with its schema. */
export const sqlName = (table: Table): string => `cageside.${snakeCase(table)}`

/** The columns of a table, in the order of the properties of its rows, without `tournament_id`. */
export const columnsOf = (table: Table): readonly Column[] =>
  Object.keys(schemas[table].properties).map(
    (property) =>
      otherKinds[table]?.[property] ?? {
        property,
        name: snakeCase(property),
        kind: seconds[table]?.includes(property) ? 'seconds' : 'same',
      },
  )

/** Numbers leave the database as float8, which the client parses and which is exact to 2^53. */
const readExpressions: Readonly<Record<ColumnKind, (column: string) => string>> = {
  seconds: (column) => `floor(extract(epoch FROM ${column}))::float8`,
  milliseconds: (column) => `floor(extract(epoch FROM ${column}) * 1000)::float8`,
  bigint: (column) => `${column}::float8`,
  // The array's own text form may carry bounds.
  list: (column) => `to_json(${column})`,
  same: (column) => column,
}

const selectList = (table: Table): string =>
  columnsOf(table)
    .map(({ name, kind }) => readExpressions[kind](name))
    .join(', ')

/** The properties of each table's key below a tournament: what its rows are sorted by. */
const keys = {
  brackets: ['id'],
  rounds: ['bracketId', 'idx'],
  players: ['id'],
  games: ['id'],
  slots: ['gameId', 'idx'],
  pauses: ['gameId', 'idx'],
  judgeLines: ['gameId', 'idx'],
  recordings: ['id'],
  clips: ['token'],
  stills: ['id'],
  stillTags: ['stillId', 'tag'],
} as const satisfies Record<TournamentTable, readonly string[]>

// Connection ----------------------------------------------------------------------------------

type Pool = postgres.Sql

/** A pool of the client. Notices are not printed; nothing connects before the first query. */
export const openPool = (
  url: string,
  { max, connectSeconds }: { max: number; connectSeconds: number },
): Pool => {
  try {
    return postgres(url, {
      max,
      connect_timeout: connectSeconds,
      idle_timeout: 60,
      // The client would ask for them on every new connection, in a query of its own whose failure
      // nobody can catch (postgres 3.4.9): a database that hangs then would end this process.
      fetch_types: false,
      connection: { application_name: 'cageside' },
      onnotice: () => {},
    })
  } catch {
    // The client's own message can repeat the URL, and with it the password.
    throw new SourceError('the database URL is not one of the form postgres://user@host/database')
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** What went wrong in a word with the database, as a {@link SourceError}. */
export const sourceError = (error: unknown): SourceError => {
  if (error instanceof SourceError) return error
  const message = error instanceof Error ? error.message : String(error)
  const why = message.split('\n', 1)[0] ?? ''
  if (!(error instanceof postgres.PostgresError)) {
    return new SourceError('the database cannot be reached', why || codeOf(error))
  }
  switch (error.code) {
    case '57014':
      return new SourceError('the database took too long over a query', why)
    case '3F000':
    case '42P01':
      return new SourceError('the database is not migrated', why)
    default:
      return new SourceError('the database refuses', why)
  }
}

/** A list of texts as Postgres writes it. */
const arrayLiteral = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

/** Runs one query and gives its rows as arrays of columns. */
export type Query = (
  text: string,
  parameters?: readonly (string | readonly string[])[],
) => Promise<readonly (readonly unknown[])[]>

/** A database to read from. */
export interface Source {
  /**
   * One read-only transaction, in which every query sees the same moment. What `read` throws comes out
   * as it is; whatever goes wrong with the database is a {@link SourceError}, and never takes longer
   * than the deadline: the next transaction starts on a new connection where that is needed.
   */
  transaction<T>(read: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface SourceOptions {
  /** The longest a query may take. */
  readonly deadlineMs?: number
}

/** How long after its deadline a query may be seen to have been stopped by the server. */
const graceMs = 500

/**
 * A source with at most two connections, opened at the first transaction and again whenever they fail.
 *
 * The server stops a query at its deadline (`statement_timeout`). For a server that does not answer at
 * all there is a timer here, which gives the connections up; the client's own `cancel()` is of no use
 * then, because it needs another connection and drops the promise of it, so that its failure is an
 * unhandled rejection (postgres 3.4.9).
 */
export const connect = (url: string, { deadlineMs = 15_000 }: SourceOptions = {}): Source => {
  const open = (): Pool =>
    openPool(url, { max: 2, connectSeconds: Math.max(1, Math.ceil(deadlineMs / 1000)) })
  let current: Pool | undefined = open()
  const giveUp = (pool: Pool): void => {
    if (current === pool) current = undefined
    pool.end({ timeout: 0 }).catch(() => {})
  }

  const run = async <T>(
    pool: Pool,
    read: (query: Query) => Promise<T>,
    stillAlive: () => void,
  ): Promise<T> => {
    // The outcome is handed out as a function, so that what `read` throws is not taken for an
    // error of the database.
    const outcome = await pool
      .begin('isolation level repeatable read read only', async (sql) => {
        const query: Query = async (text, parameters = []) => {
          stillAlive()
          const rows = await sql
            .unsafe(
              text,
              parameters.map((value) => (typeof value === 'string' ? value : arrayLiteral(value))),
              { prepare: true },
            )
            .values()
            .catch((error) => {
              throw sourceError(error)
            })
          stillAlive()
          return rows
        }
        // No more than this time is spent in a transaction that this process has forgotten.
        await sql.unsafe(
          `SET LOCAL statement_timeout = ${deadlineMs};
         SET LOCAL idle_in_transaction_session_timeout = ${deadlineMs + 60_000}`,
        )
        stillAlive()
        try {
          const value = await read(query)
          return () => value
        } catch (error) {
          return () => {
            throw error
          }
        }
      })
      .catch((error) => {
        // After anything but an answer of the server, the pool does not always recover by itself.
        if (!(error instanceof postgres.PostgresError)) giveUp(pool)
        throw sourceError(error)
      })
    return outcome()
  }

  return {
    async transaction(read) {
      current ??= open()
      const pool = current
      const { promise: hung, reject } = Promise.withResolvers<never>()
      let timer: Timer | undefined
      let over = false
      const stillAlive = (): void => {
        clearTimeout(timer)
        if (over) return
        timer = setTimeout(() => {
          giveUp(pool)
          reject(new SourceError(`the database does not answer within ${deadlineMs / 1000} s`))
        }, deadlineMs + graceMs)
      }
      stillAlive()
      try {
        return await Promise.race([run(pool, read, stillAlive), hung])
      } finally {
        over = true
        clearTimeout(timer)
      }
    },
    async close() {
      const pool = current
      current = undefined
      await pool?.end({ timeout: 1 })
    },
  }
}

// Reading -------------------------------------------------------------------------------------

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

export interface ReadOptions {
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
const lockTables = `LOCK TABLE ${['schemaVersion', ...Object.keys(schemas)]
  .map((table) => `cageside.${snakeCase(table)}`)
  .join(', ')} IN ACCESS SHARE MODE`

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
  for (const rows of byTournament.values()) sortByKey(rows, keys[table])
  return byTournament
}

/** The tournaments of these ids that exist and are shown, with all their rows, ascending by id. */
export const readTournaments = async (
  query: Query,
  ids: readonly string[],
  options: ReadOptions = {},
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

/** Every shown tournament with all its rows, ascending by id, with no more than a batch in memory. */
export async function* eachTournament(
  query: Query,
  options: ReadOptions = {},
): AsyncGenerator<Unchecked<TournamentRows>> {
  const answer = await query(
    `SELECT id FROM cageside.tournaments WHERE ${shownTournaments(options)}`,
  )
  const ids = answer.map(([id]) => String(id)).sort(compareKeys)
  for (let start = 0; start < ids.length; start += batchSize) {
    yield* await readTournaments(query, ids.slice(start, start + batchSize), options)
  }
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

/** Reads everything that is shown, as of one moment; `consume` gets the tournaments, ascending by id. */
export const readAll = (
  source: Source,
  options: ReadOptions,
  consume: (rows: Unchecked<TournamentRows>) => void,
): Promise<Head> =>
  source.transaction(async (query) => {
    const head = await readHead(query, options)
    for await (const rows of eachTournament(query, options)) consume(rows)
    return head
  })

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

import postgres from 'postgres'

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

/** Another session holds a lock on the tables, or waits for one: the reader gives way at once. */
export class LockedError extends SourceError {
  constructor(detail: string) {
    super('the database is locked by another session', detail)
  }
}

/** The server answered with an error. */
export class RefusedError extends SourceError {
  constructor(detail: string) {
    super('the database refuses', detail)
  }
}

/**
 * A statement that the server prepared for tables which are others by now. The client prepares it anew
 * and repeats it, in a transaction that has failed by then (postgres 3.4.9).
 */
class StaleStatementError extends SourceError {
  constructor(detail: string) {
    super('the database was changed', detail)
  }
}

type Pool = postgres.Sql
/** What runs the statements of one transaction. */
export type Transaction = postgres.TransactionSql

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
  if (error.routine === 'RevalidateCachedQuery') return new StaleStatementError(why)
  switch (error.code) {
    case '55P03':
      return new LockedError(why)
    case '25P02':
      return new StaleStatementError(why)
    case '57014':
      return new SourceError('the database took too long over a query', why)
    case '3F000':
    case '42P01':
      return new SourceError('the database is not migrated', why)
    default:
      return new RefusedError(why)
  }
}

/**
 * One transaction of a pool, which is given up when the connection is lost in it: the client rolls back
 * after every failure, and on a connection that has closed that is an exception which nobody can catch
 * (postgres 3.4.9). Throws what `work` throws.
 */
export const transact = async (
  pool: Pool,
  work: (sql: Transaction) => Promise<void>,
): Promise<void> => {
  const failures: unknown[] = []
  try {
    await pool.begin(async (sql) => {
      try {
        await work(sql)
      } catch (error) {
        failures.push(error)
        if (!(error instanceof postgres.PostgresError)) await pool.end({ timeout: 0 })
        throw error
      }
    })
  } catch (error) {
    throw failures.length > 0 ? failures[0] : error
  }
}

/** A list of texts as Postgres writes it. */
const arrayLiteral = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

type Parameter = string | readonly string[]
const parameterText = (value: Parameter): string =>
  typeof value === 'string' ? value : arrayLiteral(value)

/** Runs one query and gives its rows as arrays of columns. */
export type Query = (
  text: string,
  parameters?: readonly Parameter[],
) => Promise<readonly (readonly unknown[])[]>

/** A database to read from. */
export interface Source {
  /**
   * One read-only transaction, in which every query sees the same moment. What `read` throws comes out
   * as it is; whatever goes wrong with the database is a {@link SourceError}. No answer of the database
   * is waited for longer than the deadline. The next transaction starts on a new connection where that is
   * needed. A transaction that meets a lock, or tables that are others now, is begun
   * again, and `read` with it.
   */
  transaction<T>(read: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface SourceOptions {
  /** The longest a query may take, or the begin or end of a transaction. */
  readonly deadlineMs?: number
  /** Uses no named statements, which a pooler in transaction mode cannot keep apart. */
  readonly throughPooler?: boolean
}

/** How long a reader that met a lock stays away before it tries again, which it does until the deadline. */
const lockRetryMs = 50

/** How long after its deadline a query may be seen to have been stopped by the server. */
const graceMs = 500

/**
 * How long a transaction may be idle before the server ends it, which has locks and keeps old rows from
 * being cleaned up: well above the pauses between two queries, but not for ever when this process hangs
 * or its host is gone.
 */
export const idleTimeoutMs = 30_000

/**
 * Calls `onTimeout` when something is asked of the database and nothing is answered for `ms`. The time
 * in which nothing is asked does not count.
 */
const createWatchdog = (ms: number, onTimeout: () => void) => {
  let unanswered = 0
  let stopped = false
  let timer: Timer | undefined
  const restart = (): void => {
    clearTimeout(timer)
    if (unanswered > 0 && !stopped) timer = setTimeout(onTimeout, ms)
  }
  return {
    /** Leaves no more time to what was asked before. */
    started: (): void => {
      unanswered += 1
      if (unanswered === 1) restart()
    },
    /** A connection does one thing after the other: what waits next has only begun now. */
    finished: (): void => {
      unanswered -= 1
      restart()
    },
    stop: (): void => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
type Watchdog = ReturnType<typeof createWatchdog>

/**
 * A source with at most two connections, opened at the first transaction and again whenever they fail.
 *
 * The server stops a query at its deadline (`statement_timeout`). For a server that does not answer at
 * all there is a watchdog here, which gives the connections up; the client's own `cancel()` is of no use
 * then, because it needs another connection and drops the promise of it, so that its failure is an
 * unhandled rejection (postgres 3.4.9).
 */
export const connect = (
  url: string,
  { deadlineMs = 15_000, throughPooler = false }: SourceOptions = {},
): Source => {
  const open = (): Pool =>
    openPool(url, { max: 2, connectSeconds: Math.max(1, Math.ceil(deadlineMs / 1000)) })
  let current: Pool | undefined = open()
  /** When it has ended, whatever is asked of these connections fails. */
  const discard = async (pool: Pool): Promise<void> => {
    if (current === pool) current = undefined
    await pool.end({ timeout: 0 }).catch(() => {})
  }
  /** After anything but an answer of the server, a pool does not always recover by itself. */
  const discardAfter = async (error: unknown, pool: Pool): Promise<void> => {
    if (!(error instanceof postgres.PostgresError)) await discard(pool)
  }

  const run = async <T>(
    pool: Pool,
    read: (query: Query) => Promise<T>,
    watchdog: Watchdog,
  ): Promise<T> => {
    const watched = async <Answer>(query: Promise<Answer>): Promise<Answer> => {
      watchdog.started()
      try {
        return await query
      } catch (error) {
        // The client rolls back after this, and on a connection that has closed that is an exception
        // which nobody can catch (postgres 3.4.9). On one that is given up it is a mere failure.
        await discardAfter(error, pool)
        throw error
      } finally {
        watchdog.finished()
      }
    }
    watchdog.started()
    // The outcome is handed out as a function, so that what `read` throws is not taken for an
    // error of the database.
    const outcome = await pool
      .begin('isolation level repeatable read read only', async (sql) => {
        const query: Query = (text, parameters = []) =>
          watched(
            sql.unsafe(text, parameters.map(parameterText), { prepare: !throughPooler }).values(),
          ).catch((error) => {
            throw sourceError(error)
          })
        await watched(
          sql.unsafe(
            `SET LOCAL statement_timeout = ${deadlineMs};
             SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`,
          ),
        )
        watchdog.finished()
        try {
          const value = await read(query)
          return () => value
        } catch (error) {
          return () => {
            throw error
          }
        } finally {
          // The end of the transaction, which the client asks for after this function.
          watchdog.started()
        }
      })
      .catch(async (error) => {
        await discardAfter(error, pool)
        throw sourceError(error)
      })
    return outcome()
  }

  const attempt = async <T>(read: (query: Query) => Promise<T>): Promise<T> => {
    current ??= open()
    const pool = current
    const { promise: hung, reject } = Promise.withResolvers<never>()
    const watchdog = createWatchdog(deadlineMs + graceMs, () => {
      discard(pool)
      reject(new SourceError(`the database does not answer within ${deadlineMs / 1000} s`))
    })
    try {
      return await Promise.race([run(pool, read, watchdog), hung])
    } finally {
      watchdog.stop()
    }
  }

  return {
    async transaction(read) {
      const retryUntil = performance.now() + deadlineMs
      for (;;) {
        try {
          return await attempt(read)
        } catch (error) {
          const isTransient = error instanceof LockedError || error instanceof StaleStatementError
          if (!isTransient || performance.now() > retryUntil) throw error
          if (error instanceof LockedError) await Bun.sleep(lockRetryMs)
          else if (current) await discard(current)
        }
      }
    },
    async close() {
      const pool = current
      current = undefined
      await pool?.end({ timeout: 1 })
    },
  }
}

import postgres from 'postgres'
import { clientOptions } from './clientOptions.ts'
import { type Candidate, candidatesOf } from './hosts.ts'
import {
  LockedError,
  RefusedError,
  SetupError,
  SourceError,
  StaleStatementError,
  UnreachableError,
} from './sourceErrors.ts'
import { createWatchdog, type Watchdog } from './watchdog.ts'

type Pool = postgres.Sql
/** Client handle of one transaction. */
export type Transaction = postgres.TransactionSql

interface PoolOptions {
  readonly max: number
  readonly connectSeconds: number
  /** Time after which an unused connection is closed; a minute by default. */
  readonly idleSeconds?: number
  /** Options of a connection that stays open. */
  readonly session?: { readonly onnotify: () => void; readonly onclose: () => void }
}

/** Creates a connection pool; it connects at the first query. Notices are not printed. */
export const openPool = (
  url: string,
  { max, connectSeconds, idleSeconds = 60, session }: PoolOptions,
): Pool => {
  try {
    return postgres({
      ...clientOptions(url, connectSeconds),
      max,
      idle_timeout: session ? 0 : idleSeconds,
      ...(session && { max_lifetime: null, ...session }),
      // The client fetches types on each new connection in a query of its own, whose rejection
      // cannot be caught (postgres 3.4.9): a hanging database would end this process.
      fetch_types: false,
      onnotice: () => {},
    })
  } catch (error) {
    if (error instanceof SourceError) throw error
    // The client's own message can contain a password.
    throw new SourceError('the database URL cannot be used')
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

const isStopping = [UnreachableError, 'the database is starting or stopping'] as const
const isNotMigrated = [SetupError, 'the database is not migrated'] as const
const isWrongUser = [SetupError, 'the database refuses the user or the password'] as const

/** Kinds and messages of errors, by SQLSTATE. */
const failures = new Map<string, readonly [kind: typeof SourceError, message: string]>([
  ['25P02', [StaleStatementError, 'the database was changed']],
  ['28000', isWrongUser],
  ['28P01', isWrongUser],
  ['3D000', [SetupError, 'the database does not exist']],
  ['3F000', isNotMigrated],
  ['40001', [LockedError, 'the standby cancels queries that delay its replay']],
  ['42501', [SetupError, 'the database refuses a right to the role']],
  ['42P01', isNotMigrated],
  ['53300', [RefusedError, 'the database has no connection left for the role']],
  ['55P03', [LockedError, 'the database is locked by another session']],
  ['57014', [SourceError, 'the database took too long over a query']],
  ['57P01', isStopping],
  ['57P02', isStopping],
  ['57P03', isStopping],
])

/** Why a server cannot be used, by the code or message of a failed connection. */
const unreachableText = (why: string, code: string): string => {
  if (/CERT|ISSUER|LEAF_SIGNATURE/.test(code))
    return 'the certificate of the database is not trusted'
  if (/before secure TLS|WRONG_VERSION_NUMBER/.test(why))
    return 'the database does not answer in TLS'
  return 'the database cannot be reached'
}

/** Converts any error to a {@link SourceError} with a public message. */
export const sourceError = (error: unknown): SourceError => {
  if (error instanceof SourceError) return error
  const message = error instanceof Error ? error.message : String(error)
  const why = message.split('\n', 1)[0] ?? ''
  if (!(error instanceof postgres.PostgresError)) {
    return new UnreachableError(unreachableText(why, codeOf(error)), why || codeOf(error))
  }
  if (/insecure|SSL connection is required|SSL required|requires? (SSL|TLS)/i.test(why))
    return new SetupError('the database wants TLS: sslmode must not be disable', why)
  if (/statement pooling/.test(why))
    return new SetupError('the pooler must be in transaction or session mode', why)
  // libpq would try `prefer` again without TLS.
  if (/pg_hba\.conf.*, SSL encryption$/.test(why))
    return new SetupError(
      'the database allows no such connection with TLS: try sslmode=disable',
      why,
    )
  // An entry of pg_hba.conf may ask for encryption, or allow no such host.
  if (why.includes('pg_hba.conf'))
    return new SetupError('the database allows no such connection', why)
  const code = error.routine === 'RevalidateCachedQuery' ? '25P02' : error.code
  const [Kind, text] = failures.get(code) ?? [RefusedError, 'the database refuses']
  return new Kind(text, why)
}

/**
 * Runs `work` in one transaction and rethrows its error. Ends the pool if the connection is lost:
 * the client's own rollback on a closed connection throws an exception that cannot be caught
 * (postgres 3.4.9).
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

/** Postgres array literal of texts. */
const arrayLiteral = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

type Parameter = string | readonly string[]
/** A parameter in the text form of Postgres. */
export const parameterText = (value: Parameter): string =>
  typeof value === 'string' ? value : arrayLiteral(value)

/** Runs one query; returns its rows as arrays of columns. */
export type Query = (
  text: string,
  parameters?: readonly Parameter[],
) => Promise<readonly (readonly unknown[])[]>

/** A database to read from. */
export interface Source {
  /**
   * Runs `read` in one read-only transaction with a consistent snapshot. Errors of `read` pass through; errors of the
   * database are {@link SourceError}s. Each query has a deadline. After a lock, a schema change or a conflict with the
   * replay of a standby the transaction, and `read` with it, is repeated.
   */
  transaction<T>(read: (query: Query) => Promise<T>): Promise<T>
  /** Connection URL of the server in use. */
  readonly address: () => string
  /** Rejects transactions that begin later, and transactions that would be repeated. */
  close(): Promise<void>
}

interface SourceOptions {
  /** Timeout of each query, and of BEGIN and COMMIT. */
  readonly deadlineMs?: number
  /** Avoids named statements, which a pooler in transaction mode mixes up. */
  readonly throughPooler?: boolean
  /** Closes connections a second after their last use. */
  readonly isIdleClosed?: boolean
}

/** Delay before the retry after a lock; retried until the deadline. */
const lockRetryMs = 50

/** Time allowed for the server's own `statement_timeout` to arrive. */
const graceMs = 500

/**
 * Server-side limit for an idle transaction, which holds locks and blocks vacuum: longer than any
 * pause between two queries, but finite if this process hangs or its host is lost.
 */
export const idleTimeoutMs = 30_000

/**
 * Opens a source with at most two connections, opened at the first transaction and reopened after failures. With
 * several hosts, the first that fits `target_session_attrs` is used until it is lost. The client itself tries them over
 * 100 times a second while none fits, and never takes a primary for `prefer-standby` (postgres 3.4.9). The server
 * cancels a query at its deadline (`statement_timeout`). The watchdog covers a server that does not answer at all: it
 * discards the pool, because the client's `cancel()` needs another connection and drops its promise, so its failure is
 * an unhandled rejection (postgres 3.4.9).
 */
export const connect = (
  url: string,
  { deadlineMs = 15_000, throughPooler = false, isIdleClosed = false }: SourceOptions = {},
): Source => {
  const candidates = candidatesOf(url)
  let [candidate] = candidates
  let isClosed = false
  const open = (): Pool =>
    openPool(candidate.url, {
      max: 2,
      connectSeconds: Math.max(1, Math.ceil(deadlineMs / 1000)),
      ...(isIdleClosed && { idleSeconds: 1 }),
    })
  let current: Pool | undefined = open()
  /** Ends a pool; pending queries on its connections fail. */
  const discard = async (pool: Pool): Promise<void> => {
    if (current === pool) current = undefined
    await pool.end({ timeout: 0 }).catch(() => {})
  }
  /** Discards the pool after any error but the server's own: it does not always recover. */
  const discardAfter = async (error: unknown, pool: Pool): Promise<void> => {
    if (!(error instanceof postgres.PostgresError)) await discard(pool)
  }

  const run = async <T>(
    pool: Pool,
    { isFit }: Candidate,
    read: (query: Query) => Promise<T>,
    watchdog: Watchdog,
  ): Promise<T> => {
    const watched = async <Answer>(query: Promise<Answer>): Promise<Answer> => {
      watchdog.started()
      try {
        return await query
      } catch (error) {
        // Discard first: the client's rollback on a closed connection throws an exception that
        // cannot be caught (postgres 3.4.9); on an ended pool it is an ordinary rejection.
        await discardAfter(error, pool)
        throw error
      } finally {
        watchdog.finished()
      }
    }
    watchdog.started()
    // The outcome is returned as a function, to distinguish an error of `read` from one of the database.
    const outcome = await pool
      .begin('isolation level repeatable read read only', async (sql) => {
        const query: Query = (text, parameters = []) =>
          watched(
            sql.unsafe(text, parameters.map(parameterText), { prepare: !throughPooler }).values(),
          ).catch((error) => {
            throw sourceError(error)
          })
        // This query is sent together with the first one; if it fails, the first one fails too.
        const limiting = watched(
          sql.unsafe(
            `SET LOCAL statement_timeout = ${deadlineMs};
             SET LOCAL jit = off;
             SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`,
          ),
        )
        limiting.catch(() => undefined)
        watchdog.finished()
        if (isFit) {
          const [[isStandby, isReadOnly] = []] = await query(
            `SELECT pg_is_in_recovery(),
               pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'`,
          )
          if (!isFit({ isStandby: isStandby === true, isReadOnly: isReadOnly === true })) {
            throw new UnreachableError('the server does not match target_session_attrs')
          }
        }
        try {
          const value = await read(query)
          return () => value
        } catch (error) {
          return () => {
            throw error
          }
        } finally {
          // The client sends COMMIT after this function.
          watchdog.started()
        }
      })
      .catch(async (error) => {
        await discardAfter(error, pool)
        throw sourceError(error)
      })
    return outcome()
  }

  const attempt = async <T>(
    pool: Pool,
    server: Candidate,
    read: (query: Query) => Promise<T>,
  ): Promise<T> => {
    const { promise: hung, reject } = Promise.withResolvers<never>()
    const watchdog = createWatchdog(deadlineMs + graceMs, () => {
      void discard(pool)
      reject(new UnreachableError(`the database does not answer within ${deadlineMs / 1000} s`))
    })
    try {
      return await Promise.race([run(pool, server, read, watchdog), hung])
    } finally {
      watchdog.stop()
    }
  }

  return {
    async transaction(read) {
      const retryUntil = performance.now() + deadlineMs
      let tried = 1
      for (;;) {
        if (isClosed) throw new SourceError('the source is closed')
        current ??= open()
        const [pool, server] = [current, candidate]
        try {
          return await attempt(pool, server, read)
        } catch (error) {
          if (error instanceof UnreachableError && candidates.length > 1) {
            // Another transaction may have moved on to the next host already.
            if (candidate === server) {
              candidate = candidates[(candidates.indexOf(server) + 1) % candidates.length] ?? server
            }
            await discard(pool)
            tried += 1
            if (tried <= candidates.length) continue
          }
          const isStale = error instanceof StaleStatementError
          const isBlocked = error instanceof LockedError
          if (!(isStale || isBlocked) || performance.now() > retryUntil) throw error
          if (isBlocked) await Bun.sleep(lockRetryMs)
          else await discard(pool)
        }
      }
    },
    address: () => candidate.url,
    async close() {
      isClosed = true
      const pool = current
      current = undefined
      await pool?.end({ timeout: 1 })
    },
  }
}

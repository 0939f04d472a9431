/**
 * Failure to read a database. The message is public; `detail`, the first line of the cause, is for
 * the log only and holds no password.
 */
export class SourceError extends Error {
  readonly detail: string
  constructor(message: string, detail = '') {
    super(message)
    this.detail = detail
  }
}

/** The address has no server, or no server of the wanted kind: the next host is tried. */
export class UnreachableError extends SourceError {}

/** A lock or the replay of a standby blocks the query: it is repeated later. */
export class LockedError extends SourceError {}

/**
 * A prepared statement whose tables have changed. The client prepares it again and repeats it, but
 * in a transaction that has already failed (postgres 3.4.9).
 */
export class StaleStatementError extends SourceError {}

/** The server rejected a statement. */
export class RefusedError extends SourceError {}

/** Somebody must change the database or its address: waiting does not help. */
export class SetupError extends RefusedError {}

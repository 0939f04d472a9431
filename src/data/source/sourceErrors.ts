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

/** There is no server at this address, or not one that is asked for: the next host is tried. */
export class UnreachableError extends SourceError {}

/** A lock, or the replay of a standby, is in the way of the query: it is repeated later. */
export class LockedError extends SourceError {}

/**
 * A prepared statement whose tables have changed. The client prepares it again and repeats it, but
 * in a transaction that has already failed (postgres 3.4.9).
 */
export class StaleStatementError extends SourceError {}

/** The server rejected a statement. */
export class RefusedError extends SourceError {}

/** Somebody must change the database or its address: waiting does not mend it. */
export class SetupError extends RefusedError {}

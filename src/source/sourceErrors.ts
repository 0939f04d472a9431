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

/** The tables are locked by another session, or one waits for a lock: the reader yields. */
export class LockedError extends SourceError {
  constructor(detail: string) {
    super('the database is locked by another session', detail)
  }
}

/** The server rejected a statement. */
export class RefusedError extends SourceError {
  constructor(detail: string, message = 'the database refuses') {
    super(message, detail)
  }
}

/** Somebody must change the database or its address: waiting does not mend it. */
export class SetupError extends RefusedError {}

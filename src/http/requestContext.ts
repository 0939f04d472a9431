import { Elysia } from 'elysia'
import { caching } from './caching.ts'
import type { Bytes } from './encoding.ts'
import type { Moment } from './moment.ts'
import type { TrackedArchive } from './trackedArchive.ts'

/** The connection of a response whose body is sent as it comes. */
export interface Connection {
  /** Called once with the bytes sent, when the reader or the service has ended the body. */
  ended(sentBytes: number): void
  /** Charges the client for work, as for a body of so many bytes. */
  charge(bytes: number): void
  /** Closes it within 3 s, whatever is unread; the body is cancelled then. */
  cut(): void
  /** Logs why the body ends early. */
  failed(error: unknown): void
}

/** Result of a handler whose body is sent unchanged: an open-ended stream, or a file. */
export interface BodyStream {
  /** 200 by default. */
  readonly status?: number
  /** Version of the data in it, where that may be newer than the moment of the request. */
  readonly version?: string
  readonly open: (connection: Connection) => ReadableStream<Uint8Array> | Blob
  /** Releases its resources if it is never opened. */
  readonly leave?: () => void
}

/** A response that is made when there is something to say. Requests may share one, which is encoded once. */
export interface LateResponse {
  readonly status: number
  readonly bytes: Bytes
}

export interface Waiter {
  /** Charges the client for work, as for a body of so many bytes. */
  charge(bytes: number): void
  respond(response: LateResponse): void
}

/** Result of a handler whose response is made later, sent with the headers that the handler set. */
export interface Late {
  /** Whether the time until then counts as waiting in the usage log, not as response time. */
  readonly isWait: boolean
  /** Responds once; `signal` is that of the request. */
  readonly begin: (waiter: Waiter, signal: AbortSignal) => void
}

/** Context that the pipeline passes to each handler, besides the parameters. */
export type Given = {
  /** The archive of the moment, with every read of it recorded; undefined until one is loaded. */
  readonly archive: TrackedArchive | undefined
  /**
   * Declares a body a pure function of the parameters and of what was read of the archive; the response is
   * then cached until a value that it read is replaced. Any other response is not cached.
   */
  readonly cached: <Body>(body: Body) => Body
  readonly moment: Moment
  /** The parameters of the query as they were written, undeclared ones included. */
  readonly given: ReadonlyMap<string, string>
  /** The address that the request came from; undefined for the process's own. */
  readonly sender: string | undefined
}

/** Thrown where a response needs the archive and none is loaded yet. */
export class ArchiveNotLoaded extends Error {}

/** Declares the types of what is {@link Given}; the pipeline runs a route without it. */
export const given = (): Given => {
  throw new Error('a route was called outside of the pipeline')
}

export const requestContext = new Elysia({ name: 'requestContext' }).derive({ as: 'global' }, given)

/** Gives handlers an `archive` that is loaded; 503 until there is one. */
export const requireArchive = ({
  archive,
  set,
}: Pick<Given, 'archive'> & { readonly set: { readonly headers: Record<string, unknown> } }): {
  archive: TrackedArchive
} => {
  if (!archive) throw new ArchiveNotLoaded()
  set.headers['cache-control'] = caching.archive
  return { archive }
}

export const archived = new Elysia({ name: 'archived' })
  .use(requestContext)
  .derive({ as: 'scoped' }, requireArchive)

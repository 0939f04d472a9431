import { Elysia } from 'elysia'
import { caching } from './caching.ts'
import type { Bytes } from './encoding.ts'
import { ArchiveNotLoaded } from './errors.ts'
import type { Moment } from './moment.ts'
import { cleanPathParameters, type Read } from './parameters.ts'
import type { Plain } from './responses.ts'
import { type TrackedArchive, trackReads } from './trackedArchive.ts'

/** Connection of a response whose body is sent as it comes. */
export interface Connection {
  /** Called once with the bytes sent, when the reader or the service has ended the body. */
  ended(sentBytes: number): void
  /** Charges the client for work, like a body of this many bytes. */
  charge(bytes: number): void
  /** Closes it within 3 s, whatever is unread; the body is cancelled then. */
  cut(): void
  /** Logs why the body ends early. */
  failed(error: unknown): void
}

/** Result of a handler whose body is sent unchanged: an open-ended stream, or a file. */
export interface BodyStream {
  /** HTTP status; default 200. */
  readonly status?: number
  /** Version of its data, if that may be newer than the moment of the request. */
  readonly version?: string
  readonly open: (connection: Connection) => ReadableStream<Uint8Array> | Blob
  /** Releases its resources if it is never opened. */
  readonly leave?: () => void
}

/** A response that is made later. Requests may share one, which is encoded once. */
export interface LateResponse {
  readonly status: number
  readonly bytes: Bytes
}

export interface Waiter {
  /** Charges the client for work, like a body of this many bytes. */
  charge(bytes: number): void
  respond(response: LateResponse): void
}

/** Result of a handler whose response is made later, sent with the headers that the handler set. */
export interface Late {
  /** True if the time until then counts as waiting in the usage log, not as response time. */
  readonly isWait: boolean
  /** Responds once; `signal` is the request's. */
  readonly begin: (waiter: Waiter, signal: AbortSignal) => void
}

/** A request, its sender and the time of its arrival. */
export interface Origin {
  /** The request as the client sent it. */
  readonly request: Request
  /** Address of the sender; undefined for the process's own requests. */
  readonly sender: string | undefined
  /** Time on the clock of `performance.now()`. */
  readonly startedMs: number
  readonly requestId: string
  /**
   * True if the URL names a version that this process has not served, because it lags behind another one: stored under
   * that URL, the response would pass for data of that version.
   */
  readonly isAhead: boolean
}

/** An arrival with the data that answers it. */
export interface Arrival extends Origin {
  readonly moment: Moment
}

/** A response that is made later. Nothing in it refers to the archive of its arrival, which may be replaced. */
export interface Pending extends Late {
  readonly headers: Readonly<Record<string, string>>
  readonly route: string
  readonly ignored: string | undefined
}

/** State of a request until it is answered. Each field is written in one place, named here. */
export interface Visit extends Origin {
  /** Refusal of a request that reaches no handler, sent once its route is known; written by the arrival. */
  refusal: Plain | undefined
  /** True if the cache holds a stale response for the URL; written by the arrival. */
  isKnown: boolean
  /** Moment of arrival, replaced when the turn of the request comes. */
  moment: Moment
  /** True if the route bypasses the gate and the limits; written when the route is known. */
  isUngated: boolean
  /** True if the gate has let the request in; written when its turn comes. */
  isIn: boolean
  /** Gives back the client's place in the queue; written when the route is known. */
  leave: (() => void) | undefined
  /** Archive that the handler reads; written by {@link requestContext}. */
  track: ReturnType<typeof trackReads> | undefined
  /** True if the route cannot answer without an archive; written by {@link archived}. */
  needsArchive: boolean
  /** Values that the route reads from the query; written by `parameters`. */
  read: Read | undefined
  /**
   * Everything that the handler sees of the request: requests with equal keys get equal responses; written before the
   * handler.
   */
  key: string | undefined
  /** Body that the handler declares cacheable; written by `cached`. */
  declared: { readonly body: unknown } | undefined
  /** Response that is made later; written after the handler. */
  late: Pending | undefined
}

/** Requests that Elysia handles at present; its hooks know a request only by its `Request`. */
const visits = new Map<Request, Visit>()

export const visitOf = (request: Request): Visit => {
  const visit = visits.get(request)
  if (!visit) throw new TypeError('the request did not arrive')
  return visit
}

/** Registers the visit of a request that is about to be handled, for it and for the request that the client sent. */
export const beginVisit = (handled: Request, visit: Visit): void => {
  visits.set(handled, visit)
  if (handled !== visit.request) visits.set(visit.request, visit)
}

/** Nothing refers to the visit afterwards. */
export const endVisit = (handled: Request, visit: Visit): void => {
  visits.delete(handled)
  if (handled !== visit.request) visits.delete(visit.request)
}

/** Values that each handler gets besides its parameters. */
export type Given = Pick<Origin, 'request' | 'sender'> & {
  readonly moment: Moment
  /** The archive of the moment, with every read of it recorded; undefined until one is loaded. */
  readonly archive: TrackedArchive | undefined
  /**
   * Declares a body a pure function of the parameters and of its reads of the archive; the response is
   * then cached until a value that it read is replaced. Any other response is not cached.
   */
  readonly cached: <Body>(body: Body) => Body
}

export const requestContext = new Elysia({ name: 'requestContext' }).derive(
  { as: 'global' },
  ({ request: handled, params }): Given => {
    const visit = visitOf(handled)
    const { request, sender, moment } = visit
    visit.track = moment.archive && trackReads(moment.archive, moment.now)
    cleanPathParameters(params)
    return {
      request,
      sender,
      moment,
      archive: visit.track?.tracked,
      cached: (body) => {
        visit.declared = { body }
        return body
      },
    }
  },
)

/** Gives handlers an `archive` that is loaded; 503 until there is one. */
export const archived = new Elysia({ name: 'archived' })
  .use(requestContext)
  .derive({ as: 'scoped' }, ({ request, archive, set }): { archive: TrackedArchive } => {
    if (!archive) throw new ArchiveNotLoaded()
    visitOf(request).needsArchive = true
    set.headers['cache-control'] = caching.archive
    return { archive }
  })

import { Elysia } from 'elysia'
import { caching } from './caching.ts'
import type { Bytes } from './encoding.ts'
import type { Moment } from './moment.ts'
import type { CachedResponse } from './responseCache.ts'
import { type Reads, type TrackedArchive, trackReads } from './trackedArchive.ts'

/** The connection of a response whose body is sent as it comes. */
export interface Connection {
  /** Called once with the bytes sent, when the reader or the service has ended the body. */
  readonly ended: (sentBytes: number) => void
  /** Closes it within 3 s, whatever is unread; the body is cancelled then. */
  readonly cut: () => void
}

/** A body that is sent as it is: an open-ended stream, or a file. */
export interface BodyStream {
  /** 200 by default. */
  readonly status?: number
  /** Version of the data in it, where that may be newer than the moment of the request. */
  readonly version?: string
  readonly open: (connection: Connection) => ReadableStream<Uint8Array> | Blob
  /** Gives up what was taken for it where it is never opened. */
  readonly leave: () => void
}

/** A response that is made when there is something to say. Requests may share one, which is encoded once. */
export interface LateResponse {
  readonly status: number
  readonly bytes: Bytes
}

/** How a handler has a later response take the place of its own, whose headers are sent. */
export interface Late {
  /** Whether the time until then is a wait, and no time of answering. */
  readonly isWait: boolean
  readonly response: (signal: AbortSignal) => Promise<LateResponse>
}

/** State of one request, from its arrival until its response is ready. */
export interface RequestContext {
  readonly moment: Moment
  /** GET or HEAD, which handlers need not tell apart, or another method. */
  readonly method: string
  /** On the clock of `performance.now()`. */
  readonly startedMs: number
  readonly requestId: string
  /** The archive of the moment, with every read of it recorded. */
  readonly archive: TrackedArchive | undefined
  readonly reads: () => Reads
  /** The path in its one canonical spelling; undefined for one that cannot be decoded. */
  path: string | undefined
  /** Route template; undefined where no route matched. */
  route: string | undefined
  /** Whether the route knows a parameter of the query, see `parameters`; undefined where it declares none. */
  isDeclared: ((name: string) => boolean) | undefined
  /** Header that names the parameters which the route does not know; undefined without any. */
  ignored: string | undefined
  /** Whether the route needs the archive, so that a response that read nothing of it is not cached. */
  needsArchive: boolean
  /** Names of the request headers that are part of what the handler sees. */
  variesBy: readonly string[]
  /** Key of the response in the cache; undefined until the parameters are read. */
  key: string | undefined
  /** The body that the handler declared a pure function of its parameters and reads. */
  cacheable: { readonly body: unknown } | undefined
  /** Whether the response has that very body. */
  isCacheable: boolean
  /** Found in the cache while routing, which then skips the handler. */
  cached: CachedResponse | undefined
  /** Bytes of the body as sent. */
  sentBytes: number
  /** The address that the request came from; undefined for the process's own. */
  readonly sender: string | undefined
  /** The body where it is a stream, which is sent as it is. */
  stream: BodyStream | undefined
  late: Late | undefined
  /** Settles with the bytes sent when the stream has ended; undefined where none was opened. */
  ended: Promise<number> | undefined
  /** How long the response waited for something to happen, which is no time of answering. */
  waitedMs: number
}

/** Thrown where a response needs the archive and none is loaded yet. */
export class ArchiveNotLoaded extends Error {}

const nothingRead: Reads = {
  dependencies: [],
  readsCages: false,
  validUntil: Number.POSITIVE_INFINITY,
}

export const createContext = (
  moment: Moment,
  startedMs: number,
  requestId: string,
  { sender, method }: Pick<RequestContext, 'sender' | 'method'>,
): RequestContext => {
  const { archive, now } = moment
  const { tracked, reads } = archive
    ? trackReads(archive, now)
    : { tracked: undefined, reads: () => nothingRead }
  return {
    moment,
    method,
    startedMs,
    requestId,
    archive: tracked,
    reads,
    path: undefined,
    route: undefined,
    isDeclared: undefined,
    ignored: undefined,
    needsArchive: false,
    variesBy: [],
    key: undefined,
    cacheable: undefined,
    isCacheable: false,
    cached: undefined,
    sentBytes: 0,
    sender,
    stream: undefined,
    late: undefined,
    ended: undefined,
    waitedMs: 0,
  }
}

const contexts = new WeakMap<Request, RequestContext>()

export const setContext = (request: Request, context: RequestContext): void => {
  contexts.set(request, context)
}

/** The context of a request that the pipeline let in. */
export const contextOf = (request: Request): RequestContext => {
  const context = contexts.get(request)
  if (!context) throw new Error('the request did not come through the pipeline')
  return context
}

/**
 * Gives handlers the `archive`, if one is loaded, and `cached`. A handler that returns `cached(body)`
 * declares the body a pure function of its parameters and of what it read of the archive; the response
 * is then cached until a value it read is replaced. Any other response is not cached.
 */
export const requestContext = new Elysia({ name: 'requestContext' }).derive(
  { as: 'global' },
  ({
    request,
    route,
  }): { archive: TrackedArchive | undefined; cached: <Body>(body: Body) => Body } => {
    const context = contextOf(request)
    context.route = route
    return {
      archive: context.archive,
      cached: (body) => {
        context.cacheable = { body }
        return body
      },
    }
  },
)

/** Gives handlers the `archive`; 503 until there is one. */
export const archived = new Elysia({ name: 'archived' })
  .use(requestContext)
  .derive({ as: 'scoped' }, ({ request, set }) => {
    const context = contextOf(request)
    const { archive } = context
    context.needsArchive = true
    if (!archive) throw new ArchiveNotLoaded()
    set.headers['cache-control'] = caching.archive
    return { archive }
  })

import type { Log } from '../runtime/log.ts'
import { caching } from './caching.ts'
import { type Bytes, type Form, makeBody } from './encoding.ts'
import type { Moment } from './moment.ts'
import { createNegotiation } from './negotiation.ts'
import type { Arrival, BodyStream, Connection, Origin } from './requestContext.ts'
import { type CachedResponse, type ResponseCache, versionFor } from './responseCache.ts'
import {
  createSharedHeaders,
  fixedHeaders,
  type HeaderValues,
  isJoined,
  joined,
  type Plain,
  type SharedForm,
  sharedForm,
  sizeOf,
} from './responses.ts'
import type { Reads } from './trackedArchive.ts'

/** A response, and its figures for the usage log. */
export interface Answer {
  readonly response: Response
  /** Number of body bytes; 0 for a stream, which counts when it has ended. */
  readonly sentBytes: number
  /** True if a handler ran. */
  readonly isMade: boolean
  /** Time for which it waited for something to happen, which does not count as response time. */
  readonly waitedMs?: number
  /** Resolves to the number of bytes of a stream when it has ended. */
  readonly end?: Promise<number>
  /** Header with the names of unknown parameters. */
  readonly ignored?: string | undefined
}

/** Sends a response: counts it, and charges the client unless the route is free. */
export type Send = (
  origin: Origin,
  answered: Answer,
  template: string | undefined,
  isCharged: boolean,
) => Response

/** Closes the connection of a request if nothing moves on it for these seconds. */
export type LimitIdle = (request: Request, seconds: number) => void

/** Larger bodies do not fit into the buffers of a connection, so that sending them needs a reader. */
const largeBytes = 64 * 1024
/** Timeout that applies until the next request on the connection, so it also has to cover idle keep-alive. */
const largeBodySeconds = 20
/** Delay before the limit applies to a large body: most are sent by then and leave the connection as it is. */
const slowAfterMs = 4000
const cutSeconds = 1

interface SendingOptions {
  readonly log: Log
  /** Charges a client for a streamed body. */
  readonly charge?: ((sender: string, bytes: number) => void) | undefined
  readonly limitIdle?: LimitIdle | undefined
}

/**
 * Connection of a body that is sent as it comes, with its bytes once it has ended. It keeps only parts of the request,
 * so that an open body refers to no archive.
 */
export const openBody = (
  { log, charge, limitIdle }: SendingOptions,
  { request, sender, requestId }: Origin,
  template: string,
): { readonly connection: Connection; readonly end: Promise<number> } => {
  const { promise: end, resolve: ended } = Promise.withResolvers<number>()
  const connection: Connection = {
    ended,
    charge: (bytes) => {
      if (sender !== undefined) charge?.(sender, bytes)
    },
    cut: () => limitIdle?.(request, cutSeconds),
    failed: (error) => reportFailure(log, { requestId, template }, error),
  }
  return { connection, end }
}

/** Logs the failure of a request under its id. */
export const reportFailure = (
  log: Log,
  { requestId, template }: { readonly requestId: string; readonly template: string | undefined },
  error: unknown,
): void =>
  log('error', 'request failed', {
    requestId,
    route: template,
    cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })

/** Shared headers, completed for one request until the next one sets its own: a response copies them. */
const headersOf = (sharing: SharedForm, { moment, requestId }: Arrival): Headers => {
  const { headers } = sharing
  headers.set('x-request-id', requestId)
  if (sharing.momentHeaders !== moment.headers) {
    for (const [name, value] of Object.entries(moment.headers)) headers.set(name, value)
    sharing.momentHeaders = moment.headers
  }
  return headers
}

/** Headers of a redirect, stream, or other response with its own. A plain object costs less than setting each. */
const uncachedHeaders = (
  given: HeaderValues,
  { moment, requestId }: Arrival,
): Record<string, string> => ({
  ...fixedHeaders,
  ...given,
  vary: 'Accept-Encoding',
  'x-request-id': requestId,
  ...moment.headers,
})

/**
 * Maximum wait for a compressed body before it is sent uncompressed. Threads of the runtime compress large bodies, and
 * a hung disk can block them.
 */
const maxEncodeMs = 100

/** The server adds the date only to a response with a body. */
const date = (): string => new Date().toUTCString()

/** Ways to send a response, by its source. */
export const createSending = (
  cache: ResponseCache,
  present: () => Moment,
  options: SendingOptions,
) => {
  const { limitIdle } = options
  const { cachedCoding, formFor } = createNegotiation()
  const shareHeaders = createSharedHeaders()
  /** Cuts a reader that reads nothing of a large body. Bun 1.4.5 ignores this once a request is answered. */
  const limitLarge = (request: Request): void => {
    if (limitIdle) setTimeout(limitIdle, slowAfterMs, request, largeBodySeconds).unref()
  }
  /** The body in that form; null for `unmodified`. Large bodies of later turns are bytes. */
  const sendBody = (
    arrival: Arrival,
    { headers: shared, link, modified, body: { etag } }: CachedResponse,
    form: Form,
    body: Blob | Bytes | null,
    { isMade, ignored }: Pick<Answer, 'isMade' | 'ignored'>,
  ): Answer => {
    const { request } = arrival
    const isGet = request.method === 'GET'
    const size = body ? sizeOf(body) : 0
    if (isGet && size > largeBytes) limitLarge(request)
    const sharing = sharedForm(shared, form)
    const headers = headersOf(sharing, arrival)
    if (sharing.etag !== etag) {
      headers.set('etag', etag)
      if (body) headers.set('content-length', String(size))
      sharing.etag = etag
    }
    if (link !== undefined) headers.set('link', link)
    if (modified !== undefined) headers.set('last-modified', modified)
    if (isGet && body) {
      const response = new Response(body instanceof Blob ? body : joined(body), { headers })
      return { response, sentBytes: size, isMade, ignored }
    }
    const response = new Response(null, { status: form === 'unmodified' ? 304 : 200, headers })
    response.headers.set('date', date())
    return { response, sentBytes: 0, isMade, ignored }
  }

  /** Sends a 200 or 304: at once, unless its body must be encoded first. */
  const sendCached = (
    arrival: Arrival,
    cached: CachedResponse,
    counted: Pick<Answer, 'isMade' | 'ignored'>,
  ): Answer | undefined => {
    const form = formFor(arrival.request, cached)
    const body = form === 'unmodified' ? null : cached.body.blobs[form]
    return body === undefined ? undefined : sendBody(arrival, cached, form, body, counted)
  }

  const sendMade = async (
    arrival: Arrival,
    made: CachedResponse,
    isMade: boolean,
    ignored?: string,
    /** Body of a late response, as it is. */
    plain?: Bytes,
  ): Promise<Answer> => {
    const form = formFor(arrival.request, made)
    if (form === 'unmodified') return sendBody(arrival, made, form, null, { isMade, ignored })
    const isPiece = form === 'identity' && plain !== undefined && isJoined(plain)
    if (isPiece) return sendBody(arrival, made, form, plain, { isMade, ignored })
    const encoding = cache.encoded(made, form)
    const body =
      encoding instanceof Promise
        ? await Promise.race([encoding, Bun.sleep(maxEncodeMs)])
        : encoding
    if (body) return sendBody(arrival, made, form, body, { isMade, ignored })
    return sendBody(arrival, made, 'identity', await cache.encoded(made, 'identity'), {
      isMade,
      ignored,
    })
  }

  /**
   * Anything but a 200: redirects, preflights and errors, for a request without a handler run unless the caller says
   * otherwise.
   */
  const sendPlain = (arrival: Arrival, { status, headers: given, body }: Plain): Answer => {
    const isHead = arrival.request.method === 'HEAD'
    const sized = body.length > 0 && { 'content-length': String(body.length) }
    // A redirect may be cached as long as its route says, an error never.
    const own = { ...given, ...sized, ...(status >= 400 && { 'cache-control': caching.none }) }
    const sent = body.length > 0 && !isHead ? body : null
    if (sent && status >= 400) {
      // Many errors share one object: an object of its own took 0.8 µs of a 404.
      const headers = headersOf(sharedForm(shareHeaders(own), 'identity'), arrival)
      return {
        response: new Response(sent, { status, headers }),
        sentBytes: sent.length,
        isMade: false,
      }
    }
    const headers = uncachedHeaders(own, arrival)
    if (!sized) for (const name of ['content-type', 'content-length']) delete headers[name]
    if (!sent) headers.date = date()
    const response = new Response(sent, { status, headers })
    return { response, sentBytes: sent?.length ?? 0, isMade: false }
  }

  /** A stream or file, sent as it comes, or only its headers: neither cached nor compressed. */
  const sendStream = (
    arrival: Arrival,
    stream: BodyStream,
    given: HeaderValues,
    template: string,
  ): Answer => {
    const { request } = arrival
    const { status = 200, version } = stream
    const isBare = request.method === 'HEAD' || status === 304
    if (isBare) stream.leave?.()
    const { connection, end } = openBody(options, arrival, template)
    const body = isBare ? null : stream.open(connection)
    if (body && Number(given['content-length']) > largeBytes) {
      limitLarge(request)
    }
    const headers = uncachedHeaders(given, arrival)
    if (version !== undefined) headers['x-data-version'] = version
    // The server counts the bytes of a file itself, and sends a stream in chunks.
    if (body) delete headers['content-length']
    else headers.date = date()
    const response = new Response(body, { status, headers })
    return { response, sentBytes: 0, isMade: true, ...(body && { end }) }
  }

  /** A 200 made by a handler; cached if it has a key. */
  const toResponse = async (
    { request, moment }: Arrival,
    template: string,
    {
      headers,
      bytes,
      key,
      read,
    }: {
      readonly headers: HeaderValues
      readonly bytes: Parameters<typeof makeBody>[0]
      readonly key: string | undefined
      readonly read: Reads
    },
  ): Promise<CachedResponse> => {
    const body = await makeBody(bytes, key === undefined ? 'identity' : cachedCoding(request))
    const { link, 'last-modified': modified, ...others } = headers
    const response: CachedResponse = {
      ...read,
      key,
      route: template,
      headers: shareHeaders({
        'cache-control': caching.none,
        ...others,
        ...(link !== undefined && { link: '' }),
        ...(modified !== undefined && { 'last-modified': '' }),
      }),
      link,
      modified,
      body,
      madeUnix: moment.now,
      checkedVersion: versionFor(read, moment),
    }
    return key === undefined ? response : cache.store(response, present())
  }

  return { sendCached, sendMade, sendPlain, sendStream, toResponse }
}
export type Sending = ReturnType<typeof createSending>

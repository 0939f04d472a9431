import { caching } from './caching.ts'
import { corsHeaders, exposedHeaders } from './cors.ts'
import type { Body, Bytes, Form } from './encoding.ts'
import { type ErrorBody, retryAfterSeconds } from './errors.ts'
import type { ClientLimits } from './limiter.ts'
import type { Moment } from './moment.ts'
import type { BodyStream } from './requestContext.ts'

type HeaderValues = Readonly<Record<string, string>>

/** A response before the headers that every response has: no 200, unless it is not cached nor compressed. */
export interface Plain {
  readonly status: number
  readonly headers: HeaderValues
  readonly body: Bytes
}

/** Headers of every response, whatever the request. */
export const fixedHeaders: HeaderValues = {
  ...corsHeaders,
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
}

/**
 * Headers that many responses have, and their `Headers` by form, made once: a `Headers` of each response took
 * 800 bytes. What differs is set before each response, which copies them.
 */
export interface SharedHeaders {
  readonly values: HeaderValues
  readonly forms: Partial<Record<Form, SharedForm>>
}

interface SharedForm {
  readonly headers: Headers
  /** Those of the moment that were set last; setting them for each request takes 0.2 µs. */
  momentHeaders: Moment['headers'] | undefined
  /** Of the body whose headers were set last: 0.6 µs. Equal tags have equal bytes. */
  etag: string | undefined
}

/** A 200 but for what belongs to the request. */
export interface Prepared {
  /** Headers that do not depend on the request, but for `link`. */
  readonly headers: SharedHeaders
  readonly link: string | undefined
  readonly body: Body
}

/** Few, unless each response has headers of its own. */
const maxShared = 1000
const shared = new Map<string, SharedHeaders>()

/** The one value for equal headers. */
export const shareHeaders = (values: HeaderValues): SharedHeaders => {
  const key = JSON.stringify(values)
  const known = shared.get(key)
  if (known) return known
  if (shared.size >= maxShared) shared.clear()
  const made = { values, forms: {} }
  shared.set(key, made)
  return made
}

const sharedForm = (response: SharedHeaders, form: Form): SharedForm => {
  const known = response.forms[form]
  if (known) return known
  const headers = new Headers(response.values)
  if (form === 'unmodified') headers.delete('content-type')
  else if (form !== 'identity') headers.set('content-encoding', form)
  const made = { headers, momentHeaders: undefined, etag: undefined }
  response.forms[form] = made
  return made
}

/** An {@link ErrorBody}. */
export const refusal = (status: number, error: string, headers: HeaderValues = {}): Plain => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: new TextEncoder().encode(JSON.stringify({ error } satisfies ErrorBody)),
})

/** Headers that scripts of other origins can read of a refusal, besides those of every response. */
const limitHeaders = ['RateLimit', 'RateLimit-Policy']

/**
 * 429 for a client beyond its limits. The headers of the IETF draft are on refusals alone: shared caches
 * would give those of one client to others.
 */
export const refuseClient = (
  { rate, burst }: Pick<ClientLimits, 'rate' | 'burst'>,
  waitSeconds: number,
): Plain =>
  refusal(429, 'too many requests from this address', {
    'access-control-expose-headers': [...exposedHeaders, ...limitHeaders].join(','),
    'retry-after': String(waitSeconds),
    ...(rate > 0 && {
      ratelimit: `"client";r=0;t=${waitSeconds}`,
      'ratelimit-policy': `"client";q=${burst};w=${Math.ceil(burst / rate)}`,
    }),
  })

/** Responses to requests that reach no handler, or one that needs the archive before it is loaded. */
export const refusals = {
  method: refusal(405, 'method not allowed', { allow: 'GET, HEAD, OPTIONS' }),
  notFound: refusal(404, 'path not found'),
  notLoaded: refusal(503, 'the data is not loaded yet', {
    'retry-after': String(retryAfterSeconds),
  }),
  tooLong: refusal(414, 'the address is longer than 8 KiB'),
  twoHosts: refusal(400, 'more than one Host header'),
  overloaded: refusal(503, 'too many requests at the moment', {
    'retry-after': String(retryAfterSeconds),
  }),
} as const

/**
 * Bun 1.4.5 writes the name, colon, value and end of each header by a system call of its own before a body over 15 KB
 * that is sent outside of the turn of its request, but not before a stream: 0.24 ms and 0.05 for 77 KB. Of a stream it
 * copies what the kernel does not take (a Blob is shared), so that readers who stall must not have larger ones.
 */
export const isJoined = ({ length }: Bytes): boolean => length > 15 * 1024 && length <= 256 * 1024

/** A body as one that is sent in one piece with its headers. */
const joined = (bytes: Bytes): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes)
      controller.close()
    },
  })

export const sizeOf = (body: Blob | Bytes): number =>
  body instanceof Blob ? body.size : body.length

/** A response to GET or HEAD; `body` is in that form, null for `unmodified`; large ones of later turns are bytes. */
export const respond = (
  { headers: given, link, body: { etag } }: Prepared,
  form: Form,
  body: Blob | Bytes | null,
  { isGet, moment, requestId }: { isGet: boolean; moment: Moment; requestId: string },
): Response => {
  const sharing = sharedForm(given, form)
  const { headers } = sharing
  headers.set('x-request-id', requestId)
  if (sharing.etag !== etag) {
    headers.set('etag', etag)
    if (body) headers.set('content-length', String(sizeOf(body)))
    sharing.etag = etag
  }
  if (link !== undefined) headers.set('link', link)
  if (sharing.momentHeaders !== moment.headers) {
    for (const [name, value] of Object.entries(moment.headers)) headers.set(name, value)
    sharing.momentHeaders = moment.headers
  }
  if (isGet && body) return new Response(body instanceof Blob ? body : joined(body), { headers })
  // The server adds the date to a response with a body alone.
  const response = new Response(null, { status: form === 'unmodified' ? 304 : 200, headers })
  response.headers.set('date', new Date().toUTCString())
  return response
}

/** The headers of a response that is not cached. A plain object costs less than setting each. */
const uncachedHeaders = (
  given: HeaderValues,
  moment: Moment,
  requestId: string,
): Record<string, string> => ({
  ...fixedHeaders,
  ...given,
  vary: 'Accept-Encoding',
  'x-request-id': requestId,
  ...moment.headers,
})

/** A stream or file, or its headers alone. */
export const respondStream = (
  body: ReadableStream<Uint8Array> | Blob | null,
  given: HeaderValues,
  { status = 200, version }: Pick<BodyStream, 'status' | 'version'>,
  moment: Moment,
  requestId: string,
): Response => {
  const headers = uncachedHeaders(given, moment, requestId)
  if (version !== undefined) headers['x-data-version'] = version
  // The server counts the bytes of a file itself, and sends a stream in chunks.
  if (body) delete headers['content-length']
  else headers.date = new Date().toUTCString()
  return new Response(body, { status, headers })
}

/** Everything but a 200: redirects, preflights and errors. */
export const respondPlain = (
  { status, headers: given, body: bytes }: Plain,
  method: string,
  moment: Moment,
  requestId: string,
): Response => {
  const headers = uncachedHeaders(given, moment, requestId)
  // A redirect may be cached as long as its route says, an error never.
  if (status >= 400) headers['cache-control'] = caching.none
  if (bytes.length > 0) headers['content-length'] = String(bytes.length)
  else for (const name of ['content-type', 'content-length']) delete headers[name]
  if (bytes.length > 0 && method !== 'HEAD') return new Response(bytes, { status, headers })
  headers.date = new Date().toUTCString()
  return new Response(null, { status, headers })
}

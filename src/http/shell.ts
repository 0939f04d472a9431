import type { Archive, ArchiveService } from '../archive.ts'
import {
  compress,
  createAnswerStore,
  type Encoding,
  encodeBody,
  holds,
  type StoredAnswer,
} from './answers.ts'
import { caching } from './caching.ts'
import { beginExchange, type Exchange } from './exchange.ts'
import { chooseEncoding, matchesTag } from './negotiation.ts'

/** Below this a compressed body saves no packet. */
const compressFromBytes = 1024

const startID = Bun.randomUUIDv7().replaceAll('-', '').slice(0, 16)

/** Path and query of a request, whatever its Host header holds. A trailing slash is dropped. */
const targetOf = (url: string): string => {
  const scheme = url.indexOf('://')
  const start = scheme < 0 ? 0 : url.indexOf('/', scheme + 3)
  const target = start < 0 ? '/' : url.slice(start)
  const queryStart = target.indexOf('?')
  const path = queryStart < 0 ? target : target.slice(0, queryStart)
  if (path.length < 2 || !path.endsWith('/')) return target
  return path.slice(0, -1) + target.slice(path.length)
}

/**
 * One spelling for all the ways to percent-encode the path of a target; undefined for one that does
 * not decode, or that climbs with dots.
 */
const canonicalPath = (target: string): string | undefined => {
  try {
    const segments = (target.split('?', 1)[0] ?? '').split('/').map(decodeURIComponent)
    if (segments.some((segment) => segment === '.' || segment === '..')) return undefined
    return segments.map(encodeURIComponent).join('/')
  } catch {
    return undefined
  }
}

const freshness = (
  archive: Archive | undefined,
  { status, now }: ArchiveService,
): Record<string, string> => {
  const { currentAt } = status()
  // Nothing is loaded: no data is known to have been current since this process began.
  const age = currentAt === null ? performance.now() / 1000 : now() - currentAt
  return {
    'x-data-version': archive?.version ?? 'none',
    'x-data-age': String(Math.max(0, Math.floor(age))),
  }
}

/** What the router made of a request, before the shell's own headers. */
interface Inner {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The router's headers, less those of the CORS plugin that only a preflight's reader looks at. */
const innerHeaders = ({ method }: Request, headers: Headers): Record<string, string> => {
  const kept = Object.fromEntries(headers)
  if (method !== 'OPTIONS') {
    delete kept['access-control-allow-headers']
    delete kept['access-control-allow-methods']
  }
  if (kept['content-type']?.startsWith('application/json'))
    kept['content-type'] = 'application/json'
  return kept
}

/** The body that fits `Accept-Encoding`, with the headers that say so. */
const encodedFor = async (
  request: Request,
  { body }: StoredAnswer,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; encoding: Encoding | 'identity' }> => {
  const encoding =
    body.bytes.length < compressFromBytes
      ? 'identity'
      : chooseEncoding(request.headers.get('accept-encoding'))
  return {
    encoding,
    bytes: encoding === 'identity' ? body.bytes : await compress(body, encoding),
  }
}

const withoutBodyHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const { 'content-type': _type, 'content-length': _length, ...rest } = headers
  return rest
}

/** Hears of an answer once it is ready to be sent. */
export type OnAnswer = (exchange: Exchange, response: Response) => void

/** The part of the app that the shell surrounds: routes, CORS and errors. */
export interface Router {
  readonly handle: (request: Request) => Promise<Response>
}

/**
 * What is around every route: stored answers, ETag and 304, compression, HEAD, freshness and
 * security headers. `router` is asked only for what is not stored. `findStored` is for the router's
 * use, once it has read the query.
 */
export const createShell = (service: ArchiveService) => {
  const answers = createAnswerStore()
  let requests = 0

  const stored = (key: string, { archive, now }: Exchange): StoredAnswer | undefined => {
    const answer = answers.get(key)
    return answer && holds(answer, archive, now) ? answer : undefined
  }

  const keyOf = ({ path = '', query }: Exchange): string => path + (query && `?${query}`)

  /** The stored answer to a request that the router has read. */
  const findStored = (exchange: Exchange): StoredAnswer | undefined =>
    exchange.validUntil > 0 ? stored(keyOf(exchange), exchange) : undefined

  const own = ({ method }: Request, exchange: Exchange): Record<string, string> => ({
    // The server adds the date to an answer with a body alone.
    ...(method === 'HEAD' ? { date: new Date().toUTCString() } : {}),
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'x-request-id': exchange.requestId,
    ...freshness(exchange.archive, service),
  })

  const success = async (
    request: Request,
    exchange: Exchange,
    answer: StoredAnswer,
  ): Promise<Response> => {
    const headers = { ...answer.headers, ...own(request, exchange), etag: answer.body.etag }
    if (matchesTag(request.headers.get('if-none-match'), answer.body.etag)) {
      return new Response(null, { status: 304, headers: withoutBodyHeaders(headers) })
    }
    const { bytes, encoding } = await encodedFor(request, answer)
    if (request.method !== 'HEAD') exchange.sentBytes = bytes.length
    return new Response(request.method === 'HEAD' ? null : bytes, {
      headers: {
        ...headers,
        'content-length': String(bytes.length),
        ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      },
    })
  }

  const failure = (request: Request, exchange: Exchange, inner: Inner): Response => {
    const { status, bytes } = inner
    const headers = { ...inner.headers, ...own(request, exchange), 'cache-control': caching.none }
    if (bytes.length === 0)
      return new Response(null, { status, headers: withoutBodyHeaders(headers) })
    if (request.method !== 'HEAD') exchange.sentBytes = bytes.length
    return new Response(request.method === 'HEAD' ? null : bytes, {
      status,
      headers: { ...headers, 'content-length': String(bytes.length) },
    })
  }

  const store = (exchange: Exchange, { headers, bytes }: Inner): StoredAnswer => {
    const key = keyOf(exchange)
    const before = answers.peek(key)?.body
    const body = encodeBody(bytes)
    const answer: StoredAnswer = {
      holdsFor: exchange.holdsFor,
      validUntil: exchange.validUntil,
      route: exchange.route,
      headers: { 'cache-control': caching.none, ...headers },
      // A body that came out the same keeps its compressed forms.
      body: before?.etag === body.etag ? before : body,
    }
    if (exchange.validUntil > 0) answers.set(key, answer)
    return answer
  }

  const route = async (
    request: Request,
    target: string,
    exchange: Exchange,
    router: Router,
  ): Promise<Response> => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    exchange.path = canonicalPath(target)
    const queryStart = target.indexOf('?')
    const query = queryStart < 0 ? '' : target.slice(queryStart)
    const url = `http://localhost${exchange.path ?? '/'}${query}`
    const inner = new Request(url, { method, headers: request.headers })
    beginExchange(inner, exchange)
    const response = await router.handle(inner)
    if (exchange.stored) return success(request, exchange, exchange.stored)
    const result = {
      status: response.status,
      headers: innerHeaders(request, response.headers),
      bytes: new Uint8Array(await response.arrayBuffer()),
    }
    return response.status === 200
      ? success(request, exchange, store(exchange, result))
      : failure(request, exchange, result)
  }

  /** Answers one request. */
  const answer = async (
    request: Request,
    router: Router,
    onAnswer?: OnAnswer,
  ): Promise<Response> => {
    const target = targetOf(request.url)
    requests += 1
    const exchange: Exchange = {
      startedMs: performance.now(),
      requestId: `${startID}-${requests.toString(36)}`,
      archive: service.archive(),
      now: service.now(),
      path: undefined,
      route: undefined,
      query: '',
      validUntil: 0,
      holdsFor: () => false,
      stored: undefined,
      sentBytes: 0,
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const known = isRead ? stored(target, exchange) : undefined
    if (known) exchange.route = known.route
    const response = known
      ? await success(request, exchange, known)
      : await route(request, target, exchange, router)
    onAnswer?.(exchange, response)
    return response
  }

  return { answer, findStored }
}

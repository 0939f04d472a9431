import type { Archive, ArchiveService } from '../archive.ts'
import { createAnswerStore, holds, type StoredAnswer } from './answers.ts'
import { type Coding, createEncoder, isCompressed, makeBody } from './body.ts'
import { caching } from './caching.ts'
import { beginExchange, type Exchange } from './exchange.ts'
import { chooseEncoding, matchesTag } from './negotiation.ts'

const startID = Bun.randomUUIDv7().replaceAll('-', '').slice(0, 16)

/** Path and query of a request, whatever its Host header holds. A trailing slash is dropped. */
const targetOf = (url: string): string => {
  const scheme = url.indexOf('://')
  const start = scheme < 0 ? 0 : url.indexOf('/', scheme + 3)
  // A method such as CONNECT has a host in the place of a path.
  const target = url[start] === '/' ? url.slice(start) : '/'
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

/** How current the data of an answer is, as its headers tell it. */
interface Freshness {
  readonly version: string
  readonly ageSeconds: number
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

const withoutBodyHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const { 'content-type': _type, 'content-length': _length, ...rest } = headers
  return rest
}

/** Headers that tell of the body as it is sent. */
const bodyHeaders = (coding: Coding, { size }: Blob): Record<string, string> => ({
  'content-length': String(size),
  ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
})

type PreparedHeaders = Partial<Record<Coding, { readonly headers: Headers }>>

/** Answers whose headers are kept at a time. */
const mostPrepared = 1024

const never = (): boolean => false

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
  const encoded = createEncoder()
  let requests = 0

  const stored = (key: string, { archive, now }: Exchange): StoredAnswer | undefined => {
    const answer = answers.get(key)
    return answer && holds(answer, archive, now) ? answer : undefined
  }

  const keyOf = ({ path = '', query }: Exchange): string => path + (query && `?${query}`)

  /** The stored answer to a request that the router has read. */
  const findStored = (exchange: Exchange): StoredAnswer | undefined =>
    exchange.mayBeStored && exchange.validUntil > 0 ? stored(keyOf(exchange), exchange) : undefined

  let lastFreshness: Freshness = { version: 'none', ageSeconds: 0 }
  /** The headers of answers that were sent since then: those that many ask for, and a few others. */
  const prepared = new Map<StoredAnswer, PreparedHeaders>()

  /** The same value for as long as it does not change, which is up to a second. */
  const freshness = (archive: Archive | undefined): Freshness => {
    const { currentAt } = service.status()
    // Nothing is loaded: no data is known to have been current since this process began.
    const age = currentAt === null ? performance.now() / 1000 : service.now() - currentAt
    const version = archive?.version ?? 'none'
    const ageSeconds = Math.max(0, Math.floor(age))
    if (lastFreshness.version !== version || lastFreshness.ageSeconds !== ageSeconds) {
      lastFreshness = { version, ageSeconds }
      prepared.clear()
    }
    return lastFreshness
  }

  const own = ({ method }: Request, { requestId, archive }: Exchange): Record<string, string> => {
    const { version, ageSeconds } = freshness(archive)
    return {
      // The server adds the date to an answer with a body alone.
      ...(method === 'HEAD' ? { date: new Date().toUTCString() } : {}),
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      'x-data-version': version,
      'x-data-age': String(ageSeconds),
    }
  }

  /** Sends a body in a content coding. Its headers but for the request's id serve a second long. */
  const send = (
    request: Request,
    exchange: Exchange,
    answer: StoredAnswer,
    coding: Coding,
    body: Blob,
  ): Response => {
    if (request.method === 'HEAD') {
      const headers = { ...answer.headers, ...own(request, exchange), etag: answer.body.etag }
      return new Response(null, { headers: { ...headers, ...bodyHeaders(coding, body) } })
    }
    exchange.sentBytes = body.size
    // Headers of other data are given up here.
    freshness(exchange.archive)
    const before = prepared.get(answer)
    let init = before?.[coding]
    if (!init) {
      const headers = { ...answer.headers, ...own(request, exchange), etag: answer.body.etag }
      init = { headers: new Headers({ ...headers, ...bodyHeaders(coding, body) }) }
      if (prepared.size >= mostPrepared) prepared.clear()
      prepared.set(answer, { ...before, [coding]: init })
    }
    // The response has its own copy of them.
    init.headers.set('x-request-id', exchange.requestId)
    return new Response(body, init)
  }

  /** At once where nothing is to be compressed first. */
  const success = (
    request: Request,
    exchange: Exchange,
    answer: StoredAnswer,
  ): Response | Promise<Response> => {
    const { body } = answer
    if (matchesTag(request.headers.get('if-none-match'), body.etag)) {
      const headers = { ...answer.headers, ...own(request, exchange), etag: body.etag }
      return new Response(null, { status: 304, headers: withoutBodyHeaders(headers) })
    }
    const coding = isCompressed(body.size)
      ? chooseEncoding(request.headers.get('accept-encoding'))
      : 'identity'
    const blob = encoded(body, coding)
    return blob instanceof Promise
      ? blob.then((made) => send(request, exchange, answer, coding, made))
      : send(request, exchange, answer, coding, blob)
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
    const answer: StoredAnswer = {
      holdsFor: exchange.holdsFor,
      validUntil: exchange.validUntil,
      route: exchange.route,
      headers: { 'cache-control': caching.none, ...headers },
      body: makeBody(bytes, answers.peek(key)?.body),
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

  const begin = (
    archive: Archive | undefined,
    now: number,
    mayBeStored: boolean = true,
  ): Exchange => {
    requests += 1
    return {
      startedMs: performance.now(),
      requestId: `${startID}-${requests.toString(36)}`,
      archive,
      now,
      path: undefined,
      route: undefined,
      query: '',
      validUntil: 0,
      holdsFor: never,
      mayBeStored,
      stored: undefined,
      sentBytes: 0,
    }
  }

  /** The body that a path would be answered with, had it been asked of this archive at this time. */
  const ask = async (
    target: string,
    { archive, now }: { readonly archive: Archive; readonly now: number },
    router: Router,
  ): Promise<unknown> => {
    const exchange = begin(archive, now, false)
    exchange.path = canonicalPath(target)
    const request = new Request(`http://localhost${target}`)
    beginExchange(request, exchange)
    const response = await router.handle(request)
    return response.ok ? response.json() : undefined
  }

  /** Answers one request: at once, where the answer is stored. */
  const answer = (
    request: Request,
    router: Router,
    onAnswer?: OnAnswer,
  ): Response | Promise<Response> => {
    const target = targetOf(request.url)
    const exchange = begin(service.archive(), service.now())
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const known = isRead ? stored(target, exchange) : undefined
    if (known) exchange.route = known.route
    const response = known
      ? success(request, exchange, known)
      : route(request, target, exchange, router)
    if (response instanceof Response) {
      onAnswer?.(exchange, response)
      return response
    }
    return response.then((made) => {
      onAnswer?.(exchange, made)
      return made
    })
  }

  return { answer, ask, findStored }
}

import type { ArchiveService } from '../archive/archive.ts'
import { intern } from '../league/intern.ts'
import { createAnswerStore, holds, type StoredAnswer } from './answers.ts'
import { createEncoder, makeBody, withPrefix } from './body.ts'
import { caching } from './caching.ts'
import { exposedHeaders } from './cors.ts'
import { type ErrorBody, retryAfterSeconds } from './errors.ts'
import { type BodyStream, beginExchange, type Exchange, type Moment, noParts } from './exchange.ts'
import { createGate } from './gate.ts'
import { createReadyAnswers, type Form, formFor, type Prepared } from './ready.ts'

/** Longer targets than any client of this API sends; reading one of 250 KB takes up to 58 ms. */
const maxTargetLength = 8 * 1024

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

/** The same headers; values that many answers have are one text in memory. */
const shareValues = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name === 'link' ? value : intern(value)]),
  )

const withoutBodyHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const { 'content-type': _type, 'content-length': _length, ...rest } = headers
  return rest
}

/** The server adds the date to an answer with a body alone. */
const withDate = (headers: Readonly<Record<string, string>>): Record<string, string> => ({
  ...headers,
  date: new Date().toUTCString(),
})

const never = (): boolean => false

const refusal = (status: number, error: string, headers: Record<string, string> = {}): Inner => ({
  status,
  headers: {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedHeaders.join(','),
    ...headers,
  },
  bytes: new TextEncoder().encode(JSON.stringify({ error } satisfies ErrorBody)),
})
const tooLong = refusal(414, 'the address is longer than 8 KiB')
const twoHosts = refusal(400, 'more than one Host header')
const overloaded = refusal(503, 'too many requests at the moment', {
  'retry-after': String(retryAfterSeconds),
})

/** What is told of an answer that is ready to be sent. */
export interface Answered extends Pick<Exchange, 'startedMs' | 'route' | 'path' | 'sentBytes'> {
  readonly status: number
  readonly waitedMs?: number
}

/**
 * Hears of each answer to a request from an address. Of a stream it hears when that has begun, and the
 * function that it returns hears of its bytes when it has ended.
 */
export type OnAnswer = (
  request: Request,
  sender: string,
  answered: Answered,
  isStream?: boolean,
) => (sentBytes: number) => void

/** The part of the app that the shell surrounds: routes, CORS and errors. */
export interface Router {
  readonly handle: (request: Request) => Promise<Response>
}

/** Larger bodies do not fit into the buffers of a connection, so that sending them takes a reader. */
const largeBytes = 64 * 1024
export type OnLargeBody = (request: Request) => void

interface ShellOptions {
  readonly ungated: ReadonlySet<string>
  readonly onLargeBody?: OnLargeBody | undefined
}

/**
 * What is around every route: stored answers, ETag and 304, compression, HEAD, freshness and
 * security headers. `router` is asked only for what is not stored, in turns; the paths in `ungated` need
 * no turn. `findStored` is for the router's use, once it has read the query.
 */
export const createShell = (
  service: ArchiveService,
  { ungated, onLargeBody = () => undefined }: ShellOptions,
) => {
  const gate = createGate()
  const answers = createAnswerStore()
  const encoder = createEncoder()
  let requests = 0

  const nextID = (): string => {
    requests += 1
    return `${startID}-${requests.toString(36)}`
  }

  let moment: Moment = { archive: undefined, now: 0, dataAge: 0 }
  /** Those of this moment. */
  const ready = createReadyAnswers()

  /** The same value for as long as it does not change, which is up to a second. */
  const present = (): Moment => {
    const archive = service.archive()
    const now = service.now()
    const { currentAt } = service.status()
    // Nothing is loaded: no data is known to have been current since this process began.
    const age = currentAt === null ? performance.now() / 1000 : now - currentAt
    const dataAge = Math.max(0, Math.floor(age))
    if (moment.archive !== archive || moment.now !== now || moment.dataAge !== dataAge) {
      moment = { archive, now, dataAge }
      ready.clear()
    }
    return moment
  }

  const stored = (key: string, moment: Moment): StoredAnswer | undefined => {
    const answer = answers.get(key)
    return answer && holds(answer, moment) ? answer : undefined
  }

  const keyOf = ({ path = '', query }: Exchange): string => path + (query && `?${query}`)

  /** The stored answer to a request that the router has read. */
  const findStored = (exchange: Exchange): StoredAnswer | undefined =>
    exchange.mayBeStored && exchange.validUntil > 0
      ? stored(keyOf(exchange), exchange.moment)
      : undefined

  const own = ({ requestId, moment: { archive, dataAge } }: Exchange): Record<string, string> => ({
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    'x-data-version': archive?.version ?? 'none',
    'x-data-age': String(dataAge),
  })

  const prepare = (
    exchange: Exchange,
    { headers, body: { etag } }: StoredAnswer,
    form: Form,
    body: Blob | null,
  ): Prepared => {
    const all = { ...headers, ...own(exchange), etag }
    if (form === 'unmodified') {
      const init = { status: 304, headers: new Headers(withDate(withoutBodyHeaders(all))) }
      return { body, size: 0, init }
    }
    const size = body?.size ?? 0
    const prepared = new Headers({ ...all, 'content-length': String(size) })
    if (form !== 'identity') prepared.set('content-encoding', form)
    return { body, size, init: { status: 200, headers: prepared } }
  }

  const send = (
    request: Request,
    exchange: Exchange,
    answer: StoredAnswer,
    form: Form,
    body: Blob | null,
  ): Response => {
    const prepared = prepare(exchange, answer, form, body)
    if (request.method === 'HEAD') {
      const { status, headers } = prepared.init
      return new Response(null, { status, headers: withDate(Object.fromEntries(headers)) })
    }
    if (exchange.moment === moment && moment.now < answer.validUntil) {
      ready.keep(request, answer, form, prepared)
    }
    exchange.sentBytes = prepared.size
    if (prepared.size > largeBytes) onLargeBody(request)
    return new Response(body, prepared.init)
  }

  /** Undefined where the body must be compressed first. */
  const successAtOnce = (
    request: Request,
    exchange: Exchange,
    answer: StoredAnswer,
  ): Response | undefined => {
    const form = formFor(request, answer.body)
    const body = form === 'unmodified' ? null : encoder.find(answer.body, form)
    return body === undefined ? undefined : send(request, exchange, answer, form, body)
  }

  const success = async (
    request: Request,
    exchange: Exchange,
    answer: StoredAnswer,
  ): Promise<Response> => {
    const { prefix } = exchange
    const whole =
      prefix === '' ? answer : { ...answer, body: await withPrefix(answer.body, prefix) }
    return sendEncoded(request, exchange, whole)
  }

  const sendEncoded = async (
    request: Request,
    exchange: Exchange,
    answer: StoredAnswer,
  ): Promise<Response> => {
    const atOnce = successAtOnce(request, exchange, answer)
    if (atOnce) return atOnce
    const form = formFor(request, answer.body)
    const body = form === 'unmodified' ? null : await encoder.make(answer.body, form)
    return send(request, exchange, answer, form, body)
  }

  const failure = (request: Request, exchange: Exchange, inner: Inner): Response => {
    const { status, bytes } = inner
    const size = bytes.length
    const headers = {
      ...inner.headers,
      ...own(exchange),
      // A redirect may be kept as long as its route says, an error never.
      ...(status < 400 ? {} : { 'cache-control': caching.none }),
    }
    if (size === 0)
      return new Response(null, { status, headers: withDate(withoutBodyHeaders(headers)) })
    const sized = { ...headers, 'content-length': String(size) }
    if (request.method === 'HEAD') return new Response(null, { status, headers: withDate(sized) })
    exchange.sentBytes = size
    return new Response(bytes, { status, headers: sized })
  }

  /** Sent as it comes: neither kept nor compressed. */
  const streamed = (
    request: Request,
    exchange: Exchange,
    stream: BodyStream,
    inner: Headers,
  ): Response => {
    const headers = { ...innerHeaders(request, inner), ...own(exchange) }
    if (request.method === 'HEAD') {
      stream.leave()
      exchange.stream = undefined
      return new Response(null, { headers: withDate(headers) })
    }
    const ended = Promise.withResolvers<number>()
    exchange.ended = ended.promise
    return new Response(stream.open(ended.resolve), { headers })
  }

  const store = async (exchange: Exchange, { headers, bytes }: Inner): Promise<StoredAnswer> => {
    const key = keyOf(exchange)
    // Of ASCII, so that characters are bytes.
    const shared = bytes.subarray(exchange.prefix.length)
    const answer: StoredAnswer = {
      holdsFor: exchange.holdsFor,
      parts: exchange.parts,
      validUntil: exchange.validUntil,
      route: exchange.route,
      headers: shareValues({ 'cache-control': caching.none, ...headers }),
      body: await makeBody(shared, answers.peek(key)?.body),
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
    if (exchange.stream) return streamed(request, exchange, exchange.stream, response.headers)
    const result = {
      status: response.status,
      headers: innerHeaders(request, response.headers),
      bytes: new Uint8Array(await response.arrayBuffer()),
    }
    return response.status === 200
      ? success(request, exchange, await store(exchange, result))
      : failure(request, exchange, result)
  }

  const begin = (
    moment: Moment,
    startedMs: number,
    { sender, mayBeStored = true }: { sender?: string | undefined; mayBeStored?: boolean } = {},
  ): Exchange => ({
    moment,
    startedMs,
    requestId: nextID(),
    path: undefined,
    route: undefined,
    query: '',
    prefix: '',
    validUntil: 0,
    holdsFor: never,
    parts: noParts,
    mayBeStored,
    stored: undefined,
    sentBytes: 0,
    sender,
    stream: undefined,
    ended: undefined,
    waitedMs: 0,
  })

  /** The body that a path would be answered with, had it been asked of this archive at this time. */
  const ask = async (
    target: string,
    { archive, now }: Omit<Moment, 'dataAge'>,
    router: Router,
  ): Promise<unknown> => {
    const exchange = begin({ archive, now, dataAge: 0 }, performance.now(), {
      mayBeStored: false,
    })
    exchange.path = canonicalPath(target)
    const request = new Request(`http://localhost${target}`)
    beginExchange(request, exchange)
    const response = await router.handle(request)
    return response.ok ? response.json() : undefined
  }

  const answerAnew = (
    request: Request,
    exchange: Exchange,
    router: Router,
  ): Response | Promise<Response> => {
    if (request.headers.get('host')?.includes(',')) return failure(request, exchange, twoHosts)
    const target = targetOf(request.url)
    if (target.length > maxTargetLength) return failure(request, exchange, tooLong)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const known = isRead ? stored(target, exchange.moment) : undefined
    exchange.route = known?.route
    const refuse = (): Response => {
      exchange.path = canonicalPath(target)
      return failure(request, exchange, overloaded)
    }
    if (known) {
      return (
        successAtOnce(request, exchange, known) ??
        gate.run(() => success(request, exchange, known), refuse)
      )
    }
    if (ungated.has(target.split('?', 1)[0] ?? '')) return route(request, target, exchange, router)
    // Others want what was answered before, and once it is made anew they are answered at once.
    const isFirst = isRead && answers.has(target)
    return gate.run(() => route(request, target, exchange, router), refuse, { isFirst })
  }

  /**
   * Answers one request: at once, where the answer is stored. `onAnswer` hears of it unless the process
   * itself asked.
   */
  const answer = (
    request: Request,
    sender: string | undefined,
    router: Router,
    onAnswer: OnAnswer,
  ): Response | Promise<Response> => {
    const startedMs = performance.now()
    const moment = present()
    const known = ready.find(request)
    if (known) {
      const { route } = known.answer
      const { body, size: sentBytes, init } = known.prepared
      // The response has its own copy of them.
      init.headers.set('x-request-id', nextID())
      const response = new Response(body, init)
      const { status } = init
      if (sender !== undefined) {
        onAnswer(request, sender, { startedMs, route, path: undefined, sentBytes, status })
      }
      return response
    }
    const exchange = begin(moment, startedMs, { sender })
    const tell = (response: Response): Response => {
      if (sender !== undefined) {
        const { route, path, sentBytes, waitedMs, ended } = exchange
        const { status } = response
        const answered = { startedMs, route, path, sentBytes, status, waitedMs }
        const finish = onAnswer(request, sender, answered, ended !== undefined)
        void ended?.then(finish)
      }
      return response
    }
    const response = answerAnew(request, exchange, router)
    return response instanceof Response ? tell(response) : response.then(tell)
  }

  return { answer, ask, findStored }
}

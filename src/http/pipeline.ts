import type { ArchiveService } from '../archive/archive.ts'
import type { Log } from '../log.ts'
import { caching } from './caching.ts'
import { preflight } from './cors.ts'
import { compact, makeBody } from './encoding.ts'
import { createGate } from './gate.ts'
import { type HtmlPage, readSpoilers, type Spoilers } from './htmlPage.ts'
import type { Limiter } from './limiter.ts'
import { createMoments, type Moment } from './moment.ts'
import { formFor, prefersHtml } from './negotiation.ts'
import { ignoredParameters } from './parameters.ts'
import {
  ArchiveNotLoaded,
  type BodyStream,
  type Late,
  type LateResponse,
} from './requestContext.ts'
import {
  type CachedResponse,
  createResponseCache,
  generationFor,
  isValid,
  type Prepared,
} from './responseCache.ts'
import {
  fixedHeaders,
  internValues,
  type Plain,
  refusal,
  refusals,
  refuseClient,
  respond,
  respondPlain,
  respondStream,
} from './responses.ts'
import {
  createRoutes,
  type DeclaredRoute,
  type Found,
  type Handled,
  type HandlerContext,
  toHandled,
} from './routes.ts'
import { canonicalPath, maxTargetLength, targetOf } from './target.ts'
import { nothingRead, type Reads, trackReads } from './trackedArchive.ts'

const startID = Bun.randomUUIDv7().replaceAll('-', '').slice(0, 16)

/** A request, and where and when it came from. */
export interface Origin {
  readonly request: Request
  /** The address that it came from; undefined for the process's own. */
  readonly sender: string | undefined
  /** On the clock of `performance.now()`. */
  readonly startedMs: number
  readonly requestId: string
}

/** The same, and the data that it is answered from. */
interface Arrival extends Origin {
  readonly moment: Moment
}

/** A response, and what is counted of it. */
export interface Answer {
  readonly response: Response
  /** Bytes of the body; 0 for a stream, whose bytes come when it has ended. */
  readonly sentBytes: number
  /** Whether no handler ran. */
  readonly isCached: boolean
  /** How long it waited for something to happen, which is no time of answering. */
  readonly waitedMs?: number
  /** Settles with the bytes of a stream when that has ended. */
  readonly ended?: Promise<number>
  /** Header that names the parameters which the route does not know. */
  readonly ignored?: string | undefined
}

/** A response that is made later. Nothing in it refers to the archive of its arrival, which may be replaced. */
interface Pending extends Pick<Late, 'isWait'> {
  readonly late: Promise<LateResponse>
  readonly headers: Handled['headers']
  readonly template: string
  readonly ignored: string | undefined
}

/**
 * Called once for each response to a request from an address; `template` is undefined where no route matched.
 */
export type OnSent = (
  origin: Origin,
  sender: string,
  answer: Answer,
  template: string | undefined,
) => void

/** Has the connection of a request closed when nothing moves on it for these seconds. */
export type LimitIdle = (request: Request, seconds: number) => void

/** Larger bodies do not fit into the buffers of a connection, so that sending them takes a reader. */
const largeBytes = 64 * 1024
/** Stays in force until the next request on the connection. */
const largeBodySeconds = 20
/** For a stream that is cut. */
const cutSeconds = 1

interface Options {
  readonly routes: readonly DeclaredRoute[]
  readonly log: Log
  /** The page for a path without a route, for clients that prefer HTML. */
  readonly notFoundPage?: HtmlPage<{ readonly spoilers: Spoilers }> | undefined
  readonly onSent: OnSent
  readonly limitIdle?: LimitIdle | undefined
  readonly limiter?: Limiter | undefined
}

/** Functions of their own: what a stream keeps as long as it is open must not refer to an archive. */
const cutterOf = (request: Request, limitIdle: LimitIdle | undefined) => (): void =>
  limitIdle?.(request, cutSeconds)
const reporterOf =
  (log: Log, requestId: string, route: string | undefined) =>
  (error: unknown): void =>
    log('error', 'request failed', {
      requestId,
      route,
      cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
const chargeAtEnd = (ended: Promise<number>, limiter: Limiter, sender: string): void => {
  void ended.then((sentBytes) => limiter.charge(sender, { isCached: true, sentBytes }))
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** The server joins several Host headers, but the URL has the first. */
const hasTwoHosts = ({ headers }: Request): boolean => headers.get('host')?.includes(',') ?? false

/** What a handler is called with, and what it has read and declared by then. */
const openContext = ({ request, moment, sender }: Arrival, { params }: Found) => {
  const { archive, now } = moment
  const { tracked, reads } = archive
    ? trackReads(archive, now)
    : { tracked: undefined, reads: () => nothingRead }
  let declared: { readonly body: unknown } | undefined
  const context: HandlerContext = {
    request,
    params,
    query: {},
    set: { headers: {} },
    archive: tracked,
    cached: (body) => {
      declared = { body }
      return body
    },
    moment,
    sender,
  }
  const isDeclared = (value: unknown): boolean => declared !== undefined && declared.body === value
  return { context, reads, isDeclared }
}

/**
 * Everything around the handlers: cached responses, ETag and 304, compression, HEAD, freshness, errors,
 * limits. A request without a valid cached response finds its route, has its parameters read, and has its
 * handler called: one in each turn of the event loop. Nothing here is written by two functions: each returns
 * what the next one needs.
 */
export const createPipeline = (
  service: ArchiveService,
  { routes, log, notFoundPage, onSent, limitIdle, limiter }: Options,
) => {
  const gate = createGate()
  const cache = createResponseCache()
  const present = createMoments(service, cache.dropOutdated)
  const find = createRoutes(routes)
  const lateResponses = new WeakMap<LateResponse, Promise<CachedResponse>>()
  let requests = 0

  const nextID = (): string => {
    requests += 1
    return `${startID}-${requests.toString(36)}`
  }

  const sendPrepared = (
    { request, moment, requestId }: Arrival,
    prepared: Prepared,
    isCached: boolean,
  ): Answer => {
    const isGet = request.method === 'GET'
    if (isGet && prepared.size > largeBytes) limitIdle?.(request, largeBodySeconds)
    const response = respond(prepared, request.method, moment, requestId)
    return { response, sentBytes: isGet ? prepared.size : 0, isCached }
  }

  const sendMade = async (
    arrival: Arrival,
    made: CachedResponse,
    isCached: boolean,
  ): Promise<Answer> =>
    sendPrepared(arrival, await cache.prepared(made, formFor(arrival.request, made.body)), isCached)

  /** Anything but a 200. */
  const sendPlain = ({ request, moment, requestId }: Arrival, plain: Plain): Answer => ({
    response: respondPlain(plain, request.method, moment, requestId),
    sentBytes: request.method === 'HEAD' ? 0 : plain.body.length,
    isCached: false,
  })

  /** Sent as it comes: neither cached nor compressed. */
  const sendStream = (
    { request, moment, requestId }: Arrival,
    {
      stream,
      headers,
      template,
    }: Pick<Handled, 'headers'> & {
      readonly stream: BodyStream
      readonly template: string
    },
  ): Answer => {
    const isBare = request.method === 'HEAD' || stream.status === 304
    const { promise: ended, resolve } = Promise.withResolvers<number>()
    if (isBare) stream.leave()
    const [cut, failed] = [cutterOf(request, limitIdle), reporterOf(log, requestId, template)]
    const body = isBare ? null : stream.open({ ended: resolve, cut, failed })
    if (body && Number(headers['content-length']) > largeBytes) {
      limitIdle?.(request, largeBodySeconds)
    }
    const response = respondStream(body, headers, stream, moment, requestId)
    return { response, sentBytes: 0, isCached: false, ...(body && { ended }) }
  }

  /** A 200 that a handler has made; in the cache if it has a key. */
  const toResponse = async (
    { moment }: Arrival,
    template: string,
    {
      headers,
      bytes,
      key,
      read,
    }: {
      readonly headers: Handled['headers']
      readonly bytes: Parameters<typeof makeBody>[0]
      readonly key: string | undefined
      readonly read: Reads
    },
  ): Promise<CachedResponse> => {
    const body = await makeBody(bytes)
    const response: CachedResponse = {
      ...read,
      key,
      route: template,
      headers: internValues({ 'cache-control': caching.none, ...headers, ...fixedHeaders }),
      body,
      forms: {},
      madeUnix: moment.now,
      checked: { generation: generationFor(read, moment) },
    }
    if (key === undefined) return response
    cache.store({ ...response, body: await compact(body) })
    return cache.find(key) ?? response
  }

  const failed = ({ requestId }: Origin, template: string | undefined, error: unknown): Plain => {
    if (error instanceof ArchiveNotLoaded) return refusals.notLoaded
    reporterOf(log, requestId, template)(error)
    return refusal(500, 'internal error')
  }

  /** Keeps nothing of an archive while it waits; the response has the headers of the moment after it. */
  const answerLate = async (
    origin: Origin,
    { late: response, isWait, headers, template, ignored }: Pending,
  ): Promise<Answer> => {
    const waitedSince = performance.now()
    try {
      const late = await response
      const waitedMs = isWait ? performance.now() - waitedSince : undefined
      const waited = { ignored, ...(waitedMs !== undefined && { waitedMs }) }
      const arrival = { ...origin, moment: present() }
      const { status, bytes } = late
      const typed = { 'content-type': 'application/json', ...headers }
      if (status !== 200)
        return { ...sendPlain(arrival, { status, headers: typed, body: bytes }), ...waited }
      const made = { headers: typed, bytes, key: undefined, read: nothingRead }
      const shared = lateResponses.get(late) ?? toResponse(arrival, template, made)
      lateResponses.set(late, shared)
      return { ...(await sendMade(arrival, await shared, false)), ...waited }
    } catch (error) {
      return sendPlain({ ...origin, moment: present() }, failed(origin, template, error))
    }
  }

  const sendNotFound = async (arrival: Arrival): Promise<Answer> => {
    const { headers, url } = arrival.request
    if (!notFoundPage || !prefersHtml(headers.get('accept'))) {
      return sendPlain(arrival, refusals.notFound)
    }
    const set = { headers: {} }
    const spoilers = new URLSearchParams(url.split('?')[1]).get('spoilers') ?? undefined
    const page = await notFoundPage({ spoilers: readSpoilers(spoilers) }, set)
    const { status, headers: own, body } = await toHandled(page, set)
    return body instanceof Uint8Array
      ? sendPlain(arrival, { status, headers: own, body })
      : sendPlain(arrival, refusals.notFound)
  }

  /** The answer of a route, from the cache where that has it. */
  const callRoute = async (arrival: Arrival, found: Found): Promise<Answer | Pending> => {
    const { request, moment } = arrival
    const { route, params } = found
    const { context, reads, isDeclared } = openContext(arrival, found)
    route.prepare(context)
    // All that the handler sees of the request, so it cannot tell apart two with one key.
    const key = JSON.stringify([route.template, params, context.query])
    const ignored = ignoredParameters(request, route.isDeclared)
    const learnt = { variesBy: route.variesBy, ignored }
    const known = cache.find(key)
    if (known && isValid(known, moment)) {
      cache.learnAddress(request, key, learnt)
      return { ...(await sendMade(arrival, known, true)), ignored }
    }
    const { status, headers, body, value } = await route.call(context)
    if ('open' in body) {
      const { template } = route
      return { ...sendStream(arrival, { stream: body, headers, template }), ignored }
    }
    if ('isWait' in body) {
      const late = body.response(request.signal)
      return { late, isWait: body.isWait, headers, template: route.template, ignored }
    }
    if (status !== 200) return { ...sendPlain(arrival, { status, headers, body }), ignored }
    const read = reads()
    const isCached = isDeclared(value) && (read.dependencies.length > 0 || !route.needsArchive)
    const given = { headers, bytes: body, key: isCached ? key : undefined, read }
    const made = await toResponse(arrival, route.template, given)
    if (made.key !== undefined) cache.learnAddress(request, key, learnt)
    return { ...(await sendMade(arrival, made, false)), ignored }
  }

  const answer = async (arrival: Arrival, found: Found | undefined): Promise<Answer | Pending> => {
    const { request } = arrival
    if (request.method === 'OPTIONS') {
      const { status, headers } = await preflight(request)
      const body = new Uint8Array()
      return sendPlain(arrival, { status, headers: Object.fromEntries(headers), body })
    }
    if (!isRead(request)) return sendPlain(arrival, refusals.method)
    try {
      return found ? await callRoute(arrival, found) : await sendNotFound(arrival)
    } catch (error) {
      return sendPlain(arrival, failed(arrival, found?.route.template, error))
    }
  }

  /** In its turn, where it has to wait for one. */
  const inTurn = (
    arrival: Arrival,
    charging: Limiter | undefined,
    {
      current,
      found,
      isFirst,
    }: {
      readonly current: CachedResponse | undefined
      readonly found: Found | undefined
      readonly isFirst: boolean
    },
  ): Answer | Pending | Promise<Answer | Pending> => {
    const { sender } = arrival
    const work = (): Promise<Answer | Pending> =>
      current ? sendMade(arrival, current, true) : answer(arrival, found)
    if (found?.route.isUngated) return work()
    const leave = sender === undefined ? undefined : charging?.enter(sender)
    if (charging && sender !== undefined && !leave) {
      return sendPlain(arrival, refuseClient(charging.limits, 1))
    }
    const refuse = (): Answer => sendPlain(arrival, refusals.overloaded)
    const answered = gate.run<Answer | Pending>(work, refuse, { isFirst })
    if (leave) void Promise.resolve(answered).then(leave, leave)
    return answered
  }

  /** Names the parameters that a response ignores, and has it counted and charged. */
  const send = (
    origin: Origin,
    answered: Answer,
    {
      template,
      charging,
    }: { readonly template: string | undefined; readonly charging: Limiter | undefined },
  ): Response => {
    const { response, sentBytes, isCached, ignored, ended } = answered
    const { request, sender } = origin
    if (ignored !== undefined) response.headers.set('x-ignored-parameters', ignored)
    if (sender === undefined) return response
    onSent(origin, sender, answered, template)
    // No handler runs for a preflight.
    charging?.charge(sender, { isCached: isCached || !isRead(request), sentBytes })
    if (ended && charging) chargeAtEnd(ended, charging, sender)
    return response
  }

  const sendWhenMade = async (
    origin: Origin,
    pending: Pending,
    charging: Limiter | undefined,
  ): Promise<Response> => {
    const { template } = pending
    return send(origin, await answerLate(origin, pending), { template, charging })
  }

  return (request: Request, sender?: string): Response | Promise<Response> => {
    const startedMs = performance.now()
    const moment = present()
    const arrival: Arrival = { request, sender, startedMs, requestId: nextID(), moment }
    const known = isRead(request) ? cache.findByAddress(request) : undefined
    const current = known && isValid(known.response, moment) ? known.response : undefined
    const target = current ? '/' : targetOf(request.url)
    const isTooLong = target.length > maxTargetLength
    const path = current || isTooLong ? undefined : canonicalPath(target)
    const found = path === undefined ? undefined : find(path)
    const charging = sender === undefined || found?.route.isUngated ? undefined : limiter
    const waitSeconds = sender === undefined ? undefined : charging?.take(sender)

    const finish = (answered: Answer): Response => {
      const ignored = current ? known?.ignored : answered.ignored
      const template = current?.route ?? found?.route.template
      const charged = waitSeconds === undefined ? charging : undefined
      return send(arrival, { ...answered, ignored }, { template, charging: charged })
    }

    if (waitSeconds !== undefined) {
      const limits = charging?.limits ?? { rate: 0, burst: 0 }
      return finish(sendPlain(arrival, refuseClient(limits, waitSeconds)))
    }
    if (hasTwoHosts(request)) return finish(sendPlain(arrival, refusals.twoHosts))
    if (isTooLong) return finish(sendPlain(arrival, refusals.tooLong))
    const ready = current && cache.preparedAtOnce(current, formFor(request, current.body))
    if (ready) return finish(sendPrepared(arrival, ready, true))
    // A stale cached response has priority: once rebuilt, it serves all who request it.
    const isFirst = known !== undefined && !current
    const answered = inTurn(arrival, charging, { current, found, isFirst })
    const { requestId } = arrival
    const finishLater = (made: Answer | Pending): Response | Promise<Response> =>
      'late' in made
        ? sendWhenMade({ request, sender, startedMs, requestId }, made, charging)
        : finish(made)
    return answered instanceof Promise ? answered.then(finishLater) : finishLater(answered)
  }
}

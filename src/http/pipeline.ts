import type { ArchiveService } from '../archive/archive.ts'
import { createGate } from './gate.ts'
import type { Limiter } from './limiter.ts'
import { createMoments, type Moment } from './moment.ts'
import { formFor } from './negotiation.ts'
import {
  type BodyStream,
  createContext,
  type Late,
  type LateResponse,
  type RequestContext,
} from './requestContext.ts'
import {
  type CachedResponse,
  createResponseCache,
  isValid,
  type Prepared,
} from './responseCache.ts'
import { responseLookup } from './responseLookup.ts'
import {
  type RouterResponse,
  refusals,
  refuseClient,
  respond,
  respondStream,
  respondUncached,
} from './responses.ts'
import { callRouter, type Router, toResponse } from './routing.ts'
import { canonicalPath, maxTargetLength, targetOf } from './target.ts'

const startID = Bun.randomUUIDv7().replaceAll('-', '').slice(0, 16)

/** A response that is ready to be sent. */
export interface Sent
  extends Pick<RequestContext, 'startedMs' | 'requestId' | 'route' | 'path' | 'sentBytes'> {
  readonly status: number
  readonly waitedMs?: number
  /** Whether no handler ran. */
  readonly isCached: boolean
}

/**
 * Called once for each response to a request from an address. Of a stream it is called when that begins,
 * and the function that it returns with its bytes when it has ended.
 */
export type OnSent = (
  request: Request,
  sender: string,
  sent: Sent,
  isStream?: boolean,
) => (sentBytes: number) => void

/** Has the connection of a request closed when nothing moves on it for these seconds. */
export type LimitIdle = (request: Request, seconds: number) => void

/** Larger bodies do not fit into the buffers of a connection, so that sending them takes a reader. */
const largeBytes = 64 * 1024
/** Stays in force until the next request on the connection. */
const largeBodySeconds = 20

interface Served {
  readonly router: Router
  /** Paths whose requests wait for no turn. */
  readonly ungated: ReadonlySet<string>
  readonly onSent: OnSent
  readonly limitIdle?: LimitIdle | undefined
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** The response, which says which parameters of the request its route does not know. */
const withIgnored = (response: Response, ignored: string | undefined): Response => {
  if (ignored !== undefined) response.headers.set('x-ignored-parameters', ignored)
  return response
}

/** The server joins several Host headers, but the URL has the first. */
const hasTwoHosts = ({ headers }: Request): boolean => headers.get('host')?.includes(',') ?? false

/**
 * What surrounds every route: cached responses, ETag and 304, compression, HEAD, freshness and security
 * headers. `lookup` is for the router's use. Only requests without a cached response reach the
 * router, one in each turn of the event loop.
 */
export const createPipeline = (service: ArchiveService, limiter?: Limiter) => {
  const gate = createGate()
  const cache = createResponseCache()
  const present = createMoments(service, cache.dropOutdated)
  const lateResponses = new WeakMap<LateResponse, Promise<CachedResponse>>()
  let requests = 0

  const nextID = (): string => {
    requests += 1
    return `${startID}-${requests.toString(36)}`
  }

  const findValid = (key: string, moment: Moment): CachedResponse | undefined => {
    const found = cache.find(key)
    return found && isValid(found, moment) ? found : undefined
  }

  /** Answers every request with the router behind it. */
  const serve = ({ router, ungated, onSent, limitIdle }: Served) => {
    const send = (
      request: Request,
      prepared: Prepared,
      { moment, requestId }: Pick<RequestContext, 'moment' | 'requestId'>,
    ): Response => {
      if (request.method === 'GET' && prepared.size > largeBytes)
        limitIdle?.(request, largeBodySeconds)
      return respond(prepared, request.method, moment, requestId)
    }

    const sendCached = async (
      request: Request,
      context: RequestContext,
      response: CachedResponse,
    ): Promise<Response> => {
      const prepared = await cache.prepared(response, formFor(request, response.body))
      context.sentBytes = request.method === 'HEAD' ? 0 : prepared.size
      return send(request, prepared, context)
    }

    /** Sent as it comes: neither cached nor compressed. */
    const sendStream = (
      request: Request,
      context: RequestContext,
      stream: BodyStream,
      headers: Readonly<Record<string, string>>,
    ): Response => {
      const { moment, requestId } = context
      if (request.method === 'HEAD') {
        stream.leave()
        return respondStream(null, headers, stream, moment, requestId)
      }
      const ended = Promise.withResolvers<number>()
      context.ended = ended.promise
      const body = stream.open({ ended: ended.resolve, cut: () => limitIdle?.(request, 1) })
      if (Number(headers['content-length']) > largeBytes) limitIdle?.(request, largeBodySeconds)
      return respondStream(body, headers, stream, moment, requestId)
    }

    /** Sent with the headers of the router's response. */
    const sendLate = async (
      request: Request,
      context: RequestContext,
      { isWait, response }: Late,
      { headers }: Pick<RouterResponse, 'headers'>,
    ): Promise<Response> => {
      const waitedSince = performance.now()
      const late = await response(request.signal)
      if (isWait) context.waitedMs = performance.now() - waitedSince
      const made = { ...late, headers }
      if (late.status !== 200) return sendUncached(request, context, made)
      const shared = lateResponses.get(late) ?? toResponse(cache, context, made)
      lateResponses.set(late, shared)
      return sendCached(request, context, await shared)
    }

    const sendUncached = (
      { method }: Request,
      context: RequestContext,
      response: RouterResponse,
    ): Response => {
      context.sentBytes = method === 'HEAD' ? 0 : response.bytes.length
      return respondUncached(response, method, context.moment, context.requestId)
    }

    const route = async (
      request: Request,
      target: string,
      context: RequestContext,
    ): Promise<Response> => {
      const method = request.method === 'HEAD' ? 'GET' : request.method
      context.path = canonicalPath(target)
      const queryStart = target.indexOf('?')
      const query = queryStart < 0 ? '' : target.slice(queryStart)
      const url = `http://localhost${context.path ?? '/'}${query}`
      const inner = new Request(url, { method, headers: request.headers })
      const response = await callRouter(router, cache, inner, context)
      const { stream, late } = context
      const status = 'bytes' in response ? response.status : 200
      if (stream && status === (stream.status ?? 200)) {
        return sendStream(request, context, stream, response.headers)
      }
      if (late && status === 200) return sendLate(request, context, late, response)
      // The response broke its schema.
      stream?.leave()
      if ('bytes' in response) return sendUncached(request, context, response)
      const { key } = context
      if (response.key !== undefined && key === response.key) {
        cache.learnAddress(request, key, context)
      }
      return sendCached(request, context, response)
    }

    /** In its turn, where it has to wait for one. */
    const answer = (
      request: Request,
      context: RequestContext,
      {
        known,
        isCurrent,
      }: { readonly known: CachedResponse | undefined; readonly isCurrent: boolean },
    ): Response | Promise<Response> => {
      if (hasTwoHosts(request)) return sendUncached(request, context, refusals.twoHosts)
      const target = targetOf(request.url)
      if (target.length > maxTargetLength) return sendUncached(request, context, refusals.tooLong)
      if (ungated.has(target.split('?', 1)[0] ?? '')) return route(request, target, context)
      const refuse = (): Response => {
        context.path = canonicalPath(target)
        return sendUncached(request, context, refusals.overloaded)
      }
      const { sender } = context
      const leave = sender === undefined ? undefined : limiter?.enter(sender)
      if (limiter && sender !== undefined && !leave) {
        context.path = canonicalPath(target)
        return sendUncached(request, context, refuseClient(limiter.limits, 1))
      }
      const response = inTurn(request, context, { target, known, isCurrent, refuse })
      if (leave) void Promise.resolve(response).then(leave, leave)
      return response
    }

    const inTurn = (
      request: Request,
      context: RequestContext,
      {
        target,
        known,
        isCurrent,
        refuse,
      }: {
        readonly target: string
        readonly known: CachedResponse | undefined
        readonly isCurrent: boolean
        readonly refuse: () => Response
      },
    ): Response | Promise<Response> => {
      if (known && isCurrent) return gate.run(() => sendCached(request, context, known), refuse)
      // A stale cached response has priority: once rebuilt, it serves all who request it.
      const isFirst = known !== undefined
      return gate.run(() => route(request, target, context), refuse, { isFirst })
    }

    /** The limiter for a request, unless its route is free: proxies probe such routes. */
    const limiterFor = ({ url }: Request): Limiter | undefined =>
      limiter && !ungated.has(targetOf(url).split('?', 1)[0] ?? '') ? limiter : undefined
    const refuseForRate = (
      request: Request,
      context: RequestContext,
      waitSeconds: number,
    ): Response => {
      context.path = canonicalPath(targetOf(request.url))
      const limits = limiter?.limits ?? { rate: 0, burst: 0 }
      return sendUncached(request, context, refuseClient(limits, waitSeconds))
    }

    return (request: Request, sender?: string): Response | Promise<Response> => {
      const startedMs = performance.now()
      const moment = present()
      const requestId = nextID()
      const found = isRead(request) ? cache.findByAddress(request) : undefined
      const known = found?.response
      const isCurrent = known !== undefined && isValid(known, moment)
      const charging = sender === undefined ? undefined : limiterFor(request)
      const waitSeconds = sender === undefined ? undefined : charging?.take(sender)
      if (waitSeconds === undefined && isCurrent && !hasTwoHosts(request)) {
        const ready = cache.preparedAtOnce(known, formFor(request, known.body))
        if (ready) {
          const { route } = known
          const { status } = ready
          const sentBytes = request.method === 'HEAD' ? 0 : ready.size
          if (sender !== undefined) {
            const sent = { startedMs, requestId, route, path: undefined, sentBytes, status }
            onSent(request, sender, { ...sent, isCached: true })
            charging?.charge(sender, { isCached: true, sentBytes })
          }
          return withIgnored(send(request, ready, { moment, requestId }), found?.ignored)
        }
      }
      const context = createContext(moment, startedMs, requestId, {
        sender,
        method: request.method,
      })
      context.route = known?.route
      context.ignored = found?.ignored
      const record = (response: Response): Response => {
        if (sender !== undefined) {
          const { route, path, sentBytes, waitedMs, ended } = context
          const isCached = isCurrent || context.cached !== undefined
          const sent = { startedMs, requestId, route, path, sentBytes, waitedMs, isCached }
          const finish = onSent(
            request,
            sender,
            { ...sent, status: response.status },
            ended !== undefined,
          )
          // No handler runs for a preflight.
          const isCheap = isCached || !isRead(request)
          if (waitSeconds === undefined) charging?.charge(sender, { isCached: isCheap, sentBytes })
          void ended?.then((bytes) => {
            finish(bytes)
            charging?.charge(sender, { isCached: true, sentBytes: bytes })
          })
        }
        return withIgnored(response, context.ignored)
      }
      const response =
        waitSeconds === undefined
          ? answer(request, context, { known, isCurrent })
          : refuseForRate(request, context, waitSeconds)
      return response instanceof Response ? record(response) : response.then(record)
    }
  }

  return { lookup: responseLookup(findValid), serve }
}

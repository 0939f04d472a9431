import type { AnyElysia } from 'elysia'
import type { ArchiveService } from '../data/archive/archive.ts'
import type { Log } from '../runtime/log.ts'
import { answering } from './answer.ts'
import { caching } from './caching.ts'
import { refusals } from './errors.ts'
import { createGate, isUngated } from './gate.ts'
import type { HtmlPage, Refused } from './htmlPage.ts'
import { createWaiting } from './late.ts'
import type { Limiter } from './limiter.ts'
import { createMoments } from './moment.ts'
import { versionIn } from './parameters.ts'
import { beginVisit, endVisit, type Origin, type Visit } from './requestContext.ts'
import { createResponseCache, isValid } from './responseCache.ts'
import type { Plain } from './responses.ts'
import { type Answer, createSending, type LimitIdle, type Send } from './sending.ts'
import { canonicalPath, maxTargetLength, targetOf } from './target.ts'

const startID = Bun.randomUUIDv7().replaceAll('-', '').slice(0, 16)

/** Maximum number of times that a request waits for another one's response: once for the body, then for its codings. */
const maxWaits = 5

/** Called once for each response to a request from an address; `template` is undefined if no route matched. */
export type OnSent = (
  origin: Origin,
  sender: string,
  answer: Answer,
  template: string | undefined,
) => void

interface Options {
  readonly routes: AnyElysia
  readonly log: Log
  /** Page for a refused URL outside the API, for clients that prefer HTML. */
  readonly errorPage?: HtmlPage<Refused> | undefined
  readonly onSent: OnSent
  /** True if a data version is or was served; by default only the current one. */
  readonly hasServed?: ((version: string) => boolean) | undefined
  readonly limitIdle?: LimitIdle | undefined
  readonly limiter?: Limiter | undefined
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** The server joins several Host headers, but the URL has the first. */
const hasTwoHosts = ({ headers }: Request): boolean => headers.get('host')?.includes(',') ?? false

/** Reason why a request reaches no handler, whatever its route; OPTIONS has an answer of its own. */
const refusalOf = (request: Request, target: string): Plain | undefined => {
  if (hasTwoHosts(request)) return refusals.twoHosts
  if (target.length > maxTargetLength) return refusals.tooLong
  return isRead(request) || request.method === 'OPTIONS' ? undefined : refusals.method
}

/** No route has this path. */
const nowhere = '//'

/**
 * The request as Elysia routes it: a GET of the canonical path, with a host of at least four letters. Elysia would read
 * the whole body of a HEAD, and knows one spelling of each path.
 */
const routable = (request: Request, path: string): Request => {
  const { method, url, headers } = request
  const queryStart = url.indexOf('?')
  // Elysia looks for the path from the twelfth character on.
  const pathStart = url.indexOf('/', 11)
  const written = url.slice(pathStart, queryStart < 0 ? undefined : queryStart)
  if (method === 'GET' && pathStart > 0 && written === path) return request
  const query = queryStart < 0 ? '' : url.slice(queryStart)
  return new Request(`http://localhost${path}${query}`, { headers })
}

/**
 * Answers a request at once from a valid cached response for the URL, else by Elysia, whose hooks are in `answer.ts`.
 * A request waits here if a response for its URL is in progress.
 */
export const createArrival = (
  service: ArchiveService,
  { routes, log, errorPage, onSent, hasServed, limitIdle, limiter }: Options,
) => {
  const gate = createGate()
  const cache = createResponseCache()
  const present = createMoments(service, cache.dropOutdated)
  const charge = (sender: string, bytes: number): void =>
    limiter?.charge(sender, { isMade: false, sentBytes: bytes })
  const sending = createSending(cache, present, { log, limitIdle, charge })
  const ungatedPaths = new Set(routes.routes.filter(isUngated).map(({ path }) => path))
  /** Responses in progress, by URL. */
  const makings = new Map<string, Promise<unknown>>()
  let requests = 0

  const send: Send = (origin, answered, template, isCharged) => {
    const { response, ignored, end } = answered
    const { sender } = origin
    if (ignored !== undefined) response.headers.append('x-ignored-parameters', ignored)
    if (origin.isAhead) response.headers.set('cache-control', caching.none)
    if (sender === undefined) return response
    onSent(origin, sender, answered, template)
    if (!limiter || !isCharged) return response
    limiter.charge(sender, answered)
    void end?.then((sentBytes) => charge(sender, sentBytes))
    return response
  }

  const app = answering(routes, { cache, gate, present, sending, send, log, limiter, errorPage })
  const wait = createWaiting({ present, sending, send, log, charge })

  const arrive = (request: Request, sender: string | undefined): Visit => {
    const startedMs = performance.now()
    const moment = present()
    const version = versionIn(request.url)
    const isServed = version === moment.archive?.version || (version && hasServed?.(version))
    requests += 1
    return {
      request,
      sender,
      startedMs,
      requestId: `${startID}-${requests.toString(36)}`,
      isAhead: version !== undefined && !isServed,
      moment,
      refusal: undefined,
      isKnown: false,
      isUngated: false,
      isIn: false,
      leave: undefined,
      track: undefined,
      needsArchive: false,
      read: undefined,
      key: undefined,
      declared: undefined,
      late: undefined,
    }
  }

  /** Lets Elysia answer. */
  const run = async (visit: Visit, path: string): Promise<Response> => {
    const handled = routable(visit.request, path)
    beginVisit(handled, visit)
    try {
      const response = await app.fetch(handled)
      if (!visit.late) return response
    } finally {
      endVisit(handled, visit)
      visit.leave?.()
      if (visit.isIn) gate.leave()
    }
    const { request, sender, startedMs, requestId, isAhead, late, isUngated } = visit
    return wait({ request, sender, startedMs, requestId, isAhead }, late, !isUngated)
  }

  const isWithinLimits = ({ sender }: Origin): boolean =>
    !limiter || sender === undefined || limiter.take(sender) === undefined

  /**
   * Answers a request that has already waited `waits` times for another one's response. It stops waiting if that
   * response was not cached: requests for a file or a missing resource would wait one by one.
   */
  const respond = (visit: Visit, waits: number): Response | Promise<Response> => {
    const { request, moment } = visit
    const { url } = request
    const known = isRead(request) ? cache.findByAddress(request) : undefined
    const isCurrent = known !== undefined && isValid(known.response, moment)
    if (isCurrent && !hasTwoHosts(request)) {
      const { response, ignored } = known
      const ready = sending.sendCached(visit, response, { isMade: false, ignored })
      if (ready && isWithinLimits(visit)) return send(visit, ready, response.route, true)
    }
    const target = targetOf(url)
    visit.refusal = refusalOf(request, target)
    visit.isKnown = known !== undefined && !isCurrent
    const path = (visit.refusal === refusals.tooLong ? undefined : canonicalPath(target)) ?? nowhere
    if (visit.refusal || !isRead(request) || ungatedPaths.has(path)) return run(visit, path)
    const underWay = makings.get(url)
    if (underWay && (waits === 0 || (known && waits < maxWaits))) {
      return underWay.then(() => {
        visit.moment = present()
        return respond(visit, waits + 1)
      })
    }
    const made = run(visit, path)
    if (!underWay) {
      const forget = (): void => void makings.delete(url)
      makings.set(url, made.then(forget, forget))
    }
    return made
  }

  return (request: Request, sender?: string): Response | Promise<Response> =>
    respond(arrive(request, sender), 0)
}

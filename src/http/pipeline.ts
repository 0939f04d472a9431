import type { ArchiveService } from '../data/archive/archive.ts'
import type { Log } from '../runtime/log.ts'
import { caching } from './caching.ts'
import { preflight } from './cors.ts'
import { createGate } from './gate.ts'
import { type HtmlPage, type Refused, readSpoilers } from './htmlPage.ts'
import type { Limiter } from './limiter.ts'
import { createMoments, type Moment } from './moment.ts'
import { prefersHtml } from './negotiation.ts'
import { ignoredParameters, versionIn } from './parameters.ts'
import { hasTwoHosts, isRead, refusalWithoutWork } from './refused.ts'
import { ArchiveNotLoaded, type Late, type LateResponse, type Waiter } from './requestContext.ts'
import {
  type CachedResponse,
  createResponseCache,
  type FoundResponse,
  isValid,
} from './responseCache.ts'
import { type Plain, refusal, refusals, refuseClient } from './responses.ts'
import {
  createRoutes,
  type DeclaredRoute,
  type Found,
  type Handled,
  openContext,
  toHandled,
} from './routes.ts'
import {
  type Answer,
  type Arrival,
  createSending,
  type LimitIdle,
  type OpenBody,
  type Origin,
  reportFailure,
} from './sending.ts'
import { canonicalPath, maxTargetLength, targetOf } from './target.ts'
import { nothingRead } from './trackedArchive.ts'

const startID = Bun.randomUUIDv7().replaceAll('-', '').slice(0, 16)

/** Max times that a request waits for the response to another one: once for the body, then for its codings. */
const maxWaits = 5

/** Page for a refusal, rendered once: a refusal must cost less than the refused request. */
const makeRefusalPage = async (errorPage: HtmlPage<Refused>, refused: Refused): Promise<Plain> => {
  const set = { headers: {} }
  const { headers, body } = await toHandled(await errorPage(refused, set), set)
  if (!(body instanceof Uint8Array)) throw new TypeError('a refusal is no file')
  return { status: refused.status, headers, body }
}

/** Of a response that is made later. Nothing in it refers to the archive of its arrival, which may be replaced. */
interface LateHead extends Pick<Late, 'isWait'> {
  readonly headers: Handled['headers']
  readonly template: string
  readonly ignored: string | undefined
}
type Pending = LateHead & Pick<Late, 'begin'>

/**
 * Called once for each response to a request from an address; `template` is undefined where no route matched.
 */
export type OnSent = (
  origin: Origin,
  sender: string,
  answer: Answer,
  template: string | undefined,
) => void

interface Options {
  readonly routes: readonly DeclaredRoute[]
  readonly log: Log
  /** The page for a refusal where no route of the API is, for clients that prefer HTML. */
  readonly errorPage?: HtmlPage<Refused> | undefined
  readonly onSent: OnSent
  /** True if a data version is or was served; by default only the present one. */
  readonly hasServed?: ((version: string) => boolean) | undefined
  readonly limitIdle?: LimitIdle | undefined
  readonly limiter?: Limiter | undefined
}

/** A function of its own: what an open stream keeps must not refer to an archive. */
const chargeAtEnd = (open: OpenBody, limiter: Limiter, sender: string): void =>
  open.onEnd({ ended: (sentBytes) => limiter.charge(sender, { isMade: false, sentBytes }) })

/**
 * Everything around the handlers: cached responses, ETag and 304, compression, HEAD, freshness, errors,
 * limits. A request without a valid cached response finds its route, has its parameters read, and has its
 * handler called: one in each turn of the event loop. Nothing here is written by two functions: each returns
 * what the next one needs.
 */
export const createPipeline = (
  service: ArchiveService,
  { routes, log, errorPage, onSent, hasServed, limitIdle, limiter }: Options,
) => {
  const gate = createGate()
  const cache = createResponseCache()
  const present = createMoments(service, cache.dropOutdated)
  const find = createRoutes(routes)
  const lateResponses = new WeakMap<LateResponse, Promise<CachedResponse>>()
  /** Pages by status, route and the viewer's choice about outcomes: a few hundred at most. */
  const refusalPages = new Map<string, Promise<Plain>>()
  /** Responses in progress, by URL. */
  const makings = new Map<string, Promise<void>>()
  let requests = 0

  const charge = (sender: string, bytes: number): void =>
    limiter?.charge(sender, { isMade: false, sentBytes: bytes })
  const sending = createSending(cache, present, { log, limitIdle, charge })
  const { sendCached, sendMade, sendPlain, sendStream, toResponse } = sending

  const findRoute = ({ url }: Request): Found | undefined => {
    const target = targetOf(url)
    const path = target.length > maxTargetLength ? undefined : canonicalPath(target)
    return path === undefined ? undefined : find(path)
  }

  const nextID = (): string => {
    requests += 1
    return `${startID}-${requests.toString(36)}`
  }

  const failed = ({ requestId }: Origin, template: string | undefined, error: unknown): Plain => {
    if (error instanceof ArchiveNotLoaded) return refusals.notLoaded
    reportFailure(log, { requestId, template }, error)
    return refusal(500, 'internal error')
  }

  /** The response has the headers of the moment after the wait. */
  const answerLate = async (
    origin: Origin,
    { headers, template, ignored }: LateHead,
    late: LateResponse,
    waitedMs: number | undefined,
  ): Promise<Answer> => {
    try {
      const waited = { ignored, ...(waitedMs !== undefined && { waitedMs }) }
      const arrival = { ...origin, moment: present() }
      const { status, bytes } = late
      const typed = { 'content-type': 'application/json', ...headers }
      if (status !== 200)
        return {
          ...sendPlain(arrival, { status, headers: typed, body: bytes }),
          ...waited,
          isMade: true,
        }
      const made = { headers: typed, bytes, key: undefined, read: nothingRead }
      const shared = await lateResponses.getOrInsertComputed(late, () =>
        toResponse(arrival, template, made),
      )
      return { ...(await sendMade(arrival, shared, true, undefined, bytes)), ...waited }
    } catch (error) {
      return sendPlain({ ...origin, moment: present() }, failed(origin, template, error))
    }
  }

  /** A refusal: a page where the client prefers one and no route of the API is. */
  const refuse = (
    arrival: Arrival,
    found: Found | undefined,
    plain: Plain,
  ): Answer | Promise<Answer> => {
    const { headers, url } = arrival.request
    if (!errorPage || !prefersHtml(headers.get('accept'))) return sendPlain(arrival, plain)
    // A request with a cached response has not been routed.
    const path = canonicalPath(targetOf(url))
    const route = (found ?? (path === undefined ? undefined : find(path)))?.route
    if (route && !route.hasPage) return sendPlain(arrival, plain)
    const spoilers = new URLSearchParams(url.split('?')[1]).get('spoilers') ?? undefined
    const refused = {
      status: plain.status,
      template: route?.template,
      spoilers: readSpoilers(spoilers),
    }
    return refusalPages
      .getOrInsertComputed(JSON.stringify(refused), () => makeRefusalPage(errorPage, refused))
      .then((page) =>
        sendPlain(arrival, { ...page, headers: { ...plain.headers, ...page.headers } }),
      )
      .catch(() => sendPlain(arrival, plain))
  }

  /** The answer of a route, from the cache where that has it. */
  const callRoute = async (arrival: Arrival, found: Found): Promise<Answer | Pending> => {
    const { request, moment } = arrival
    const { route, params } = found
    const { context, reads, isDeclared } = openContext(arrival, found)
    route.prepare(context)
    // All that the handler sees of the request: equal for two requests with one key.
    const key = JSON.stringify([route.template, params, context.query])
    const ignored = ignoredParameters(context.given, route.isDeclared)
    const learnt = { variesBy: route.variesBy, ignored }
    const known = cache.find(key)
    if (known && isValid(known, moment)) {
      cache.learnAddress(request, key, learnt)
      return sendMade(arrival, known, false, ignored)
    }
    const { status, headers, body, value } = await route.call(context)
    if ('open' in body) {
      return { ...sendStream(arrival, body, headers, route.template), ignored }
    }
    if ('isWait' in body) {
      return { begin: body.begin, isWait: body.isWait, headers, template: route.template, ignored }
    }
    if (status !== 200) {
      return { ...sendPlain(arrival, { status, headers, body }), isMade: true, ignored }
    }
    const read = reads()
    const isCached = isDeclared(value) && (read.dependencies.length > 0 || !route.needsArchive)
    const given = { headers, bytes: body, key: isCached ? key : undefined, read }
    const made = await toResponse(arrival, route.template, given)
    if (made.key !== undefined) cache.learnAddress(request, key, learnt)
    return sendMade(arrival, made, true, ignored)
  }

  /** Queues work at the gate with that of its route; work for a stale cached response has a queue of its own. */
  const inTurn = (
    arrival: Arrival,
    found: Found | undefined,
    work: () => Promise<Answer | Pending>,
    isKnown: boolean,
  ): Answer | Pending | Promise<Answer | Pending> =>
    gate.run<Answer | Pending>(`${found?.route.template}${isKnown ? ' again' : ''}`, work, () =>
      refuse(arrival, found, refusals.overloaded),
    )

  const answer = async (arrival: Arrival, found: Found | undefined): Promise<Answer | Pending> => {
    const { request } = arrival
    if (!found || request.method === 'OPTIONS') {
      const { status, headers } = await preflight(request)
      const body = new Uint8Array()
      return sendPlain(arrival, { status, headers: Object.fromEntries(headers), body })
    }
    try {
      return await callRoute(arrival, found)
    } catch (error) {
      return refuse(arrival, found, failed(arrival, found.route.template, error))
    }
  }

  const isAheadOf = ({ url }: Request, { archive }: Moment): boolean => {
    const version = versionIn(url)
    return version !== undefined && version !== archive?.version && !hasServed?.(version)
  }

  /** Names the parameters that a response ignores, and has it counted and charged. */
  const send = (
    origin: Origin,
    answered: Answer,
    template: string | undefined,
    charging: Limiter | undefined,
  ): Response => {
    const { response, ignored, open } = answered
    const { sender } = origin
    if (ignored !== undefined) response.headers.append('x-ignored-parameters', ignored)
    if (origin.isAhead) response.headers.set('cache-control', caching.none)
    if (sender === undefined) return response
    onSent(origin, sender, answered, template)
    charging?.charge(sender, answered)
    if (open && charging) chargeAtEnd(open, charging, sender)
    return response
  }

  /** A class, so that a request that waits needs no closures: they took a quarter of its memory. */
  class WaitingRequest implements Waiter {
    readonly origin: Origin
    readonly head: LateHead
    readonly charging: Limiter | undefined
    readonly resolve: (response: Promise<Response>) => void
    readonly sinceMs = performance.now()

    constructor(
      { origin, head, charging }: Pick<WaitingRequest, 'origin' | 'head' | 'charging'>,
      resolve: (response: Promise<Response>) => void,
    ) {
      this.origin = origin
      this.head = head
      this.charging = charging
      this.resolve = resolve
    }
    charge(bytes: number): void {
      if (this.origin.sender !== undefined) charge(this.origin.sender, bytes)
    }
    respond(late: LateResponse): void {
      this.resolve(this.send(late, performance.now() - this.sinceMs))
    }
    async send(late: LateResponse, passedMs: number): Promise<Response> {
      const { origin, head, charging } = this
      const answered = await answerLate(origin, head, late, head.isWait ? passedMs : undefined)
      return send(origin, answered, head.template, charging)
    }
  }

  const sendWhenMade = (
    origin: Origin,
    { begin, ...head }: Pending,
    charging: Limiter | undefined,
  ): Promise<Response> => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    begin(new WaitingRequest({ origin, head, charging }, resolve), origin.request.signal)
    return promise
  }

  const chargingOf = ({ sender }: Origin, found: Found | undefined): Limiter | undefined =>
    sender === undefined || found?.route.isUngated ? undefined : limiter

  /** Sends the result of work, which waits for its turn at the gate. */
  const sendInTurn = (
    arrival: Arrival,
    found: Found | undefined,
    work: () => Promise<Answer | Pending>,
    isKnown: boolean,
  ): Response | Promise<Response> => {
    const { request, sender, startedMs, requestId, isAhead } = arrival
    const charging = chargingOf(arrival, found)
    const finish = (made: Answer | Pending): Response | Promise<Response> =>
      'begin' in made
        ? sendWhenMade({ request, sender, startedMs, requestId, isAhead }, made, charging)
        : send(arrival, made, found?.route.template, charging)
    const run = (): Answer | Pending | Promise<Answer | Pending> => {
      if (found?.route.isUngated) return work()
      const leave = sender === undefined ? undefined : charging?.enter(sender)
      if (charging && !leave) return refuse(arrival, found, refuseClient(charging.limits, 1))
      const answered = inTurn(arrival, found, work, isKnown)
      if (leave) void Promise.resolve(answered).then(leave, leave)
      return answered
    }
    const answered = run()
    return answered instanceof Promise ? answered.then(finish) : finish(answered)
  }

  const sendRefusal = (
    arrival: Arrival,
    found: Found | undefined,
    plain: Plain,
  ): Response | Promise<Response> => {
    const refused = refuse(arrival, found, plain)
    const finish = (answered: Answer): Response =>
      send(arrival, answered, found?.route.template, chargingOf(arrival, found))
    return refused instanceof Promise ? refused.then(finish) : finish(refused)
  }

  /** Why a request is refused whatever it is for: beyond the limits of its client, or two hosts. */
  const refusalOf = (arrival: Arrival, found: Found | undefined): Plain | undefined => {
    const { request, sender } = arrival
    if (limiter && sender !== undefined) {
      const owing = found?.route.isCharged ? limiter.debt(sender) : undefined
      const waitSeconds = owing ?? chargingOf(arrival, found)?.take(sender)
      if (waitSeconds !== undefined) return refuseClient(limiter.limits, waitSeconds)
    }
    return hasTwoHosts(request) ? refusals.twoHosts : undefined
  }

  /**
   * Makes the response for a URL, or waits outside the gate while another request for the same URL is handled: then the
   * cache has the response.
   */
  const shareMaking = (
    arrival: Arrival,
    waits: number,
    make: () => Response | Promise<Response>,
  ): Response | Promise<Response> => {
    const { url } = arrival.request
    const underWay = makings.get(url)
    if (underWay && waits < maxWaits)
      return underWay.then(() => respond({ ...arrival, moment: present() }, waits + 1))
    const made = make()
    if (!underWay && made instanceof Promise) {
      const forget = (): void => void makings.delete(url)
      makings.set(url, made.then(forget, forget))
    }
    return made
  }

  /** From a valid cached response: no route is searched, and no function made where its body is encoded. */
  const answerCached = (
    arrival: Arrival,
    known: FoundResponse,
    waits: number,
  ): Response | Promise<Response> => {
    const { response, ignored } = known
    const charging = chargingOf(arrival, undefined)
    const refused = waits === 0 ? refusalOf(arrival, undefined) : undefined
    if (refused) return sendRefusal(arrival, findRoute(arrival.request), refused)
    const ready = sendCached(arrival, response, { isMade: false, ignored })
    if (!ready) return shareMaking(arrival, waits, () => encodeCached(arrival, known))
    return send(arrival, ready, response.route, charging)
  }

  const encodeCached = (
    arrival: Arrival,
    { response, ignored }: FoundResponse,
  ): Response | Promise<Response> => {
    const work = () => sendMade(arrival, response, false, ignored)
    return sendInTurn(arrival, findRoute(arrival.request), work, false)
  }

  /** Answers a request; one that needs no work is refused at once. */
  const answerAnew = (
    arrival: Arrival,
    isKnown: boolean,
    waits: number,
  ): Response | Promise<Response> => {
    const { request } = arrival
    const found = findRoute(request)
    const refused =
      (waits === 0 ? refusalOf(arrival, found) : undefined) ?? refusalWithoutWork(request, found)
    if (refused) return sendRefusal(arrival, found, refused)
    // Use the data of this turn, which may be newer than at the arrival of the request.
    const work = () => answer({ ...arrival, moment: present() }, found)
    const make = () => sendInTurn(arrival, found, work, isKnown)
    return isRead(request) && !found?.route.isUngated ? shareMaking(arrival, waits, make) : make()
  }

  /**
   * Answers a request that has already waited `waits` times for the response to another one. It waits no more if that response
   * was not cached: requests for a file or a missing resource would wait one by one.
   */
  const respond = (arrival: Arrival, waits: number): Response | Promise<Response> => {
    const { request, moment } = arrival
    const known = isRead(request) ? cache.findByAddress(request) : undefined
    return known && isValid(known.response, moment)
      ? answerCached(arrival, known, waits)
      : answerAnew(arrival, known !== undefined, known || waits === 0 ? waits : maxWaits)
  }

  return (request: Request, sender?: string): Response | Promise<Response> => {
    const startedMs = performance.now()
    const moment = present()
    const arrival: Arrival = {
      request,
      sender,
      startedMs,
      requestId: nextID(),
      isAhead: isAheadOf(request, moment),
      moment,
    }
    return respond(arrival, 0)
  }
}

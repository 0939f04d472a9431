import { type AnyElysia, Elysia, ElysiaCustomStatusResponse } from 'elysia'
import type { Log } from '../runtime/log.ts'
import { preflight } from './cors.ts'
import type { Bytes } from './encoding.ts'
import { Refused, refusals, refuseClient } from './errors.ts'
import type { Gate } from './gate.ts'
import { type HtmlPage, type Refused as RefusedPage, readSpoilers } from './htmlPage.ts'
import type { Limiter } from './limiter.ts'
import type { Moment } from './moment.ts'
import { prefersHtml } from './negotiation.ts'
import { type Read, readNothing } from './parameters.ts'
import {
  type BodyStream,
  type Late,
  requestContext,
  type Visit,
  visitOf,
} from './requestContext.ts'
import { type CachedResponse, isValid, type ResponseCache } from './responseCache.ts'
import type { Plain } from './responses.ts'
import { factsOf } from './routeFacts.ts'
import { type Answer, reportFailure, type Send, type Sending } from './sending.ts'
import { nothingRead } from './trackedArchive.ts'

/** Passes what is no value for a schema to the last hook: Elysia checks no `Response`. */
class Carried extends Response {
  readonly value: BodyStream | Late | CachedResponse

  constructor(value: BodyStream | Late | CachedResponse) {
    super()
    this.value = value
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isStream = (value: unknown): value is BodyStream => isObject(value) && 'open' in value
const isLate = (value: unknown): value is Late => isObject(value) && 'isWait' in value

/** In place of a response that is made later: nobody receives it. */
const nothingYet = new Response()

interface Set {
  headers: Readonly<Record<string, string | number | undefined>>
  status?: number | string | undefined
}

const textHeaders = ({ headers }: Pick<Set, 'headers'>): Record<string, string> => {
  const texts: Record<string, string> = {}
  for (const name in headers) texts[name] = String(headers[name])
  return texts
}

interface Encoded {
  /** Undefined where the body does not decide it. */
  readonly status?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Bytes
}

const readResponse = async (
  response: Response,
  headers: Readonly<Record<string, string>>,
): Promise<Encoded> => ({
  status: response.status,
  headers: { ...Object.fromEntries(response.headers), ...headers },
  body: new Uint8Array(await response.arrayBuffer()),
})

const encoder = new TextEncoder()

/** A value that a handler returns, as it is sent. */
const encodeValue = (value: unknown, headers: Readonly<Record<string, string>>): Encoded => {
  if (value === undefined || value === null || value === '') {
    return { headers, body: new Uint8Array() }
  }
  const isText = typeof value === 'string'
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json'
  return {
    headers: { 'content-type': type, ...headers },
    body: encoder.encode(isText ? value : JSON.stringify(value)),
  }
}

/** Page for a refusal, rendered once: a refusal must cost less than the refused request. */
const makeRefusalPage = async (
  errorPage: HtmlPage<RefusedPage>,
  refused: RefusedPage,
): Promise<Plain> => {
  const set = { headers: {} }
  const { headers, body } = await readResponse(await errorPage(refused, set), textHeaders(set))
  return { status: refused.status, headers, body }
}

interface Options {
  readonly cache: ResponseCache
  readonly gate: Gate
  readonly present: () => Moment
  readonly sending: Sending
  readonly send: Send
  readonly log: Log
  readonly limiter: Limiter | undefined
  /** The page for a refusal where no route of the API is, for clients that prefer HTML. */
  readonly errorPage: HtmlPage<RefusedPage> | undefined
}

/**
 * Elysia with the hooks that surround every handler: limits and turns before it, then a cached response for equal
 * parameters, then encoding, caching and sending of what it returns. A hook that may wait is `async`, as
 * Elysia 1.4 guesses from the text of any other whether to await it.
 */
export const answering = (
  routes: AnyElysia,
  { cache, gate, present, sending, send, log, limiter, errorPage }: Options,
) => {
  const facts = factsOf(routes)
  /** Pages by status, route and the viewer's choice about outcomes: a few hundred at most. */
  const refusalPages = new Map<string, Promise<Plain>>()

  const takeUnit = ({ sender }: Visit): void => {
    const waitSeconds = sender === undefined ? undefined : limiter?.take(sender)
    if (limiter && waitSeconds !== undefined) {
      throw new Refused(refuseClient(limiter.limits, waitSeconds))
    }
  }

  /** The answer to a request that reaches no handler, whatever its route. */
  const withoutHandler = ({ request, refusal }: Visit): Plain | Promise<Plain> | undefined =>
    refusal ?? (request.method === 'OPTIONS' ? preflight(request) : undefined)

  /** Limits of the client, then the turn at the gate; work for a stale cached response has a queue of its own. */
  const enter = async ({ request, route }: { request: Request; route: string }): Promise<void> => {
    const visit = visitOf(request)
    const { sender } = visit
    const { isUngated, isCharged } = facts(route)
    visit.isUngated = isUngated
    if (!isUngated) takeUnit(visit)
    else if (limiter && isCharged && sender !== undefined) {
      const owedSeconds = limiter.debt(sender)
      if (owedSeconds !== undefined) throw new Refused(refuseClient(limiter.limits, owedSeconds))
    }
    const refused = withoutHandler(visit)
    if (refused) throw new Refused(await refused)
    if (isUngated) return
    if (limiter && sender !== undefined) {
      visit.leave = limiter.enter(sender)
      if (!visit.leave) throw new Refused(refuseClient(limiter.limits, 1))
    }
    const entering = gate.enter(`${route}${visit.isKnown ? ' again' : ''}`)
    // Not awaited without need: a handler runs in the turn of its request where the gate is free.
    visit.isIn = typeof entering === 'boolean' ? entering : await entering
    if (!visit.isIn) throw new Refused(refusals.overloaded)
    // The data of this turn may be newer than that of the arrival.
    visit.moment = present()
  }

  const findKnown = ({
    request,
    route,
    params,
    query,
  }: {
    request: Request
    route: string
    params: unknown
    query: unknown
  }): Carried | undefined => {
    const visit = visitOf(request)
    visit.key = JSON.stringify([route, params, query])
    const known = cache.find(visit.key)
    return known && isValid(known, visit.moment) ? new Carried(known) : undefined
  }

  const carry = ({ responseValue: value }: { responseValue: unknown }): Carried | undefined =>
    isStream(value) || isLate(value) ? new Carried(value) : undefined

  /** The refusal, or a page of it where the client prefers one and no route of the API is. */
  const refuse = async (
    visit: Visit,
    template: string | undefined,
    plain: Plain,
  ): Promise<Answer> => {
    const { headers, url } = visit.request
    const isPage = template === undefined || facts(template).hasPage
    if (!errorPage || !isPage || plain.status < 400 || !prefersHtml(headers.get('accept'))) {
      return sending.sendPlain(visit, plain)
    }
    const given = new URLSearchParams(url.split('?')[1]).get('spoilers') ?? undefined
    const refused = { status: plain.status, template, spoilers: readSpoilers(given) }
    const page = await refusalPages
      .getOrInsertComputed(JSON.stringify(refused), () => makeRefusalPage(errorPage, refused))
      .catch(() => undefined)
    if (!page) return sending.sendPlain(visit, plain)
    return sending.sendPlain(visit, { ...page, headers: { ...plain.headers, ...page.headers } })
  }

  /** The response of a handler, stored where it says so. */
  const answerMade = async (
    visit: Visit,
    route: string,
    result: unknown,
    { status: given, headers }: { status: number; headers: Record<string, string> },
    { ignored, variesBy }: Read,
  ): Promise<Answer> => {
    const isStatus = result instanceof ElysiaCustomStatusResponse
    const value: unknown = isStatus ? result.response : result
    const encoded =
      value instanceof Response ? await readResponse(value, headers) : encodeValue(value, headers)
    const status = encoded.status ?? (isStatus ? Number(result.code) : given)
    if (status !== 200) {
      return { ...sending.sendPlain(visit, { ...encoded, status }), isMade: true, ignored }
    }
    const read = visit.track?.reads() ?? nothingRead
    const isDeclared = visit.declared !== undefined && visit.declared.body === value
    const isCached = isDeclared && (read.dependencies.length > 0 || !visit.needsArchive)
    const key = isCached ? visit.key : undefined
    const made = { headers: encoded.headers, bytes: encoded.body, key, read }
    const response = await sending.toResponse(visit, route, made)
    if (response.key !== undefined) {
      cache.learnAddress(visit.request, response.key, { variesBy, ignored })
    }
    return sending.sendMade(visit, response, true, ignored)
  }

  /** What is no value of a handler: undefined for a response that is made later. */
  const answerCarried = async (
    visit: Visit,
    route: string,
    { value }: Carried,
    { headers }: { headers: Record<string, string> },
    { ignored, variesBy }: Read,
  ): Promise<Answer | undefined> => {
    if (isLate(value)) {
      visit.late = { begin: value.begin, isWait: value.isWait, headers, route, ignored }
      return undefined
    }
    if (isStream(value)) return { ...sending.sendStream(visit, value, headers, route), ignored }
    if (value.key !== undefined) cache.learnAddress(visit.request, value.key, { variesBy, ignored })
    return sending.sendMade(visit, value, false, ignored)
  }

  const answer = (
    visit: Visit,
    route: string,
    result: unknown,
    set: { status: number; headers: Record<string, string> },
  ): Promise<Answer | undefined> => {
    if (result instanceof Refused) return refuse(visit, route, result.plain)
    const read = visit.read ?? readNothing(visit.request)
    return result instanceof Carried
      ? answerCarried(visit, route, result, set, read)
      : answerMade(visit, route, result, set, read)
  }

  const finish = async ({
    request,
    route,
    responseValue,
    set,
  }: {
    request: Request
    route: string
    responseValue: unknown
    set: Set
  }): Promise<Response> => {
    const visit = visitOf(request)
    const own = { status: Number(set.status ?? 200), headers: textHeaders(set) }
    // Elysia would copy a response for each of these.
    set.headers = {}
    set.status = 200
    const answered = await answer(visit, route, responseValue, own)
    return answered ? send(visit, answered, route, !visit.isUngated) : nothingYet
  }

  /** What a hook or handler throws, as a value for the last hook. */
  const fail = async ({
    request,
    error,
    code,
    route,
  }: {
    request: Request
    error: unknown
    code: string | number
    route: string | undefined
  }): Promise<Refused> => {
    try {
      const visit = visitOf(request)
      if (code === 'NOT_FOUND') {
        takeUnit(visit)
        return new Refused((await withoutHandler(visit)) ?? refusals.notFound)
      }
      if (error instanceof Refused) return error
      reportFailure(log, { requestId: visit.requestId, template: route }, error)
      return new Refused(refusals.failed)
    } catch (thrown) {
      if (thrown instanceof Refused) return thrown
      throw thrown
    }
  }

  return new Elysia({ normalize: false, encodeSchema: false })
    .onTransform(enter)
    .use(requestContext)
    .onBeforeHandle(findKnown)
    .onAfterHandle(carry)
    .mapResponse(finish)
    .onError(fail)
    .use(routes)
}

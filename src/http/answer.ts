import { type AnyElysia, Elysia, ElysiaCustomStatusResponse, NotFoundError } from 'elysia'
import type { Log } from '../runtime/log.ts'
import { preflight } from './cors.ts'
import type { Bytes } from './encoding.ts'
import { Refusal, refusals, refuseClient } from './errors.ts'
import type { Gate } from './gate.ts'
import { type HtmlPage, type Refused, readSpoilers, type Settable } from './htmlPage.ts'
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
import { factsOf, type RouteFacts } from './routeFacts.ts'
import { type Answer, reportFailure, type Send, type Sending } from './sending.ts'
import { nothingRead } from './trackedArchive.ts'

/** Carries a value that is not for a schema to the last hook: Elysia checks no `Response`. */
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

/** Placeholder for a response that is made later: nobody receives it. */
const nothingYet = new Response()

const textHeaders = ({ headers }: Settable): Record<string, string> => {
  const texts: Record<string, string> = {}
  for (const name in headers) texts[name] = String(headers[name])
  return texts
}

interface Encoded {
  /** HTTP status; undefined if the body does not decide it. */
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

/** Converts the result of a handler to the value that is sent. */
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
const makeRefusalPage = async (errorPage: HtmlPage<Refused>, refused: Refused): Promise<Plain> => {
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
  /** Page for a refused URL outside the API, for clients that prefer HTML. */
  readonly errorPage: HtmlPage<Refused> | undefined
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

  const overLimits = (
    { sender }: Visit,
    { isUngated, isCharged }: RouteFacts,
  ): Plain | undefined => {
    if (!limiter || sender === undefined) return undefined
    const owedSeconds = isUngated && isCharged ? limiter.debt(sender) : undefined
    const waitSeconds = isUngated ? owedSeconds : limiter.take(sender)
    return waitSeconds === undefined ? undefined : refuseClient(limiter.limits, waitSeconds)
  }

  /** Answer to a request that reaches no handler, whatever its route. */
  const withoutHandler = ({ request, refusal }: Visit): Plain | Promise<Plain> | undefined =>
    refusal ?? (request.method === 'OPTIONS' ? preflight(request) : undefined)

  /** The refusal; its page if the client prefers HTML and no route of the API matched. */
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
    const key = JSON.stringify(refused)
    const page = await refusalPages
      .getOrInsertComputed(key, () => makeRefusalPage(errorPage, refused))
      .catch(() => void refusalPages.delete(key))
    if (!page) return sending.sendPlain(visit, plain)
    return sending.sendPlain(visit, { ...page, headers: { ...plain.headers, ...page.headers } })
  }

  /** A 200 made by a handler; cached if the handler declares it so. */
  const answerMade = async (
    visit: Visit,
    route: string,
    value: unknown,
    { headers, body }: Encoded,
    { ignored, variesBy }: Read,
  ): Promise<Answer> => {
    const read = visit.track?.reads() ?? nothingRead
    const isDeclared = visit.declared !== undefined && visit.declared.body === value
    const isCached = isDeclared && (read.dependencies.length > 0 || !visit.needsArchive)
    const key = isCached ? visit.key : undefined
    const response = await sending.toResponse(visit, route, { headers, bytes: body, key, read })
    if (response.key !== undefined) {
      cache.learnAddress(visit.request, response.key, { variesBy, ignored })
    }
    return sending.sendMade(visit, response, true, ignored)
  }

  /** Result of a handler or of a hook; undefined if the response is made later. */
  const answer = (
    visit: Visit,
    route: string,
    result: unknown,
    { status: given, headers }: Pick<Encoded, 'status' | 'headers'>,
  ): Answer | Promise<Answer> | undefined => {
    if (result instanceof Refusal) return refuse(visit, route, result.plain)
    const read = visit.read ?? readNothing(visit.request)
    const { ignored } = read
    if (!(result instanceof Carried)) {
      const isStatus = result instanceof ElysiaCustomStatusResponse
      const value: unknown = isStatus ? result.response : result
      const sendEncoded = (encoded: Encoded): Answer | Promise<Answer> => {
        const status = encoded.status ?? (isStatus ? Number(result.code) : given) ?? 200
        if (status === 200) return answerMade(visit, route, value, encoded, read)
        return { ...sending.sendPlain(visit, { ...encoded, status }), isMade: true, ignored }
      }
      return value instanceof Response
        ? readResponse(value, headers).then(sendEncoded)
        : sendEncoded(encodeValue(value, headers))
    }
    const { value } = result
    if (isLate(value)) {
      visit.late = { begin: value.begin, isWait: value.isWait, headers, route, ignored }
      return undefined
    }
    if (isStream(value)) return { ...sending.sendStream(visit, value, headers, route), ignored }
    if (value.key !== undefined) cache.learnAddress(visit.request, value.key, read)
    return sending.sendMade(visit, value, false, ignored)
  }

  return (
    new Elysia({ normalize: false, encodeSchema: false })
      // Limits of the client, then the turn at the gate; work for a stale cached response has a queue of its own.
      .onTransform(async ({ request, route }) => {
        const visit = visitOf(request)
        const { sender, isKnown } = visit
        const own = facts(route)
        visit.isUngated = own.isUngated
        const refused = overLimits(visit, own) ?? withoutHandler(visit)
        if (refused) throw new Refusal(await refused)
        if (own.isUngated) return
        if (limiter && sender !== undefined) {
          visit.leave = limiter.enter(sender)
          if (!visit.leave) throw new Refusal(refuseClient(limiter.limits, 1))
        }
        const entering = gate.enter(`${route}${isKnown ? ' again' : ''}`)
        // Not awaited without need: if the gate is free, a handler runs in the turn of its request.
        visit.isIn = typeof entering === 'boolean' ? entering : await entering
        if (!visit.isIn) throw new Refusal(refusals.overloaded)
        // The data of this turn may be newer than at arrival.
        visit.moment = present()
      })
      .use(requestContext)
      .onBeforeHandle(({ request, route, params, query }) => {
        const visit = visitOf(request)
        visit.key = JSON.stringify([route, params, query])
        const known = cache.find(visit.key)
        return known && isValid(known, visit.moment) ? new Carried(known) : undefined
      })
      .onAfterHandle(({ responseValue: value }) => {
        if (isStream(value) || isLate(value)) return new Carried(value)
        return undefined
      })
      .mapResponse(async ({ request, route, responseValue, set }) => {
        const visit = visitOf(request)
        const { status } = set
        const own = { headers: textHeaders(set), ...(typeof status === 'number' && { status }) }
        // Elysia would copy the response for each of these.
        set.headers = {}
        set.status = 200
        const answered = await answer(visit, route, responseValue, own)
        return answered ? send(visit, answered, route, !visit.isUngated) : nothingYet
      })
      .onError(async ({ request, error, route }) => {
        const visit = visitOf(request)
        if (error instanceof NotFoundError) {
          const refused = overLimits(visit, facts(route)) ?? withoutHandler(visit)
          return new Refusal((await refused) ?? refusals.notFound)
        }
        if (error instanceof Refusal) return error
        reportFailure(log, { requestId: visit.requestId, template: route }, error)
        return new Refusal(refusals.failed)
      })
      .use(routes)
  )
}

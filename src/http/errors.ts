import { type Static, Type } from '@sinclair/typebox'
import { status } from 'elysia'
import { exposedHeaders } from './cors.ts'
import type { ClientLimits } from './limiter.ts'
import type { HeaderValues, Plain } from './responses.ts'

/** The body of every response that is not a success. */
export const ErrorBody = Type.Object(
  { error: Type.String({ description: 'what went wrong' }) },
  { additionalProperties: false, title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** 404; the message names the kind of thing, never the request's text. */
export const notFound = (thing: string) => status(404, { error: `${thing} not found` })

/** `Retry-After` in seconds, during the first load and under overload. */
export const retryAfterSeconds = 2
const retryLater = { 'retry-after': String(retryAfterSeconds) }

/** An {@link ErrorBody}. */
const refusal = (code: number, error: string, headers: HeaderValues = {}): Plain => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  body: new TextEncoder().encode(JSON.stringify({ error } satisfies ErrorBody)),
})

/** Errors that no handler answers: before it, instead of it, and after its failure. */
export const refusals = {
  twoHosts: refusal(400, 'more than one Host header'),
  notFound: refusal(404, 'path not found'),
  method: refusal(405, 'method not allowed', { allow: 'GET, HEAD, OPTIONS' }),
  tooLong: refusal(414, 'the address is longer than 8 KiB'),
  failed: refusal(500, 'internal error'),
  notLoaded: refusal(503, 'the data is not loaded yet', retryLater),
  overloaded: refusal(503, 'too many requests at the moment', retryLater),
} as const

/** Headers of a 429 that scripts of other origins can read, besides the common ones. */
const limitHeaders = ['RateLimit', 'RateLimit-Policy']

/**
 * 429 for a client beyond its limits. Only refusals have the headers of the IETF draft: shared caches would give one
 * client's headers to others.
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

/**
 * Thrown by a hook to answer with this instead of running the handler. Not an `Error`, because a stack takes as long as
 * a 404.
 */
export class Refusal {
  readonly plain: Plain

  constructor(plain: Plain) {
    this.plain = plain
  }
}

/** Thrown if a response needs the archive and none is loaded yet. */
export class ArchiveNotLoaded extends Refusal {
  constructor() {
    super(refusals.notLoaded)
  }
}

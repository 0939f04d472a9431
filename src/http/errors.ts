import { type Static, Type } from '@sinclair/typebox'
import { Elysia, NotFoundError, status } from 'elysia'
import type { Log } from '../log.ts'
import { type HtmlPage, readSpoilers, type Spoilers } from './htmlPage.ts'
import { prefersHtml } from './negotiation.ts'
import { ArchiveNotLoaded, contextOf } from './requestContext.ts'

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

const allowedMethods = 'GET, HEAD, OPTIONS'

/**
 * Maps every failure to {@link ErrorBody}: wrong methods, undecodable and unknown paths, and
 * exceptions, which are logged under the request's id. A path without a route is `page` for clients that prefer HTML.
 */
export const errors = (log: Log, page?: HtmlPage<{ readonly spoilers: Spoilers }>) =>
  new Elysia({ name: 'errors', seed: log })
    .onRequest(({ request, set }) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        set.headers.allow = allowedMethods
        return status(405, { error: 'only GET, HEAD and OPTIONS are possible here' })
      }
      if (contextOf(request).path === undefined) throw new NotFoundError()
      return undefined
    })
    .onError({ as: 'global' }, ({ code, error, request, set, route }) => {
      if (code === 'NOT_FOUND') {
        if (!page || !prefersHtml(request.headers.get('accept'))) return notFound('path')
        const { searchParams } = new URL(request.url)
        return page({ spoilers: readSpoilers(searchParams.get('spoilers') ?? undefined) }, set)
      }
      if (error instanceof ArchiveNotLoaded) {
        set.headers['retry-after'] = String(retryAfterSeconds)
        return status(503, { error: 'the data is not loaded yet' })
      }
      log('error', 'request failed', {
        requestId: contextOf(request).requestId,
        route,
        cause: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
      return status(500, { error: 'internal error' })
    })

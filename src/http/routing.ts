import { caching } from './caching.ts'
import { compact, makeBody } from './encoding.ts'
import { type RequestContext, setContext } from './requestContext.ts'
import { type CachedResponse, generationFor, type ResponseCache } from './responseCache.ts'
import { fixedHeaders, internValues, type RouterResponse, routerHeaders } from './responses.ts'

/** The part of the app inside the pipeline: routes, CORS and errors. */
export interface Router {
  readonly handle: (request: Request) => Promise<Response>
}

/** The response to a request that is answered with 200; cached if its handler says so. */
export const toResponse = async (
  cache: ResponseCache,
  { key, isCacheable, needsArchive, reads, route, moment }: RequestContext,
  { headers, bytes }: RouterResponse,
): Promise<CachedResponse> => {
  const read = reads()
  const isCached = isCacheable && (read.dependencies.length > 0 || !needsArchive)
  const body = await makeBody(bytes)
  const response: CachedResponse = {
    ...read,
    key: isCached ? key : undefined,
    route,
    headers: internValues({ 'cache-control': caching.none, ...headers, ...fixedHeaders }),
    body,
    forms: {},
    madeUnix: moment.now,
    checked: { generation: generationFor(read, moment) },
  }
  if (response.key === undefined) return response
  cache.store({ ...response, body: await compact(body) })
  return cache.find(response.key) ?? response
}

/** The router's response, or a cached one that it found once the parameters were read. */
export const callRouter = async (
  router: Router,
  cache: ResponseCache,
  request: Request,
  context: RequestContext,
): Promise<RouterResponse | CachedResponse> => {
  setContext(request, context)
  const response = await router.handle(request)
  if (context.cached) return context.cached
  const result = {
    status: response.status,
    headers: routerHeaders(request, response.headers),
    bytes: new Uint8Array(await response.arrayBuffer()),
  }
  return response.status === 200 ? toResponse(cache, context, result) : result
}

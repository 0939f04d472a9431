import { Elysia } from 'elysia'
import type { OpenAPIV3 } from 'openapi-types'
import { botRoutes } from './api/bots/routes.ts'
import { changeRoutes } from './api/changes/routes.ts'
import { clipRoutes } from './api/clips/routes.ts'
import { docsRoutes } from './api/docs/routes.ts'
import { fightRoutes } from './api/fights/routes.ts'
import { serviceRoutes } from './api/health/routes.ts'
import { homeRoutes } from './api/home/routes.ts'
import { liveRoutes } from './api/live/routes.ts'
import { searchRoutes } from './api/search/routes.ts'
import { statsRoutes } from './api/stats/routes.ts'
import { stillRoutes } from './api/stills/routes.ts'
import { streamRoutes } from './api/streams/routes.ts'
import { tournamentRoutes } from './api/tournaments/routes.ts'
import { usageRoutes } from './api/usage/routes.ts'
import { videoFeedRoutes } from './api/videoFeeds/routes.ts'
import type { ArchiveService } from './archive/archive.ts'
import { type Changes, createChanges } from './changes/changes.ts'
import { cors } from './http/cors.ts'
import { errors } from './http/errors.ts'
import { isUngated } from './http/gate.ts'
import { createPipeline } from './http/pipeline.ts'
import { createRecorder } from './http/recordUsage.ts'
import { requestContext } from './http/requestContext.ts'
import { type Router, routeInternally } from './http/routing.ts'
import { legacyRoutes } from './legacy/routes.ts'
import type { Log } from './log.ts'
import type { PictureSizes } from './media/pictureSizes.ts'
import { buildDocument, listOperations, type Operation } from './openapi/document.ts'
import type { FetchExample } from './openapi/examples.ts'
import type { LiveStreams } from './streams/liveStreams.ts'
import { createUsage, type Usage } from './usage/usage.ts'

/**
 * Handles one request; needs no server. `sender` is the client address; without one the request is
 * internal and not counted.
 */
export type App = (request: Request, sender?: string) => Response | Promise<Response>

/** Options of the routes: base paths, and sources besides the archive. */
interface AppOptions {
  readonly basePath: string
  readonly legacyBase: string
  readonly liveStreams: LiveStreams
  readonly pictureSizes: PictureSizes
  /** Defaults to an empty change feed. */
  readonly changes?: Changes
  /** Defaults to counting in memory. */
  readonly usage?: Usage
}

/**
 * All routes: the current API under `basePath`, the legacy one under `legacyBase`. `fetchExample`
 * requests the examples of the OpenAPI document.
 */
export const createRoutes = (
  service: ArchiveService,
  { usage = createUsage(), changes = createChanges(), ...options }: AppOptions,
  fetchExample: FetchExample,
) => {
  const { basePath, legacyBase } = options
  let document: Promise<OpenAPIV3.Document> | undefined
  const openApiDocument = (): Promise<OpenAPIV3.Document> => {
    document ??= buildDocument(routes.routes)
    return document
  }
  const operations = (): readonly Operation[] => listOperations(routes.routes)
  // Legacy routes come later and win if the base path equals the address of a script.
  const routes = new Elysia()
    .use(homeRoutes(basePath, operations))
    .use(currentRoutes(service, { ...options, usage, changes }))
    .use(legacyRoutes({ basePath, legacyBase }))
  return routes.use(docsRoutes(basePath, openApiDocument, fetchExample))
}

const currentRoutes = (
  service: ArchiveService,
  { basePath, liveStreams, pictureSizes, changes, usage }: Required<Omit<AppOptions, 'legacyBase'>>,
) =>
  new Elysia({ prefix: basePath })
    .use(tournamentRoutes())
    .use(fightRoutes(basePath))
    .use(videoFeedRoutes())
    .use(botRoutes(basePath))
    .use(statsRoutes())
    .use(searchRoutes())
    .use(clipRoutes(basePath))
    .use(stillRoutes(basePath, pictureSizes))
    .use(liveRoutes())
    .use(streamRoutes(liveStreams))
    .use(changeRoutes(changes, basePath))
    .use(usageRoutes(usage, basePath))
    .use(serviceRoutes(service, { usage, changes }))

/** Builds the whole service, without a port. */
export const createApp = (
  service: ArchiveService,
  {
    log,
    usage = createUsage(),
    onLargeBody,
    ...options
  }: AppOptions & { readonly log: Log; readonly onLargeBody?: (request: Request) => void },
): App => {
  const { lookup, serve } = createPipeline(service)
  const router: Router & { readonly routes: Elysia['routes'] } = new Elysia({
    normalize: false,
    strictPath: true,
  })
    .use(cors())
    .use(errors(log))
    .use(requestContext)
    .use(lookup)
    .use(
      createRoutes(service, { ...options, usage }, (path, moment) =>
        routeInternally(router, path, moment),
      ),
    )
  return serve({
    router,
    ungated: new Set(router.routes.filter(isUngated).map(({ path }) => path)),
    onSent: createRecorder(usage, options.basePath, router.routes),
    onLargeBody,
  })
}

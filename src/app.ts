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
import { exchange, exchangeOf } from './http/exchange.ts'
import { createShell, type OnLargeBody, type Router } from './http/shell.ts'
import { createRecorder } from './http/usage.ts'
import { legacyRoutes } from './legacy/routes.ts'
import type { Log } from './log.ts'
import type { PictureSizes } from './media/pictureSizes.ts'
import { buildDocument } from './openapi/document.ts'
import type { Ask } from './openapi/examples.ts'
import type { LiveStreams } from './streams/liveStreams.ts'
import { createUsage, type Usage } from './usage/usage.ts'

/**
 * Answers one request; needs no server, so tests call it as the process does. `sender` is
 * the address that it came from; without one it is the process's own and counts as no usage.
 */
export type App = (request: Request, sender?: string) => Response | Promise<Response>

/** Where the routes are, and what they ask beside the archive. */
interface Surroundings {
  readonly basePath: string
  readonly legacyBase: string
  readonly liveStreams: LiveStreams
  readonly pictureSizes: PictureSizes
  /** None, unless given. */
  readonly changes?: Changes
  /** Counts in memory unless given. */
  readonly usage?: Usage
}

/**
 * All routes: those of the current API under `basePath`, the legacy ones under `legacyBase`. `ask` is
 * for the examples in their description.
 */
export const createRoutes = (
  service: ArchiveService,
  { usage = createUsage(), changes = createChanges(), ...around }: Surroundings,
  ask: Ask,
) => {
  const { basePath, legacyBase } = around
  let document: OpenAPIV3.Document | undefined
  const describe = (): OpenAPIV3.Document => {
    document ??= buildDocument(routes.routes)
    return document
  }
  // A base path may be the address of a legacy script, which wins, as it is the later one.
  const routes = new Elysia()
    .use(homeRoutes(basePath, describe))
    .use(currentRoutes(service, { ...around, usage, changes }))
    .use(legacyRoutes({ basePath, legacyBase }))
  return routes.use(docsRoutes(basePath, describe, ask))
}

const currentRoutes = (
  service: ArchiveService,
  {
    basePath,
    liveStreams,
    pictureSizes,
    changes,
    usage,
  }: Required<Omit<Surroundings, 'legacyBase'>>,
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

/** They wait for nothing, or for something else than a turn, and must be answered under any load. */
const ungatedPaths = ['/health', '/ready', '/live/streams', '/changes', '/changes/stream']

/** The whole service, without a port. */
export const createApp = (
  service: ArchiveService,
  {
    log,
    usage = createUsage(),
    onLargeBody,
    ...around
  }: Surroundings & { readonly log: Log; readonly onLargeBody?: OnLargeBody },
): App => {
  const { basePath } = around
  const ungated = new Set(ungatedPaths.map((path) => basePath + path))
  const shell = createShell(service, { ungated, onLargeBody })
  const router: Router & { readonly routes: Elysia['routes'] } = new Elysia({
    normalize: false,
    strictPath: true,
  })
    .use(cors())
    .use(errors(log))
    .use(exchange)
    .onBeforeHandle({ as: 'global' }, ({ request }) => {
      const exchange = exchangeOf(request)
      exchange.stored = shell.findStored(exchange)
      return exchange.stored ? new Response(null) : undefined
    })
    .use(
      createRoutes(service, { ...around, usage }, (path, moment) =>
        shell.ask(path, moment, router),
      ),
    )
  const record = createRecorder(usage, around.basePath, router.routes)
  return (request, sender) => shell.answer(request, sender, router, record)
}

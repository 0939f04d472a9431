import { Elysia } from 'elysia'
import { botRoutes } from './api/bots/routes.ts'
import { clipRoutes } from './api/clips/routes.ts'
import { fightRoutes } from './api/fights/routes.ts'
import { liveRoutes } from './api/live/routes.ts'
import { createSearch, type Search } from './api/search/find.ts'
import { searchRoutes } from './api/search/routes.ts'
import { serviceRoutes } from './api/service/routes.ts'
import { statsRoutes } from './api/stats/routes.ts'
import { stillRoutes } from './api/stills/routes.ts'
import { streamRoutes } from './api/streams/routes.ts'
import { tournamentRoutes } from './api/tournaments/routes.ts'
import { videoFeedRoutes } from './api/videoFeeds/routes.ts'
import type { ArchiveService } from './archive.ts'
import { cors } from './http/cors.ts'
import { errors } from './http/errors.ts'
import { exchange, exchangeOf } from './http/exchange.ts'
import { createShell } from './http/shell.ts'
import { legacyRoutes } from './legacy/routes.ts'
import type { LiveStreams } from './liveStreams.ts'
import type { Log } from './log.ts'

/** Answers one request; needs no server, so tests call it as the process does. */
export type App = (request: Request) => Promise<Response>

/** Where the routes are, and what they ask beside the archive. */
interface Surroundings {
  readonly basePath: string
  readonly legacyBase: string
  readonly liveStreams: LiveStreams
}

/** All routes: those of the current API under `basePath`, the legacy ones under `legacyBase`. */
export const createRoutes = (service: ArchiveService, around: Surroundings) => {
  const { basePath, legacyBase } = around
  const search = createSearch()
  return new Elysia()
    .use(currentRoutes(service, around, search))
    .use(legacyRoutes({ basePath, legacyBase, search }))
}

const currentRoutes = (
  service: ArchiveService,
  { basePath, liveStreams }: Surroundings,
  search: Search,
) =>
  new Elysia({ prefix: basePath })
    .use(tournamentRoutes())
    .use(fightRoutes(basePath))
    .use(videoFeedRoutes())
    .use(botRoutes(basePath))
    .use(statsRoutes())
    .use(searchRoutes(search))
    .use(clipRoutes(basePath))
    .use(stillRoutes(basePath))
    .use(liveRoutes())
    .use(streamRoutes(liveStreams))
    .use(serviceRoutes(service))

/** The whole service, without a port. */
export const createApp = (
  service: ArchiveService,
  { log, ...around }: Surroundings & { readonly log: Log },
): App => {
  const shell = createShell(service)
  const router = new Elysia({ normalize: false, strictPath: true })
    .use(cors())
    .use(errors(log))
    .use(exchange)
    .onBeforeHandle({ as: 'global' }, ({ request }) => {
      const exchange = exchangeOf(request)
      exchange.stored = shell.findStored(exchange)
      return exchange.stored ? new Response(null) : undefined
    })
    .use(createRoutes(service, around))
  return (request) => shell.answer(request, router)
}

import { Elysia } from 'elysia'
import { botRoutes } from './api/bots/routes.ts'
import { fightRoutes } from './api/fights/routes.ts'
import { searchRoutes } from './api/search/routes.ts'
import { serviceRoutes } from './api/service/routes.ts'
import { statsRoutes } from './api/stats/routes.ts'
import { tournamentRoutes } from './api/tournaments/routes.ts'
import { usageRoutes } from './api/usage/routes.ts'
import { videoFeedRoutes } from './api/videoFeeds/routes.ts'
import type { ArchiveService } from './archive.ts'
import { cors } from './http/cors.ts'
import { errors } from './http/errors.ts'
import { exchange, exchangeOf } from './http/exchange.ts'
import { createShell } from './http/shell.ts'
import { createRecorder } from './http/usage.ts'
import type { Log } from './log.ts'
import { createUsage, type Usage } from './usage/usage.ts'

/**
 * Answers one request; needs no server, so tests call it as the process does. `peer` is the address
 * that sent it; without one it is the process's own and counts as no usage.
 */
export type App = (request: Request, peer?: string) => Promise<Response>

/** All routes under `basePath`, with everything that is around a route. */
export const createRoutes = (
  service: ArchiveService,
  basePath: string,
  usage: Usage = createUsage(),
) =>
  new Elysia({ prefix: basePath })
    .use(tournamentRoutes())
    .use(fightRoutes(basePath))
    .use(videoFeedRoutes())
    .use(botRoutes(basePath))
    .use(statsRoutes())
    .use(searchRoutes())
    .use(usageRoutes(usage, basePath))
    .use(serviceRoutes(service, usage))

/** The whole service, without a port. */
export const createApp = (
  service: ArchiveService,
  { basePath, log, usage = createUsage() }: { basePath: string; log: Log; usage?: Usage },
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
    .use(createRoutes(service, basePath, usage))
  const record = createRecorder(usage, basePath, router.routes)
  return (request, peer) =>
    shell.answer(
      request,
      router,
      peer === undefined
        ? undefined
        : (exchange, response) => record(request, peer, exchange, response),
    )
}

import { Elysia } from 'elysia'
import { botRoutes } from './api/bots/routes.ts'
import { clipRoutes } from './api/clips/routes.ts'
import { docsRoutes } from './api/docs/routes.ts'
import { fightRoutes } from './api/fights/routes.ts'
import { serviceRoutes } from './api/health/routes.ts'
import { homeRoutes } from './api/home/routes.ts'
import { legacyRoutes } from './api/legacy/routes.ts'
import { liveRoutes } from './api/live/routes.ts'
import { searchRoutes } from './api/search/routes.ts'
import { snapshotRoutes } from './api/snapshot/routes.ts'
import { statsRoutes } from './api/stats/routes.ts'
import { stillRoutes } from './api/stills/routes.ts'
import type { LiveStreams } from './api/streams/liveStreams.ts'
import { streamRoutes } from './api/streams/routes.ts'
import { tournamentRoutes } from './api/tournaments/routes.ts'
import { usageRoutes } from './api/usage/routes.ts'
import { videoFeedRoutes } from './api/videoFeeds/routes.ts'
import { bulkRoutes } from './companions/bulk/routes.ts'
import { type Changes, createChanges } from './companions/changes/changes.ts'
import { changeRoutes } from './companions/changes/routes.ts'
import { feedRoutes } from './companions/feeds/routes.ts'
import { createPages } from './companions/pages/pages.ts'
import type { LocalMedia } from './companions/sample/localMedia.ts'
import { sampleRoutes } from './companions/sample/routes.ts'
import type { ArchiveService } from './data/archive/archive.ts'
import type { PictureSizes } from './derived/media/pictureSizes.ts'
import type { DataLicense } from './http/dataLicense.ts'
import { type ClientLimits, createLimiter } from './http/limiter.ts'
import { buildDocument, listOperations, type Operation } from './http/openapi/document.ts'
import { createPipeline } from './http/pipeline.ts'
import { publicPath, publicServer } from './http/publicPath.ts'
import { createRecorder, type Observer } from './http/recordUsage.ts'
import type { LimitIdle } from './http/sending.ts'
import { createUsage, type Usage } from './http/usage/usage.ts'
import { diskProblems } from './runtime/disk.ts'
import type { Log } from './runtime/log.ts'
import { once } from './runtime/once.ts'

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
  /** Public address for links; defaults to the address of the request. */
  readonly publicUrl?: string | undefined
  /** Defaults to 0. */
  readonly trustedProxies?: number
  /** Licence of the data, for the document. */
  readonly dataLicense?: DataLicense | undefined
  /** Defaults to an empty change feed. */
  readonly changes?: Changes
  /** Defaults to counting in memory. */
  readonly usage?: Usage
  /** Time zone of the events, for the pages; undefined for a service without them. */
  readonly pagesIn?: string | undefined
  /** Time zone of events in the API; defaults to the time zone of the pages, else UTC. */
  readonly timeZone?: string
  /** Public base address of the live streams, which pages may play. */
  readonly streamBase?: string | undefined
  /** Films and pictures of a sample; undefined for other leagues. */
  readonly localMedia?: LocalMedia | undefined
  /** Whether the archive has ratings, and so chances that follow from them; default true. */
  readonly ratings?: boolean
}

/** Addresses that answer nothing but 404 without ratings. */
const ofRatings = /\/(ratings|forecast)(\/|$)/

/** All routes, and the pages among them: the current API under `basePath`, the legacy one under `legacyBase`. */
export const createRoutes = (
  service: ArchiveService,
  {
    usage = createUsage(),
    changes = createChanges(),
    basePath,
    legacyBase,
    liveStreams,
    pictureSizes,
    publicUrl,
    trustedProxies = 0,
    pagesIn,
    timeZone = pagesIn ?? 'UTC',
    dataLicense,
    streamBase,
    localMedia,
    ratings = true,
  }: AppOptions,
) => {
  const linkPath = publicPath({ publicUrl, basePath })
  const pages =
    pagesIn === undefined
      ? undefined
      : createPages({
          basePath,
          linkPath,
          publicUrl,
          dataLicense,
          timeZone: pagesIn,
          streamBase,
          isFixed: service.status().follows === 'nothing',
          localMedia,
        })
  const described = () =>
    routes.routes.filter(({ path }) => ratings || !ofRatings.test(path.slice(basePath.length)))
  const openApiDocument = once(() =>
    buildDocument(described(), {
      server: publicServer({ publicUrl, basePath }),
      dataLicense,
      hasRatings: ratings,
    }),
  )
  const operations = (): readonly Operation[] => listOperations(described())
  const current = new Elysia({ prefix: basePath })
    .use(tournamentRoutes())
    .use(fightRoutes(linkPath))
    .use(videoFeedRoutes())
    .use(botRoutes(linkPath))
    .use(statsRoutes())
    .use(searchRoutes(timeZone))
    .use(clipRoutes(linkPath))
    .use(stillRoutes(linkPath, pictureSizes))
    .use(liveRoutes())
    .use(streamRoutes(liveStreams))
    .use(changeRoutes(changes))
    .use(bulkRoutes(service, linkPath, dataLicense))
    .use(snapshotRoutes(service))
    .use(usageRoutes(usage, basePath, pages?.usage))
    .use(
      serviceRoutes({
        service,
        usage,
        isReady: changes.feed.isReady,
        problems: [changes.feed.problems, diskProblems],
      }),
    )
  // Legacy routes come later and win if the base path equals the address of a script.
  const routes = new Elysia()
    .use(homeRoutes({ basePath, linkPath, dataLicense }, operations, pages?.home))
    .use(pages?.routes ?? new Elysia())
    .use(localMedia ? sampleRoutes(basePath, localMedia.folder) : new Elysia())
    .use(pages ? feedRoutes({ basePath, publicUrl, trustedProxies }, operations) : new Elysia())
    .use(current)
    .use(legacyRoutes({ basePath: linkPath, legacyBase }))
  return {
    routes: routes.use(
      docsRoutes({ basePath, linkPath, destinations: pages?.destinations }, openApiDocument),
    ),
    pages,
  }
}

/** Builds the whole service, without a port. */
export const createApp = (
  service: ArchiveService,
  {
    log,
    usage = createUsage(),
    limitIdle,
    observers,
    limits,
    changes = createChanges(),
    ...options
  }: AppOptions & {
    readonly log: Log
    readonly limitIdle?: LimitIdle
    /** Observers of each response; without them nothing is collected. */
    readonly observers?: readonly Observer[]
    /** Defaults to none. */
    readonly limits?: ClientLimits | undefined
  },
): App => {
  const { routes, pages } = createRoutes(service, { ...options, changes, usage })
  return createPipeline(service, {
    routes: routes.routes,
    log,
    errorPage: pages?.error,
    hasServed: changes.feed.hasServed,
    onSent: createRecorder(usage, options.basePath, observers),
    limitIdle,
    limiter: limits && createLimiter(limits),
  })
}

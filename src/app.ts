import { type AnyElysia, Elysia } from 'elysia'
import { botRoutes } from './api/bots/routes.ts'
import { clipRoutes } from './api/clips/routes.ts'
import type { Companion, CompanionKind } from './api/companion.ts'
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
import { bulk } from './companions/bulk/routes.ts'
import { changes } from './companions/changes/changes.ts'
import { feeds } from './companions/feeds/routes.ts'
import { pages } from './companions/pages/pages.ts'
import { sample } from './companions/sample/localMedia.ts'
import type { Config } from './config.ts'
import type { ArchiveService } from './data/archive/archive.ts'
import type { PictureSizes } from './derived/media/pictureSizes.ts'
import type { DataLicense } from './http/dataLicense.ts'
import { type ClientLimits, createLimiter } from './http/limiter.ts'
import {
  buildDocument,
  listOperations,
  type Operation,
  type Route,
} from './http/openapi/document.ts'
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

/** To delete a companion, delete its folder, its tests, its import and its name here. */
export const companions: readonly CompanionKind<Config>[] = [pages, sample, feeds, changes, bulk]

/** The companions of a service with these settings. */
export const openCompanions = (settings: Config, log: Log): readonly Companion[] =>
  companions.flatMap(({ open }) => open(settings, log))

/** Options of the routes: base paths, and sources besides the archive. */
interface AppOptions {
  readonly basePath: string
  readonly legacyBase: string
  readonly liveStreams: LiveStreams
  readonly pictureSizes: PictureSizes
  readonly companions: readonly Companion[]
  /** Public address for links; defaults to the address of the request. */
  readonly publicUrl?: string | undefined
  /** Defaults to 0. */
  readonly trustedProxies?: number
  /** Licence of the data, for the document. */
  readonly dataLicense?: DataLicense | undefined
  /** Defaults to counting in memory. */
  readonly usage?: Usage
  /** Time zone of the events; defaults to UTC. */
  readonly timeZone?: string
  /** Public base address of the live streams, which pages may play. */
  readonly streamBase?: string | undefined
  /** Whether the archive has ratings, and so chances that follow from them; default true. */
  readonly ratings?: boolean
}

/** Addresses that answer nothing but 404 without ratings. */
const ofRatings = /\/(ratings|forecast)(\/|$)/

/** All routes: the current API and the companions under `basePath`, the legacy API under `legacyBase`. */
export const createRoutes = (
  service: ArchiveService,
  {
    usage = createUsage(),
    companions,
    basePath,
    legacyBase,
    liveStreams,
    pictureSizes,
    publicUrl,
    trustedProxies = 0,
    timeZone = 'UTC',
    dataLicense,
    streamBase,
    ratings = true,
  }: AppOptions,
) => {
  const linkPath = publicPath({ publicUrl, basePath })
  const described = (): readonly Route[] =>
    routes.routes.filter(({ path }) => ratings || !ofRatings.test(path.slice(basePath.length)))
  const openApiDocument = once(() =>
    buildDocument(described(), {
      server: publicServer({ publicUrl, basePath }),
      dataLicense,
      hasRatings: ratings,
    }),
  )
  const operations = (): readonly Operation[] => listOperations(described())
  const toMediaPaths =
    companions.find(({ toMediaPaths }) => toMediaPaths)?.toMediaPaths ?? ((text: string) => text)
  const mounted = companions.map(({ mount }) =>
    mount({
      service,
      basePath,
      linkPath,
      publicUrl,
      trustedProxies,
      timeZone,
      dataLicense,
      streamBase,
      operations,
      toMediaPaths,
    }),
  )
  const beside = mounted.find(({ beside }) => beside)?.beside
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
    .use(mounted.reduce((all, { routes }) => all.use(routes), new Elysia()))
    .use(snapshotRoutes(service))
    .use(usageRoutes(usage, basePath, beside?.usage))
    .use(
      serviceRoutes({
        service,
        usage,
        isReady: () => companions.every(({ isReady }) => isReady?.() !== false),
        problems: problemsOf(companions),
      }),
    )
  // Legacy routes come later and win if the base path equals the address of a script.
  const routes: AnyElysia = new Elysia()
    .use(homeRoutes({ basePath, linkPath, dataLicense }, operations, beside?.home))
    .use(current)
    .use(legacyRoutes({ basePath: linkPath, legacyBase }))
    .use(docsRoutes({ basePath, linkPath, destinations: beside?.destinations }, openApiDocument))
  return { routes, errorPage: beside?.error }
}

/** Problems of the disk and of the companions. */
export const problemsOf = (companions: readonly Companion[]) => [
  ...companions.flatMap(({ problems }) => problems ?? []),
  diskProblems,
]

/** Builds the whole service, without a port. */
export const createApp = (
  service: ArchiveService,
  {
    log,
    usage = createUsage(),
    limitIdle,
    observers,
    limits,
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
  const { routes, errorPage } = createRoutes(service, { ...options, usage })
  return createPipeline(service, {
    routes: routes.routes,
    log,
    errorPage,
    hasServed: (version) => options.companions.some(({ hasServed }) => hasServed?.(version)),
    onSent: createRecorder(usage, options.basePath, observers),
    limitIdle,
    limiter: limits && createLimiter(limits),
  })
}

import { type AnyElysia, Elysia } from 'elysia'
import type { ArchiveService } from '../data/archive/archive.ts'
import type { PictureSizes } from '../derived/media/pictureSizes.ts'
import type { DataLicense } from '../http/dataLicense.ts'
import {
  buildDocument,
  listOperations,
  type Operation,
  type Route,
} from '../http/openapi/document.ts'
import { publicPath, publicServer } from '../http/publicPath.ts'
import { createUsage, type Usage } from '../http/usage/usage.ts'
import { diskProblems } from '../runtime/disk.ts'
import { once } from '../runtime/once.ts'
import { createDayIn } from '../runtime/timeZone.ts'
import { botRoutes } from './bots/routes.ts'
import { clipRoutes } from './clips/routes.ts'
import type { Companion } from './companion.ts'
import { docsRoutes } from './docs/routes.ts'
import { fightRoutes } from './fights/routes.ts'
import { serviceRoutes } from './health/routes.ts'
import { homeRoutes } from './home/routes.ts'
import { legacyRoutes } from './legacy/routes.ts'
import { liveRoutes } from './live/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { snapshotRoutes } from './snapshot/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { stillRoutes } from './stills/routes.ts'
import type { LiveStreams } from './streams/liveStreams.ts'
import { streamRoutes } from './streams/routes.ts'
import { tournamentRoutes } from './tournaments/routes.ts'
import { usageRoutes } from './usage/routes.ts'
import { videoFeedRoutes } from './videoFeeds/routes.ts'

/**
 * Every route of the API, by the folder whose `routes.ts` declares it. All are GET, with HEAD and OPTIONS; paths are
 * below `BASE_PATH`, or below `LEGACY_BASE` for `legacy`. Companions declare theirs in their own folders.
 */
export const apiPaths = {
  home: ['/'],
  tournaments: [
    '/tournaments',
    '/tournaments/:tournamentID',
    '/tournaments/:tournamentID/brackets',
    '/tournaments/:tournamentID/forecast',
    '/tournaments/:tournamentID/players',
    '/tournaments/:tournamentID/players/:playerID',
    '/tournaments/:tournamentID/fights',
    '/tournaments/:tournamentID/fights/:gameID',
  ],
  fights: ['/fights', '/fights/recent', '/fights/last24h'],
  videoFeeds: ['/video-feeds/:recordingID', '/video-feeds/fight/:tournamentID/:gameID'],
  bots: [
    '/bots',
    '/bots/:bot',
    '/bots/:bot/ratings',
    '/bots/:bot/fights',
    '/bots/:bot/upcoming',
    '/bots/:bot/picture',
  ],
  stats: [
    '/stats/fight/:tournamentID/:gameID',
    '/stats/bot/:bot',
    '/stats/tournament/:tournamentID',
    '/stats/head-to-head/:bot1/:bot2',
    '/stats/leaderboard',
    '/stats/ratings',
    '/stats/ratings/calibration',
  ],
  search: ['/search', '/autocomplete'],
  clips: ['/clips', '/clips/:token'],
  stills: ['/stills', '/stills/tags', '/stills/:stillID'],
  live: ['/cages', '/cages/:cageNumber', '/schedule'],
  streams: ['/live/streams'],
  snapshot: ['/snapshot'],
  usage: ['/usage'],
  health: ['/health', '/ready'],
  docs: ['/openapi', '/docs', '/docs/:asset'],
  legacy: [
    ...['/tournamentSource', '/matchJSON', '/recentFights', '/fightsLast24Hours'],
    ...['/getLatestMatches', '/fightsByBot', '/getTournamentMatchesDataTables', '/getBotPic'],
    ...['/botAutocomplete', '/recentClips', '/randomClips', '/herosGalleryAPI'],
    ...['/cageJSON', '/scheduledMatches', '/robots-thumb/:file'],
  ],
} as const

/** Options of the routes: base paths, and sources besides the archive. */
export interface ApiOptions {
  readonly basePath: string
  readonly legacyBase: string
  readonly liveStreams: LiveStreams
  readonly pictureSizes: PictureSizes
  readonly companions: readonly Companion[]
  /** Public address for links; defaults to the address of the request. */
  readonly publicUrl?: string | undefined
  /** Number of trusted proxies; defaults to 0. */
  readonly trustedProxies?: number
  /** Licence of the data, for the document. */
  readonly dataLicense?: DataLicense | undefined
  /** Usage statistics; defaults to counting in memory. */
  readonly usage?: Usage
  /** Time zone of the events; defaults to UTC. */
  readonly timeZone?: string
  /** Public base address of the live streams, which pages may play. */
  readonly streamBase?: string | undefined
  /** True if the archive has ratings, and so the chances that follow from them; default true. */
  readonly ratings?: boolean
}

/** Addresses that answer only 404 without ratings. */
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
  }: ApiOptions,
) => {
  const dayIn = createDayIn(timeZone)
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
    .use(tournamentRoutes(dayIn))
    .use(fightRoutes(linkPath))
    .use(videoFeedRoutes())
    .use(botRoutes(linkPath))
    .use(statsRoutes(dayIn))
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

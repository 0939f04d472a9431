import type { Companion, CompanionKind } from './api/companion.ts'
import { type ApiOptions, createRoutes } from './api/routes.ts'
import { bulk } from './companions/bulk/routes.ts'
import { changes } from './companions/changes/changes.ts'
import { feeds } from './companions/feeds/routes.ts'
import { pages } from './companions/pages/pages.ts'
import { sample } from './companions/sample/localMedia.ts'
import type { Config } from './config.ts'
import type { ArchiveService } from './data/archive/archive.ts'
import { createArrival } from './http/arrival.ts'
import { type ClientLimits, createLimiter } from './http/limiter.ts'
import { createRecorder, type Observer } from './http/recordUsage.ts'
import type { LimitIdle } from './http/sending.ts'
import { createUsage } from './http/usage/usage.ts'
import type { Log } from './runtime/log.ts'

/**
 * Handles one request; needs no server. `sender` is the client address; without one the request is
 * internal and not counted.
 */
export type App = (request: Request, sender?: string) => Response | Promise<Response>

/** The companions; one is deleted with its folder, its tests, its import and its name here. */
export const companions: readonly CompanionKind<Config>[] = [pages, sample, feeds, changes, bulk]

/** The companions of a service with these settings. */
export const openCompanions = (settings: Config, log: Log): readonly Companion[] =>
  companions.flatMap(({ open }) => open(settings, log))

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
  }: ApiOptions & {
    readonly log: Log
    readonly limitIdle?: LimitIdle
    /** Observers of each response; without them nothing is collected. */
    readonly observers?: readonly Observer[]
    /** Defaults to none. */
    readonly limits?: ClientLimits | undefined
  },
): App => {
  const { routes, errorPage } = createRoutes(service, { ...options, usage })
  return createArrival(service, {
    routes,
    log,
    errorPage,
    hasServed: (version) => options.companions.some(({ hasServed }) => hasServed?.(version)),
    onSent: createRecorder(usage, options.basePath, observers),
    limitIdle,
    limiter: limits && createLimiter(limits),
  })
}

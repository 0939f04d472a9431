import type { AnyElysia } from 'elysia'
import type { ArchiveService } from '../data/archive/archive.ts'
import type { ChangeSink } from '../data/archive/changeSink.ts'
import type { PrepareSnapshot } from '../data/following/fromSnapshot.ts'
import type { Metric } from '../http/admin/metrics.ts'
import type { DataLicense } from '../http/dataLicense.ts'
import type { HtmlPage, Refused } from '../http/htmlPage.ts'
import type { Operation } from '../http/openapi/document.ts'
import type { Log } from '../runtime/log.ts'
import type { Destinations } from './docs/page.ts'
import type { HomeRequest } from './home/routes.ts'
import type { UsageRequest } from './usage/routes.ts'

/** Values that the routes of a companion get from the service. */
export interface Mount {
  readonly service: ArchiveService
  /** Path below which all routes are mounted. */
  readonly basePath: string
  /** Path of the routes as clients see it, for links. */
  readonly linkPath: string
  /** Public origin and prefix; undefined if addresses depend on the request. */
  readonly publicUrl: string | undefined
  readonly trustedProxies: number
  /** Time zone of the events, as in the IANA database. */
  readonly timeZone: string
  readonly dataLicense: DataLicense | undefined
  /** Public base address of the live streams. */
  readonly streamBase: string | undefined
  /** All routes of the service; call it once they are mounted. */
  readonly operations: () => readonly Operation[]
  /** Replaces the addresses of media that this service sends by paths. */
  readonly toMediaPaths: (text: string) => string
}

/** HTML for browsers in place of JSON at addresses of the API, and in place of its refusals. */
export interface Beside {
  readonly home: HtmlPage<HomeRequest>
  readonly usage: HtmlPage<UsageRequest>
  readonly error: HtmlPage<Refused>
  /** Links in the header of `/docs`. */
  readonly destinations: Destinations
}

/**
 * A part of the service that can be deleted: its folder, its tests, and its line in the list of `app.ts`. It may import
 * the API and the rooms below it, and no other companion.
 */
export interface Companion {
  readonly name: string
  /** Routes below the base path. */
  readonly mount: (mount: Mount) => { readonly routes: AnyElysia; readonly beside?: Beside }
  /** Current problems for `/health`, one sentence each. */
  readonly problems?: () => readonly string[]
  /** False while `/ready` must answer 503. */
  readonly isReady?: () => boolean
  /** Receives each version of the archive that is served. */
  readonly sink?: ChangeSink
  /** True if a version was served before the current one. */
  readonly hasServed?: (version: string) => boolean
  /** Changes a snapshot file before it is loaded. */
  readonly prepare?: PrepareSnapshot
  readonly toMediaPaths?: Mount['toMediaPaths']
  /** Values for `ADMIN_PORT`. */
  readonly metrics?: readonly Metric[]
  /** Called when the source is open; its data may not be loaded yet. */
  readonly opened?: (service: ArchiveService) => void
  /** Called when the port is open at this address. */
  readonly listening?: (url: string) => void
  /** Ends responses that would go on for ever, when the process stops. */
  readonly endResponses?: () => void
  /** Writes unsaved state after the source has stopped. */
  readonly stop?: () => Promise<void>
}

/** A companion before the service is started. */
export interface CompanionKind<Settings> {
  /** Makes the companion for these settings; empty if they turn it off. */
  readonly open: (settings: Settings, log: Log) => readonly Companion[]
  /** Files for `embeddedFiles` of the executable, by name. */
  readonly embedded?: () => Promise<ReadonlyMap<string, Uint8Array>>
}

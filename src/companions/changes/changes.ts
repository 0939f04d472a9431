import { join } from 'node:path'
import type { Companion, CompanionKind } from '../../api/companion.ts'
import { publicPath } from '../../http/publicPath.ts'
import type { Network } from '../../http/trustedNetworks.ts'
import { createLog, type Log } from '../../runtime/log.ts'
import { type ChangeFeed, createFeed } from './feed.ts'
import { openChangeLog } from './log.ts'
import { changeRoutes } from './routes.ts'
import { type ChangeStreams, createStreams } from './streams.ts'

/** The feed and its readers. */
export interface Changes extends Companion {
  readonly feed: ChangeFeed
  readonly streams: ChangeStreams
}

interface Limits {
  readonly maxStreams: number
  readonly maxStreamsPerClient: number
  readonly trustedNetworks?: readonly Network[]
}

/** Settings of a log of changes that outlives the process. */
interface KeptChanges extends Limits {
  readonly basePath: string
  readonly publicUrl: string | undefined
  /** True if there are pages to link to. */
  readonly pages: boolean
  readonly dataDir: string
  readonly changeLogBytes: number
}

const defaultLimits: Limits = { maxStreams: 10_000, maxStreamsPerClient: 100 }

/** A feed and its readers as a part of the service. */
export const companionOf = (feed: ChangeFeed, streams: ChangeStreams): Changes => ({
  feed,
  streams,
  name: 'changes',
  mount: () => ({ routes: changeRoutes({ feed, streams }) }),
  problems: feed.problems,
  isReady: feed.isReady,
  sink: feed,
  hasServed: feed.hasServed,
  metrics: [
    {
      kind: 'gauge',
      name: 'cageside_streams',
      help: 'Open streams of changes, and requests that wait for a change',
      read: streams.count,
    },
    {
      kind: 'counter',
      name: 'cageside_changes_total',
      help: 'Number of the last change of the feed',
      read: () => feed.end().seq,
    },
  ],
  opened: ({ now }) => feed.useClock(now),
  endResponses: streams.stop,
  stop: feed.stop,
})

const nowUnix = (): number => Math.floor(Date.now() / 1000)

/** Changes only in memory: cursors end with the process. */
export const createChanges = ({
  basePath = '',
  publicUrl,
  pages: hasPages = true,
  now = nowUnix,
  limits = defaultLimits,
  log = createLog('silent'),
}: {
  basePath?: string
  publicUrl?: string | undefined
  pages?: boolean
  now?: () => number
  limits?: Limits
  log?: Log
} = {}): Changes => {
  const linkPath = publicPath({ publicUrl, basePath })
  const feed = createFeed({ changeLog: undefined, site: { linkPath, hasPages }, now, log })
  return companionOf(feed, createStreams(feed, { ...limits, linkPath }))
}

/** Changes that outlive the process, in the log in `dataDir/changes`. */
export const openChanges = (
  config: KeptChanges,
  { log, now = nowUnix }: { log: Log; now?: () => number },
): Changes => {
  const changeLog = openChangeLog({
    folder: join(config.dataDir, 'changes'),
    maxBytes: config.changeLogBytes,
    now: Date.now,
    monotonicNow: () => performance.now(),
  })
  const linkPath = publicPath(config)
  const site = { linkPath, hasPages: config.pages }
  const feed = createFeed({ changeLog, site, now, log })
  return companionOf(feed, createStreams(feed, { ...config, linkPath }))
}

/** Kept over a restart if the source can be followed further, which a file or a replay cannot. */
export const changes: CompanionKind<
  KeptChanges & { readonly databaseUrl: string | undefined; readonly mirrorUrl: string | undefined }
> = {
  open: (settings, log) => [
    settings.databaseUrl === undefined && settings.mirrorUrl === undefined
      ? createChanges({ ...settings, limits: settings, log })
      : openChanges(settings, { log }),
  ],
}

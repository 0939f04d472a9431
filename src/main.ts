import { lookup } from 'node:dns/promises'
import http from 'node:http'
import { join } from 'node:path'
import packageFile from '../package.json' with { type: 'json' }
import { health } from './api/health/view.ts'
import { problemsOf } from './api/routes.ts'
import { openLiveStreams } from './api/streams/liveStreams.ts'
import { createApp, openCompanions } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import type { OpenedService } from './data/archive/archive.ts'
import type { ChangeSink } from './data/archive/changeSink.ts'
import { openSnapshot, type PrepareSnapshot } from './data/following/fromSnapshot.ts'
import { ReplayError } from './data/replay/replayError.ts'
import { SnapshotError } from './data/source/snapshot.ts'
import { SourceError } from './data/source/sourceErrors.ts'
import { createPictureSizes } from './derived/media/pictureSizes.ts'
import { createAccessLog } from './http/admin/accessLog.ts'
import type { Metrics } from './http/admin/metrics.ts'
import { senderOf } from './http/usage/address.ts'
import { createUsage } from './http/usage/usage.ts'
import { disk } from './runtime/disk.ts'
import { folderProblem } from './runtime/files.ts'
import { createLog, type Log } from './runtime/log.ts'
import { openSupervisor } from './runtime/supervisor.ts'

/**
 * Max bytes of request headers: long URLs get a 404 or 414 instead of a cut connection. An open stream keeps them: with
 * 256 KiB for each of 10,000 that was 2.4 GB.
 */
const maxHeaderBytes = 80 * 1024

/**
 * Timeout of idle connections: longer than the 60 s after which most clients and proxies close
 * theirs, so that none sends a request on a closing connection.
 */
const idleTimeoutSeconds = 75

/**
 * Timeout without progress of connections with a request body, or with a large response. It stays
 * in force until the next request on the connection.
 */
const bodyTimeoutSeconds = 20

/** Max time for requests in flight after a signal; idle connections are closed at once. */
const maxDrainMs = 6000
/** Time of responses with `Connection: close` before the port is closed. */
const drainNoticeMs = 200
/** Pauses for requests that were received and not parsed yet. */
const [idleLooks, idleLookMs] = [5, 20] as const
const maxSaveMs = 2000
/** Delay of the log line about waiting for data: a source that is refused at once is one line on stderr. */
const waitNoticeMs = 1000
/** Max wait for the usage log at start. */
const maxUsageOpenMs = 5000

const fail = (...lines: readonly string[]): never => {
  for (const line of lines) process.stderr.write(`cageside: ${line}\n`)
  process.exit(1)
}

const configure = (): Config => {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (error instanceof ConfigError) return fail(...error.problems)
    throw error
  }
}

const openSource = async (
  config: Config,
  {
    log,
    changes,
    prepare,
  }: {
    log: Log
    changes: ChangeSink | undefined
    prepare: PrepareSnapshot | undefined
  },
): Promise<OpenedService> => {
  const { databaseUrl, snapshotPath, mirrorUrl, replay: at, ratings } = config
  // Loaded on demand: a snapshot file needs none of them.
  if (at !== undefined) {
    const { openReplay } = await import('./data/replay/openReplay.ts')
    const timing = { at, speed: config.replaySpeed, loop: config.replayLoop }
    return openReplay(snapshotPath, { ...timing, log, ratings, changes, prepare })
  }
  if (mirrorUrl !== undefined) {
    const { openMirror } = await import('./data/mirror/openMirror.ts')
    return openMirror(mirrorUrl, { ...config, log, changes })
  }
  if (databaseUrl === undefined) return openSnapshot(snapshotPath, log, changes, prepare, ratings)
  const { openPostgres } = await import('./data/following/fromPostgres.ts')
  return openPostgres(databaseUrl, { ...config, log, changes })
}

/** Reason why the server cannot listen. Bun reports an unrelated error for an unknown host. */
const listenFailure = async (host: string, error: unknown): Promise<string> => {
  const known = await lookup(host).catch(() => undefined)
  if (!known) return 'HOST is unknown'
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  if (code === 'EADDRNOTAVAIL') return 'HOST is no address of this machine'
  return code === 'EADDRINUSE' ? 'the port is in use' : code
}

/** Reason why there is nothing to serve, and never will be. */
const loadFailure = (error: unknown): string => {
  if (error instanceof SourceError) {
    return `DATABASE_URL: ${error.message}${error.detail && ` (${error.detail})`}`
  }
  const isExpected = error instanceof SnapshotError || error instanceof ReplayError
  return isExpected ? error.message : `the data cannot be loaded: ${error}`
}

/** True if a request has a body, which is never read. */
const hasBody = ({ headers }: Request): boolean =>
  headers.has('content-length') || headers.has('transfer-encoding')

/** URL of the service as configured, and one for a browser on this machine. */
const addressesOf = ({ host, basePath }: Config, port: number | undefined) => {
  const at = (name: string): string =>
    `http://${name.includes(':') ? `[${name}]` : name}:${port}${basePath}`
  // Not every system connects to the wildcard address.
  const isWildcard = /^(\*|0\.0\.0\.0|[0:]+)$/.test(host)
  return { url: at(host), openUrl: at(isWildcard ? 'localhost' : host) }
}

/** Limits of clients; undefined if there are none, which costs nothing. */
const limitsOf = ({ rateLimit, rateBurst, maxWaitingPerClient, trustedNetworks }: Config) =>
  rateLimit + maxWaitingPerClient > 0
    ? { rate: rateLimit, burst: rateBurst, maxWaiting: maxWaitingPerClient, trustedNetworks }
    : undefined

type Answer = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

const listen = async (config: Config, answer: Answer): Promise<Bun.Server<undefined>> => {
  // `Bun.serve` reads its header limit from here; it has no option, and the type is read-only.
  Object.assign(http, { maxHeaderSize: maxHeaderBytes })
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      idleTimeout: idleTimeoutSeconds,
      // Bodies are never read, so that a request with a body of any size gets the 405.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: answer,
      // Last resort: log the cause, answer a generic 500.
      error: (cause) => {
        log('error', 'request failed outside the app', { cause: cause.stack ?? cause.message })
        return Response.json({ error: 'internal error' }, { status: 500 })
      },
    })
  } catch (error) {
    const reason = await listenFailure(config.host, error)
    return fail(`cannot listen on ${config.host}:${config.port}: ${reason}`)
  }
}

/** Resolves once no request was pending at several looks. */
const answeredAll = async (server: Bun.Server<undefined>): Promise<void> => {
  for (let looks = 0; looks < idleLooks; looks += 1) {
    await Bun.sleep(idleLookMs)
    if (server.pendingRequests > 0) looks = 0
  }
}

/**
 * Stops the server: first responses carry `Connection: close`, then requests in flight finish
 * within {@link maxDrainMs}. Requests that were received only in part are not waited for.
 */
const drain = async (server: Bun.Server<undefined>): Promise<void> => {
  await Bun.sleep(drainNoticeMs)
  await Promise.race([server.stop(), answeredAll(server), Bun.sleep(maxDrainMs)])
  await server.stop(true)
}

// Ignore EPIPE and ENOSPC on stdout and stderr.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

/** Marks a response as the last one on its connection. */
const withConnectionClose = async (answer: Response | Promise<Response>): Promise<Response> => {
  const response = await answer
  response.headers.set('connection', 'close')
  return response
}

/** Names of /bulk files and their part lists as written by versions before 2.3. */
const oldBulkFile = /^[a-z]+(\.[\da-f-]{36}\.(ndjson|csv)\.gz|\.(ndjson|csv)\.gz\.json)(\.tmp)?$/

/** Removes /bulk files of versions before 2.3, which may contain hidden entries, and the folder if it is empty then. */
const removeOldBulkFiles = async (folder: string): Promise<void> => {
  const found = (await disk.readdir(folder)).filter((name) => oldBulkFile.test(name))
  for (const name of found) await disk.remove(join(folder, name))
  if (found.length > 0) await disk.removeFolder(folder)
}

const config = configure()
const log = createLog(config.logLevel, config.logFormat)
let service: OpenedService | undefined
/** One line that says whether data is served, and why it is not or may be old. */
const statusLine = (): string => {
  const reason = service?.status().lastRefresh.error ?? null
  const state = service?.archive() ? 'serving' : 'waiting for the data'
  return reason === null ? state : `${state}: ${reason}`
}
const supervisor = openSupervisor(process.env, statusLine, log)

/**
 * Serves until a signal; prints the addresses once there is data. Not awaited: when the main module ends, Bun 1.4.5
 * marks the whole heap in one turn, which takes 100 ms with 120,000 fights.
 */
const run = async (): Promise<void> => {
  const { dataDir } = config
  // Not awaited: a hung disk must not delay opening the port.
  void folderProblem(dataDir).then((reason) => {
    if (reason === undefined) return
    log('error', 'DATA_DIR cannot be written: nothing is kept over a restart', { dataDir, reason })
  })
  void removeOldBulkFiles(join(dataDir, 'bulk')).catch(() => undefined)
  const { clientKeyRotation } = config
  const usage = createUsage({ clientKeyRotation, kept: { ...config, log } })
  const companions = openCompanions(config, log)
  let server: Bun.Server<undefined> | undefined
  let stopping = false
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return
    stopping = true
    log('info', 'stopping', { signal })
    supervisor.stopping()
    // The last saved archive is the one that the log of changes has reached. Requests are answered meanwhile.
    const stopAll = async (): Promise<void> => {
      await service?.stop()
      await Promise.all(companions.map(({ stop }) => stop?.()))
    }
    await Promise.race([stopAll(), Bun.sleep(maxSaveMs)])
    for (const { endResponses } of companions) endResponses?.()
    if (server) await drain(server)
    await Promise.race([usage.stop(), Bun.sleep(maxSaveMs)])
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void stop(signal))
  }

  service = await openSource(config, {
    log,
    changes: companions.find(({ sink }) => sink)?.sink,
    prepare: companions.find(({ prepare }) => prepare)?.prepare,
  }).catch((error: unknown) => fail(loadFailure(error)))
  for (const { opened } of companions) opened?.(service)
  // Handled below, after the port is open.
  service.firstLoad.catch(() => undefined)

  /** Metrics and diagnostics on 127.0.0.1. Loaded on demand: prom-client takes 10 ms to load. */
  const openAdmin = async (port: number, watched: OpenedService): Promise<Metrics> => {
    const { createMetrics } = await import('./http/admin/metrics.ts')
    const { createAdmin } = await import('./http/admin/server.ts')
    const metrics = createMetrics({
      service: watched,
      usage,
      metrics: companions.flatMap(({ metrics = [] }) => metrics),
      countProblems: () =>
        health({ service: watched, usage, problems: problemsOf(companions) }).problems.length,
      pendingRequests: () => server?.pendingRequests ?? 0,
      version: packageFile.version,
    })
    try {
      const admin = Bun.serve({
        hostname: '127.0.0.1',
        port,
        fetch: createAdmin(metrics, watched, log),
      })
      log('info', 'metrics and diagnostics', { address: admin.url.origin })
    } catch (error) {
      const reason = await listenFailure('127.0.0.1', error)
      fail(`cannot listen on ADMIN_PORT ${port}: ${reason}`)
    }
    return metrics
  }
  const metrics =
    config.adminPort === undefined ? undefined : await openAdmin(config.adminPort, service)
  const liveStreams = openLiveStreams(config, log)
  const pictureSizes = createPictureSizes({ log })
  const app = createApp(service, {
    ...config,
    liveStreams,
    pictureSizes,
    companions,
    log,
    usage,
    streamBase: config.streamApiUrl === undefined ? undefined : config.streamHlsUrl,
    observers: [
      ...(metrics ? [metrics.observe] : []),
      ...(config.logLevel === 'debug' ? [createAccessLog(log)] : []),
    ],
    limits: limitsOf(config),
    timeZone: config.eventTimeZone,
    limitIdle: (request, seconds) => server?.timeout(request, seconds),
  })
  server = await listen(config, (request, listening) => {
    if (hasBody(request)) listening.timeout(request, bodyTimeoutSeconds)
    // A closed connection has no address.
    const peer = (): string => listening.requestIP(request)?.address ?? 'unknown'
    const answer = app(request, senderOf(request, config.trustedProxies, peer))
    return stopping ? withConnectionClose(answer) : answer
  })
  const { url, openUrl } = addressesOf(config, server.port)
  for (const { listening } of companions) listening?.(config.publicUrl ?? openUrl)
  const waiting = setTimeout(
    () => log('info', 'listening, without data yet', { address: url }),
    waitNoticeMs,
  )

  try {
    await service.firstLoad
  } catch (error) {
    fail(loadFailure(error))
  }
  clearTimeout(waiting)
  await Promise.race([usage.opened, Bun.sleep(maxUsageOpenMs)])
  supervisor.ready()
  process.stdout.write(`listening on ${url}\nopen ${openUrl}/ · docs ${openUrl}/docs\n`)
}

void run()

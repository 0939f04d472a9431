import { lookup } from 'node:dns/promises'
import http from 'node:http'
import { createApp } from './app.ts'
import type { OpenedService } from './archive/archive.ts'
import { openSnapshot } from './archive/fromSnapshot.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { createLog, type Log } from './log.ts'
import { createPictureSizes } from './media/pictureSizes.ts'
import { SnapshotError } from './source/snapshot.ts'
import { openLiveStreams } from './streams/liveStreams.ts'
import { senderOf } from './usage/address.ts'
import { openUsage } from './usage/usage.ts'

/** Long addresses are answered like any other unknown path instead of being cut off. */
const maxHeaderBytes = 256 * 1024

/**
 * A connection that nothing comes over is closed after so long: later than clients and proxies give one
 * up themselves, most of them after a minute, lest they send a request over it at that very moment.
 */
const idleTimeoutSeconds = 75

/**
 * A connection with a body that is not sent or not read is closed after so long without progress. It
 * holds until the next request, so that a connection that was used so may be idle no longer either.
 */
const bodyTimeoutSeconds = 20

/** What is in flight at a signal gets this long; idle connections are closed at once. */
const maxDrainMs = 6000
/** So long a signal is told to clients before the port is closed. */
const drainNoticeMs = 200
const maxSaveMs = 2000
/** A disk that hangs is no reason not to serve. */
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

const openSource = async (config: Config, log: Log): Promise<OpenedService> => {
  if (config.databaseUrl === undefined) return openSnapshot(config.snapshotPath, log)
  // What a snapshot does not need costs its start nothing.
  const { openPostgres } = await import('./archive/fromPostgres.ts')
  return openPostgres(config.databaseUrl, { ...config, log })
}

/** Why the server cannot listen; for a host that it cannot resolve, Bun reports whatever failed last. */
const listenFailure = async ({ host }: Config, error: unknown): Promise<string> => {
  const known = await lookup(host).catch(() => undefined)
  if (!known) return 'HOST is unknown'
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  if (code === 'EADDRNOTAVAIL') return 'HOST is no address of this machine'
  return code === 'EADDRINUSE' ? 'the port is in use' : code
}

/** Whether a request announces a body, which is never read. */
const hasBody = ({ headers }: Request): boolean =>
  headers.has('content-length') || headers.has('transfer-encoding')

/** Where the service is: as configured, and as an address that a browser on this machine opens. */
const addressesOf = ({ host, basePath }: Config, port: number | undefined) => {
  const at = (name: string): string =>
    `http://${name.includes(':') ? `[${name}]` : name}:${port}${basePath}`
  // Not every system connects to the wildcard address.
  const isWildcard = host === '0.0.0.0' || /^[0:]+$/.test(host)
  return { url: at(host), openUrl: at(isWildcard ? 'localhost' : host) }
}

/** Leaves the first moment to clients that wait for the service. */
const warmUpAfterMs = 100

type Answer = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

const listen = async (config: Config, answer: Answer): Promise<Bun.Server<undefined>> => {
  // `Bun.serve` reads its limit of header bytes here; the type says read-only, and there is no option.
  Object.assign(http, { maxHeaderSize: maxHeaderBytes })
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      idleTimeout: idleTimeoutSeconds,
      // A body is never read; its size is no reason for another answer than 405.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: answer,
      // Whatever is not caught anywhere is told to nobody in detail.
      error: (cause) => {
        log('error', 'answering failed', { cause: cause.stack ?? cause.message })
        return Response.json({ error: 'internal error' }, { status: 500 })
      },
    })
  } catch (error) {
    const reason = await listenFailure(config, error)
    return fail(`cannot listen on ${config.host}:${config.port}: ${reason}`)
  }
}

/**
 * Answers what comes while clients hear that the connection is closing, then what is in flight, and
 * lets slow readers read, as long as there is time.
 */
const drain = async (server: Bun.Server<undefined>): Promise<void> => {
  await Bun.sleep(drainNoticeMs)
  await Promise.race([server.stop(), Bun.sleep(maxDrainMs)])
  await server.stop(true)
}

// A reader of the output that is gone, or a full disk behind it, is no reason to stop serving.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

/** The last answer on its connection. */
const withConnectionClose = async (answer: Response | Promise<Response>): Promise<Response> => {
  const response = await answer
  response.headers.set('connection', 'close')
  return response
}

const config = configure()
const log = createLog(config.logLevel)

const usage = openUsage(config, { log })
let service: OpenedService | undefined
let server: Bun.Server<undefined> | undefined
let stopping = false
const stop = async (signal: string): Promise<void> => {
  if (stopping) return
  stopping = true
  log('info', 'stopping', { signal })
  if (server) await drain(server)
  const saved = Promise.all([service?.stop(), usage.stop()])
  await Promise.race([saved, Bun.sleep(maxSaveMs)])
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => void stop(signal))
}

service = await openSource(config, log)
// A source that cannot be used is told of below, after a port that cannot.
service.firstLoad.catch(() => undefined)
const liveStreams = openLiveStreams(config, log)
const pictureSizes = createPictureSizes({ log })
const { basePath, legacyBase } = config
const app = createApp(service, {
  basePath,
  legacyBase,
  liveStreams,
  pictureSizes,
  log,
  usage,
  onLargeBody: (request) => server?.timeout(request, bodyTimeoutSeconds),
})
server = await listen(config, (request, listening) => {
  if (hasBody(request)) listening.timeout(request, bodyTimeoutSeconds)
  // A connection that is gone already has no address any more.
  const peer = (): string => listening.requestIP(request)?.address ?? 'unknown'
  const answer = app(request, senderOf(request, config.trustedProxies, peer))
  return stopping ? withConnectionClose(answer) : answer
})
const { url, openUrl } = addressesOf(config, server.port)
log('info', 'listening, without data yet', { address: url })
try {
  await service.firstLoad
} catch (error) {
  if (error instanceof SnapshotError) fail(error.message)
  throw error
}
await Promise.race([usage.opened, Bun.sleep(maxUsageOpenMs)])
// The description has an example of each route, which compiles all handlers before their first request.
setTimeout(() => {
  for (const path of ['/openapi', '/health']) {
    void app(new Request(`http://localhost${config.basePath}${path}`))
  }
}, warmUpAfterMs).unref()
process.stdout.write(`listening on ${url}\nopen ${openUrl}/ · docs ${openUrl}/docs\n`)

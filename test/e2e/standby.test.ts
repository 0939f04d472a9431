import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { OpenedService } from '../../src/data/archive/archive.ts'
import { emptyLeague } from '../../src/data/archive/loadedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { connect, openPool } from '../../src/data/source/connection.ts'
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
import { startService, stopService, temporaryFolder } from '../process.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

const smallest = present(smallLeague.tournaments[0])

describe('a hot standby', () => {
  let primary: OwnServer
  let standby: OwnServer
  let database: TestDatabase
  let service: OpenedService
  const at = (url: string, server: OwnServer): string => {
    const moved = new URL(url)
    moved.port = new URL(server.url).port
    return moved.href
  }
  const health = async () => (await get(appOf(service), '/health')).body
  const rename = (name: string, server = primary) =>
    administer(at(database.adminUrl, server), `UPDATE cageside.tournaments SET name = '${name}'`)
  const served = () => service.archive()?.dataset.tournaments[0]?.info.name
  const problem = () => service.status().lastRefresh.error

  beforeAll(async () => {
    primary = await startServer()
    database = await freshDatabase(primary.url)
    await insertRows(database.adminUrl, { tournaments: [smallest] })
    standby = await primary.standby()
    service = await followDatabase(at(database.readerUrl, standby), { standbyLagMs: 1000 })
  })
  afterAll(async () => {
    await service.stop()
    await standby.stop()
  })

  test('a hot standby is followed', async () => {
    await rename('Followed')
    await until(() => served() === 'Followed')
    await until(() => problem() === null)
    expect((await health()).status).toBe('ok')
  })

  test.each([
    ['adminUrl', 'read-write', 'primary'],
    ['adminUrl', 'read-only', 'standby'],
    ['readerUrl', 'read-only', 'the first'],
  ] as const)(
    'a hot standby next to its primary, as %s for %s: %s is used',
    async (role, kind, used) => {
      const hosts = [primary, standby].map((server) => new URL(at(database[role], server)).host)
      if (used === 'primary') hosts.reverse()
      const url = at(database[role], primary).replace(/(?<=@)[^/]+/, hosts.join())
      const source = connect(`${url}?target_session_attrs=${kind}`, { deadlineMs: 5000 })
      const [[isStandby] = []] = await source.transaction((query) =>
        query('SELECT pg_is_in_recovery()'),
      )
      expect(isStandby).toBe(used === 'standby')
      await source.close()
    },
  )

  test('a hot standby with paused replay is behind, and says so', async () => {
    const ask = (statement: string) => administer(standby.url, statement)
    await ask('SELECT pg_wal_replay_pause()')
    await rename('Paused')
    await until(() => problem() === 'the standby does not follow its primary')
    await Bun.sleep(1500)
    const { status, ageSeconds } = await health()
    expect(status).toBe('degraded')
    expect(ageSeconds).toBeGreaterThanOrEqual(1)
    expect(served()).toBe('Followed')
    await ask('SELECT pg_wal_replay_resume()')
    await until(() => served() === 'Paused' && problem() === null)
  })

  test('a hot standby that cancels a query to replay is asked again', async () => {
    const ask = (statement: string) => administer(standby.url, statement)
    await ask(`ALTER SYSTEM SET max_standby_streaming_delay = '50ms'`)
    await ask('SELECT pg_reload_conf()')
    const source = connect(at(database.readerUrl, standby), { deadlineMs: 5000 })
    let attempts = 0
    const answer = await source.transaction(async (query) => {
      attempts += 1
      await query('SELECT count(*) FROM cageside_public.cage_queue')
      if (attempts === 1) {
        await Promise.all([
          query('SELECT pg_sleep(5)'),
          // The lock of TRUNCATE conflicts with the reader's.
          administer(at(database.adminUrl, primary), 'TRUNCATE cageside.cage_queue'),
        ])
      }
      return query('SELECT pg_is_in_recovery()')
    })
    expect([attempts, answer]).toEqual([2, [[true]]])
    await source.close()
  })

  test('a hot standby whose primary is dead ages, and is followed again as the new primary', async () => {
    await primary.signal('SIGKILL')
    await until(() => problem() === 'the standby does not follow its primary')
    await Bun.sleep(1500)
    expect((await health()).ageSeconds).toBeGreaterThanOrEqual(1)
    await administer(standby.url, 'SELECT pg_promote()')
    await until(() => problem() === null)
    await rename('Promoted', standby)
    await until(() => served() === 'Promoted')
    expect((await health()).status).toBe('ok')
  })

  test('an old primary that comes back is refused, and the next host is used', async () => {
    const [old, now] = [primary, standby].map((server) => at(database.readerUrl, server))
    const newSource = connect(now ?? '', { deadlineMs: 5000 })
    const { league } = await refreshLeague(newSource, emptyLeague)
    await newSource.close()
    await primary.start()
    try {
      const oldSource = connect(old ?? '', { deadlineMs: 5000 })
      const failure = await refreshLeague(oldSource, league).catch(String)
      expect(failure).toInclude('the database is an old primary, which another one has replaced')
      await oldSource.close()
      const { host } = new URL(now ?? '')
      const both = connect(
        (old ?? '')
          .replace(/(?<=@)[^/]+/, (first) => `${first},${host}`)
          .concat('?target_session_attrs=primary'),
        { deadlineMs: 5000 },
      )
      const { league: next } = await refreshLeague(both, league)
      expect(next.archive?.dataset.tournaments[0]?.info.name).toBe('Promoted')
      expect(both.address()).toInclude(host)
      await both.close()
    } finally {
      await primary.stop()
    }
  })

  test.each(['primary', 'prefer-standby'])(
    'one of several hosts in a URL is found for %s',
    async (kind) => {
      const url = at(database.readerUrl, standby)
      const { host } = new URL(url)
      const source = connect(
        url.replace(host, `127.0.0.1:1,${host}`).concat(`?target_session_attrs=${kind}`),
        { deadlineMs: 5000 },
      )
      expect(await source.transaction((query) => query('SELECT pg_is_in_recovery()'))).toEqual([
        [false],
      ])
      await source.close()
    },
  )

  test('several hosts in a URL are an error after one attempt each if none fits', async () => {
    const url = at(database.readerUrl, standby)
    const { host } = new URL(url)
    const sessions = async (): Promise<number> => {
      const pool = openPool(standby.url, { max: 1, connectSeconds: 5 })
      const [row] = await pool`SELECT sum(sessions)::int AS sessions FROM pg_stat_database`
      await pool.end()
      return row?.sessions
    }
    const before = await sessions()
    const source = connect(
      url.replace(host, `127.0.0.1:1,${host}`).concat('?target_session_attrs=standby'),
      { deadlineMs: 5000 },
    )
    const failure = await source.transaction((query) => query('SELECT 1')).catch(String)
    expect(failure).toInclude('the server does not match target_session_attrs')
    await source.close()
    expect((await sessions()) - before).toBeLessThan(10)
  })
})

test('a process killed right after a promotion does not return to the old primary', async () => {
  const primary = await startServer()
  const database = await freshDatabase(primary.url)
  await insertRows(database.adminUrl, { tournaments: [smallest] })
  const standby = await primary.standby()
  const admin = new URL(database.adminUrl)
  const { host, port } = new URL(standby.url)
  const settings = {
    DATABASE_URL: database.readerUrl
      .replace(/(?<=@)[^/]+/, (first) => `${first},${host}`)
      .concat('?target_session_attrs=primary'),
    DATA_DIR: await temporaryFolder(),
    PAGES: '0',
    REFRESH_MS: '100',
  }
  const service = await startService(settings)
  await until(() => Bun.file(join(settings.DATA_DIR, 'last-good.cageside')).exists())
  await primary.signal('SIGKILL')
  await administer(standby.url, 'SELECT pg_promote()')
  admin.port = port
  await administer(admin.href, `UPDATE cageside.tournaments SET name = 'Promoted'`)
  await until(async () =>
    (await (await fetch(`${service.url}/tournaments`)).text()).includes('Promoted'),
  )
  service.process.kill('SIGKILL')
  await service.process.exited
  await standby.stop()
  await primary.start()
  const again = await startService({ ...settings, DATABASE_URL: database.readerUrl })
  const health = async () => (await fetch(`${again.url}/health`)).text()
  await until(async () => !(await health()).includes('the database has not been read yet'))
  expect(await health()).toInclude('the database is an old primary, which another one has replaced')
  await stopService(again)
  await primary.stop()
}, 60_000)

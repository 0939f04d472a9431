import { expect, test } from 'bun:test'
import { openPool } from '../../src/data/source/connection.ts'
import { freePort } from '../freePort.ts'
import { insertRows } from '../leagueDatabase.ts'
import { administer, freshDatabase, startServer } from '../postgres.ts'
import { spawnService, startService, stopService } from '../process.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

const hourly = { REFRESH_MS: '3600000' }

test('DATABASE_SLEEPS=1 holds no connection, and POST /refresh on ADMIN_PORT reads at once', async () => {
  const database = await freshDatabase()
  await insertRows(database.adminUrl, smallLeague)
  const adminPort = freePort()
  const service = await startService({
    DATABASE_URL: database.readerUrl,
    DATABASE_SLEEPS: '1',
    ADMIN_PORT: String(adminPort),
    ...hourly,
  })
  const pool = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  const connections = async (): Promise<number> => {
    const [row] = await pool`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    return row?.count
  }
  const refresh = () => fetch(`http://127.0.0.1:${adminPort}/refresh`, { method: 'POST' })
  await until(async () => (await connections()) === 0)
  await pool`UPDATE cageside.tournaments SET name = 'Woken'`
  // A listener would ping each 20 s, and would have been notified.
  await Bun.sleep(1500)
  expect(await (await fetch(`${service.url}/tournaments`)).text()).not.toContain('Woken')
  expect((await refresh()).status).toBe(202)
  await until(async () =>
    (await (await fetch(`${service.url}/tournaments`)).text()).includes('Woken'),
  )
  await until(async () => (await connections()) === 0)
  expect((await (await fetch(`${service.url}/health`)).json()) as unknown).toMatchObject({
    status: 'ok',
    follows: 'timer',
  })
  await stopService(service)
  await pool.end()
  await database.drop()
})

test('a database that comes seconds late is served then, whatever REFRESH_MS', async () => {
  const server = await startServer()
  const database = await freshDatabase(server.url)
  await insertRows(database.adminUrl, smallLeague)
  await server.stop()
  const port = freePort()
  const service = await spawnService({
    DATABASE_URL: database.readerUrl,
    PORT: String(port),
    ...hourly,
  })
  const ready = async () =>
    (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status
  await until(async () => (await ready()) === 503)
  await Bun.sleep(2000)
  await server.start()
  await until(async () => (await ready()) === 200, 15_000)
  // The notifications work too.
  await administer(database.adminUrl, `UPDATE cageside.tournaments SET name = 'Late'`)
  await until(async () =>
    (await (await fetch(`http://127.0.0.1:${port}/tournaments`)).text()).includes('Late'),
  )
  service.kill()
  await service.exited
  await server.stop()
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { insertLeague } from '../../scripts/load.ts'
import { administer, freshDatabase, type TestDatabase } from '../postgres.ts'
import { type Running, startService, stopService } from '../process.ts'
import { sampleLeague } from '../smallLeague.ts'
import { until } from '../until.ts'
import { startPgbouncer } from './startPgbouncer.ts'

/** The service behind Debian's pgbouncer in transaction mode, with fewer connections than clients. */
describe('pgbouncer in transaction mode', () => {
  let database: TestDatabase
  let bouncer: Bun.Subprocess
  let pooledUrl: string

  beforeAll(async () => {
    database = await freshDatabase()
    await insertLeague(database.adminUrl, sampleLeague)
    const { hostname, port, pathname, username, password } = new URL(database.readerUrl)
    const reader = { name: username, password: decodeURIComponent(password) }
    const server = `host=${hostname} port=${port}`
    const limits = ['default_pool_size = 3', 'max_client_conn = 100']
    const started = await startPgbouncer(server, reader, ...limits)
    bouncer = started.process
    const pooled = new URL(database.readerUrl)
    pooled.port = String(started.port)
    pooled.pathname = pathname
    pooledUrl = pooled.href
    const isUp = () =>
      administer(pooledUrl, 'SELECT 1').then(
        () => true,
        () => false,
      )
    await until(isUp)
  })
  afterAll(async () => {
    bouncer?.kill()
    await bouncer?.exited
    await database.drop()
  })

  const textAt = async (url: string): Promise<string> => (await fetch(url)).text()

  /** Number of failed refreshes while several processes share the connections of the pool. */
  const failedLooks = async (settings: Readonly<Record<string, string>>): Promise<number> => {
    const running: Running[] = await Promise.all(
      Array.from({ length: 3 }, () =>
        startService({ DATABASE_URL: pooledUrl, REFRESH_MS: '100', ...settings }),
      ),
    )
    let failed = 0
    for (let n = 0; n < 15; n += 1) {
      await administer(database.adminUrl, `UPDATE cageside.tournaments SET name = 'Name ${n}'`)
      await Bun.sleep(100)
      for (const { url } of running) {
        if (!(await textAt(`${url}/health`)).includes('"status":"ok"')) failed += 1
      }
    }
    for (const { url } of running)
      await until(async () => (await textAt(`${url}/tournaments`)).includes('"Name 14"'))
    for (const each of running) expect(await stopService(each)).toBe(0)
    return failed
  }

  test('the service works behind pgbouncer with PGBOUNCER=1', async () => {
    expect(await failedLooks({ PGBOUNCER: '1' })).toBe(0)
  })
})

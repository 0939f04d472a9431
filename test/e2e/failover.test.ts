import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from '../../src/data/source/connection.ts'
import { followDatabase, openDatabase } from '../leagueDatabase.ts'
import { until } from '../until.ts'
import { openRelay } from './relay.ts'

const { database, admin } = await openDatabase()
const relay = openRelay(database.readerUrl)
afterAll(relay.close)

/** The relay first, then the server itself. */
const bothHosts = (): string => {
  const { host } = new URL(database.readerUrl)
  return database.readerUrl.replace(host, `127.0.0.1:${relay.port},${host}`)
}

describe('failover from the first of two hosts', () => {
  test('two simultaneous transactions move to the second host', async () => {
    const source = connect(bothHosts(), { deadlineMs: 20_000 })
    await source.transaction((query) => query('SELECT 1'))
    expect(source.address()).toInclude(`:${relay.port}/`)
    let tries = 0
    const pid = () =>
      source.transaction(async (query) => {
        tries += 1
        const [[found] = []] = await query('SELECT pg_backend_pid()')
        if (tries === 2) relay.cut()
        await query('SELECT pg_sleep(0.2)')
        return found
      })
    const found = await Promise.all([pid(), pid()])
    expect(found.every((each) => typeof each === 'number')).toBe(true)
    expect(tries).toBe(4)
    expect(source.address()).not.toInclude(`:${relay.port}/`)
    await source.close()
    relay.mend()
  })

  test('a read that continues after its connection was lost does not affect the pool of others', async () => {
    const source = connect(bothHosts(), { deadlineMs: 20_000 })
    const moved = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const reading = source.transaction(async (query) => {
      await query('SELECT 1')
      begun.resolve()
      await moved.promise
      await query('SELECT 1')
    })
    await begun.promise
    relay.cut()
    await source.transaction((query) => query('SELECT 1'))
    moved.resolve()
    await reading
    await source.close()
    const left = () => admin`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND usename <> current_user`
    await until(async () => (await left()).length === 0)
    relay.mend()
  })

  test('notifications are received from the second host', async () => {
    await using service = await followDatabase(bothHosts(), { refreshMs: 50, deadlineMs: 2000 })
    await until(() => service.status().follows === 'notifications')
    const listeningPort = async (): Promise<number | undefined> => {
      const [row] = await admin`SELECT client_port FROM pg_stat_activity
        WHERE datname = current_database() AND query ILIKE 'LISTEN%'`
      return row?.client_port
    }
    const before = await listeningPort()
    // The listener's connection stays open: nothing tells it that the server is lost.
    relay.cutOthers(before ?? 0)
    await until(async () => {
      const port = await listeningPort()
      return port !== undefined && port !== before && !relay.ports().includes(port)
    })
    await until(() => service.status().follows === 'notifications')
    relay.mend()
  })
})

test('a closed source runs no transaction, and opens no connection again', async () => {
  const source = connect(bothHosts(), { deadlineMs: 5000 })
  const started = Promise.withResolvers<void>()
  let runs = 0
  const reading = source.transaction(async (query) => {
    runs += 1
    await query('SELECT 1')
    started.resolve()
    await query('SELECT pg_sleep(3)')
  })
  const outcome = reading.then(() => 'done', String)
  await started.promise
  await source.close()
  expect(await outcome).not.toBe('done')
  expect(runs).toBe(1)
  expect(await source.transaction(async () => 'done').catch(String)).toInclude('closed')
})

import { afterAll, beforeAll, expect, jest, setDefaultTimeout, test } from 'bun:test'
import { createChanges } from '../../src/companions/changes/changes.ts'
import type { PostgresOptions } from '../../src/data/following/fromPostgres.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { openListener } from '../../src/data/source/listener.ts'
import { appOf, get } from '../fixtures.ts'
import { type Follower, followDatabase } from '../leagueDatabase.ts'
import {
  administer,
  freshDatabase,
  type OwnServer,
  startServer,
  type TestDatabase,
} from '../postgres.ts'
import { projectFolder, runToEnd } from '../process.ts'
import { until } from '../until.ts'
import { openRelay } from './relay.ts'

setDefaultTimeout(60_000)

let server: OwnServer
let database: TestDatabase
beforeAll(async () => {
  server = await startServer()
  database = await freshDatabase(server.url)
}, 60_000)
afterAll(() => server.stop())

const addTournament = (id: string, privacy = 'public') =>
  `INSERT INTO cageside.tournaments VALUES ('${id}', '${id}', now(), NULL, NULL, NULL, now(), 30, true,
   false, false, '${privacy}', 'single_elimination', 'points', '{KO}', 1, '1')`

/** A service whose refreshes follow only notifications after the first. */
const open = (settings: Partial<PostgresOptions> = {}) =>
  followDatabase(database.readerUrl, { refreshMs: 3_600_000, ...settings })
const follows = async (service: Follower): Promise<string> =>
  (await get(appOf(service), '/health')).body.follows

const loseConnection = () =>
  administer(
    database.adminUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'LISTEN%'`,
  )

test('a transaction notifies once, whatever it writes, and a rolled back one never', async () => {
  let notified = 0
  const lost: string[] = []
  const listener = openListener(() => database.readerUrl, {
    onNotify: () => {
      notified += 1
    },
    onLost: (reason) => lost.push(reason),
  })
  await until(listener.isListening)
  // The URL is the same, so the connection stays.
  listener.checkAddress()
  notified = 0
  const pool = openPool(database.adminUrl, { max: 1, connectSeconds: 5 })
  await pool.unsafe(`BEGIN; ${addTournament('one')}; ${addTournament('two')};
    UPDATE cageside.tournaments SET name = 'Other' WHERE id = 'one';
    INSERT INTO cageside.players VALUES ('one', 'p', 'Axe', 1, false, false, '1'); COMMIT`)
  await pool.unsafe(`BEGIN; ${addTournament('three')}; ROLLBACK`)
  await pool.unsafe(`DELETE FROM cageside.tournaments WHERE id = 'two'`)
  await pool.unsafe('TRUNCATE cageside.cage_queue')
  await until(() => notified >= 3)
  await Bun.sleep(200)
  expect(notified).toBe(3)
  await pool.end({ timeout: 1 })
  expect(lost).toEqual([])
  await loseConnection()
  await until(() => notified === 4 && listener.isListening())
  expect(lost).toEqual(['the connection was lost'])
  await listener.close()
  expect(lost).toHaveLength(1)
})

test('the delays between attempts start over after a connection that has listened', async () => {
  const relay = openRelay(database.readerUrl)
  relay.cut()
  const triedMs: number[] = []
  const address = () => {
    triedMs.push(performance.now())
    return relay.url
  }
  const listener = openListener(address, { onNotify: () => undefined, onLost: () => undefined })
  await until(() => triedMs.length === 4)
  relay.mend()
  await until(listener.isListening)
  const tries = triedMs.length
  const [before = 0, last = 0] = triedMs.slice(-2)
  const lostMs = performance.now()
  relay.cut()
  await until(() => triedMs.length > tries)
  // The delay is 250 ms again; without a reset it would be 2 s.
  expect(Number(triedMs[tries]) - lostMs).toBeLessThan(last - before)
  await listener.close()
  relay.close()
})

test('a silent connection is asked every 20 s, and lost after 5 s without an answer', async () => {
  const relay = openRelay(database.readerUrl)
  const lost: string[] = []
  jest.useFakeTimers()
  try {
    const listener = openListener(() => relay.url, {
      onNotify: () => undefined,
      onLost: (reason) => lost.push(reason),
    })
    const pass = async (ms: number): Promise<void> => {
      jest.advanceTimersByTime(ms)
      // The network needs real time.
      Bun.sleepSync(1)
      await new Promise((resolve) => setImmediate(resolve))
    }
    while (!listener.isListening()) await pass(1)
    relay.hang()
    await pass(20_000)
    await pass(4999)
    expect(lost).toEqual([])
    await pass(1)
    expect(lost).toEqual(['the connection was lost'])
    let isClosed = false
    void listener.close().then(() => {
      isClosed = true
    })
    while (!isClosed) await pass(1)
  } finally {
    jest.useRealTimers()
    relay.close()
  }
})

test('a closed listener does not keep its process running', async () => {
  const code = `
    import { openListener } from './src/data/source/listener.ts'
    const onNotify = () => void listener.close()
    const listener = openListener(() => '${database.readerUrl}', { onNotify, onLost: console.error })`
  expect(await runToEnd([process.execPath, '-e', code], { cwd: projectFolder })).toEqual({
    code: 0,
    output: '',
    errors: '',
  })
})

test('a commit is seen at once, without the timer', async () => {
  await using service = await open()
  await until(async () => (await follows(service)) === 'notifications')
  for (const id of ['a', 'b', 'c']) {
    await administer(database.adminUrl, addTournament(id))
    await until(() => service.archive()?.dataset.tournamentsByID.has(id) === true)
  }
})

test('a commit reaches a long poll and an open stream within half a second', async () => {
  const changes = createChanges()
  await using service = await open({ changes: changes.feed })
  await until(async () => (await follows(service)) === 'notifications')
  const app = appOf(service, { changes })
  const stream = await app(new Request('http://localhost/changes/stream'), '192.0.2.1')
  let streamed = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of stream.body ?? []) streamed += decoder.decode(bytes)
  })()
  let { cursor } = (await get(app, '/changes')).body
  const tookMs: { waiting: number[]; stream: number[] } = { waiting: [], stream: [] }
  for (const id of ['q1', 'q2', 'q3', 'q4', 'q5']) {
    const waiting = get(app, `/changes?since=${cursor}&wait=20`)
    const statement = addTournament(id)
    const started = performance.now()
    await administer(database.adminUrl, statement)
    ;({ cursor } = (await waiting).body)
    tookMs.waiting.push(performance.now() - started)
    await until(() => streamed.includes(`"tournamentID":"${id}"`))
    tookMs.stream.push(performance.now() - started)
  }
  changes.streams.stop()
  await reading
  // The fastest of five counts, as the machine may be busy; half of it is the connection of this test.
  expect(Math.min(...tookMs.waiting)).toBeLessThan(500)
  expect(Math.min(...tookMs.stream)).toBeLessThan(500)
})

test('the timer works without notifications, and /health says so', async () => {
  await using service = await open({ throughPooler: true, refreshMs: 100 })
  await administer(database.adminUrl, addTournament('d'))
  await until(() => service.archive()?.dataset.tournamentsByID.has('d') === true)
  expect(await follows(service)).toBe('timer')
})

test('a lost listening connection is opened again', async () => {
  await using service = await open()
  await until(async () => (await follows(service)) === 'notifications')
  await loseConnection()
  await administer(database.adminUrl, addTournament('e'))
  await until(() => service.archive()?.dataset.tournamentsByID.has('e') === true)
  await server.stop()
  await until(async () => (await follows(service)) === 'timer')
  await server.start()
  await until(async () => (await follows(service)) === 'notifications')
  await administer(database.adminUrl, addTournament('f'))
  await until(() => service.archive()?.dataset.tournamentsByID.has('f') === true)
}, 120_000)

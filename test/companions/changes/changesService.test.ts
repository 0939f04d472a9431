import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { connect as connectTCP, type Socket } from 'node:net'
import { join } from 'node:path'
import { openChanges } from '../../../src/companions/changes/changes.ts'
import type { ChangeEvent } from '../../../src/companions/changes/schema.ts'
import { openPostgres } from '../../../src/data/following/fromPostgres.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { archiveAt, archiveIn, disorder, followChanges, stateAfter } from '../../changeReader.ts'
import { comparable, type State, stateOf } from '../../changes.ts'
import { appOf, get } from '../../fixtures.ts'
import { openDatabase } from '../../leagueDatabase.ts'
import { oneFight } from '../../oneFight.ts'
import { operationsOn } from '../../operations.ts'
import { present } from '../../present.ts'
import { type Running, startService, stopService, temporaryFolder } from '../../process.ts'
import { runs } from '../../runs.ts'
import { allAddressSettings } from '../../site.ts'
import { sampleLeague as generated } from '../../smallLeague.ts'
import { until } from '../../until.ts'

setDefaultTimeout(120_000)

const kills = runs(4)

const { capturedAt } = generated
const league = (() => {
  const newest = generated.tournaments
    .toSorted((a, b) => b.tournament.createTime - a.tournament.createTime)
    .slice(0, 5)
  const ids = new Set(newest.map(({ tournament }) => tournament.id))
  return {
    tournaments: newest,
    cages: [...generated.cages].filter((row) => ids.has(row.tournamentId ?? '')),
    cageQueue: [...generated.cageQueue].filter((row) => ids.has(row.tournamentId)),
  }
})()

const { database, admin, source } = await openDatabase(league)

const operations = operationsOn(capturedAt)
let random = 12_345
const next = (below: number): number => {
  random = (random * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((random / 2 ** 31) * below)
}
/** Statements that remove nothing, and leave players and rounds unchanged, so that no cursor is lost. */
const harmless = operations.filter((statement) =>
  /^UPDATE cageside\.(games SET (cage|notice|stop_time|scheduled)|slots|recordings SET http|judge_lines|tournaments SET (name|active)|clips SET views|stills SET is_hero|cages SET (status|update))/.test(
    statement(1),
  ),
)
/** Some random statements, each committed by itself. */
const write = async (count: number, of = operations): Promise<void> => {
  for (let each = 0; each < count; each += 1) {
    const statement = of[next(of.length)]?.(next(5000)) ?? ''
    // The statement is refused by a key.
    await admin.unsafe(statement).catch(() => undefined)
  }
}
/** A tournament that every follower sees and no random change removes. */
const writeLast = async (name: string, count = 1, letters = name.length): Promise<void> => {
  await admin`INSERT INTO cageside.tournaments
    SELECT concat(${name}::text, nullif(number, 1)), rpad(${name}, ${letters}::int, 'x'), now(), NULL, NULL, NULL,
    now(), 30, false, false, false, 'public', 'single_elimination', 'points', '{KO}', 1, '1'
    FROM generate_series(1, ${count}::int) number`
}
const isLast = (name: string) => (change: ChangeEvent) =>
  change.type === 'tournament.added' && change.tournamentID === name

const expectSame = (reached: State, end: State): void => {
  const bots = new Map([...end.bots].filter(([name]) => reached.bots.has(name)))
  const none = { ...end, bots: new Map() }
  expect(comparable(reached, none)).toEqual(comparable({ ...end, bots }, none))
}

describe('the feed of a Postgres that changes', () => {
  test('the feed leads from any cursor to the state at the end, over restarts', async () => {
    const dataDir = await temporaryFolder()
    const log = createLog('silent')
    const open = () => {
      const limits = { maxStreams: 10, maxStreamsPerClient: 10 }
      const changes = openChanges(
        {
          basePath: '',
          publicUrl: undefined,
          pages: true,
          dataDir,
          changeLogBytes: 10_000_000,
          ...limits,
        },
        { log },
      )
      const service = openPostgres(database.readerUrl, {
        refreshMs: 50,
        saveEveryMs: 300,
        dataDir,
        log,
        changes: changes.feed,
      })
      return { changes, service, app: appOf(service, { changes }) }
    }
    const at: { cursor: string; state: State }[] = []
    let { changes, service, app } = open()
    await changes.feed.ready
    const lossless = 7
    for (let round = 0; round < 12; round += 1) {
      const statements = round < lossless ? operations : harmless
      // The archive and its cursor at a moment without changes.
      let version = ''
      await until(async () => {
        const before = version
        version = service.archive()?.version ?? ''
        await Bun.sleep(150)
        return version !== '' && before === version
      })
      const state = stateOf(present(service.archive()))
      at.push({ cursor: (await get(app, '/changes')).body.cursor, state })
      await write(6, statements)
      if (round % 4 === 3) {
        await service.stop()
        await changes.feed.stop()
        await write(4, statements)
        ;({ changes, service, app } = open())
        await changes.feed.ready
      }
    }
    await writeLast('state-at-end')
    await until(() => service.archive()?.dataset.tournamentsByID.has('state-at-end') === true)
    const last = await archiveIn(source)
    await until(() => service.archive()?.version === last.version)
    const end = stateOf(last)
    for (const [round, { cursor, state }] of at.entries()) {
      const told: ChangeEvent[] = []
      let since = cursor
      for (;;) {
        const { status, body } = await get(app, `/changes?since=${since}&limit=37`)
        // Something was removed after it.
        if (status === 410 && round <= lossless) break
        expect(status).toBe(200)
        told.push(...body.changes)
        since = body.cursor
        if (body.more) continue
        expect(disorder(told)).toEqual([])
        expectSame(stateAfter(state, told, last), end)
        break
      }
    }
    changes.streams.stop()
    await service.stop()
    await changes.feed.stop()
  })

  test(
    'the feed loses and doubles nothing over kills at random times',
    async () => {
      const dataDir = await temporaryFolder()
      const settings = { DATABASE_URL: database.readerUrl, DATA_DIR: dataDir, REFRESH_MS: '100' }
      let running: Running = await startService(settings)
      let begin = await archiveIn(source)
      // biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
      const first = async (): Promise<any> => (await fetch(`${running.url}/changes`)).json()
      await until(async () => (await fetch(`${running.url}/changes`)).status === 200)
      const { cursor } = await first()
      // A process that is killed before its first save leaves no archive to continue from.
      await until(() => Bun.file(join(dataDir, 'last-good.cageside')).exists())
      const reload = async (): Promise<void> => {
        begin = await archiveAt(running.url)
      }
      const follower = followChanges(
        () => running.url,
        cursor,
        (address, signal) => fetch(address, { signal }),
        reload,
      )
      let isWriting = true
      let statements: typeof operations = harmless
      const writing = (async () => {
        while (isWriting) {
          await write(1, statements)
          await Bun.sleep(next(40))
        }
      })()
      for (let kill = 0; kill < kills; kill += 1) {
        await Bun.sleep(100 + next(800))
        running.process.kill('SIGKILL')
        await running.process.exited
        running = await startService({ ...settings, ...(kill % 2 === 0 && allAddressSettings) })
        if (kill === Math.floor(kills / 2)) {
          expect(follower.problems).toEqual([])
          statements = operations
        }
      }
      isWriting = false
      await writing
      await writeLast('after-kills')
      await until(() => follower.changes.some(isLast('after-kills')))
      await follower.stop()
      expect(disorder(follower.changes)).toEqual([])
      const last = await archiveIn(source)
      expectSame(stateAfter(stateOf(begin), follower.changes, last), stateOf(last))
      running.process.kill('SIGTERM')
      expect(await running.process.exited).toBe(0)
    },
    30_000 + kills * 12_000,
  )

  test('a hidden tournament leaves memory and files with all before it, even over a restart', async () => {
    const dataDir = await temporaryFolder()
    const settings = { DATABASE_URL: database.readerUrl, DATA_DIR: dataDir, REFRESH_MS: '100' }
    let running = await startService(settings)
    const read = async (since: string) => {
      const response = await fetch(`${running.url}/changes?since=${since}&limit=1000`)
      const text = await response.text()
      return { status: response.status, text, cursor: JSON.parse(text).cursor }
    }
    await until(async () => (await read('')).status === 200)
    const { cursor } = await read('')
    const secret = 'zz-secret-cup'
    await writeLast(secret)
    await admin`INSERT INTO cageside.players VALUES (${secret}, 'p', 'Zzsecret Axe', 1, false, false, '1')`
    await until(async () => (await read(cursor)).text.includes('zzsecretaxe'))
    const logged = async (): Promise<string> => {
      const folder = join(dataDir, 'changes')
      const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'))
      // The service may remove one meanwhile.
      const gone = (error: NodeJS.ErrnoException): string => {
        if (error.code === 'ENOENT') return ''
        throw error
      }
      const texts = names.map((name) => Bun.file(join(folder, name)).text().catch(gone))
      return (await Promise.all(texts)).join('')
    }
    expect(await logged()).toContain('zzsecretaxe')
    const live = (await read('')).cursor
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = ${secret}`
    await until(async () => (await read(live)).text.includes('tournament.removed'))
    expect((await read(cursor)).status).toBe(410)
    expect(await logged()).not.toContain('zzsecretaxe')

    // The tournament is hidden while nobody serves it.
    await admin`UPDATE cageside.tournaments SET privacy = 'public' WHERE id = ${secret}`
    await until(async () => (await read(live)).text.includes('zzsecretaxe'))
    running.process.kill('SIGKILL')
    await running.process.exited
    await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = ${secret}`
    running = await startService(settings)
    await until(async () => (await read('')).status === 200)
    expect((await read(live)).status).toBe(410)
    await until(async () => !(await logged()).includes('zzsecretaxe'))
    running.process.kill('SIGTERM')
    expect(await running.process.exited).toBe(0)
  })

  test('a start without the database gives what was published before', async () => {
    const dataDir = await temporaryFolder()
    const settings = { DATABASE_URL: database.readerUrl, DATA_DIR: dataDir, REFRESH_MS: '100' }
    const first = await startService(settings)
    const read = async ({ url }: Running, since: string) => {
      const response = await fetch(`${url}/changes?since=${since}`)
      return { status: response.status, text: await response.text() }
    }
    await until(async () => (await read(first, '')).status === 200)
    const { cursor } = JSON.parse((await read(first, '')).text)
    await writeLast('before-the-outage')
    await until(async () => (await read(first, cursor)).text.includes('before-the-outage'))
    expect(await stopService(first)).toBe(0)
    const nowhere = 'postgres://nobody@127.0.0.1:1/nowhere'
    const second = await startService({ ...settings, DATABASE_URL: nowhere })
    await until(async () => (await read(second, '')).status === 200)
    expect(await read(second, cursor)).toMatchObject({
      status: 200,
      text: expect.stringContaining('before-the-outage'),
    })
    expect(await stopService(second)).toBe(0)
  })

  test('the log has a new file at a quarter of CHANGE_LOG_BYTES', async () => {
    const dataDir = await temporaryFolder()
    const running = await startService({
      ...{ DATABASE_URL: database.readerUrl, DATA_DIR: dataDir, REFRESH_MS: '100' },
      CHANGE_LOG_BYTES: '1000000',
    })
    const state = async () => {
      const response = await fetch(`${running.url}/changes`)
      return response.ok ? Object(await response.json()).cursor : undefined
    }
    await until(async () => (await state()) !== undefined)
    for (const name of ['many-a', 'many-b']) {
      const before = await state()
      await writeLast(name, 80, 4000)
      await until(async () => (await state()) !== before)
    }
    const names = (await readdir(join(dataDir, 'changes'))).filter((name) => /ndjson$/.test(name))
    expect(names).toHaveLength(2)
    expect(await stopService(running)).toBe(0)
  })
})

test('one client that opens thousands of streams takes its share, and others notice nothing', async () => {
  const service = await startService({ SNAPSHOT: await oneFight() })
  const { hostname, port } = new URL(service.url.replace('localhost', '127.0.0.1'))
  const statuses = new Map<string, number>()
  const sockets: Socket[] = []
  const open = async (localAddress: string): Promise<string> => {
    const status = Promise.withResolvers<string>()
    const socket = connectTCP({ host: hostname, port: Number(port), localAddress })
    sockets.push(socket)
    socket.once('data', (bytes) => status.resolve(bytes.toString('latin1', 9, 12)))
    socket.once('error', status.reject)
    socket.write('GET /changes/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return status.promise
  }
  for (let opened = 0; opened < 3000; opened += 250) {
    for (const status of await Promise.all(Array.from({ length: 250 }, () => open('127.0.0.2')))) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  expect([...statuses].sort()).toEqual([
    ['200', 100],
    ['503', 2900],
  ])
  expect(await open('127.0.0.3')).toBe('200')
  expect((await fetch(`${service.url}/cages`)).status).toBe(200)
  // All places are given back.
  for (const socket of sockets) socket.destroy()
  await until(async () => (await open('127.0.0.2')) === '200')
  expect(await stopService(service)).toBe(0)
})

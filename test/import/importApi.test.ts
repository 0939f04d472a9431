import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createMemory, memoryOf } from '../../scripts/import/api/fromSnapshot.ts'
import { importApi } from '../../scripts/import/api/importApi.ts'
import { createRemote, RemoteError } from '../../scripts/import/remote/remote.ts'
import { repeatImport } from '../../scripts/import/repeat.ts'
import { createRun, type ImportRun } from '../../scripts/import/run.ts'
import { openPostgresTarget } from '../../scripts/import/target/postgresTarget.ts'
import type { Target } from '../../scripts/import/target/target.ts'
import { migrate } from '../../scripts/migrate.ts'
import { silentProgress } from '../../scripts/progress.ts'
import type { App } from '../../src/app.ts'
import type { Archive } from '../../src/data/archive/archive.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { packTournament, readSnapshot } from '../../src/data/source/snapshot.ts'
import { bodyAt } from '../addresses.ts'
import { someAddressesOf } from '../everyAddress.ts'
import { appOf, archiveWithCages, serviceOf } from '../fixtures.ts'
import { followDatabase, openDatabase } from '../leagueDatabase.ts'
import { freshDatabase } from '../postgres.ts'
import { present } from '../present.ts'
import { projectFolder } from '../process.ts'
import { cageRow, fightRows, recordingRow, tournamentOf } from '../rows.ts'
import { runs } from '../runs.ts'
import { sampleLeague as whole } from '../smallLeague.ts'
import { until } from '../until.ts'
import { importHere, newFile, ofNoSource, reading } from './imports.ts'

const names = [
  'c902a978b85e7bd1',
  'cageside-2026-01-12lb',
  'cg_feb26_3lb_freestyle',
  'cg_feb26_30lb',
  '30ffa53072bfab19',
  'cg_mar26_12lb',
]
const league = [...whole.tournaments]
  .filter(({ tournament }) => names.includes(tournament.id))
  .map((rows) => ({ ...rows, tournament: { ...rows.tournament, source: 'folder' } }))
const { capturedAt, cages, cageQueue } = whole
const archiveOf = (rows: readonly TournamentRows[]): Archive =>
  archiveWithCages({ cages, cageQueue }, ...rows)
const original = archiveOf(league)
const appAt = (archive: Archive): App => appOf(serviceOf(archive, capturedAt))

/** A server of an app that can fail, and its list of requests. */
const serve = (app: App) => {
  const asked: { path: string; status: number; at: number }[] = []
  let inFlight = 0
  let maxInFlight = 0
  const state = {
    app,
    /** Gives the answer to a request instead of the app. */
    instead: (_path: string, _index: number): Response | undefined => undefined,
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      inFlight += 1
      maxInFlight = Math.max(maxInFlight, inFlight)
      const { pathname, search } = new URL(request.url)
      const path = pathname + search
      const index = asked.length
      const entry = { path, status: 0, at: performance.now() }
      asked.push(entry)
      const response =
        state.instead(path, index) ??
        (await state.app(new Request(`http://localhost${path}`, { headers: request.headers })))
      entry.status = response.status
      inFlight -= 1
      return response
    },
  })
  return {
    state,
    asked,
    maxInFlight: () => maxInFlight,
    base: `http://127.0.0.1:${server.port}`,
    stop: () => server.stop(true),
  }
}
type Served = ReturnType<typeof serve>

/** A body that ends before its announced length. */
const cutBody = (): Response =>
  new Response('{"fights":[{"id":"W-0","tourn', { headers: { 'Content-Type': 'application/json' } })

/** 5 % errors, 2 % cut bodies and 2 % refusals, the same in each run. */
const faults = (path: string, index: number): Response | undefined => {
  if (path === '/snapshot') return new Response('', { status: 404 })
  const drawn = Number(Bun.hash.xxHash64(String(index)) % 100n)
  if (drawn < 5) return new Response('out of order', { status: 500 })
  if (drawn < 7) return cutBody()
  if (drawn >= 9) return undefined
  return new Response('{}', { status: 429, headers: { 'Retry-After': '0' } })
}

interface Options {
  readonly prune?: boolean
  readonly memory?: ReturnType<typeof createMemory>
  /** Reads the snapshot of the server, if it has one. */
  readonly asSnapshot?: boolean
  /** Receives the notes of the import. */
  readonly notes?: string[]
}

/** Imports the served league into a target. */
const importFrom = async (
  served: Served,
  open: () => Promise<Target>,
  { prune = false, memory = createMemory(), asSnapshot = false, notes = [] }: Options = {},
): Promise<ImportRun['result']> => {
  const target = await open()
  const run = createRun({
    target,
    prune,
    progress: { ...silentProgress, note: (text) => void notes.push(text) },
  })
  const remote = createRemote({ base: served.base, rate: 100_000, retryMs: 1 })
  try {
    await importApi(run, {
      remote,
      legacy: '/legacy',
      ...(asSnapshot && {
        snapshot: {
          address: new URL(`${served.base}/snapshot`),
          headers: { 'X-API-Key': 'copy' },
          signal: AbortSignal.timeout(60_000),
          memory,
          retryMs: 1,
        },
      }),
    })
    await target.close()
  } catch (error) {
    await target.abandon()
    throw error
  }
  return run.result
}

let turn = 0
/** URLs whose answers differ, some of every route, others at each call. */
const differences = async (one: App, other: App, archive: Archive): Promise<string[]> => {
  const found: string[] = []
  turn += 1
  for (const path of someAddressesOf(archive, 40, turn)) {
    // The answer names the version of the data, which depends on hidden rows.
    if (path === '/bulk/README.md') continue
    if ((await bodyAt(one, path)) !== (await bodyAt(other, path))) found.push(path)
  }
  return found
}

const { database, admin } = await openDatabase()

describe('an import from the API', () => {
  let writerUrl: string
  const served = serve(appAt(original))

  const highestStamp = async (): Promise<string> => {
    const stamps = await admin.unsafe<{ stamp: string }[]>(
      ['tournaments', 'players', 'games', 'slots', 'recordings', 'clips', 'stills', 'cages']
        .map((table) => `SELECT max(row_xid)::text AS stamp FROM cageside.${table}`)
        .join(' UNION ALL '),
    )
    return stamps.map(({ stamp }) => stamp).join()
  }
  const toDatabase = () => openPostgresTarget(writerUrl)
  /** The app over the present contents of the database. */
  const withCopy = async <T>(use: (app: App, archive: Archive) => Promise<T>): Promise<T> => {
    await using copy = await followDatabase(database.readerUrl, { refreshMs: 1000 })
    return await use(appOf({ ...copy, now: () => capturedAt }), present(copy.archive()))
  }

  beforeAll(async () => {
    const name = `writer${new URL(database.adminUrl).pathname.slice(1)}`
    await migrate(database.adminUrl, { writer: { name, password: 'writes' } })
    const url = new URL(database.adminUrl)
    url.username = name
    url.password = 'writes'
    writerUrl = url.href
  })
  afterAll(() => served.stop())

  test('an API import copies the league, through errors and a kill', async () => {
    served.state.instead = faults
    const start = () =>
      Bun.spawn(
        [
          process.execPath,
          'scripts/import.ts',
          'api',
          served.base,
          ...['--rate', '100000', '--database-url', writerUrl],
        ],
        { cwd: projectFolder, stdout: 'pipe', stderr: 'pipe' },
      )
    const killed = start()
    await until(() => served.asked.length > 150)
    killed.kill('SIGKILL')
    await killed.exited
    const again = start()
    const printed = await new Response(again.stdout).text()
    expect([await again.exited, await new Response(again.stderr).text()]).toEqual([0, ''])
    expect(printed).toContain('tournaments changed')
    expect(printed).not.toContain('Not imported')
    expect(served.maxInFlight()).toBeLessThanOrEqual(4)
    expect(await withCopy((copy) => differences(appAt(original), copy, original))).toEqual([])
  }, 60_000)

  test('an API import writes nothing if nothing changed', async () => {
    served.state.instead = () => undefined
    const stamp = await highestStamp()
    const result = await importFrom(served, toDatabase)
    expect(result).toMatchObject({ changed: 0, unchanged: names.length, problems: [] })
    expect(result.changes).toEqual({ inserted: 0, updated: 0, deleted: 0 })
    expect(await highestStamp()).toBe(stamp)
  })

  test('an API import follows changes, and removes missing rows only with prune', async () => {
    const tokens = league
      .slice(1)
      .flatMap(({ stills }) => stills.slice(1))
      .map(({ token }) => token)
    // The first still moves between tournaments.
    const nextToken = new Map(tokens.map((token, index) => [token, tokens.at(index - 1) ?? '']))
    const changed = league.slice(1).map((rows) => ({
      ...rows,
      players: rows.players.map((row) => ({ ...row, name: `${row.name} II` })),
      recordings: rows.recordings.slice(5),
      clips: rows.clips.slice(1),
      stills: rows.stills
        .slice(1)
        .map((still) => ({ ...still, token: nextToken.get(still.token) ?? '' })),
      stillTags: rows.stillTags.filter(({ stillId }) => stillId !== rows.stills[0]?.id),
      judgeLines: rows.judgeLines.slice(1),
    }))
    const now = archiveOf(changed)
    served.state.app = appAt(now)
    const kept = await importFrom(served, toDatabase)
    expect(kept).toMatchObject({ changed: names.length - 1, removed: 0, problems: [] })
    await withCopy(async (_, { dataset, clips, stills }) => {
      expect(dataset.tournaments).toHaveLength(names.length)
      expect(clips.newestFirst).toHaveLength(original.clips.newestFirst.length)
      expect(stills.newestFirst).toHaveLength(original.stills.newestFirst.length)
      const [player] = dataset.tournamentsByID.get('cg_feb26_30lb')?.players ?? []
      expect(player?.player.name).toEndWith(' II')
    })
    const pruned = await importFrom(served, toDatabase, { prune: true })
    expect(pruned).toMatchObject({ removed: 1, problems: [] })
    expect(await withCopy((copy) => differences(appAt(now), copy, now))).toEqual([])
  }, 60_000)

  test('an API import leaves a tournament unchanged while a part of it fails', async () => {
    served.state.app = appAt(original)
    served.state.instead = (path) =>
      /^\/tournaments\/(c902a978b85e7bd1\/brackets|cg_feb26_30lb\/fights\/)/.test(path)
        ? new Response('down', { status: 503 })
        : undefined
    const result = await importFrom(served, toDatabase, { prune: true })
    served.state.instead = () => undefined
    expect(result.problems.map(({ where }) => where)).toContain(
      '/tournaments/c902a978b85e7bd1/brackets',
    )
    expect(new Set(result.problems.map(({ reason }) => reason))).toEqual(
      new Set(['the server answered 503']),
    )
    await withCopy(async (_, { dataset }) => {
      expect(dataset.tournamentsByID.has('c902a978b85e7bd1')).toBe(false)
      // A fight without details keeps its recordings.
      const fights = dataset.tournamentsByID.get('cg_feb26_30lb')?.fights ?? []
      expect(fights.reduce((sum, { recordings }) => sum + recordings.length, 0)).toBe(
        (league.find(({ tournament }) => tournament.id === 'cg_feb26_30lb')?.recordings.length ??
          0) - 5,
      )
    })
    expect((await importFrom(served, toDatabase, { prune: true })).problems).toEqual([])
    expect(await withCopy((copy) => differences(appAt(original), copy, original))).toEqual([])
  }, 60_000)

  test('an API import reads the snapshot of a server that has one', async () => {
    const before = served.asked.length
    const options = { asSnapshot: true, memory: createMemory() }
    expect(await importFrom(served, toDatabase, options)).toMatchObject({ problems: [] })
    expect(await importFrom(served, toDatabase, options)).toMatchObject({ changed: 0 })
    const asked = served.asked.slice(before).map(({ path, status }) => `${path} ${status}`)
    expect([...new Set(asked)]).toEqual(['/snapshot 206', '/snapshot 304'])
    expect(await withCopy((copy) => differences(appAt(original), copy, original))).toEqual([])
  }, 60_000)

  test('an API import can run several times at once into one database', async () => {
    const empty = await freshDatabase()
    const results = await Promise.all(
      [1, 2, 3].map(() =>
        importFrom(served, () => openPostgresTarget(empty.adminUrl), { asSnapshot: true }),
      ),
    )
    expect(results.flatMap(({ problems }) => problems)).toEqual([])
    const once = await importFrom(served, () => openPostgresTarget(empty.adminUrl), {
      asSnapshot: true,
    })
    expect(once.changes).toEqual({ inserted: 0, updated: 0, deleted: 0 })
    await empty.drop()
  }, 60_000)

  test('an API import takes nothing from another league in the same database', async () => {
    const [first] = league
    if (!first) throw new Error('unreachable')
    const other = { ...first, tournament: { ...first.tournament, id: 'other' } }
    const elsewhere = serve(appAt(archiveWithCages({}, other)))
    const result = await importFrom(elsewhere, toDatabase)
    elsewhere.stop()
    expect(result.problems.length).toBe(
      first.recordings.length + first.stills.length + first.clips.length,
    )
    expect(result.problems[0]?.reason).toEndWith('is used by another league')
    await withCopy(async (copy, { dataset }) => {
      expect(dataset.tournamentsByID.get('other')?.fights.length).toBeGreaterThan(5)
      const path = `/video-feeds/${first.recordings[0]?.id}`
      expect(await bodyAt(copy, path)).toBe(await bodyAt(appAt(original), path))
      // Expected starts and chances follow from the past of all tournaments, and the copy has one more.
      const [now, before] = await Promise.all(
        [copy, appAt(original)].map(async (app) =>
          (await bodyAt(app, '/cages')).replaceAll(
            /"(expected\w+|player1WinProbability)":[\d.]+/g,
            '',
          ),
        ),
      )
      expect(now).toBe(before)
    })
  })

  test('an API import writes a snapshot, and leaves it alone if nothing changed', async () => {
    const { path, toFile } = await newFile(capturedAt)
    await importFrom(served, toFile)
    await reading(
      path,
      async (_, copy) => expect(await differences(appAt(original), copy, original)).toEqual([]),
      capturedAt,
    )
    const { mtimeMs } = await Bun.file(path).stat()
    expect(await importFrom(served, toFile)).toMatchObject({ changed: 0, unchanged: names.length })
    expect((await Bun.file(path).stat()).mtimeMs).toBe(mtimeMs)
  }, 60_000)

  test('an API import of a snapshot gives tournaments with the same digests', async () => {
    const { path, toFile } = await newFile(capturedAt)
    await importFrom(served, toFile, { asSnapshot: true })
    const digests = new Map(league.map((rows) => [rows.tournament.id, packTournament(rows).digest]))
    for (const { rows, frame } of (await readSnapshot(path)).entries) {
      const { tournament } = checkTournament(rows(), () => undefined) ?? {}
      // The copy names the server as its source, not the folders that the server imported.
      expect(tournament?.source).toMatch(/^api [0-9a-f]{16}$/)
      expect(frame?.digest).toBe(digests.get(tournament?.id ?? ''))
    }
  })
})

describe('an import of a snapshot', () => {
  const some = league.filter(({ tournament }) => tournament.id !== 'cg_feb26_30lb').slice(0, 4)
  const pick = fc.integer({ min: 0, max: 3 })
  /** A change of the league at the source. */
  type Change = (rows: readonly TournamentRows[]) => readonly TournamentRows[]
  const ofOne = (
    name: string,
    change: (rows: TournamentRows, all: readonly TournamentRows[]) => TournamentRows | undefined,
  ) =>
    pick.map((at) => ({
      name: `${name} ${at}`,
      change: ((all) =>
        all.flatMap((rows, index) => (index === at ? (change(rows, all) ?? []) : rows))) as Change,
    }))
  const change = fc.oneof(
    ofOne('remove a tournament', () => undefined),
    ofOne('rename players', (rows) => ({
      ...rows,
      players: rows.players.map((row) => ({ ...row, name: `${row.name}!` })),
    })),
    ofOne('remove recordings', (rows) => ({ ...rows, recordings: rows.recordings.slice(7) })),
    ofOne('count views', (rows) => ({
      ...rows,
      clips: rows.clips.map((row) => ({ ...row, views: row.views + 1, isCurated: !row.isCurated })),
    })),
    ofOne('remove a game', (rows) => {
      const gone = rows.games.at(-1)?.id
      const isKept = ({ gameId }: { readonly gameId: string }) => gameId !== gone
      return {
        ...rows,
        games: rows.games.slice(0, -1),
        slots: rows.slots
          .filter(isKept)
          .map((row) => (row.prevGameId === gone ? { ...row, prevGameId: null } : row)),
        pauses: rows.pauses.filter(isKept),
        judgeLines: rows.judgeLines.filter(isKept),
        recordings: rows.recordings.filter(isKept),
        clips: rows.clips.filter(isKept),
      }
    }),
    fc.constant({
      name: 'exchange the tokens of all stills',
      change: (all) => {
        const tokens = all.flatMap(({ stills }) => stills.map(({ token }) => token))
        let next = -1
        return all.map((rows) => ({
          ...rows,
          stills: rows.stills.map((row) => {
            next += 1
            return { ...row, token: tokens.at(next - 1) ?? '' }
          }),
        }))
      },
    } satisfies { name: string; change: Change }),
  )
  /** The rows of each tournament, in a fixed order of rows and properties. */
  const unordered = (all: Iterable<object>): unknown =>
    [...all]
      .map((rows) =>
        Object.values(rows)
          .flat()
          .map((row) => JSON.stringify(Object.entries(row).sort()))
          .sort(),
      )
      .sort()
  test('a snapshot import gives exactly the rows of the source, after any changes between rounds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (rounds, isWatching) => {
          const { path, toFile } = await newFile(capturedAt)
          const server = serve(appAt(archiveOf(some)))
          const options = {
            asSnapshot: true,
            prune: true,
            ...(isWatching && { memory: createMemory() }),
          }
          let rows: readonly TournamentRows[] = some
          for (const changes of [[], ...rounds]) {
            for (const { change } of changes) rows = change(rows)
            server.state.app = appAt(archiveOf(rows))
            const { problems } = await importFrom(server, toFile, options)
            expect(problems).toEqual([])
          }
          server.stop()
          const copied = [...(await readSnapshot(path)).tournaments()].map((each) => {
            const checked = present(checkTournament(each, () => expect.unreachable()))
            return { ...checked, tournament: { ...checked.tournament, source: 'folder' } }
          })
          expect(unordered(copied)).toEqual(unordered(rows))
        },
      ),
      { numRuns: runs(6) },
    )
  }, 60_000)

  test('a round after one that failed at its end writes everything', async () => {
    const { path, toFile } = await newFile(capturedAt)
    const server = serve(appAt(archiveOf(some)))
    const controller = new AbortController()
    const tries = { count: 0 }
    let memory = createMemory()
    await repeatImport(
      { watch: true },
      toFile,
      async (run, { signal, isAfterFailure }) => {
        memory = memoryOf(memory, isAfterFailure)
        const snapshot = {
          address: new URL(`${server.base}/snapshot`),
          headers: {},
          signal,
          memory,
        }
        const remote = createRemote({ base: server.base, rate: 100_000, signal })
        await importApi(run, { snapshot, remote, legacy: undefined })
        tries.count += 1
        if (tries.count === 1) {
          const other = await toFile()
          await other.update('other', () => tournamentOf({ id: 'other' }, [], []), ofNoSource)
          await other.close()
        } else controller.abort()
      },
      { unitMs: 1, controller },
    )
    server.stop()
    expect(tries.count).toBe(2)
    expect((await readSnapshot(path)).tournamentCount).toBe(some.length + 1)
  })

  test('a round after an incomplete change writes the former state again', async () => {
    const { toFile } = await newFile(capturedAt)
    const film = recordingRow({ id: 5 })
    const cup = (id: string, name: string) =>
      tournamentOf({ id, name }, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')])
    const target = await toFile()
    await target.update('other', () => ({ ...cup('other', ''), recordings: [film] }), ofNoSource)
    await target.close()
    const [before, after] = [cup('a', 'Before'), { ...cup('a', 'After'), recordings: [film] }]
    const server = serve(appAt(archiveOf([before])))
    const memory = createMemory()
    const found: unknown[] = []
    for (const rows of [before, after, before]) {
      server.state.app = appAt(archiveOf([rows]))
      const { problems } = await importFrom(server, toFile, { asSnapshot: true, memory })
      const name = Object((await (await toFile()).read('a'))?.tournament).name
      found.push([name, problems.length])
    }
    server.stop()
    expect(found).toEqual([
      ['Before', 0],
      ['After', 1],
      ['Before', 0],
    ])
  })

  test('problems of a snapshot import recur until the tournament is complete', async () => {
    const { toFile } = await newFile(capturedAt)
    const rows = tournamentOf(
      { id: 'a' },
      [{ id: 'p1' }, { id: 'p2' }],
      [fightRows({}, 'p1', 'p2')],
    )
    const filmed = (id: string) => ({
      ...{ ...rows, tournament: { ...rows.tournament, id } },
      recordings: [recordingRow({ id: 5 })],
    })
    const target = await toFile()
    await target.update('other', () => filmed('other'), ofNoSource)
    await target.close()
    const server = serve(appAt(archiveOf([filmed('a')])))
    const options = { asSnapshot: true, memory: createMemory() }
    const rounds = [await importFrom(server, toFile, options)]
    rounds.push(await importFrom(server, toFile, options))
    const later = await toFile()
    await later.remove('other')
    await later.close()
    rounds.push(await importFrom(server, toFile, options))
    server.stop()
    expect(rounds.map(({ problems, changed }) => [problems.length, changed])).toEqual([
      [1, 1],
      [1, 0],
      [0, 1],
    ])
  })

  test('a snapshot import updates cages while their tournaments stay the same, or leave', async () => {
    const { path, toFile } = await newFile(capturedAt)
    const cup = (id: string) =>
      tournamentOf(
        { id },
        [{ id: 'p1' }, { id: 'p2' }],
        ['W-0', 'W-1'].map((each) => fightRows({ id: each }, 'p1', 'p2')),
      )
    const inCage = (number: number, tournamentId: string, gameId: string) =>
      cageRow({ number, tournamentId, gameId, status: 'active' })
    const queued = { cage: 7, position: 0, tournamentId: 'a', gameId: 'W-1' }
    const server = serve(appAt(original))
    const memory = createMemory()
    const found: unknown[] = []
    for (const [ids, rows] of [
      [['a', 'b'], { cages: [inCage(1, 'a', 'W-0'), inCage(2, 'b', 'W-0')], cageQueue: [queued] }],
      [['a', 'b'], { cages: [inCage(1, 'a', 'W-1'), inCage(2, 'b', 'W-0')], cageQueue: [] }],
      [['a'], { cages: [], cageQueue: [] }],
    ] as const) {
      server.state.app = appAt(archiveWithCages(rows, ...ids.map(cup)))
      const { unchanged } = await importFrom(server, toFile, { asSnapshot: true, memory })
      const { cages, cageQueue } = Object((await readSnapshot(path)).cages)
      const games = cages.map(
        (each: typeof queued & { number: number }) =>
          `${each.number} ${each.tournamentId} ${each.gameId}`,
      )
      found.push([unchanged, games, cageQueue.length])
    }
    server.stop()
    expect(found).toEqual([
      [0, ['1 a W-0', '2 b W-0'], 1],
      [2, ['1 a W-1', '2 b W-0'], 1],
      [1, [], 1],
    ])
  })

  test('a snapshot import prunes only tournaments of this server', async () => {
    const { path, toFile } = await newFile(capturedAt)
    const target = await toFile()
    for (const source of [null, 'folder', 'api 0123456789abcdef']) {
      const rows = tournamentOf({ id: `of ${source}`, source }, [], [])
      await target.update(rows.tournament.id, () => rows, ofNoSource)
    }
    await target.close()
    const server = serve(appAt(archiveOf(some)))
    for (const rows of [some, some.slice(1)]) {
      server.state.app = appAt(archiveOf(rows))
      const { removed } = await importFrom(server, toFile, { asSnapshot: true, prune: true })
      expect(removed).toBe(some.length - rows.length)
    }
    server.stop()
    expect((await readSnapshot(path)).tournamentCount).toBe(3 + some.length - 1)
  })

  test.each([
    ['its snapshot', 'another server', true],
    ['its endpoints', 'another server', false],
    ['its snapshot', 'no source', true],
    ['its endpoints', 'no source', false],
  ])(
    'an import by %s skips an event of %s and its cage, and reports it',
    async (_, owner, asSnapshot) => {
      const { path, toFile } = await newFile(capturedAt)
      const eventOf = (name: string, over: Partial<TournamentRows['tournament']> = {}) =>
        tournamentOf(
          { id: 'cup', name, active: true, ...over },
          [{ id: `${name} a` }, { id: `${name} b` }],
          [
            fightRows(
              { state: 'active', startTime: capturedAt - 60 },
              `${name} a`,
              `${name} b`,
              null,
            ),
          ],
        )
      const inCage = {
        cages: [cageRow({ number: 2, status: 'active', tournamentId: 'cup', gameId: 'W-0' })],
      }
      const [mine, theirs] = [
        serve(appAt(archiveWithCages(inCage, eventOf('Mine')))),
        serve(
          appAt(
            archiveWithCages(
              inCage,
              eventOf('Theirs', { createTime: 1_770_000_001 }),
              tournamentOf({ id: 'other' }, [{ id: 'a' }, { id: 'b' }], [fightRows({}, 'a', 'b')]),
            ),
          ),
        ),
      ]
      await importFrom(mine, toFile, { asSnapshot })
      if (owner === 'no source') {
        const target = await toFile()
        await target.update('cup', () => eventOf('Mine'), ofNoSource)
        await target.close()
      }
      const rowsNow = async () => {
        const { cages } = await readSnapshot(path)
        return [cages, await (await toFile()).read('cup')]
      }
      const before = await rowsNow()
      for (const prune of [false, true]) {
        const { problems, changed } = await importFrom(theirs, toFile, { asSnapshot, prune })
        expect(problems).toEqual([
          {
            where: 'cup',
            reason: expect.stringMatching(
              /^stays as it is: .*(source 'api [0-9a-f]{16}'|of no source)$/,
            ),
          },
        ])
        expect(changed).toBe(prune ? 0 : 1)
        expect(await rowsNow()).toEqual(before)
      }
      mine.stop()
      theirs.stop()
    },
  )

  test.each<[string, () => Response, number]>([
    ['has none', () => new Response('', { status: 404 }), 1],
    ['fails', () => new Response('', { status: 503 }), 4],
    ['sends another file', () => new Response('<html>'), 4],
    ['is cut off', () => new Response(new Uint8Array(40_000)), 4],
  ])('an import requests every endpoint of a server that %s', async (_, answer, attempts) => {
    const server = serve(appAt(archiveOf(some.slice(0, 1))))
    server.state.instead = (path) => (path === '/snapshot' ? answer() : undefined)
    const { toFile } = await newFile(capturedAt)
    const result = await importFrom(server, toFile, { asSnapshot: true })
    server.stop()
    expect(result).toMatchObject({ changed: 1, problems: [] })
    expect(server.asked.filter((each) => each.path === '/snapshot')).toHaveLength(attempts)
  })
})

describe('a hostile server', () => {
  const answering = async (
    answer: (path: string, index: number) => Response,
  ): Promise<{ result: unknown; requests: number; times: readonly number[] }> => {
    const server = serve(async () => new Response('', { status: 500 }))
    server.state.instead = answer
    const remote = createRemote({ base: server.base, rate: 100_000, retryMs: 1, timeoutMs: 300 })
    const result = await remote.get('/tournaments').then(
      (body) => body,
      (error: unknown) => (error instanceof RemoteError ? error.message : error),
    )
    server.stop()
    return { result, requests: remote.requests(), times: server.asked.map(({ at }) => at) }
  }

  test('a hostile server cannot send more than the maximum', async () => {
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1 << 24).fill(32)),
        }),
      )
    const { result } = await answering((_, index) =>
      index === 0 ? endless() : Response.json({ fine: true }),
    )
    expect(result).toEqual({ fine: true })
  })

  test('an import waits for a server as long as Retry-After says', async () => {
    const { result, times } = await answering((_, index) =>
      index === 0
        ? new Response('', { status: 429, headers: { 'Retry-After': '1' } })
        : Response.json([]),
    )
    expect(result).toEqual([])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990)
  })

  test('an import reports failures of a server, and writes nothing without a list of tournaments', async () => {
    const server = serve(async () => new Response('', { status: 404 }))
    const { path, toFile } = await newFile(capturedAt)
    const failing = async (list: () => Response): Promise<readonly string[]> => {
      server.state.instead = (address) => {
        if (address === '/snapshot') return new Response('', { status: 503 })
        return address === '/tournaments' ? list() : undefined
      }
      const notes: string[] = []
      const error = await importFrom(server, toFile, { asSnapshot: true, notes }).then(
        () => 'none',
        ({ message }) => message,
      )
      return [...notes, error].map((text) => text.replaceAll(server.base, 'BASE'))
    }
    const snapshot = 'BASE/snapshot cannot be read: the server answered 503;'
    const notes = [
      `${snapshot} trying 3 more times, first in 1 s`,
      `${snapshot} requesting every endpoint instead, which takes longer`,
    ]
    const list = 'BASE cannot be imported: /tournaments:'
    for (const [answer, why] of [
      [() => new Response('', { status: 403 }), `${list} the server answered 403`],
      [() => new Response('<html>'), `${list} did not send JSON`],
      [() => Response.json(null), `${list} no list of tournaments`],
      [() => Response.json([{ tournamentID: 'a' }]), `${list} no list of tournaments`],
      [
        () => Response.json({ tournaments: [] }),
        `${path} is not written: there is no tournament to write`,
      ],
    ] as const) {
      expect(await failing(answer)).toEqual([...notes, why])
    }
    expect(await Bun.file(path).exists()).toBe(false)
    server.stop()
  }, 60_000)

  test('an import ends once the server is out of order', async () => {
    const server = serve(appAt(original))
    server.state.instead = (_, index) => (index < 5 ? undefined : new Response('', { status: 503 }))
    const { toFile } = await newFile(capturedAt)
    await expect(importFrom(server, toFile)).rejects.toThrow(
      `${server.base} is out of order: 20 requests failed in a row`,
    )
    expect(server.asked.length).toBeLessThan(5 + 7 * 24)
    server.stop()
  }, 60_000)

  test('an import gives up on a server after some attempts', async () => {
    const { result, requests } = await answering(() => new Response('{', { status: 200 }))
    expect(result).toContain('JSON')
    expect(requests).toBe(7)
  })
})

test('an import with --legacy none reads no legacy script', async () => {
  const server = serve(appAt(archiveOf(league.slice(0, 1))))
  server.state.instead = (path) =>
    path === '/snapshot' ? new Response('', { status: 404 }) : undefined
  const { path } = await newFile()
  const options = ['--out', path, '--legacy', 'none', '--rate', '1000']
  expect(await importHere('api', server.base, ...options)).toMatchObject({ status: 0, err: '' })
  server.stop()
  expect(server.asked.length).toBeGreaterThan(20)
  expect(server.asked.filter((each) => /legacy|undefined/.test(each.path))).toEqual([])
})

describe('a server of another make', () => {
  const zero = '0000-00-00 00:00:00'
  const id = 'wild_june25_3lb_'
  /** Answers in the forms that other servers use. */
  const answers: Readonly<Record<string, unknown>> = {
    '/tournaments': {
      tournaments: [
        {
          tournamentID: id,
          tournamentName: 'Wild\u0000 \ud83d 3lb',
          createTime: zero,
          scheduledStartTime: '2026-06-01 16:00:00',
          startTime: zero,
          endTime: zero,
          updateTime: zero,
          WeightClass: '3',
          active: '0',
          isTest: '0',
          unknownField: { deep: [1] },
        },
        { tournamentID: 'leaked', tournamentName: 'Leaked', privacy: 'unlisted' },
        { tournamentID: '..' },
        'nonsense',
        null,
      ],
    },
    [`/tournaments/${id}/brackets`]: {
      players: [
        { playerID: 'p1', name: 'Axe', seed: '1', isBye: '0' },
        { playerID: 'p2', name: 'Blade', seed: 2 },
      ],
      brackets: [
        {
          bracketID: 'W',
          games: [
            {
              id: 'W-0',
              name: 'W:1-1',
              round: '0',
              scoreToWin: '1',
              state: 'done',
              winAnnotation: 'KO',
              slots: [
                { slotIdx: '0', playerID: 'p1', isWinner: '1', score: '1', prevGameID: null },
                { slotIdx: '1', playerID: 'p2', isWinner: '0', score: '-1', prevGameID: 'W-99' },
              ],
            },
            {
              id: 'W-1',
              round: 1,
              state: 'pending',
              slots: [
                { slotIdx: 0, playerID: 'bye-0123456789abcdef', slotState: 'pending' },
                { slotIdx: 1, playerID: 'nobody', slotState: 'odd' },
              ],
            },
          ],
        },
      ],
    },
    [`/tournaments/${id}/fights`]: {
      fights: [
        {
          id: 'W-0',
          player1: 'Axe',
          player2: 'Blade',
          player1wins: '1',
          player2wins: '0',
          cage: 'Cage 2',
          startTime: '1748793600',
          stopTime: '1748793690',
          endTime: 1_748_793_700_000,
        },
        {
          gameID: 'EX-6d774912b7994954',
          player1: 'Axe',
          player2: 'Newcomer',
          player1wins: 0,
          player2wins: 1,
          winAnnotation: 'JD',
          startTime: 1_748_790_000,
          stopTime: 1_748_790_180,
        },
        { player1: 'No id', player2: 'Axe' },
        { id: 'W-5', tournamentID: 'leaked', player1: 'Axe', player2: 'Blade' },
      ],
    },
    [`/tournaments/${id}/fights/W-0`]: {
      fight: {
        fightStartOffset: '53.8',
        notice: null,
        recordings: [
          {
            recordingID: '77',
            camera: 'Cage-2-Overhead-High',
            s3path: 'https://media.example/a.mp4',
            s3http: 200,
            proxy720: 'javascript:alert(1)',
          },
          { recordingID: 'x', camera: 'SkyCam-A', s3path: 'gone.mp4', s3http: 'dead' },
          { recordingID: '78', camera: 'c'.repeat(5000), s3path: 'https://media.example/b.mp4' },
        ],
      },
    },
    [`/tournaments/${id}/fights/EX-6d774912b7994954`]: { fight: { recordings: null } },
    [`/video-feeds/fight/${id}/EX-6d774912b7994954`]: {
      recordings: [{ recordingID: '79', camera: 'Hand', s3path: 'https://media.example/c.mp4' }],
    },
    // The server claims more pages than it has.
    ...Object.fromEntries(
      [['t'], ['u'], []].map((tokens, index) => [
        `/clips?limit=100&page=${index + 1}`,
        {
          clips: tokens.map((token) => ({ token, gameID: 'W-0', tournamentID: 'elsewhere' })),
          pagination: { pages: 10_000 },
        },
      ]),
    ),
    '/cages': { cages: { cage2: { cage: 'Cage 2', match: { tournamentID: id, gameID: 'W-9' } } } },
  }

  test('an import understands a server of another make, and loses only bad rows', async () => {
    const server = serve(async ({ url }) => {
      const { pathname, search } = new URL(url)
      const answer = answers[pathname + search]
      return answer ? Response.json(answer) : new Response('<html>', { status: 404 })
    })
    const { path, toFile } = await newFile(capturedAt)
    const { problems } = await importFrom(server, toFile)
    server.stop()
    expect(problems).toContainEqual({
      where: '/tournaments',
      reason: 'a tournament without a usable id',
    })
    for (const where of ['t', 'u'])
      expect(problems).toContainEqual({ where, reason: 'its tournament is not in the list' })
    expect(server.asked.filter((each) => each.path.startsWith('/clips'))).toHaveLength(3)
    expect(problems.map(({ reason }) => reason)).toContain('there is no player nobody')
    expect(problems.map(({ reason }) => reason)).toContain('there is no game W-99 to feed a slot')
    expect(problems.find(({ where }) => where.includes('78'))?.where).toBe(`${id}, recordings 78`)
    expect(server.asked.map((each) => each.path).join('\n')).not.toContain('/../')
    await reading(
      path,
      async (read) => {
        expect((await read('/tournaments')).tournaments).toMatchObject([
          {
            tournamentID: id,
            tournamentName: 'Wild \ufffd 3lb',
            createTime: '2026-06-01T16:00:00Z',
            // The name comes from the fights.
            startTime: '2025-06-01T15:00:00Z',
            WeightClass: 3,
            numPlayers: 3,
          },
        ])
        expect((await read(`/tournaments/${id}/fights`)).fights).toMatchObject([
          {
            id: 'W-0',
            player1wins: 1,
            cage: 'Cage 2',
            matchLength: 90,
            endTime: 1_748_793_700,
            cams: 2,
          },
          { id: 'EX-6d774912b7994954', round: -1, player2: 'Newcomer', player2wins: 1, cams: 1 },
        ])
        const { brackets, players } = await read(`/tournaments/${id}/brackets`)
        expect(brackets[0].games[1].slots).toMatchObject([
          { playerID: 'bye-0123456789abcdef' },
          { playerID: '', slotState: 'pending' },
        ])
        expect(players.filter(({ isBye }: { isBye: number }) => isBye === 1)).toHaveLength(1)
        const { recordings } = await read(`/video-feeds/fight/${id}/W-0`)
        expect(recordings).toMatchObject([
          { recordingID: '77', s3http: '200', proxy720: '', fightStartOffset: '53.8' },
          { camera: 'SkyCam-A', s3path: '', s3http: '', fightStartOffset: '53.8' },
        ])
      },
      capturedAt,
    )
  })
})

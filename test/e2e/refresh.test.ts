import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import type { App } from '../../src/app.ts'
import type { Archive, OpenedService } from '../../src/data/archive/archive.ts'
import { emptyLeague, type LoadedLeague } from '../../src/data/archive/loadedLeague.ts'
import { leagueOfSnapshot, saveLeague } from '../../src/data/archive/savedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { bodyAt } from '../addresses.ts'
import { someAddressesOf } from '../everyAddress.ts'
import { appOf, deepFreeze, get, serviceOf } from '../fixtures.ts'
import { followDatabase, insertRows, openDatabase } from '../leagueDatabase.ts'
import { operationsOn, remove, update } from '../operations.ts'
import { deleteRows, keepRows } from '../postgres.ts'
import { present } from '../present.ts'
import { temporaryFolder } from '../process.ts'
import { fightRows, playersNamed, tournamentOf } from '../rows.ts'
import { runs } from '../runs.ts'
import { capturedAt, smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

/** URLs of every route except readiness, which is of the process, and the dictionary, which contains the version. */
const addressesOf = (archive: Archive, turn = 0): string[] =>
  someAddressesOf(archive, 20, turn).filter(
    (path) => path !== '/ready' && path !== '/bulk/README.md',
  )

const { database, admin, source } = await openDatabase(smallLeague)
const reset = await keepRows(admin)

describe('no change is missed', () => {
  const operations = operationsOn(capturedAt)

  type Step =
    | {
        readonly kind: 'write'
        readonly writer: number
        readonly operation: number
        readonly n: number
      }
    | { readonly kind: 'commit' | 'rollback'; readonly writer: number }
    | { readonly kind: 'look'; readonly n: number }
    | { readonly kind: 'disrupt'; readonly disruption: number; readonly n: number }
    | { readonly kind: 'restart' }

  const withoutTriggers = (table: string, statement: (n: number) => string) => (n: number) =>
    `BEGIN; ALTER TABLE cageside.${table} DISABLE TRIGGER ALL; ${statement(n)};
     ALTER TABLE cageside.${table} ENABLE TRIGGER ALL; COMMIT`
  /** Each transaction commits at once: while it is open, no reader succeeds. */
  const marked: readonly ((n: number) => string)[] = [
    (n) => `TRUNCATE cageside.${['judge_lines', 'clips', 'still_tags', 'recordings'][n % 4]}`,
    () => 'TRUNCATE cageside.cages, cageside.cage_queue',
    (n) => `DELETE FROM cageside.games WHERE abs(hashtext(tournament_id)) % 3 = ${n % 3}`,
  ]
  const disruptions = [
    ...marked,
    withoutTriggers(
      'games',
      update('games', (n) => `notice = 'Restored ${n}'`),
    ),
    withoutTriggers(
      'slots',
      update('slots', () => `state = 'tie'`),
    ),
    withoutTriggers('recordings', remove('recordings')),
    withoutTriggers('judge_lines', remove('judge_lines')),
    withoutTriggers(
      'tournaments',
      update('tournaments', (n) => `privacy = '${['public', 'private'][n % 2]}'`),
    ),
    withoutTriggers(
      'clips',
      update('clips', () => 'is_public = NOT is_public'),
    ),
    withoutTriggers(
      'stills',
      update('stills', (n) => `source = 'Restored ${n}'`),
    ),
  ]

  const writer = fc.nat(2)
  const n = fc.nat(5000)
  const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.oneof(
      {
        weight: 10,
        arbitrary: fc.record({
          kind: fc.constant('write' as const),
          writer,
          operation: fc.nat(operations.length - 1),
          n,
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const), writer }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const), writer }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('look' as const), n }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('disrupt' as const),
          disruption: fc.nat(disruptions.length - 1),
          n,
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    ),
    { minLength: 5, maxLength: 40 },
  )

  test('no change is missed under overlapping, truncating and trigger-free writers, nor over restarts', async () => {
    const writers = [0, 1, 2].map(() => openPool(database.adminUrl, { max: 1, connectSeconds: 10 }))
    for (const each of writers) await each`SET lock_timeout = '30ms'`
    const open = [false, false, false]
    let written = 0
    let turn = 0

    let league: LoadedLeague = emptyLeague
    const look = async (compareShare: number): Promise<void> => {
      league = (await refreshLeague(source, league, { maxLoss: 1, compareShare })).league
      if (league.archive) deepFreeze(league.archive)
    }
    // All runs share one app: a stored answer that outlives its archive would be noticed.
    const app = appOf({ ...serviceOf(undefined, capturedAt), archive: () => league.archive })

    const disrupt = async (statement: string): Promise<void> => {
      const disruptor = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
      await disruptor`SET lock_timeout = '30ms'`
      // A table locked by a writer: the refresh is skipped.
      await disruptor.unsafe(statement).catch(() => disruptor`ROLLBACK`)
      await disruptor.end({ timeout: 1 })
    }
    /** Saves the served league, and starts from the file. */
    const saved = join(await temporaryFolder(), 'last-good.cageside')
    const restart = async (): Promise<void> => {
      await saveLeague(saved, league, capturedAt)
      ;({ league } = await leagueOfSnapshot(await readSnapshot(saved)))
    }

    const end = async (index: number, how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
      if (open[index]) await writers[index]?.unsafe(how)
      open[index] = false
    }
    const write = async (index: number, statement: string): Promise<void> => {
      const connection = writers[index]
      if (!connection) return
      if (!open[index]) await connection`BEGIN`
      open[index] = true
      await connection`SAVEPOINT before`
      try {
        written += (await connection.unsafe(statement)).count
      } catch {
        // The write is locked by another writer, or refused by a key, and skipped.
        await connection`ROLLBACK TO SAVEPOINT before`
      }
    }

    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (steps, areMarked) => {
        await reset()
        league = emptyLeague
        // Triggers that mark every change leave none for a comparison to find.
        const [share, whole, those] = areMarked ? [0, 0, marked] : [0.3, 1, disruptions]
        await look(share)
        for (const step of steps) {
          if (step.kind === 'disrupt') {
            await disrupt(those[step.disruption % those.length]?.(step.n) ?? '')
          } else if (step.kind === 'restart') {
            await restart()
          } else if (step.kind === 'write') {
            await write(step.writer, operations[step.operation]?.(step.n) ?? '')
          } else if (step.kind === 'look') {
            await look(share)
            const addresses = addressesOf(present(league.archive))
            for (let i = 0; i < 40; i += 1) {
              await bodyAt(app, addresses[(step.n + i * 37) % addresses.length] ?? '/')
            }
          } else {
            await end(step.writer, step.kind === 'commit' ? 'COMMIT' : 'ROLLBACK')
          }
        }
        for (const index of [2, 0, 1]) await end(index, 'COMMIT')
        await look(whole)

        const fresh = present((await refreshLeague(source, emptyLeague)).league.archive)
        const followed = present(league.archive)
        expect(followed.dataset.tournaments).toEqual(fresh.dataset.tournaments)
        expect(new Set(followed.dataset.tournamentsByID)).toEqual(
          new Set(fresh.dataset.tournamentsByID),
        )
        expect(followed.dataset.fights).toEqual(fresh.dataset.fights)
        expect(followed.clips).toEqual(fresh.clips)
        expect(followed.stills).toEqual(fresh.stills)
        expect(followed.cages).toEqual(fresh.cages)
        const flat = ({ bots }: Archive) =>
          bots.map(({ entries, ...bot }) => ({
            ...bot,
            entries: entries.map(
              ({ tournament, player }) => `${tournament.info.id} ${player.name}`,
            ),
          }))
        expect(flat(followed)).toEqual(flat(fresh))
        const anew = appOf(serviceOf(fresh, capturedAt))
        // All archives are compared in full, with other URLs in each run.
        turn += 1
        for (const address of addressesOf(fresh, turn)) {
          expect([address, await bodyAt(app, address)]).toEqual([
            address,
            await bodyAt(anew, address),
          ])
        }
      }),
      { numRuns: runs(6), endOnFailure: true },
    )
    for (const each of writers) await each.end({ timeout: 1 })
    expect(written).toBeGreaterThan(10)
  }, 600_000)
})

describe('a service that follows the database', () => {
  let service: OpenedService
  let app: App
  beforeEach(async () => {
    await reset()
    service = await followDatabase(database.readerUrl, { refreshMs: 10 })
    app = appOf({ ...service, now: () => capturedAt })
  })
  afterEach(() => service.stop())

  const archive = () => present(service.archive())
  /** Waits until another archive is served. */
  const changed = async (before = archive().version): Promise<void> => {
    await until(() => archive().version !== before)
  }
  /** Applies a statement and waits until it is served. */
  const apply = async (statement: string): Promise<void> => {
    const before = archive().version
    expect((await admin.unsafe(statement)).count).toBeGreaterThan(0)
    await changed(before)
  }
  const shown = smallLeague.tournaments
    .filter(({ tournament }) => isPublic(tournament))
    .toSorted((a, b) => a.games.length - b.games.length)
  const largest = () => present(shown.at(-1))
  const where = (id: string): string => `tournament_id = '${id}'`
  const quoted = (ids: readonly string[]): string => ids.map((id) => `'${id}'`).join(', ')

  test('a refresh shares every unchanged tournament and its answers', async () => {
    const addresses = addressesOf(archive())
    // One request at a time, because more than can wait at once are refused.
    const answers = async () => {
      const tags = new Map<string, string | null>()
      for (const path of addresses) {
        const { headers } = await app(new Request(`http://localhost${path}`))
        tags.set(path, headers.get('etag'))
      }
      return tags
    }
    const { dataset: before, stills } = archive()
    const tags = await answers()
    const { id } = largest().tournament
    const [film] = largest().games
    await apply(`UPDATE cageside.games SET notice = 'x' WHERE ${where(id)} AND id = '${film?.id}'`)
    const after = archive().dataset
    expect(after).not.toBe(before)
    expect(archive().stills).toBe(stills)
    for (const [other, tournament] of before.tournamentsByID) {
      expect(after.tournamentsByID.get(other) === tournament).toBe(other !== id)
    }
    const others = [...(await answers())].filter(([path, tag]) => tag !== tags.get(path))
    // Only the fight and its legacy script change.
    expect(others.length).toBeLessThanOrEqual(2)
  })

  test('a change of only the cages shares everything else', async () => {
    const before = archive()
    await apply('UPDATE cageside.cages SET update_time = to_timestamp(1770000999) WHERE number = 2')
    const after = archive()
    expect(after.version).not.toBe(before.version)
    expect({ ...after, version: '', cages: undefined }).toEqual({
      ...before,
      version: '',
      cages: undefined,
    })
    expect(after.dataset).toBe(before.dataset)
    expect(after.stills).toBe(before.stills)
    expect((await get(app, '/cages/2')).body.cage.updatedTime).toBe(1_770_000_999)
    await apply('DELETE FROM cageside.cages WHERE number = 2')
    expect((await get(app, '/cages/2')).body.cage).toMatchObject({ status: 'idle', updatedTime: 0 })
  })

  test('a write that changes nothing changes no version', async () => {
    const { version } = archive()
    const changedRows = () => service.status().lastRefresh.changedRows
    while (changedRows() > 0) await Bun.sleep(1)
    await admin`UPDATE cageside.games SET notice = notice`
    while (changedRows() === 0) await Bun.sleep(1)
    expect(archive().version).toBe(version)
  })

  test('a deletion of more than a fifth of the fights is served at once', async () => {
    const others = smallLeague.tournaments
      .filter(({ tournament }) => isPublic(tournament))
      .map(({ tournament }) => tournament.id)
    await apply(`DELETE FROM cageside.games WHERE tournament_id IN (${quoted(others.slice(1))})`)
    expect(archive().dataset.fights.every(({ tournament }) => tournament.id === others[0])).toBe(
      true,
    )
    const { version } = archive()
    await admin`TRUNCATE cageside.tournaments CASCADE`
    await changed(version)
    expect((await get(app, '/tournaments')).body.tournaments).toEqual([])
    expect((await get(app, '/health')).body).toMatchObject({ status: 'ok', heldBack: [] })
  })

  test('a large deletion is served at once even if an open transaction holds the mark back', async () => {
    const [first, ...others] = shown.map(({ tournament }) => tournament.id)
    const other = openPool(database.adminUrl, { max: 1, connectSeconds: 5 })
    await other.begin(async (sql) => {
      await sql`SELECT pg_current_xact_id()`
      await apply(`UPDATE cageside.tournaments SET name = 'Renamed' WHERE id = '${first}'`)
      await apply(`DELETE FROM cageside.games WHERE tournament_id IN (${quoted(others)})`)
      expect((await get(app, '/health')).body).toMatchObject({ status: 'ok', heldBack: [] })
    })
    await other.end({ timeout: 1 })
  })

  test('a reset bracket is served at once', async () => {
    for (const { tournament } of smallLeague.tournaments) {
      if (!isPublic(tournament)) continue
      await apply(`UPDATE cageside.slots SET player_id = NULL, state = 'pending', score = NULL
                   WHERE ${where(tournament.id)}`)
    }
    expect(archive().dataset.fights).toEqual([])
    expect((await get(app, '/health')).body).toMatchObject({ status: 'ok', heldBack: [] })
  })

  test('rows that break their schema are left out and counted until they are repaired', async () => {
    const { id } = largest().tournament
    await admin`ALTER TABLE cageside.recordings DROP CONSTRAINT IF EXISTS recordings_http_status_check`
    const bad = `SELECT id FROM cageside.recordings WHERE ${where(id)} ORDER BY id LIMIT 3`
    await apply(`UPDATE cageside.recordings SET http_status = 7 WHERE id IN (${bad})`)
    const badRows = async () => (await get(app, '/health')).body.counts.badRows
    expect((await get(app, '/health')).body).toMatchObject({ status: 'ok', counts: { badRows: 3 } })
    await apply(`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = '${id}'`)
    expect(await badRows()).toBe(0)
    await apply(`UPDATE cageside.tournaments SET privacy = 'public' WHERE id = '${id}'`)
    expect(await badRows()).toBe(3)
    await apply(`UPDATE cageside.recordings SET http_status = 200 WHERE id IN (${bad})`)
    expect(await badRows()).toBe(0)
    await apply(`UPDATE cageside.recordings SET http_status = 7 WHERE id IN (${bad})`)
    expect(await badRows()).toBe(3)
    // Recordings are not read with changes of other rows, unless some of them are bad.
    for (const notice of ['one', 'two']) {
      await apply(`UPDATE cageside.games SET notice = '${notice}' WHERE ${where(id)}`)
      expect(await badRows()).toBe(3)
    }
    await apply(`DELETE FROM cageside.tournaments WHERE id = '${id}'`)
    expect(await badRows()).toBe(0)
  })

  test('/health reports an invalid row of a cage', async () => {
    await admin`ALTER TABLE cageside.cages DROP CONSTRAINT cages_status_check`
    await apply(`UPDATE cageside.cages SET status = 'broken' WHERE number = 2`)
    const health = async () => (await get(app, '/health')).body
    expect(await health()).toMatchObject({
      status: 'degraded',
      problems: ['rows of cages are left out, as they break their schema: 1'],
    })
    await apply(`UPDATE cageside.cages SET status = 'idle' WHERE number = 2`)
    expect(await health()).toMatchObject({ status: 'ok' })
  })

  test('all tournaments but one can be hidden at once, and none is held back', async () => {
    const [kept] = archive().dataset.tournaments
    const { id = '' } = kept?.info ?? {}
    await apply(`UPDATE cageside.tournaments SET privacy = 'private' WHERE id <> '${id}'`)
    expect(archive().dataset.tournaments.map(({ info }) => info.id)).toEqual([id])
    expect((await get(app, '/health')).body).toMatchObject({
      status: 'ok',
      heldBack: [],
      lastRefresh: { error: null },
    })
  })
})

test('a body belongs entirely to the version in its header', async () => {
  await reset()
  // Each of forty versions changes every remaining row.
  await admin`DELETE FROM cageside.tournaments WHERE id NOT IN (
    SELECT id FROM cageside.tournaments WHERE privacy = 'public' AND NOT is_test ORDER BY id LIMIT 2)`
  await using service = await followDatabase(database.readerUrl, { refreshMs: 1 })
  const app = appOf({ ...service, now: () => capturedAt })
  const mark = (n: number) =>
    admin.begin(async (sql) => {
      await sql`UPDATE cageside.tournaments SET name = ${`v${n}!`}`
      await sql`UPDATE cageside.players SET name = ${`v${n}!`}`
      await sql`UPDATE cageside.games SET notice = ${`v${n}!`}`
    })
  await mark(0)
  const markOf = new Map<string, string>()
  const seen = new Set<string>()
  let mixed = 0
  let requests = 0
  let running = true
  const ask = async (paths: readonly string[]): Promise<void> => {
    while (running) {
      for (const path of paths) {
        const response = await app(
          new Request(`http://localhost${path}`, { headers: { 'accept-encoding': 'gzip' } }),
        )
        const version = response.headers.get('x-data-version') ?? ''
        const body = new Uint8Array(await response.arrayBuffer())
        const gzipped = response.headers.has('content-encoding')
        const text = new TextDecoder().decode(gzipped ? Bun.gunzipSync(body) : body)
        const marks = new Set(text.match(/v\d+!/g))
        requests += 1
        if (marks.size === 0) continue
        const [own = ''] = marks
        if (marks.size > 1 || (markOf.get(version) ?? own) !== own) mixed += 1
        markOf.set(version, own)
        seen.add(own)
      }
      await Bun.sleep(10)
    }
  }
  while (!(await bodyAt(app, '/tournaments')).includes('v0!')) await Bun.sleep(1)
  const addresses = addressesOf(present(service.archive())).filter(
    (address) => !address.startsWith('/video'),
  )
  const asking = [ask(addresses.slice(0, 20)), ask(addresses.slice(20, 60)), ask(['/fights'])]
  for (let n = 1; n <= 40; n += 1) {
    const before = service.archive()?.version
    await mark(n)
    while (service.archive()?.version === before) await Bun.sleep(1)
  }
  running = false
  await Promise.all(asking)
  expect(mixed).toBe(0)
  expect(requests).toBeGreaterThan(400)
  expect(seen.size).toBeGreaterThan(30)
})

test('deletions since a mark with fewer digits are known', async () => {
  await reset()
  const { league } = await refreshLeague(source, emptyLeague)
  const others = [...league.entries.keys()].slice(1)
  await admin`DELETE FROM cageside.games WHERE tournament_id IN ${admin(others)}`
  const position = { ...present(league.position), mark: '9' }
  const { heldBack } = (await refreshLeague(source, { ...league, position })).league
  expect(heldBack).toEqual(new Map())
})

describe('a full load', () => {
  test('a full load happens if the mark is of another database or ahead of this one', async () => {
    await reset()
    const { league } = await refreshLeague(source, emptyLeague)
    const position = present(league.position)
    const total = smallLeague.tournaments
      .filter(({ tournament }) => isPublic(tournament))
      .reduce((sum, { games }) => sum + games.length, 0)
    for (const other of [
      { ...position, systemIdentifier: 'another' },
      { ...position, mark: String(BigInt(position.mark) + 1_000_000n) },
    ]) {
      const again = await refreshLeague(source, { ...league, position: other })
      expect(again.changedRows).toBeGreaterThan(total)
      expect(again.league.position).toEqual(position)
      expect(again.league.archive).toBe(league.archive)
    }
    expect((await refreshLeague(source, league)).changedRows).toBe(0)
  })

  test('a full load counts every row, also of tournaments that are read in several transactions', async () => {
    await deleteRows(admin)
    const tournaments = Array.from({ length: 17 }, (_, at) =>
      tournamentOf({ id: `cup ${at}` }, playersNamed('Axe', 'Bolt'), [fightRows({}, 'p0', 'p1')]),
    )
    await insertRows(database.adminUrl, { tournaments })
    const { changedRows, league } = await refreshLeague(source, emptyLeague)
    const rows = tournaments.flatMap((each) => Object.values(each).flat())
    expect(changedRows).toBe(rows.length)
    await admin`UPDATE cageside.games SET notice = 'of two' WHERE tournament_id IN ('cup 1', 'cup 3')`
    expect((await refreshLeague(source, league)).changedRows).toBe(2)
  })

  test('a full load of an empty database holds back everything that is served', async () => {
    await reset()
    const { league } = await refreshLeague(source, emptyLeague)
    await deleteRows(admin)
    const again = await refreshLeague(source, league)
    expect(again.league.archive?.dataset).toBe(present(league.archive).dataset)
    expect([...again.league.heldBack.keys()]).toEqual([...league.entries.keys()])
    expect((await refreshLeague(source, emptyLeague)).league.archive?.dataset.fights).toEqual([])
  })
})

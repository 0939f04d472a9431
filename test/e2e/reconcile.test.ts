import { beforeEach, describe, expect, test } from 'bun:test'
import { migrate } from '../../scripts/migrate.ts'
import { emptyLeague, type LoadedLeague } from '../../src/data/archive/loadedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { changedTournaments } from '../../src/data/source/changedRows.ts'
import { connect, idleTimeoutMs, openPool } from '../../src/data/source/connection.ts'
import { readTransaction } from '../../src/data/source/postgres.ts'
import { LockedError } from '../../src/data/source/sourceErrors.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { insertRows, openDatabase } from '../leagueDatabase.ts'
import { administer, freshDatabase, keepRows } from '../postgres.ts'
import { present } from '../present.ts'
import { smallLeague } from '../smallLeague.ts'

const tournaments = smallLeague.tournaments.slice(0, 7)
const shown = tournaments.filter(({ tournament }) => isPublic(tournament))
const firstID = present(shown[0]).tournament.id

const { database, admin, source } = await openDatabase({ tournaments })
const reset = await keepRows(admin)
let league: LoadedLeague
beforeEach(async () => {
  await migrate(database.adminUrl)
  await reset()
  league = (await refreshLeague(source, emptyLeague)).league
})

const look = async (compareShare: number): Promise<readonly string[]> => {
  const refreshed = await refreshLeague(source, league, { compareShare })
  league = refreshed.league
  return refreshed.unmarked
}
const expectFresh = async (): Promise<void> => {
  const fresh = (await refreshLeague(source, emptyLeague)).league
  expect(present(league.archive).version).toBe(present(fresh.archive).version)
}
/** Runs statements like `pg_restore --disable-triggers`: row_xid is the one in the statement. */
const withTriggersOff = async (table: string, ...statements: readonly string[]): Promise<void> => {
  await admin.begin(async (sql) => {
    await sql.unsafe(`ALTER TABLE cageside.${table} DISABLE TRIGGER ALL`)
    for (const statement of statements) await sql.unsafe(statement)
    await sql.unsafe(`ALTER TABLE cageside.${table} ENABLE TRIGGER ALL`)
  })
}

describe('writes with the triggers off', () => {
  const own = `tournament_id = '${firstID}'`
  const writes: readonly (readonly [string, string, string])[] = [
    ['an update', 'games', `UPDATE cageside.games SET notice = 'Restored' WHERE ${own}`],
    ['a deletion', 'recordings', `DELETE FROM cageside.recordings WHERE ${own}`],
    [
      'an insertion with an old number',
      'pauses',
      `INSERT INTO cageside.pauses
       SELECT tournament_id, id, 77, now(), NULL, '3' FROM cageside.games WHERE ${own} LIMIT 1`,
    ],
    [
      'as many rows as there were',
      'judge_lines',
      `CREATE TEMP TABLE saved ON COMMIT DROP AS SELECT * FROM cageside.judge_lines WHERE ${own};
       DELETE FROM cageside.judge_lines WHERE ${own};
       INSERT INTO cageside.judge_lines SELECT tournament_id, game_id, idx, 'Restored', row_xid FROM saved`,
    ],
  ]
  test.each(writes)(
    '%s with the triggers off is found when its tournament is compared',
    async (_, table, statement) => {
      const before = present(league.archive).version
      await withTriggersOff(table, statement)
      expect(await look(1)).toEqual([firstID])
      expect(present(league.archive).version).not.toBe(before)
      await expectFresh()
      expect(await look(1)).toEqual([])
    },
  )

  test('a write with the triggers off is found within as many refreshes as the share requires', async () => {
    await withTriggersOff('players', `UPDATE cageside.players SET name = name || '!'`)
    const found = new Set<string>()
    for (let n = 0; n < 3; n += 1) for (const id of await look(1 / 3)) found.add(id)
    expect(found).toEqual(new Set(shown.map(({ tournament }) => tournament.id)))
    await expectFresh()
  })

  test('a write with the triggers off is found by a full comparison, whatever was compared before', async () => {
    await look(1 / 3)
    await withTriggersOff('players', `UPDATE cageside.players SET name = name || '!'`)
    expect(new Set(await look(1))).toEqual(new Set(shown.map(({ tournament }) => tournament.id)))
    await expectFresh()
  })

  test('a write with the triggers off is found in time while other tournaments leave', async () => {
    await look(1 / 2)
    const [gone, ...others] = league.seen.keys()
    const compared = [...league.seen.keys()].at(-1)
    await admin`DELETE FROM cageside.tournaments WHERE id IN (${compared ?? ''}, ${gone ?? ''})`
    await look(0)
    await withTriggersOff('players', `UPDATE cageside.players SET name = name || '!'`)
    const found = new Set<string>()
    for (let n = 0; n < 2; n += 1) for (const id of await look(1 / 2)) found.add(id)
    expect(found).toEqual(new Set(others.filter((id) => id !== compared)))
  })

  test("a change of a tournament's own row with the triggers off is found at once", async () => {
    await withTriggersOff(
      'tournaments',
      `UPDATE cageside.tournaments SET privacy = 'private' WHERE id = '${firstID}'`,
    )
    await look(0)
    expect(present(league.archive).dataset.tournamentsByID.has(firstID)).toBe(false)
    const show = `UPDATE cageside.tournaments SET privacy = 'public', name = 'Q' WHERE id = '${firstID}'`
    await withTriggersOff('tournaments', show)
    await look(0)
    expect(present(league.archive).dataset.tournamentsByID.get(firstID)?.info.name).toBe('Q')
    await expectFresh()
  })

  test('the triggers are on for replicated rows again after migrate', async () => {
    await withTriggersOff('games', 'SELECT 1')
    const modes = async () =>
      (
        await admin`
        SELECT DISTINCT tgenabled FROM pg_trigger
        WHERE tgrelid::regclass::text LIKE 'cageside.%' AND NOT tgisinternal`
      )
        .map(({ tgenabled }) => tgenabled)
        .toSorted()
    expect(await modes()).toEqual(['A', 'O'])
    await migrate(database.adminUrl)
    expect(await modes()).toEqual(['A'])
  })
})

test('a change while the mark was void does not count as a write with the triggers off', async () => {
  await admin`UPDATE cageside.tournaments SET name = 'Meanwhile' WHERE id = ${firstID}`
  const position = { ...present(league.position), systemIdentifier: 'another' }
  const { unmarked, ...read } = await refreshLeague(source, { ...league, position })
  expect(unmarked).toEqual([])
  const { dataset } = present(read.league.archive)
  expect(dataset.tournamentsByID.get(firstID)?.info.name).toBe('Meanwhile')
})

describe('recordings', () => {
  const otherID = present(shown[1]).tournament.id
  const table = () =>
    present(league.archive).dataset.tournamentsByID.get(firstID)?.fights[0]?.recordings.table
  const notice = async (text: string): Promise<void> => {
    await admin`UPDATE cageside.games SET notice = ${text} WHERE tournament_id = ${firstID}`
  }
  beforeEach(async () => {
    await notice('First')
    await look(0)
  })

  test('recordings are shared if other rows of their tournament change', async () => {
    const before = present(table())
    await notice('Second')
    await look(0)
    expect(table()).toBe(before)
    await expectFresh()
  })

  const of = `WHERE tournament_id = '${firstID}'`
  const changes: readonly (readonly [string, string])[] = [
    ['an update', `UPDATE cageside.recordings SET camera = 'Crane' ${of}`],
    ['a deletion', `DELETE FROM cageside.recordings ${of} AND id % 2 = 0`],
    ['a move', `UPDATE cageside.recordings SET tournament_id = '${otherID}' ${of}`],
    ['TRUNCATE', 'TRUNCATE cageside.recordings'],
    ['the end of their fights', `DELETE FROM cageside.games ${of}`],
  ]
  test.each(changes)('recordings are read after %s', async (_, statement) => {
    await notice('Second')
    await admin.unsafe(statement)
    await look(0)
    await expectFresh()
  })

  test('recordings changed with the triggers off next to marked rows are found by a comparison', async () => {
    await notice('Second')
    await withTriggersOff('recordings', `DELETE FROM cageside.recordings ${of}`)
    await look(0)
    expect(await look(1)).toEqual([firstID])
    await expectFresh()
  })
})

describe('stamps ahead of the server, as after a dump into a new cluster', () => {
  beforeEach(async () => {
    for (const table of ['tournaments', 'games', 'slots', 'recordings']) {
      await withTriggersOff(table, `UPDATE cageside.${table} SET row_xid = '4000000000'`)
    }
    league = (await refreshLeague(source, emptyLeague)).league
  })

  test('stamps ahead of the server do not count as changes at every refresh', async () => {
    const mark = league.position?.mark ?? ''
    const changed = readTransaction(source, (query) => changedTournaments(query, mark))
    expect(await changed).toEqual(new Map())
    const { changedRows, league: after } = await refreshLeague(source, league)
    expect(changedRows).toBe(0)
    expect(after.archive).toBe(league.archive)
  })

  test('stamps ahead of the server hide no later change', async () => {
    await admin`UPDATE cageside.games SET notice = 'Later' WHERE tournament_id = ${firstID}`
    await admin`DELETE FROM cageside.recordings WHERE tournament_id = ${firstID}`
    expect(await look(0)).toEqual([])
    await expectFresh()
    const game = present(league.archive).dataset.tournamentsByID.get(firstID)?.fights[0]
    expect(game).toMatchObject({ notice: 'Later', recordings: { length: 0 } })
  })
})

describe('writers that lock tables', () => {
  test.each([
    ['stills', 'brackets'],
    ['schema_version', 'tournaments'],
    ['tombstones', 'games'],
  ])(
    'writers that lock %s and %s are not killed by a deadlock, and the reader succeeds',
    async (...both) => {
      const [first, second] = both.map((table) => `cageside.${table}`)
      const small = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
      await small`SET deadlock_timeout = '20ms'`
      let writing = true
      const reads = (async () => {
        let count = 0
        while (writing) {
          await refreshLeague(source, emptyLeague)
          count += 1
        }
        return count
      })()
      for (let n = 0; n < 15; n += 1) {
        await small.begin(async (sql) => {
          await sql.unsafe(`LOCK TABLE ${first} IN ACCESS EXCLUSIVE MODE`)
          await Bun.sleep(10)
          await sql.unsafe(`LOCK TABLE ${second} IN ACCESS EXCLUSIVE MODE`)
        })
        await Bun.sleep(20)
      }
      writing = false
      expect(await reads).toBeGreaterThan(0)
      await small.end({ timeout: 1 })
    },
  )

  test('a reader that meets a lock gives way at once, and finally reports it', async () => {
    const impatient = connect(database.readerUrl, { deadlineMs: 1000 })
    const error = await admin.begin(async (sql) => {
      await sql`LOCK TABLE cageside.games IN ACCESS EXCLUSIVE MODE`
      return refreshLeague(impatient, league).catch((error) => error)
    })
    expect(error).toBeInstanceOf(LockedError)
    expect((await refreshLeague(impatient, league)).league.archive).toBe(league.archive)
    await impatient.close()
  })

  test('a reader holds no lock while it builds its values', async () => {
    const waits: number[] = []
    let reading = true
    const reads = (async () => {
      while (reading) await refreshLeague(source, emptyLeague)
    })()
    for (let n = 0; n < 10; n += 1) {
      const started = performance.now()
      await admin.begin((sql) => sql`LOCK TABLE cageside.tournaments IN ACCESS EXCLUSIVE MODE`)
      waits.push(performance.now() - started)
    }
    reading = false
    await reads
    expect(waits).toHaveLength(10)
  })

  test('a reader that stops in the middle of a refresh is disconnected by the server', async () => {
    expect(idleTimeoutMs).toBeLessThanOrEqual(60_000)
    const reader = openPool(database.readerUrl, { max: 1, connectSeconds: 10 })
    expect(await reader`SHOW idle_in_transaction_session_timeout`).toMatchObject([
      { idle_in_transaction_session_timeout: '1min' },
    ])
    await reader.end({ timeout: 1 })
  })
})

test('a change of a hidden tournament does not count as a changed row', async () => {
  const hidden = tournaments.find(({ tournament }) => !isPublic(tournament))?.tournament.id ?? ''
  await admin`UPDATE cageside.players SET name = 'Secret' WHERE tournament_id = ${hidden}`
  const { changedRows } = await refreshLeague(source, league)
  expect(changedRows).toBe(0)
})

test('a tournament that leaves counts as one changed row, with or without a trigger', async () => {
  const leave = async (id: string): Promise<void> => {
    const { changedRows, ...refreshed } = await refreshLeague(source, league)
    league = refreshed.league
    expect([league.entries.has(id), changedRows]).toEqual([false, 1])
    expect((await refreshLeague(source, league)).changedRows).toBe(0)
  }
  await withTriggersOff(
    'tournaments',
    `UPDATE cageside.tournaments SET privacy = 'private' WHERE id = '${firstID}'`,
  )
  await leave(firstID)
  const other = present([...league.seen.keys()].at(-1))
  await admin`DELETE FROM cageside.tournaments WHERE id = ${other}`
  await leave(other)
})

test('the second row of a lost key is one bad row', async () => {
  const own = await freshDatabase()
  await insertRows(own.adminUrl, { tournaments })
  await administer(
    own.adminUrl,
    `ALTER TABLE cageside.games DROP CONSTRAINT games_pkey CASCADE;
     INSERT INTO cageside.games
     SELECT * FROM cageside.games WHERE tournament_id = '${firstID}' LIMIT 1`,
  )
  const reader = connect(own.readerUrl)
  let found = emptyLeague
  for (let n = 0; n < 3; n += 1) {
    const notice = `UPDATE cageside.games SET notice = 'n${n}' WHERE tournament_id = '${firstID}'`
    await administer(own.adminUrl, notice)
    found = (await refreshLeague(reader, found, { compareShare: 1 })).league
    expect(found.badRows).toBe(1)
    expect(found.archive?.dataset.fights).toHaveLength(
      present(league.archive).dataset.fights.length,
    )
  }
  await reader.close()
  await own.drop()
})

describe('tombstones', () => {
  test('tombstones that no reader needs are removed by deletions', async () => {
    await admin`DELETE FROM cageside.judge_lines WHERE tournament_id = ${firstID}`
    await admin`UPDATE cageside.tombstones SET recorded_at = now() - interval '40 days'`
    const count = async () =>
      Number((await admin`SELECT count(*)::int AS count FROM cageside.tombstones`)[0]?.count)
    const old = await count()
    expect(old).toBeGreaterThan(0)
    await admin`DELETE FROM cageside.pauses WHERE tournament_id = ${firstID}`
    await admin`SELECT cageside.prune_tombstones()`
    const left = await admin`
      SELECT count(*)::int AS count FROM cageside.tombstones WHERE recorded_at < now() - interval '30 days'`
    expect(left[0]?.count).toBe(0)
    await admin.unsafe(`
      UPDATE cageside.tombstones SET recorded_at = now() - interval '40 days';
      DELETE FROM cageside.recordings`)
    const [row] = await admin`
      SELECT count(*) FILTER (WHERE recorded_at < now() - interval '30 days')::int AS old,
        count(*)::int AS all FROM cageside.tombstones`
    expect(row?.all).toBeGreaterThan(200)
    expect(row?.old).toBe(0)
  })
})

import { afterAll, afterEach, beforeEach, describe, expect, jest, spyOn, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Main } from '../../scripts/command.ts'
import { load, main as loadCommand } from '../../scripts/load.ts'
import { migrate } from '../../scripts/migrate.ts'
import { main as snapshotCommand, takeSnapshot } from '../../scripts/snapshot.ts'
import { changedTournaments } from '../../src/data/source/changedRows.ts'
import { checkTournament, type Unchecked } from '../../src/data/source/check.ts'
import { connect, openPool, type Query, type Source } from '../../src/data/source/connection.ts'
import { type Head, readTransaction } from '../../src/data/source/postgres.ts'
import { proxyUrl } from '../../src/data/source/proxies.ts'
import { eachTournament, readShown } from '../../src/data/source/readTournaments.ts'
import {
  type CageRows,
  PlayerRow,
  RecordingRow,
  schemaVersion,
  type TournamentRows,
} from '../../src/data/source/rows.ts'
import {
  compressTournament,
  packTournament,
  readSnapshot,
  writeFrames,
  writeSnapshot,
} from '../../src/data/source/snapshot.ts'
import { SourceError } from '../../src/data/source/sourceErrors.ts'
import { allTables, minSchemaVersion, sqlName } from '../../src/data/source/tables.ts'
import { openDatabase } from '../leagueDatabase.ts'
import { administer, deleteRows, emptyDatabase, freshDatabase } from '../postgres.ts'
import { present } from '../present.ts'
import { projectFolder, temporaryFolder } from '../process.ts'
import { cageRow, clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../rows.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'
import { openRelay } from './relay.ts'

/** Reads everything public at one moment. */
const readAll = (
  source: Source,
  options: { includeHidden?: boolean },
  consume: (rows: Unchecked<TournamentRows>) => void,
): Promise<Head> =>
  readTransaction(
    source,
    async (query, head) => {
      for await (const rows of eachTournament(query, { ...head, ...options })) consume(rows)
      return head
    },
    options,
  )

const noFilm = { videoUrl: null, proxy720Url: null, proxy360Url: null, proxy72Url: null }

/** Every table has a row, names reach beyond U+FFFF, and nullable rows are null. */
const fullTournament = (id: string, n: number): TournamentRows =>
  tournamentOf(
    {
      id,
      name: `Été 😀 ${id}`,
      startTime: 1_770_000_100,
      endTime: null,
      allowedWinAnnotations: [],
      source: 'été 2026',
    },
    [
      { id: 'axe', name: 'Axe \\ \'n\' "Öl"' },
      { id: 'bye', isBye: true, seed: 2, placement: 3 },
      { id: '\uffee', name: '' },
      { id: '😀' },
    ],
    [
      fightRows({ id: 'W-0' }, 'axe', '😀'),
      fightRows({ id: 'W-1', state: 'active' }, 'axe', null, null),
    ],
    {
      pauses: [{ gameId: 'W-0', idx: 0, startTime: 1_770_000_110, stopTime: null }],
      judgeLines: [{ gameId: 'W-0', idx: 0, line: 'A: damage 3-2' }],
      recordings: [
        recordingRow({ id: n + 1 }),
        recordingRow({ id: n + 2, ...noFilm, startMs: null, httpStatus: null }),
        recordingRow({
          id: Number.MAX_SAFE_INTEGER - n,
          proxy360Url: 'https://small.example/n.mp4',
        }),
      ],
      clips: [
        clipRow({ token: `clip-${n}`, views: 2 ** 31 - 1, video720Url: null, video72Url: null }),
      ],
      stills: [
        stillRow({
          id: n + 1,
          token: `still-${n}`,
          playerId: 'axe',
          height: null,
          isHero: true,
          isCurated: true,
          takenTime: 253_402_300_799,
        }),
      ],
      stillTags: [
        { stillId: n + 1, tag: '\uffee' },
        { stillId: n + 1, tag: '😀' },
      ].toSorted((a, b) => (a.tag < b.tag ? -1 : 1)),
    },
  )

/** The order of both sources: rows by key, with properties in the order of rows.ts. */
const canonical = (rows: TournamentRows): TournamentRows => {
  const check = checkTournament(
    {
      ...rows,
      players: rows.players
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((row) => inOrder(Object.keys(PlayerRow.properties), row)),
      recordings: rows.recordings.map((row) => inOrder(Object.keys(RecordingRow.properties), row)),
    },
    ({ table, problem }) => {
      throw new Error(`${table}: ${problem}`)
    },
  )
  return present(check)
}
const inOrder = (properties: readonly string[], row: object): object => {
  const values = new Map(Object.entries(row))
  return Object.fromEntries(properties.map((property) => [property, values.get(property)]))
}
const league: readonly TournamentRows[] = [
  canonical(fullTournament('a_public', 100)),
  canonical(fullTournament('b_private', 200)),
  canonical(fullTournament('c_test', 300)),
  canonical(fullTournament('\uffee_unlisted', 400)),
].map((rows, index) => {
  const privacy = (['public', 'private', 'public', 'unlisted'] as const)[index] ?? 'public'
  return { ...rows, tournament: { ...rows.tournament, privacy, isTest: index === 2 } }
})
const updateTime = 1_770_000_500
const inCage = { gameId: 'W-1', updateTime }
const cages: CageRows = {
  cages: [
    cageRow({ number: 1, updateTime }),
    cageRow({ number: 2, status: 'active', tournamentId: 'a_public', ...inCage }),
    cageRow({
      number: 4,
      status: 'paused',
      tournamentId: 'b_private',
      pausedSince: updateTime,
      ...inCage,
    }),
  ],
  cageQueue: [
    { cage: 2, position: 0, tournamentId: 'a_public', gameId: 'W-0' },
    { cage: 2, position: 1, tournamentId: 'c_test', gameId: 'W-0' },
  ],
}
const capturedAt = 1_770_000_600

const folder = await temporaryFolder()
await writeSnapshot(join(folder, 'league.cageside'), { capturedAt, ...cages, tournaments: league })
const { database, admin, source } = await openDatabase()
const reader = openPool(database.readerUrl, { max: 1, connectSeconds: 5 })
const sources: Source[] = []
/** A source that is closed after the test. */
const open = (...args: Parameters<typeof connect>): Source => {
  const opened = connect(...args)
  sources.push(opened)
  return opened
}
afterEach(() => Promise.all(sources.splice(0).map((each) => each.close())))
afterAll(() => reader.end({ timeout: 1 }))
/** Every test begins with a freshly migrated database: a new one each would cost 0.2 s. */
beforeEach(async () => {
  await deleteRows(admin)
  await admin`DELETE FROM cageside.schema_version WHERE version > ${schemaVersion}`
})

const loadLeague = () => load(database.adminUrl, join(folder, 'league.cageside'))

const tableNames = allTables.map(sqlName).toSorted()

/** An error as an operator reads it. */
const sentence = ({ message, detail }: SourceError): string =>
  detail ? `${message}: ${detail}` : message

/** Message of a failed promise; empty if it did not fail. */
const complaint = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => '',
    (error) => (error instanceof SourceError ? sentence(error) : String(error.message)),
  )

/** Every row of every table, and counters of the catalog separately. */
const everything = async (): Promise<string> => {
  const tables = await Promise.all(
    [...tableNames, 'tombstones', 'schema_version'].map((name) =>
      admin.unsafe(`SELECT to_jsonb(t) FROM cageside.${name} t ORDER BY to_jsonb(t)::text`),
    ),
  )
  return JSON.stringify(tables)
}

const catalog = async (): Promise<string> =>
  JSON.stringify([
    await admin`
      SELECT table_name, column_name, domain_name, data_type, is_nullable
      FROM information_schema.columns WHERE table_schema = 'cageside' ORDER BY 1, 2`,
    await admin`
      SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger
      WHERE NOT tgisinternal ORDER BY 1, 2`,
    await admin`SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'cageside' ORDER BY 1`,
    await admin`
      SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = 'cageside'::regnamespace ORDER BY 1, 2`,
    await admin`
      SELECT relname, relacl::text FROM pg_class
      WHERE relnamespace = 'cageside'::regnamespace ORDER BY 1`,
  ])

describe('migrate', () => {
  test('migrate changes nothing the second time', async () => {
    await loadLeague()
    const before = [await catalog(), await everything()]
    await migrate(database.adminUrl)
    expect([await catalog(), await everything()]).toEqual(before)
  })

  test('migrate enables triggers for replicated rows, as needed after a restore of data only', async () => {
    const before = await catalog()
    await admin`ALTER TABLE cageside.games ENABLE TRIGGER USER`
    await admin`ALTER TABLE cageside.players DISABLE TRIGGER USER`
    expect(await catalog()).not.toBe(before)
    await migrate(database.adminUrl)
    expect(await catalog()).toBe(before)
  })

  test('two simultaneous runs of migrate succeed', async () => {
    const { url, drop } = await emptyDatabase()
    await Promise.all([migrate(url), migrate(url), migrate(url)])
    await drop()
  })

  test('migrate refuses a newer schema in one line', async () => {
    await admin`INSERT INTO cageside.schema_version VALUES (${schemaVersion + 1})`
    expect(await complaint(migrate(database.adminUrl))).toBe(
      `the database has schema version ${schemaVersion + 1}, newer than ${schemaVersion}, the last one of this program`,
    )
  })

  test('migrate reports a lost connection in one line, with nothing done', async () => {
    const { url, drop } = await emptyDatabase()
    const holder = openPool(url, { max: 1, connectSeconds: 5 })
    await holder`SELECT pg_advisory_lock(hashtext('cageside migrate'))`
    const migrating = complaint(migrate(url))
    const waiting = async () => (await holder`SELECT pid FROM pg_locks WHERE NOT granted`)[0]?.pid
    while (!(await waiting())) await Bun.sleep(20)
    await holder`SELECT pg_terminate_backend(${await waiting()})`
    expect(await migrating).toStartWith('the database cannot be reached')
    const [made] = await holder`SELECT to_regnamespace('cageside') IS NOT NULL AS schema`
    expect(made?.schema).toBe(false)
    await holder.end()
    await drop()
  })

  test('migrate gives a reader a new password, and refuses a role with more rights', async () => {
    const own = await freshDatabase()
    const url = new URL(own.readerUrl)
    const name = url.username
    await migrate(own.adminUrl, { reader: { name, password: 'another' } })
    url.password = 'another'
    const pool = openPool(url.href, { max: 1, connectSeconds: 5 })
    expect(await pool`SELECT 1 AS one`).toHaveLength(1)
    await pool.end()
    const again = () => complaint(migrate(own.adminUrl, { reader: { name, password: 'x' } }))
    const rights = ['SUPERUSER', 'CREATEROLE', 'CREATEDB', 'REPLICATION', 'BYPASSRLS']
    for (const [give, take] of [
      ...rights.map((right) => [`ALTER ROLE ${name} ${right}`, `ALTER ROLE ${name} NO${right}`]),
      [`GRANT pg_monitor TO ${name}`, `REVOKE pg_monitor FROM ${name}`],
      [
        `ALTER VIEW cageside_public.games OWNER TO ${name}`,
        'ALTER VIEW cageside_public.games OWNER TO CURRENT_USER',
      ],
      [
        `ALTER TABLE cageside.games OWNER TO ${name}`,
        'ALTER TABLE cageside.games OWNER TO CURRENT_USER',
      ],
    ]) {
      await administer(own.adminUrl, give ?? '')
      expect([give, await again()]).toEqual([give, `role ${name} exists and may do more than read`])
      await administer(own.adminUrl, take ?? '')
    }
    expect(await again()).toBe('')
    await own.drop()
  })

  test('migrate accepts the logins in the READMEs, but not its own', async () => {
    const own = await freshDatabase()
    const login = (name: string) => ({ name, password: 'x' })
    for (const path of ['README.md', 'scripts/deploy/README.md']) {
      const text = await Bun.file(join(projectFolder, path)).text()
      const [, reader, writer] = /migrate --reader (\S+) --writer (\S+)/.exec(text) ?? []
      await migrate(own.adminUrl, { reader: login(reader ?? ''), writer: login(writer ?? '') })
    }
    for (const kind of ['reader', 'writer'] as const)
      for (const name of ['cageside_reader', 'cageside_writer'])
        expect(await complaint(migrate(own.adminUrl, { [kind]: login(name) }))).toBe(
          `the ${kind} needs a name of its own: ${name} is the role that has the rights`,
        )
    await own.drop()
  })

  test.each([
    ['127.0.0.1:1', /^the database cannot be reached: [^\n]*\n$/],
    ['127.0.0.1:1,127.0.0.1:2', /^the database must have one host here\n$/],
  ])(
    'migrate as a command on %s prints one line without a password, and exits with 1',
    async (hosts, message) => {
      const script = new URL('../../scripts/migrate.ts', import.meta.url).pathname
      const child = Bun.spawn(
        ['bun', script, '--database-url', `postgres://nobody:sesame@${hosts}/x`],
        { stdout: 'pipe', stderr: 'pipe' },
      )
      const output = await new Response(child.stderr).text()
      expect(await child.exited).toBe(1)
      expect(output).toMatch(message)
      expect(output).not.toContain('sesame')
    },
  )
})

describe('the reader', () => {
  test('the reader may select from the public view of every table', async () => {
    for (const name of [...tableNames, 'tombstones']) {
      expect(await complaint(reader.unsafe(`SELECT FROM cageside_public.${name}`))).toBe('')
    }
  })

  test('the reader may do nothing else, even in a transaction that may write', async () => {
    await loadLeague()
    const before = await everything()
    await reader.unsafe('SET default_transaction_read_only = off')
    for (const statement of [
      ...tableNames.flatMap((name) => [
        `INSERT INTO cageside.${name} SELECT * FROM cageside.${name}`,
        `UPDATE cageside.${name} SET row_xid = '3'`,
        `DELETE FROM cageside.${name}`,
        `TRUNCATE cageside.${name} CASCADE`,
        `DROP TABLE cageside.${name} CASCADE`,
      ]),
      'DELETE FROM cageside.tombstones',
      'UPDATE cageside.schema_version SET version = 2',
      'CREATE TABLE cageside.extra (a int)',
      'CREATE TABLE public.extra (a int)',
      'CREATE SCHEMA extra',
      `SET ROLE ${new URL(database.adminUrl).username}`,
    ]) {
      expect(`${statement}: ${await complaint(reader.unsafe(statement))}`).toMatch(
        /permission denied|must be owner/,
      )
    }
    await reader.unsafe('RESET default_transaction_read_only')
    expect(await everything()).toBe(before)
  })

  test('the reader starts every transaction read-only', async () => {
    const [row] = await reader`SHOW transaction_read_only`
    expect(row).toEqual({ transaction_read_only: 'on' })
  })

  test('the reader is disconnected if it leaves a transaction idle for a minute', async () => {
    const [row] = await reader`SHOW idle_in_transaction_session_timeout`
    expect(row).toEqual({ idle_in_transaction_session_timeout: '1min' })
  })
})

describe('change tracking', () => {
  const tombstones = async (): Promise<string[]> => {
    const rows = await admin`
      SELECT table_name, tournament_id, key FROM cageside.tombstones ORDER BY 1, 2, key::text`
    return rows.map(({ table_name, tournament_id, key }) =>
      [table_name, tournament_id, ...Object.values(key)].join(' '),
    )
  }

  test('row_xid is the transaction, whatever a client writes', async () => {
    await loadLeague()
    const stamped = await admin.begin(async (sql) => {
      await sql`UPDATE cageside.games SET notice = 'x', row_xid = '3' WHERE tournament_id = 'a_public'`
      await sql`
        INSERT INTO cageside.pauses (tournament_id, game_id, idx, start_time, row_xid)
        VALUES ('a_public', 'W-0', 9, now(), '3')`
      return sql`
        SELECT row_xid = pg_current_xact_id() AS same FROM cageside.games
        WHERE tournament_id = 'a_public'
        UNION ALL SELECT row_xid = pg_current_xact_id() FROM cageside.pauses WHERE idx = 9`
    })
    expect(stamped.map(({ same }) => same)).toEqual([true, true, true])
  })

  test('replicated rows get stamps and tombstones', async () => {
    await loadLeague()
    await admin.begin(async (sql) => {
      await sql`SET LOCAL session_replication_role = replica`
      await sql`DELETE FROM cageside.judge_lines WHERE tournament_id = 'a_public'`
    })
    expect(await tombstones()).toEqual(['judge_lines a_public 0 W-0 a_public'])
  })

  test('a deleted tournament leaves a tombstone of each of its rows', async () => {
    await loadLeague()
    await admin`DELETE FROM cageside.tournaments WHERE id = 'a_public'`
    const left = await tombstones()
    expect(left.every((line) => line.split(' ')[1] === 'a_public')).toBe(true)
    expect([...new Set(left.map((line) => line.split(' ')[0]))]).toEqual(
      tableNames.filter((name) => name !== 'cages'),
    )
    for (const name of tableNames.filter((name) => !['cages', 'tournaments'].includes(name))) {
      const left = await admin.unsafe(
        `SELECT FROM cageside.${name} WHERE tournament_id = 'a_public'`,
      )
      expect(left).toHaveLength(0)
    }
    const [cage] = await admin`SELECT tournament_id, game_id FROM cageside.cages WHERE number = 2`
    expect(cage).toEqual({ tournament_id: null, game_id: null })
  })

  test('a deleted game leaves tombstones of its rows and empties the slots that it fed', async () => {
    await loadLeague()
    await admin`
      UPDATE cageside.slots SET prev_game_id = 'W-0'
      WHERE tournament_id = 'a_public' AND game_id = 'W-1' AND idx = 1`
    await admin`DELETE FROM cageside.games WHERE tournament_id = 'a_public' AND id = 'W-0'`
    expect(await tombstones()).toHaveLength(1 + 2 + 1 + 1 + 3 + 1 + 1)
    const slots = await admin`
      SELECT prev_game_id FROM cageside.slots WHERE tournament_id = 'a_public'`
    expect(slots.map((slot) => slot.prev_game_id)).toEqual([null, null])
  })

  test('TRUNCATE leaves a tombstone of each row', async () => {
    await loadLeague()
    await admin`TRUNCATE cageside.recordings`
    expect(await tombstones()).toHaveLength(12)
    await admin`TRUNCATE cageside.tournaments CASCADE`
    expect(new Set((await tombstones()).map((line) => line.split(' ')[0])).size).toBe(14)
  })

  test('a row that moves to another tournament or key leaves a tombstone', async () => {
    await loadLeague()
    await admin`UPDATE cageside.recordings SET tournament_id = 'c_test' WHERE id = 101`
    await admin`UPDATE cageside.judge_lines SET idx = 5 WHERE tournament_id = 'a_public'`
    await admin`UPDATE cageside.players SET name = 'Same place' WHERE id = 'axe'`
    expect(await tombstones()).toEqual([
      'judge_lines a_public 0 W-0 a_public',
      'recordings a_public 101',
    ])
  })

  test('changedTournaments finds writes and deletes since a mark, and open transactions', async () => {
    await loadLeague()
    const markNow = () => readTransaction(source, async (_, { mark }) => mark)
    const changed = async (mark: string) =>
      Object.fromEntries(await readTransaction(source, (query) => changedTournaments(query, mark)))
    await admin`UPDATE cageside.tournaments SET is_test = false WHERE id = 'c_test'`
    const first = await markNow()
    expect(await changed(first)).toEqual({})
    await admin`UPDATE cageside.slots SET tapped = true WHERE tournament_id = 'a_public'`
    await admin`DELETE FROM cageside.pauses WHERE tournament_id = 'c_test'`
    await admin`UPDATE cageside.slots SET tapped = true WHERE tournament_id = 'b_private'`
    const others = { hasRecordings: false }
    expect(await changed(first)).toEqual({
      a_public: { rows: 4, ...others },
      c_test: { rows: 1, ...others },
    })
    await admin`UPDATE cageside.clips SET is_public = false WHERE tournament_id = 'c_test'`
    await admin`DELETE FROM cageside.recordings WHERE tournament_id = 'a_public'`
    expect(await changed(first)).toEqual({
      a_public: { rows: 7, hasRecordings: true },
      c_test: { rows: 2, ...others },
    })
    expect(await changed(await markNow())).toEqual({})
    const open = Promise.withResolvers<void>()
    const wrote = Promise.withResolvers<void>()
    const slow = admin.begin(async (sql) => {
      await sql`UPDATE cageside.players SET name = 'Late' WHERE tournament_id = 'a_public'`
      wrote.resolve()
      await open.promise
    })
    await wrote.promise
    await admin`UPDATE cageside.players SET name = 'Early' WHERE tournament_id = 'c_test'`
    const during = await markNow()
    open.resolve()
    await slow
    expect(await changed(during)).toHaveProperty('a_public')
  })
})

describe('checks of the schema', () => {
  beforeEach(loadLeague)

  test.each([
    ['an empty id', `UPDATE cageside.cages SET game_id = ''`],
    ['an id over 128 units', `UPDATE cageside.brackets SET id = repeat('x', 129)`],
    ['astral characters that count twice', `UPDATE cageside.clips SET token = repeat('😀', 65)`],
    ['a text over 4,096 units', `UPDATE cageside.games SET notice = repeat('x', 4097)`],
    ['a time that is infinite', `UPDATE cageside.tournaments SET end_time = 'infinity'`],
    ['a time before 1970', `UPDATE cageside.stills SET taken_time = '1969-12-31 23:59:59+00'`],
    ['a negative count', `UPDATE cageside.players SET seed = -1`],
    ['an unknown state', `UPDATE cageside.games SET state = 'over'`],
    ['a third corner', `UPDATE cageside.slots SET idx = 2`],
    ['a status of no kind', `UPDATE cageside.recordings SET http_status = 600`],
    ['a number beyond 2^53', `UPDATE cageside.recordings SET id = 9007199254740992 WHERE id = 101`],
    ['a null in a list', `UPDATE cageside.tournaments SET allowed_win_annotations = '{KO,NULL}'`],
    ['a player of another tournament', `UPDATE cageside.slots SET player_id = 'nobody'`],
    ['half a game in a cage', `UPDATE cageside.cages SET game_id = NULL`],
    ['deleting a player who fought', `DELETE FROM cageside.players WHERE id = 'axe'`],
  ])('checks of the schema refuse %s', async (_, statement) => {
    expect(await complaint(admin.unsafe(statement))).toMatch(/violates/)
  })

  test.each(["repeat('é', 4096)", "repeat('😀', 2048)"])(
    'checks of the schema accept the text %s',
    async (text) => {
      expect(await complaint(admin.unsafe(`UPDATE cageside.games SET notice = ${text}`))).toBe('')
    },
  )
})

describe('reading', () => {
  const read = async (options: { includeHidden?: boolean }) => {
    const source = open(options.includeHidden ? database.adminUrl : database.readerUrl)
    const tournaments: TournamentRows[] = []
    const head = await readAll(source, options, (unchecked) => {
      const rows = checkTournament(unchecked, (bad) => {
        throw new Error(`${bad.table}: ${bad.problem}`)
      })
      if (rows) tournaments.push(rows)
    })
    return { head, tournaments }
  }

  test('a read gives the loaded rows', async () => {
    await loadLeague()
    const { head, tournaments } = await read({ includeHidden: true })
    expect(tournaments).toEqual([...league])
    // Lets the planner know the tables at once.
    expect([
      ...(await admin`SELECT reltuples::int FROM pg_class WHERE oid = 'cageside.tournaments'::regclass`),
    ]).toEqual([{ reltuples: league.length }])
    expect(head).toMatchObject(cages)
    expect(Math.abs(head.now - Date.now() / 1000)).toBeLessThan(60)
    expect(BigInt(head.mark)).toBeGreaterThan(0n)
  })

  test('a read hides rows that are not public, in the cages too', async () => {
    await loadLeague()
    const { head, tournaments } = await read({})
    expect(tournaments.map(({ tournament }) => tournament.id)).toEqual(['a_public'])
    expect(head.cageQueue).toEqual(cages.cageQueue.slice(0, 1))
    expect(head.cages).toEqual([...cages.cages.slice(0, 2), cageRow({ number: 4, updateTime: 0 })])
    const named = await source.transaction((query) =>
      readShown(query, ['b_private', 'c_test', '\uffee_unlisted', 'no_such'], {
        version: schemaVersion,
      }),
    )
    expect(named).toEqual([])
  })

  test('a read drops fractions of a second, and an empty league is fine', async () => {
    expect((await read({})).tournaments).toEqual([])
    await loadLeague()
    await admin`UPDATE cageside.tournaments SET end_time = '2026-03-14 15:00:00.999999+00'`
    await admin`UPDATE cageside.recordings SET start_time = '2026-03-14 15:00:00.123999+00'`
    const { tournaments } = await read({})
    expect(tournaments[0]?.tournament.endTime).toBe(1_773_500_400)
    expect(tournaments[0]?.recordings[0]?.startMs).toBe(1_773_500_400_123)
  })

  test('a read gives recordings with control characters and with empty texts', async () => {
    await loadLeague()
    const { tournaments: before } = await read({})
    await admin`UPDATE cageside.recordings SET camera = E'a\\x01b\\x01', cage = ''
                WHERE tournament_id = 'a_public'`
    const { tournaments: after } = await read({})
    expect(after).toEqual(
      before.map((rows) =>
        rows.tournament.id === 'a_public'
          ? {
              ...rows,
              recordings: rows.recordings.map((row) => ({
                ...row,
                camera: 'a\x01b\x01',
                cage: '',
              })),
            }
          : rows,
      ),
    )
  })

  test.each([
    ['https://a/b.mp4', 'https://a/b_720p.mp4', true],
    ['https://a/b.mp4', 'https://a/b_360p.mp4', 'https://a/b_360p.mp4'],
    ['https://a/b.mp4', 'https://c/b_720p.mp4', 'https://c/b_720p.mp4'],
    ['https://a/b.mp4', null, null],
    ['https://a/b.webm', 'https://a/b_720p.webm', true],
    ['https://a/𝄞.mp4', 'https://a/𝄞_720p.mp4', true],
    [null, 'https://a/b_720p.mp4', 'https://a/b_720p.mp4'],
  ])('a read of the film %p gives the proxy %p as %p', async (film, proxy, expected) => {
    await loadLeague()
    await admin`UPDATE cageside.recordings SET video_url = ${film}, proxy_720_url = ${proxy}
                WHERE tournament_id = 'a_public'`
    const { tournaments } = await read({})
    const [{ recordings = [] } = {}] = tournaments
    expect(recordings.length).toBeGreaterThan(0)
    for (const row of recordings)
      expect(row).toMatchObject({ videoUrl: film, proxy720Url: expected })
  })

  test.each([
    'https://a/b.mp4',
    'https://a/b.mp4/c.mp4',
    'https://a/b.mp4/c',
    'https://a/b.mp4?v=1.2',
  ])('a read of the film %p gives its standard proxies unchanged', async (film) => {
    await loadLeague()
    const proxies = [720, 360, 72].map((height) => film.replaceAll('.mp4', `_${height}p.mp4`))
    await admin`UPDATE cageside.recordings SET video_url = ${film}, proxy_720_url = ${present(proxies[0])},
                  proxy_360_url = ${present(proxies[1])}, proxy_72_url = ${present(proxies[2])}`
    const { tournaments } = await read({})
    const [{ recordings = [] } = {}] = tournaments
    expect(recordings.length).toBeGreaterThan(0)
    for (const { videoUrl, proxy720Url, proxy360Url, proxy72Url } of recordings) {
      expect([
        proxyUrl(videoUrl, 720, proxy720Url),
        proxyUrl(videoUrl, 360, proxy360Url),
        proxyUrl(videoUrl, 72, proxy72Url),
      ]).toEqual(proxies)
    }
  })

  test('a read does not take a text for the mark of standard proxies', async () => {
    await loadLeague()
    await admin`UPDATE cageside.recordings SET proxy_720_url = 'true'`
    expect(await complaint(read({}))).toContain('recordings: /proxy720Url')
  })

  test('a read sees one moment, even if a table is emptied meanwhile', async () => {
    await loadLeague()
    const found = await readTransaction(source, async (query) => {
      await admin`UPDATE cageside.tournaments SET name = 'Later'`
      const emptied = complaint(
        admin.begin(async (sql) => {
          await sql`SET LOCAL lock_timeout = '200ms'`
          await sql`TRUNCATE cageside.games CASCADE`
        }),
      )
      expect(await emptied).toContain('lock timeout')
      const shown = await readShown(query, ['a_public'], { version: schemaVersion })
      return shown.map(({ rows }) => checkTournament(rows, () => {}))
    })
    expect(found).toEqual(league.slice(0, 1))
  })

  test('a read refuses another schema version, and a database without schema', async () => {
    await admin`INSERT INTO cageside.schema_version VALUES (77)`
    expect(await complaint(read({}))).toBe(
      `the database has schema version 77, and this program reads ${minSchemaVersion} to ${schemaVersion}`,
    )
    const { url, drop } = await emptyDatabase()
    const source = open(url)
    const bare = readAll(source, {}, () => {})
    expect(await complaint(bare)).toMatch(/^the database is not migrated: /)
    await drop()
  })

  test('a read looks up the schema version once, and again if the database refuses', async () => {
    let transactions = 0
    const counted: Source = {
      ...source,
      transaction: (read) => {
        transactions += 1
        return source.transaction(read)
      },
    }
    const countOf = async (read: (query: Query) => Promise<unknown>): Promise<number> => {
      transactions = 0
      await complaint(readTransaction(counted, read))
      return transactions
    }
    const nothing = async () => undefined
    expect([await countOf(nothing), await countOf(nothing)]).toEqual([2, 1])
    expect(await countOf((query) => query('SELECT FROM missing'))).toBe(2)
    expect(await countOf(() => Promise.reject(new RangeError('mine')))).toBe(1)
    await admin`DELETE FROM cageside.schema_version WHERE version = ${schemaVersion}`
    const afterChange = [await countOf(nothing), await countOf(nothing)]
    await admin`INSERT INTO cageside.schema_version VALUES (${schemaVersion})`
    expect(afterChange).toEqual([3, 1])
  })

  test('an exception of the consumer of a read passes unchanged', async () => {
    await loadLeague()
    const failure = new RangeError('mine')
    const thrown = await readAll(source, {}, () => {
      throw failure
    }).catch((error) => error)
    expect(thrown).toBe(failure)
    expect((await readAll(source, {}, () => {})).mark).toMatch(/^\d+$/)
  })
})

describe('failure', () => {
  /** Expects a failure in time: deadlines here are at most a second, and the awaited events take longer. */
  const failsInTime = async (promise: Promise<unknown>): Promise<string> => {
    const maxMs = 15_000
    const start = performance.now()
    const error = await promise.then(
      () => undefined,
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(SourceError)
    expect(performance.now() - start).toBeLessThan(maxMs)
    expect(sentence(error)).not.toContain('\n')
    return sentence(error)
  }

  test('a query over its deadline is stopped, and the source goes on', async () => {
    const source = open(database.readerUrl, { deadlineMs: 300 })
    const slow = source.transaction((query) => query('SELECT pg_sleep(20)'))
    expect(await failsInTime(slow)).toStartWith('the database took too long over a query')
    expect(await source.transaction((query) => query('SELECT 1'))).toEqual([[1]])
    const [left] = await admin`
      SELECT count(*)::int AS sleeping FROM pg_stat_activity
      WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()`
    expect(left).toEqual({ sleeping: 0 })
  })

  test('a read of a locked table ends in time, and works once it is free', async () => {
    await loadLeague()
    const source = open(database.readerUrl, { deadlineMs: 300 })
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holder = admin.begin(async (sql) => {
      await sql`LOCK TABLE cageside.recordings IN ACCESS EXCLUSIVE MODE`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const reading = failsInTime(readAll(source, {}, () => {}))
    // Later tests would wait for the lock.
    await reading.finally(release.resolve)
    await holder
    expect((await readAll(source, {}, () => {})).mark).toMatch(/^\d+$/)
  })

  // These tests run concurrently because they wait for deadlines; each has its own source, because sources from `open`
  // are closed after each test.
  test.concurrent('a read from a server that hangs, cuts or closes ends in time, and works again afterwards', async () => {
    const relay = openRelay(database.readerUrl)
    const source = connect(relay.url, { deadlineMs: 1000 })
    const ask = () => source.transaction((query) => query('SELECT 1'))
    // The source opens both of its connections.
    await Promise.all([ask(), ask()])
    for (const disturb of [relay.hang, relay.cut]) {
      disturb()
      await Promise.all([failsInTime(ask()), failsInTime(ask())])
      relay.mend()
      expect(await ask()).toEqual([[1]])
    }
    await source.close()
    relay.close()
  })

  test.concurrent('the time between two queries does not count, but the time of the next query does', async () => {
    const source = connect(database.readerUrl, { deadlineMs: 1000 })
    const after = (pauseMs: number, text: string) =>
      source.transaction(async (query) => {
        await query('SELECT 1')
        await Bun.sleep(pauseMs)
        return query(text)
      })
    const tooLong = failsInTime(after(2500, 'SELECT pg_sleep(20)'))
    expect(await after(2500, 'SELECT 2')).toEqual([[2]])
    expect(await tooLong).toMatch(/^the database (took too long over a query|does not answer)/)
    await source.close()
  })

  test.concurrent('simultaneous queries wait for each other', async () => {
    const source = connect(database.readerUrl, { deadlineMs: 2000 })
    const one = "SELECT 'done' FROM pg_sleep(0.7)"
    const all = source.transaction((query) => Promise.all([1, 2, 3, 4, 5].map(() => query(one))))
    expect(await all).toEqual(Array(5).fill([['done']]))
    await source.close()
  })

  test.concurrent.each([
    ['a query after a pause', (query: Query) => Bun.sleep(2500).then(() => query('SELECT 1'))],
    [
      'queries asked again and again',
      async (query: Query) => {
        let failed = false
        for (let n = 0; n < 200 && !failed; n++) {
          query('SELECT 1').catch(() => {
            failed = true
          })
          await Bun.sleep(50)
        }
      },
    ],
    ['the end of a transaction', async () => {}],
  ])('a server that hangs over %s is given up', async (_, ask) => {
    const relay = openRelay(database.readerUrl)
    const source = connect(relay.url, { deadlineMs: 1000 })
    const hung = source.transaction(async (query) => {
      await query('SELECT 1')
      relay.hang()
      await ask(query)
    })
    expect(await failsInTime(hung)).toBe('the database does not answer within 1 s')
    relay.mend()
    expect(await source.transaction((query) => query('SELECT 1'))).toEqual([[1]])
    await source.close()
    relay.close()
  })

  test('all stale statements are prepared again on new connections after a change of their tables', async () => {
    await admin.unsafe('CREATE TABLE one AS SELECT 1 AS n; CREATE TABLE other AS SELECT 2 AS n')
    const source = open(database.adminUrl)
    let runs = 0
    const ask = () =>
      source.transaction(async (query) => {
        runs += 1
        const rowOf = (table: string) => query(`SELECT * FROM ${table} WHERE n > $1::int`, ['0'])
        return [await rowOf('one'), await rowOf('other')]
      })
    // The source opens both of its connections.
    await Promise.all([ask(), ask()])
    await admin.unsafe(
      'ALTER TABLE one ADD m integer DEFAULT 3; ALTER TABLE other ADD m integer DEFAULT 4',
    )
    expect(await ask()).toEqual([[[1, 3]], [[2, 4]]])
    expect(runs).toBe(4)
    await admin.unsafe('DROP TABLE one, other')
  })

  test.each([
    ['idle_in_transaction_session_timeout', '30s'],
    ['statement_timeout', '1s'],
    ['transaction_isolation', 'repeatable read'],
    ['transaction_read_only', 'on'],
    ['jit', 'off'],
  ])('a transaction has %s %s, whatever the role', async (setting, value) => {
    const source = open(database.adminUrl, { deadlineMs: 1000 })
    const shown = source.transaction((query) => query(`SHOW ${setting}`))
    expect(await shown).toEqual([[value]])
  })

  test.each([true, false])(
    'statements have names unless they go through a pooler: %p',
    async (throughPooler) => {
      const source = open(database.readerUrl, { throughPooler })
      const named = await source.transaction(async (query) => {
        await query('SELECT $1::text', ['one'])
        return query(`SELECT FROM pg_prepared_statements WHERE statement = 'SELECT $1::text'`)
      })
      expect(named).toHaveLength(throughPooler ? 0 : 1)
    },
  )

  test('a connection outlives the deadline of a transaction that ended in time', async () => {
    const source = open(database.readerUrl)
    const pid = () => source.transaction((query) => query('SELECT pg_backend_pid()'))
    const before = await pid()
    jest.useFakeTimers()
    try {
      await pid()
      jest.advanceTimersByTime(30_000)
    } finally {
      jest.useRealTimers()
    }
    expect(await pid()).toEqual(before)
  })

  test('connections that the server ends are replaced', async () => {
    const ask = () => source.transaction((query) => query('SELECT 1'))
    await ask()
    await admin`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'cageside'`
    const outcomes = [await complaint(ask()), await complaint(ask()), await complaint(ask())]
    expect(outcomes.at(-1)).toBe('')
  })

  test.each([
    ['during a query', (query: Query) => query('SELECT pg_sleep(20)')],
    ['between two queries', (query: Query) => Bun.sleep(500).then(() => query('SELECT 1'))],
  ])('a connection that the server ends %s is an ordinary failure', async (_, ask) => {
    const begun = Promise.withResolvers<number>()
    const ended = source.transaction(async (query) => {
      const [[pid] = []] = await query('SELECT pg_backend_pid()')
      begun.resolve(Number(pid))
      await ask(query)
    })
    const pid = await begun.promise
    await Bun.sleep(200)
    await admin`SELECT pg_terminate_backend(${pid})`
    expect(await failsInTime(ended)).toStartWith('the database cannot be reached')
    expect(await source.transaction((query) => query('SELECT 1'))).toEqual([[1]])
  })

  test.each([
    ['during its first query', (query: Query) => query('SELECT 1')],
    ['without a query', async () => undefined],
  ])(
    'a connection that is lost at the start of a transaction %s is an ordinary failure',
    async (_, ask) => {
      const relay = openRelay(database.readerUrl)
      const source = open(relay.url)
      const lost = source.transaction(async (query) => {
        relay.cut()
        await ask(query)
      })
      expect(await failsInTime(lost)).toStartWith('the database cannot be reached')
      relay.close()
    },
  )

  test('a closed port, an unknown role and a bad URL give one line without the password', async () => {
    const attempt = (url: string) => {
      const source = open(url)
      return source.transaction((query) => query('SELECT 1'))
    }
    const unknown = new URL(database.readerUrl)
    unknown.username = 'nobody'
    unknown.password = 'sesame'
    const messages = [
      await failsInTime(attempt('postgres://nobody:sesame@127.0.0.1:1/x')),
      await failsInTime(attempt(unknown.href)),
    ]
    expect(messages[0]).toMatch(/^the database cannot be reached: .*127\.0\.0\.1:1/)
    expect(messages[1]).toMatch(
      /^the database refuses the user or the password: password authentication failed/,
    )
    expect(() => connect('postgres://nobody:sesame@:x:y/')).toThrow(SourceError)
    expect(messages.join()).not.toContain('sesame')
  })
})

describe('load and snapshot', () => {
  test.each([
    ['with all kinds of rows', { ...cages, tournaments: league }],
    ['as generated', smallLeague],
  ])('a league %s comes back unchanged through Postgres and a snapshot', async (_, given) => {
    const [original, copy] = [join(folder, 'original.cageside'), join(folder, 'copy.cageside')]
    const others = async () =>
      (
        await reader`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`
      ).map(({ pid }) => pid)
    const before = await others()
    await writeSnapshot(original, { capturedAt, ...given })
    await load(database.adminUrl, original)
    await takeSnapshot(database.adminUrl, copy, { includeHidden: true, capturedAt })
    expect((await readFile(copy)).equals(await readFile(original))).toBe(true)
    // Neither command leaves a connection.
    await until(async () => (await others()).every((pid) => before.includes(pid)), 20_000)
  })

  test('load refuses a database with a cage, and the second of two simultaneous loads', async () => {
    await admin`INSERT INTO cageside.cages VALUES (9, 'idle', NULL, NULL, NULL, now())`
    expect(await complaint(loadLeague())).toBe('the database already holds a league')
    await admin`DELETE FROM cageside.cages`
    const both = await Promise.all([0, 1].map(() => loadLeague().then(() => '', String)))
    expect(both.toSorted()).toEqual(['', 'Error: the database already holds a league'])
  })

  test('load reports a frame that is no table as invalid', async () => {
    const path = join(folder, 'frame.cageside')
    await writeFrames(path, { capturedAt, cages: [], cageQueue: [] }, [
      compressTournament(packTournament(present(league[0])), 'small'),
      { id: 'z', digest: 1n, bytes: new TextEncoder().encode('no zstd') },
    ])
    expect(await complaint(load(database.adminUrl, path))).toBe(
      `snapshot ${path} has an invalid frame`,
    )
    const [row] = await admin`SELECT count(*)::int AS count FROM cageside.tournaments`
    expect(row?.count).toBe(0)
  })

  test('load and snapshot refuse bad rows instead of leaving them out', async () => {
    const [path, out] = [join(folder, 'bad.cageside'), join(folder, 'none.cageside')]
    const [rows] = [present(league[0])]
    const badPlayers = rows.players.map((player) => ({ ...player, seed: -1 }))
    for (const [table, bad] of [
      ['players', { tournaments: [{ ...rows, players: badPlayers }] }],
      ['cages', { cages: [cageRow({ number: 10_000 })] }],
    ] as const) {
      const contents = { capturedAt, cages: [], cageQueue: [], tournaments: [], ...bad }
      await writeSnapshot(path, contents)
      expect(await complaint(load(database.adminUrl, path))).toStartWith(
        `snapshot ${path} holds a bad row in ${table}: `,
      )
    }
    const taken = () => complaint(takeSnapshot(database.adminUrl, out))
    const [drop, add] = ['DROP', 'ADD'].map(
      (verb) => `ALTER TABLE cageside.cages ${verb} CONSTRAINT`,
    )
    await admin.unsafe(`${drop} cages_number_check;
      INSERT INTO cageside.cages VALUES (10000, 'idle', NULL, NULL, NULL, now())`)
    expect(await taken()).toStartWith('the database holds a bad row in cages: ')
    await admin.unsafe(`DELETE FROM cageside.cages;
      ${add} cages_number_check CHECK (number BETWEEN 1 AND 9999)`)
    await loadLeague()
    await admin`UPDATE cageside.recordings SET proxy_720_url = 'true'`
    expect(await taken()).toStartWith('the database holds a bad row in recordings: ')
    expect(await Bun.file(out).exists()).toBe(false)
  })

  test('load is all or nothing', async () => {
    const path = join(folder, 'broken.cageside')
    const [first, second] = [present(league[0]), present(league[1])]
    const broken = { ...second, recordings: first.recordings }
    await writeSnapshot(path, {
      capturedAt,
      cages: [],
      cageQueue: [],
      tournaments: [first, broken],
    })
    const before = await everything()
    expect(await complaint(load(database.adminUrl, path))).toMatch(/^the database refuses: [^\n]*$/)
    expect(await everything()).toBe(before)
  })

  test('snapshot leaves out rows that are not public', async () => {
    const run = async (main: Main, args: readonly string[]): Promise<unknown[]> => {
      using said = spyOn(console, 'log').mockImplementation(() => undefined)
      await main(args)
      return said.mock.calls.flat()
    }
    const given = join(folder, 'league.cageside')
    expect(await run(loadCommand, ['--database-url', database.adminUrl, given])).toEqual([
      `${league.length} tournaments of ${given} are in the database`,
    ])
    const path = join(folder, 'public.cageside')
    const take = (...args: readonly string[]) => run(snapshotCommand, ['--out', path, ...args])
    const sum = (count: number) =>
      `${count} tournaments are in ${path} (${Bun.file(path).size} bytes)`
    const at = (time: string) => ['--captured-at', time, '--database-url', database.adminUrl]
    expect(await take(...at('2026-03-14T16:00:00.5+01:00'))).toEqual([sum(1)])
    const taken = await readSnapshot(path)
    expect([taken.tournamentCount, taken.capturedAt]).toEqual([1, 1_773_500_400])
    expect(await take(...at('1970-01-01T00:00:00Z'), '--all')).toEqual([
      sum(league.length),
      'the file may hold tournaments that are not public',
    ])
    const all = await readSnapshot(path)
    expect([all.tournamentCount, all.capturedAt]).toEqual([league.length, 0])
    for (const wrong of ['2026-03-14', '2026-02-30T25:00:00Z', '1969-12-31T23:59:59Z', '7'])
      await expect(take(...at(wrong))).rejects.toThrow(
        '--captured-at must be like 2026-03-14T15:00:00Z',
      )
  })
})

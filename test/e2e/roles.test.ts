import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { insertLeague } from '../../scripts/load.ts'
import { migrate } from '../../scripts/migrate.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { schemaVersion, type TournamentRows } from '../../src/data/source/rows.ts'
import { allTables, sqlName } from '../../src/data/source/tables.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { followDatabase } from '../leagueDatabase.ts'
import { administer, freshDatabase, type TestDatabase } from '../postgres.ts'
import { present } from '../present.ts'
import { projectFolder, runToEnd } from '../process.ts'
import { sampleLeague } from '../smallLeague.ts'

type Pool = ReturnType<typeof openPool>

const sample = sampleLeague.tournaments
  .filter(({ stills, clips }) => stills.length > 0 && clips.length > 0)
  .sort((a, b) => a.games.length - b.games.length)
const model = present(sample.find(({ tournament }) => isPublic(tournament)))

/** This marker is in every id, name, text and URL that must not be seen. */
const marker = 'zzsecret'

/** A copy with other ids, marked in every text that is free. */
const marked = (
  rows: TournamentRows,
  id: string,
  offset: number,
  own: Partial<TournamentRows['tournament']>,
): TournamentRows => {
  const tag = (text: string): string => `${marker} ${text}`
  const url = (text: string | null): string | null => text && `${text}?${marker}`
  return {
    tournament: { ...rows.tournament, ...own, id, name: tag(id) },
    brackets: rows.brackets.map((row) => ({ ...row, name: tag(row.name) })),
    rounds: rows.rounds.map((row) => ({ ...row, name: tag(row.name) })),
    players: rows.players.map((row) => ({ ...row, name: tag(row.name) })),
    games: rows.games.map((row) => ({ ...row, name: tag(row.name), notice: marker })),
    slots: rows.slots,
    pauses: rows.pauses,
    judgeLines: rows.judgeLines.map((row) => ({ ...row, line: tag(row.line) })),
    recordings: rows.recordings.map((row) => ({
      ...row,
      id: row.id + offset,
      camera: marker,
      videoUrl: url(row.videoUrl),
    })),
    clips: rows.clips.map((row) => ({ ...row, token: `${marker}-${offset}-${row.token}` })),
    stills: rows.stills.map((row) => ({
      ...row,
      id: row.id + offset,
      token: `${marker}-${offset}-${row.token}`,
    })),
    stillTags: rows.stillTags.map((row) => ({
      stillId: row.stillId + offset,
      tag: tag(row.tag),
    })),
  }
}

const hidden = [
  marked(model, `${marker}-private`, 1_000_000, { privacy: 'private' }),
  marked(model, `${marker}-unlisted`, 2_000_000, { privacy: 'unlisted' }),
  marked(model, `${marker}-test`, 3_000_000, { isTest: true }),
]
const hiddenGame = present(model.games[0])

let database: TestDatabase
let admin: Pool
let reader: Pool
let writer: Pool
let writerName: string
beforeAll(async () => {
  database = await freshDatabase()
  writerName = new URL(database.readerUrl).username.replace('reader', 'writer')
  await migrate(database.adminUrl, { writer: { name: writerName, password: 'only writes' } })
  const writerUrl = new URL(database.adminUrl)
  writerUrl.username = writerName
  writerUrl.password = encodeURIComponent('only writes')
  admin = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  reader = openPool(database.readerUrl, { max: 1, connectSeconds: 10 })
  writer = openPool(writerUrl.href, { max: 1, connectSeconds: 10 })
  await insertLeague(writerUrl.href, {
    cages: [
      {
        number: 7,
        status: 'active',
        tournamentId: `${marker}-private`,
        gameId: hiddenGame.id,
        pausedSince: null,
        updateTime: 1_770_000_000,
      },
    ],
    cageQueue: [{ cage: 7, position: 0, tournamentId: `${marker}-test`, gameId: hiddenGame.id }],
    tournaments: [model, ...hidden],
  })
  // Tombstones of hidden rows, even of rows that were hidden when deleted.
  await admin`DELETE FROM cageside.still_tags WHERE tournament_id = ${`${marker}-unlisted`}`
  await admin`DELETE FROM cageside.tournaments WHERE id = ${`${marker}-unlisted`}`
  await admin`
    UPDATE cageside.clips SET is_public = false, name = ${marker}, token = ${`${marker}-clip`}
    WHERE token = ${model.clips[0]?.token ?? ''}`
})
afterAll(async () => {
  await Promise.all([admin, reader, writer].map((pool) => pool.end({ timeout: 1 })))
  await database.drop()
  const other = database.adminUrl.replace(/[^/]*$/, 'postgres')
  await administer(other, `DROP ROLE ${writerName}`)
})

const complaint = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => '',
    (error) => String(error.message),
  )

const leagueTables = allTables.map(sqlName)

/** Every relation that a role may select something from, outside the catalogue. */
const readable = (pool: Pool): Promise<string[]> =>
  pool
    .unsafe(
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
         AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
         AND relnamespace::regnamespace::text NOT LIKE 'pg_toast%'
         AND has_any_column_privilege(oid, 'SELECT')
         AND has_schema_privilege(relnamespace, 'USAGE') ORDER BY 1`,
    )
    .then((rows) => rows.map(({ name }) => String(name)))

describe('the reader', () => {
  test('the reader selects nothing private from any relation', async () => {
    const names = await readable(reader)
    expect(names).toContain('cageside_public.tournaments')
    for (const name of names) {
      const found = await reader.unsafe(
        `SELECT FROM ${name} AS each WHERE to_jsonb(each)::text LIKE '%${marker}%'`,
      )
      expect([name, found.length]).toEqual([name, 0])
    }
  })

  test('the reader may select public rows and the version', async () => {
    expect(await readable(reader)).toEqual(
      [
        ...[
          ...leagueTables,
          'clip_changes',
          'hidden_clips',
          'hidden_tournaments',
          'tombstones',
        ].map((name) => `cageside_public.${name}`),
        'cageside.schema_version',
      ].toSorted(),
    )
    for (const [table, rows] of [
      ['tournaments', [model.tournament]],
      ['players', model.players],
      ['games', model.games],
      ['recordings', model.recordings],
      ['clips', model.clips.slice(1).filter((clip) => clip.isPublic && clip.state === 'completed')],
      ['stills', model.stills],
      ['still_tags', model.stillTags],
    ] as const) {
      const found = await reader.unsafe(`SELECT FROM cageside_public.${table}`)
      expect([table, found.length]).toEqual([table, rows.length])
    }
  })

  test('the reader sees a cage of a hidden tournament as an idle one that never changed', async () => {
    expect([...(await reader`SELECT * FROM cageside_public.cages`)]).toEqual([
      {
        number: 7,
        status: 'idle',
        tournament_id: null,
        game_id: null,
        paused_since: null,
        update_time: new Date(0),
      },
    ])
    expect(await reader`SELECT FROM cageside_public.cage_queue`).toHaveLength(0)
  })

  test('the reader is denied every table of the league', async () => {
    for (const table of [...leagueTables, 'tombstones']) {
      for (const statement of [
        `SELECT FROM cageside.${table}`,
        `LOCK TABLE cageside.${table} IN ACCESS SHARE MODE`,
        `COPY cageside.${table} TO STDOUT`,
      ]) {
        const denied = complaint(reader.begin((sql) => sql.unsafe(statement)))
        expect(`${statement}: ${await denied}`).toContain('permission denied')
      }
    }
  })

  test('the reader cannot use a cheap function to see private rows behind a view', async () => {
    await reader.begin('read write', async (sql) => {
      await sql.unsafe(`
        CREATE TEMP TABLE seen (value text);
        CREATE FUNCTION pg_temp.leak(value text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001
        AS $$ BEGIN INSERT INTO seen VALUES (value); RETURN true; END $$`)
      for (const [table, column] of [
        ['tournaments', 'name'],
        ['players', 'name'],
        ['games', 'notice'],
        ['recordings', 'camera'],
        ['clips', 'name'],
        ['stills', 'token'],
        ['still_tags', 'tag'],
        ['judge_lines', 'line'],
        ['cages', 'tournament_id'],
        ['cage_queue', 'tournament_id'],
        ['tombstones', 'tournament_id'],
      ]) {
        await sql.unsafe(`SELECT FROM cageside_public.${table} WHERE pg_temp.leak(${column})`)
      }
      const seen = await sql`SELECT value FROM seen WHERE value LIKE ${`%${marker}%`}`
      expect(seen).toHaveLength(0)
      const all = await sql`SELECT FROM seen`
      expect(all.length).toBeGreaterThan(model.games.length)
    })
  })

  test('the reader finds no private value in the statistics of the planner', async () => {
    await admin`ANALYZE`
    const found = await reader.unsafe(
      `SELECT FROM pg_stats WHERE schemaname LIKE 'cageside%'
         AND concat(most_common_vals, histogram_bounds) LIKE '%${marker}%'`,
    )
    expect(found).toHaveLength(0)
  })

  test('the reader may create nothing in any schema, and use no function that writes', async () => {
    const schemas = await reader`
      SELECT nspname FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE')
        AND nspname NOT LIKE 'pg_temp%' AND nspname NOT LIKE 'pg_toast%'`
    expect(schemas).toHaveLength(0)
    expect(await complaint(reader`SELECT cageside.prune_tombstones()`)).toContain('denied')
  })
})

describe.each([
  ['the reader', () => reader],
  ['the writer', () => writer],
] as const)('%s', (_, poolOf) => {
  test("a login cannot run a trigger function, which has its owner's rights, on its own table", async () => {
    for (const name of ['record_tombstone', 'set_row_xid']) {
      const forged = poolOf().begin('read write', async (sql) => {
        await sql`CREATE TEMP TABLE tournaments (id text) ON COMMIT DROP`
        await sql.unsafe(
          `CREATE TRIGGER forge AFTER DELETE ON pg_temp.tournaments
           FOR EACH ROW EXECUTE FUNCTION cageside.${name}('id')`,
        )
      })
      expect(await complaint(forged)).toContain(`permission denied for function cageside.${name}`)
    }
  })
})

describe('the writer', () => {
  test('the writer writes and reads the tables of the league, which leaves tombstones', async () => {
    for (const table of leagueTables) {
      const key = table.startsWith('cage') ? '' : `WHERE tournament_id = 'nothing'`
      const where = table === 'tournaments' ? `WHERE id = 'nothing'` : key || 'WHERE false'
      expect(await complaint(writer.unsafe(`SELECT FROM cageside.${table} ${where}`))).toBe('')
      expect(await complaint(writer.unsafe(`DELETE FROM cageside.${table} ${where}`))).toBe('')
    }
    const count = async () =>
      Number((await admin`SELECT count(*)::int AS n FROM cageside.tombstones`)[0]?.n)
    const before = await count()
    await writer`DELETE FROM cageside.judge_lines WHERE tournament_id = ${hidden[2]?.tournament.id ?? ''}`
    expect((await count()) - before).toBe(hidden[2]?.judgeLines.length ?? 0)
    await writer`UPDATE cageside.players SET name = name, row_xid = '3' WHERE tournament_id = ${model.tournament.id}`
    const [row] = await admin`SELECT count(*)::int AS n FROM cageside.players WHERE row_xid = '3'`
    expect(row?.n).toBe(0)
  })

  test('the writer may do nothing else', async () => {
    for (const statement of [
      'SELECT FROM cageside.tombstones',
      'DELETE FROM cageside.tombstones',
      `INSERT INTO cageside.tombstones (table_name, key) VALUES ('games', '{}')`,
      'INSERT INTO cageside.schema_version (version) VALUES (99)',
      'UPDATE cageside.schema_version SET version = 2',
      'SELECT cageside.prune_tombstones()',
      'CREATE TABLE cageside.extra (a int)',
      'CREATE VIEW cageside_public.extra AS SELECT 1',
      'CREATE TABLE public.extra (a int)',
      'CREATE SCHEMA extra',
      'ALTER TABLE cageside.games ADD COLUMN extra text',
      'ALTER TABLE cageside.games DISABLE TRIGGER USER',
      'DROP TRIGGER record_tombstone ON cageside.games',
      'DROP TABLE cageside.cages',
      'CREATE OR REPLACE VIEW cageside_public.tournaments AS SELECT * FROM cageside.tournaments',
      'SET session_replication_role = replica',
      'CREATE ROLE extra',
    ]) {
      expect(`${statement}: ${await complaint(writer.unsafe(statement))}`).toMatch(
        /permission denied|must be owner/,
      )
    }
  })
})

describe('a service', () => {
  const linesOf = async (url: string): Promise<string> => {
    const lines: string[] = []
    await using service = await followDatabase(url, {
      log: (level, message) => void lines.push(`${level} ${message}`),
    })
    const loadedAt = service.status().lastRefresh
    while (service.status().lastRefresh === loadedAt) await Bun.sleep(20)
    return lines.join('')
  }

  test('a service warns once if its role can read private rows', async () => {
    const warning = 'can read private rows'
    expect((await linesOf(database.adminUrl)).split(warning)).toHaveLength(2)
    expect(await linesOf(database.readerUrl)).not.toContain(warning)
  })
})

describe('migrate', () => {
  test('migrate sets the password of the option even if the environment has another one', async () => {
    const url = new URL(database.readerUrl)
    const name = url.username
    const command = [process.execPath, 'scripts/migrate.ts', '--database-url', database.adminUrl]
    const result = await runToEnd(
      [...command, '--reader', name, '--reader-password', 'of the option'],
      { cwd: projectFolder, env: { READER_PASSWORD: 'of the environment' } },
    )
    // The output has no notices of the database.
    expect(result).toEqual({
      code: 0,
      output: `schema cageside is at version ${schemaVersion}\nrole ${name} may log in and read what is public\n`,
      errors: '',
    })
    url.password = encodeURIComponent('of the option')
    await administer(url.href, 'SELECT 1')
    const password = decodeURIComponent(new URL(database.readerUrl).password)
    await migrate(database.adminUrl, { reader: { name, password } })
  })

  test('migrate revokes direct grants to the reader', async () => {
    const { username, password } = new URL(database.readerUrl)
    await admin.unsafe(`GRANT SELECT ON ALL TABLES IN SCHEMA cageside TO ${username}`)
    expect(await readable(reader)).toContain('cageside.players')
    await migrate(database.adminUrl, {
      reader: { name: username, password: decodeURIComponent(password) },
    })
    expect(await readable(reader)).not.toContain('cageside.players')
  })

  test('migrate grants nothing on future tables', async () => {
    await admin`CREATE TABLE cageside.later (a int)`
    const names = [...(await readable(reader)), ...(await readable(writer))]
    await admin`DROP TABLE cageside.later`
    expect(names).not.toContain('cageside.later')
  })
})

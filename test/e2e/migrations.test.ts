import { expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPostgresTarget } from '../../scripts/import/target/postgresTarget.ts'
import { insertLeague } from '../../scripts/load.ts'
import { migrate, readMigrations } from '../../scripts/migrate.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import { connect, openPool, type Query } from '../../src/data/source/connection.ts'
import { type Head, readTransaction } from '../../src/data/source/postgres.ts'
import { eachTournament } from '../../src/data/source/readTournaments.ts'
import { type CageRows, schemaVersion, type TournamentRows } from '../../src/data/source/rows.ts'
import { childTables, columnsOf, minSchemaVersion, sqlName } from '../../src/data/source/tables.ts'
import { appOf, get } from '../fixtures.ts'
import { followDatabase } from '../leagueDatabase.ts'
import { administer, emptyDatabase } from '../postgres.ts'
import { projectFolder } from '../process.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

const migrations = await readMigrations()

/** SHA-256 of each migration, abbreviated. Add a line for a new one; never change a line. */
const released: Readonly<Record<string, string>> = {
  // Since 2.5.0 without the reader's role, which rights.sql makes or leaves out.
  '001-league.sql': '7cd4691e11aa0c4a',
  '002-proxy-addresses.sql': '20ffa1b6f0702e75',
  '003-tombstones.sql': '3115bf214886ec2d',
  '004-public-views.sql': 'a4cc9d3f5646df5a',
  '005-notify.sql': '221f6faea59de211',
  '006-imports.sql': '556f7d9d24c2db0f',
  '007-classes.sql': 'adc6273b70ecb885',
}

/** The whole catalog of the schema, with functions by their source. */
const catalogOf = async (url: string): Promise<unknown> => {
  const pool = openPool(url, { max: 1, connectSeconds: 5 })
  try {
    return [
      await pool`
        SELECT table_name, column_name, ordinal_position, domain_name, data_type, is_nullable,
          column_default, collation_name
        FROM information_schema.columns WHERE table_schema = 'cageside' ORDER BY 1, 3`,
      await pool`
        SELECT tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger
        WHERE NOT tgisinternal ORDER BY 1, 2`,
      await pool`SELECT indexdef FROM pg_indexes WHERE schemaname = 'cageside' ORDER BY 1`,
      await pool`
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'cageside'::regnamespace ORDER BY 1, 2`,
      await pool`
        SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = 'cageside'::regnamespace ORDER BY 1`,
      await pool`
        SELECT oid::regclass::text, relacl::text FROM pg_class
        WHERE relnamespace::regnamespace::text LIKE 'cageside%' ORDER BY 1`,
      await pool`
        SELECT viewname, definition FROM pg_views WHERE schemaname = 'cageside_public' ORDER BY 1`,
      await pool`
        SELECT proname, proacl::text FROM pg_proc
        WHERE pronamespace = 'cageside'::regnamespace ORDER BY 1, 2`,
      await pool`SELECT defaclacl::text FROM pg_default_acl ORDER BY 1`,
    ]
  } finally {
    await pool.end({ timeout: 1 })
  }
}

interface LeagueRows {
  readonly version: number
  readonly cages: unknown
  readonly tournaments: readonly TournamentRows[]
}

/** Columns of version 1 that later versions still have; its proxies were flags. */
const inVersion1 = ({ tournaments }: LeagueRows) =>
  tournaments.map(({ recordings, ...rest }) => ({
    ...rest,
    recordings: recordings.map(
      ({ proxy720Url: _720, proxy360Url: _360, proxy72Url: _72, ...recording }) => recording,
    ),
  }))

const rowsOf = async (url: string): Promise<LeagueRows> => {
  const source = connect(url)
  try {
    const read = async (query: Query, head: Head) => {
      const tournaments: TournamentRows[] = []
      for await (const unchecked of eachTournament(query, { ...head, includeHidden: true })) {
        const rows = checkTournament(unchecked, ({ table, problem }) => {
          throw new Error(`${table}: ${problem}`)
        })
        if (rows) tournaments.push(rows)
      }
      const { version, cages, cageQueue } = head
      return {
        version,
        cages: { cages, cageQueue } satisfies Record<keyof CageRows, unknown>,
        tournaments,
      }
    }
    return await readTransaction(source, read, { includeHidden: true })
  } finally {
    await source.close()
  }
}

test('a released migration never changes: add the next one', async () => {
  const hashes = await Promise.all(
    migrations.map(async ({ name, sql }) => {
      const text = await sql.text()
      const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16)
      return [name, hash] as const
    }),
  )
  expect(Object.fromEntries(hashes)).toEqual(released)
})

test('every column of rows.ts is in the database: add a migration and a version of the schema', async () => {
  const { url, drop } = await emptyDatabase()
  await migrate(url)
  const pool = openPool(url, { max: 1, connectSeconds: 5 })
  for (const table of ['tournaments', 'cages', 'cageQueue', ...childTables] as const) {
    const found = await pool`
      SELECT attname AS name FROM pg_attribute
      WHERE attrelid = ${`cageside.${sqlName(table)}`}::regclass AND attnum > 0 AND NOT attisdropped`
    const ours = new Set(['row_xid', 'tournament_id'])
    expect([table, new Set(found.map(({ name }) => name)).union(ours)]).toEqual([
      table,
      new Set(columnsOf(table).map(({ name }) => name)).union(ours),
    ])
  }
  await pool.end({ timeout: 1 })
  await drop()
})

/** Rows of a version, from the last file up to it: versions that only add columns take the same rows. */
const rowsFor = async (version: number): Promise<string> => {
  const folder = join(projectFolder, 'test/migrations')
  const names = (await readdir(folder)).filter((name) => Number.parseInt(name, 10) <= version)
  return readFile(join(folder, names.toSorted().at(-1) ?? ''), 'utf8')
}

test('the schema version of the program is the version of the newest migration', () => {
  expect(migrations.at(-1)?.version).toBe(schemaVersion)
})

/** The catalog of a new database after two simultaneous migrations, which run one after the other. */
const newestCatalog = await (async () => {
  const { url, drop } = await emptyDatabase()
  await Promise.all([migrate(url), migrate(url)])
  const catalog = await catalogOf(url)
  await drop()
  return catalog
})()

/** A database of a version, with a row in every table. */
const databaseOf = async (version: number) => {
  const database = await emptyDatabase()
  await migrate(database.url, { upTo: version })
  await administer(database.url, await rowsFor(version))
  return database
}

test.each(migrations.slice(0, -1).map(({ version }) => version))(
  'a database of version %d is read from version 4 on, and migrated without a loss',
  async (version) => {
    const old = await databaseOf(version)
    const oldestRead = version < minSchemaVersion ? await databaseOf(minSchemaVersion) : old
    const before = await rowsOf(oldestRead.url)
    expect(before.version).toBe(Math.max(version, minSchemaVersion))
    if (version < minSchemaVersion) {
      const reason = `the database has schema version ${version}, and this program reads ${minSchemaVersion} to ${schemaVersion}: run migrate`
      expect(rowsOf(old.url)).rejects.toThrow(reason)
    }

    await migrate(old.url)
    const after = await rowsOf(old.url)
    expect(inVersion1(after)).toEqual(inVersion1(before))
    if (version > 1) expect(after).toEqual({ ...before, version: schemaVersion })
    expect(await catalogOf(old.url)).toEqual(newestCatalog)
    await migrate(old.url)
    expect(await catalogOf(old.url)).toEqual(newestCatalog)
    expect(await rowsOf(old.url)).toEqual(after)
    for (const { drop } of new Set([old, oldestRead])) await drop()
  },
)

test('a service on the previous schema version serves it, and asks for migrate', async () => {
  const { url, drop } = await databaseOf(schemaVersion - 1)
  const source = connect(url)
  const version = () => readTransaction(source, async (_, head) => head.version)
  expect(await version()).toBe(schemaVersion - 1)
  const service = await followDatabase(url)
  const app = appOf(service)
  expect((await get(app, '/tournaments')).body.tournaments).toMatchObject([
    { tournamentID: 'spring' },
  ])
  expect((await get(app, '/health')).body).toMatchObject({
    status: 'degraded',
    lastRefresh: {
      error: `the database has schema version ${schemaVersion - 1} of ${schemaVersion}: run migrate`,
    },
  })
  await migrate(url)
  // A transaction that met the migration is repeated, but a refused one is not.
  expect(await version()).toBe(schemaVersion)
  let reads = 0
  const refused = readTransaction(source, async (query) => {
    reads += 1
    await query('SELECT nothing')
  })
  await expect(refused).rejects.toThrow('the database refuses')
  expect(reads).toBe(1)
  await source.close()
  await until(() => service.status().lastRefresh.error === null)
  expect((await get(app, '/health')).body.status).toBe('ok')
  expect((await get(app, '/tournaments')).body.tournaments).toHaveLength(1)
  await service.stop()
  await drop()
})

test('the flags of version 1 become the URLs that they stood for', async () => {
  const { url, drop } = await databaseOf(1)
  // The URLs of its smaller files would be too long.
  await administer(
    url,
    `INSERT INTO cageside.recordings VALUES (4, 'spring', 'W-0', 'Cage 2', 'Sky',
       'https://media.example/' || repeat('x', 4070) || '.mp4', 200, NULL, true, true, true, '1')`,
  )
  await migrate(url)
  const pool = openPool(url, { max: 1, connectSeconds: 5 })
  const found = await pool`
    SELECT id::int, proxy_720_url, proxy_360_url, proxy_72_url FROM cageside.recordings ORDER BY id`
  expect([...found.map((row) => Object.values(row))]).toEqual([
    [
      1,
      'https://media.example/v1.2/film.01_720p.mp4',
      null,
      'https://media.example/v1.2/film.01_72p.mp4',
    ],
    [
      2,
      'https://media.example/v1.2/no-extension_720p',
      'https://media.example/v1.2/no-extension_360p',
      'https://media.example/v1.2/no-extension_72p',
    ],
    [3, null, null, null],
    [4, null, null, null],
  ])
  await pool.unsafe(`INSERT INTO cageside.cages VALUES (9999, 'idle', NULL, NULL, NULL, now())`)
  expect(
    await pool`INSERT INTO cageside.cages VALUES (10000, 'idle', NULL, NULL, NULL, now())`.catch(
      ({ code }) => code,
    ),
  ).toBe('23514')
  await pool.end({ timeout: 1 })
  await drop()
})

test.each(['SQL_ASCII', 'LATIN1'])('a database in %s is refused', async (encoding) => {
  const { url, drop } = await emptyDatabase(undefined, encoding)
  await expect(migrate(url)).rejects.toThrow(
    `a database in UTF8 is needed, this one is in ${encoding}`,
  )
  await drop()
})

test.each(['', 'Schlüssel', 'a\nb'])('the password %p of a login is refused', async (password) => {
  for (const kind of ['reader', 'writer'] as const) {
    const migrating = migrate('postgres://127.0.0.1:1/none', { [kind]: { name: 'a', password } })
    await expect(migrating).rejects.toThrow(
      `the ${kind}'s password must be printable ASCII, and not empty`,
    )
  }
})

test('migrate, load and import wait for a lock for a limited time', async () => {
  const { url, drop } = await emptyDatabase()
  const note = `AS $$ BEGIN
    INSERT INTO public.waits VALUES (current_setting('lock_timeout')); RETURN NULL;
  END $$`
  await administer(
    url,
    `CREATE TABLE public.waits (limited_to text);
     CREATE FUNCTION public.noted_ddl() RETURNS event_trigger LANGUAGE plpgsql ${note.replace('RETURN NULL;', '')};
     CREATE EVENT TRIGGER noted ON ddl_command_start EXECUTE FUNCTION public.noted_ddl()`,
  )
  const noted = async (): Promise<readonly unknown[]> => {
    const pool = openPool(url, { max: 1, connectSeconds: 5 })
    const rows =
      await pool`WITH noted AS (DELETE FROM public.waits RETURNING *) SELECT DISTINCT * FROM noted`
    await pool.end({ timeout: 1 })
    return rows.map(({ limited_to }) => limited_to)
  }
  await migrate(url)
  expect(await noted()).toEqual(['10s'])
  await administer(
    url,
    `DROP EVENT TRIGGER noted;
     CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql ${note};
     CREATE TRIGGER noted AFTER INSERT OR UPDATE ON cageside.tournaments EXECUTE FUNCTION public.noted()`,
  )
  await noted()
  const [rows] = [...smallLeague.tournaments]
  if (!rows) throw new Error('no tournament')
  await insertLeague(url, { tournaments: [rows], cages: [], cageQueue: [] })
  expect(await noted()).toEqual(['10s'])
  const target = await openPostgresTarget(url)
  await target.update(
    rows.tournament.id,
    () => ({ ...rows, tournament: { ...rows.tournament, name: 'Another' } }),
    { onBadRow: () => undefined, isOfSource: () => true },
  )
  expect(await noted()).toEqual(['30s'])
  await target.close()
  await drop()
})

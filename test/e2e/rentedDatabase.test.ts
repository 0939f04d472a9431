import { beforeAll, describe, expect, test } from 'bun:test'
import { insertLeague } from '../../scripts/load.ts'
import { migrate } from '../../scripts/migrate.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { administer, type OwnServer, startServer } from '../postgres.ts'
import { startService, stopService } from '../process.ts'
import { sampleLeague } from '../smallLeague.ts'

/** Databases as services rent them out: to owners with few rights, beside others, with row level security. */
describe('a rented database', () => {
  let server: OwnServer
  beforeAll(async () => {
    server = await startServer()
  })

  const asAdmin = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await administer(server.url, statement)
  }
  /** URL of a database for a user with the password `x`. */
  const urlOf = (user: string, database: string): string => {
    const url = new URL(server.url)
    return Object.assign(url, { username: user, password: 'x', pathname: `/${database}` }).href
  }
  /** A new owner with a database of the same name. */
  const rent = async (name: string, rights = ''): Promise<string> => {
    await asAdmin(
      `CREATE ROLE "${name}" LOGIN PASSWORD 'x' ${rights}`,
      `CREATE DATABASE "${name}" OWNER "${name}" TEMPLATE template0 ENCODING 'UTF8'`,
    )
    return urlOf(name, name)
  }
  /** Health of a service with this database. */
  const healthAt = async (DATABASE_URL: string): Promise<unknown> => {
    const service = await startService({ DATABASE_URL })
    const health: unknown = await (await fetch(`${service.url}/health`)).json()
    await stopService(service)
    return health
  }

  test('an owner who may not create roles serves as itself, or gets roles from one who may', async () => {
    const url = await rent('modest')
    expect(await migrate(url)).toEqual({ hasRights: false })
    await insertLeague(url, sampleLeague)
    expect(await healthAt(url)).toMatchObject({ status: 'ok', problems: [] })
    const reader = { name: 'fan', password: 'x' }
    const refusal = await migrate(url, { reader }).catch((error: Error) => error.message)
    expect(refusal).toStartWith(
      'role modest may not create roles; as one that may, run: CREATE ROLE ',
    )
    const [, statements = ''] =
      /run: (.*); then migrate without --reader$/.exec(String(refusal)) ?? []
    await asAdmin(...statements.replace('…', 'x').split('; '))
    expect(await migrate(url)).toEqual({ hasRights: true })
    expect(await healthAt(urlOf('fan', 'modest'))).toMatchObject({ status: 'ok', problems: [] })
  })

  test('a second owner on one server is told who may grant, and then makes logins', async () => {
    const url = await rent('second', 'CREATEROLE')
    const reader = { name: 'visitor', password: 'x' }
    const refusal = await migrate(url, { reader }).catch((error: Error) => error.message)
    const [, statement = ''] = /as that one, run: (.*)$/.exec(String(refusal)) ?? []
    expect(statement).toBe('GRANT cageside_reader TO second WITH ADMIN OPTION')
    await asAdmin(statement)
    await migrate(url, { reader })
    await insertLeague(url, sampleLeague)
    expect(await healthAt(urlOf('visitor', 'second'))).toMatchObject({ status: 'ok', problems: [] })
  })

  test('the printed statements quote names that need it', async () => {
    const url = await rent('Team-1', 'CREATEROLE')
    const reader = { name: 'Fan-1', password: 'x' }
    const refusalOf = async (): Promise<string> =>
      String(await migrate(url, { reader }).catch((error: Error) => error.message))
    const [, grant = ''] = /as that one, run: (.*)$/.exec(await refusalOf()) ?? []
    expect(grant).toBe('GRANT cageside_reader TO "Team-1" WITH ADMIN OPTION')
    await asAdmin(grant, 'ALTER ROLE "Team-1" NOCREATEROLE')
    const [, statements = ''] = /run: (.*); then migrate/.exec(await refusalOf()) ?? []
    expect(statements).toContain('CREATE ROLE "Fan-1" LOGIN')
  })

  test('an owner is told how to change a login that another role made', async () => {
    const url = await rent('third', 'CREATEROLE')
    const reader = { name: 'guest', password: 'x' }
    await asAdmin(`CREATE ROLE guest LOGIN PASSWORD 'old'`)
    const refusal = await migrate(url, { reader }).catch((error: Error) => error.message)
    const [, statement = ''] = /as that one, run: (.*)$/.exec(String(refusal)) ?? []
    await asAdmin(statement)
    await migrate(url, { reader })
    expect(await healthAt(urlOf('guest', 'third'))).toMatchObject({ problems: [] })
  })

  test('row level security that the service of a database puts on new tables hides nothing', async () => {
    const url = await rent('guarded', 'CREATEROLE')
    await asAdmin('GRANT cageside_reader TO guarded WITH ADMIN OPTION')
    const here = urlOf('postgres', 'guarded').replace(':x@', ':postgres@')
    await administer(
      here,
      `CREATE FUNCTION guard() RETURNS event_trigger LANGUAGE plpgsql AS $$
       DECLARE made record;
       BEGIN
         FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' LOOP
           EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', made.object_identity);
         END LOOP;
       END $$`,
    )
    await administer(
      here,
      `CREATE EVENT TRIGGER guard ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION guard()`,
    )
    await migrate(url, { reader: { name: 'watcher', password: 'x' } })
    await insertLeague(url, sampleLeague)
    expect(await healthAt(urlOf('watcher', 'guarded'))).toMatchObject({
      status: 'ok',
      problems: [],
    })
  })

  test('row level security with policies of the owner stays on', async () => {
    const url = await rent('strict', 'SUPERUSER')
    await asAdmin('CREATE ROLE analyst')
    await migrate(url)
    for (const statement of [
      'GRANT USAGE ON SCHEMA cageside TO analyst',
      'GRANT SELECT ON cageside.tournaments TO analyst',
      'ALTER TABLE cageside.tournaments ENABLE ROW LEVEL SECURITY',
      `CREATE POLICY shown ON cageside.tournaments TO analyst USING (privacy = 'public')`,
    ])
      await administer(url, statement)
    await migrate(url)
    const pool = openPool(url, { max: 1, connectSeconds: 10 })
    const [row] = await pool`
      SELECT relrowsecurity FROM pg_class WHERE oid = 'cageside.tournaments'::regclass`
    await pool.end()
    expect(row).toEqual({ relrowsecurity: true })
  })
})

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Transaction } from '../src/data/source/connection.ts'
import { schemaVersion } from '../src/data/source/rows.ts'
import { minSchemaVersion } from '../src/data/source/tables.ts'
import { embeddedFiles } from '../src/runtime/files.ts'
import { readSecret } from '../src/runtime/secret.ts'
import {
  CommandError,
  databaseUrl,
  type Main,
  program,
  readArguments,
  runCommand,
} from './command.ts'
import { flag, text } from './option.ts'
import { inDatabase } from './rowStatements.ts'

const help = `Usage: ${program} migrate [--database-url URL] [--reader NAME] [--writer NAME] [--check]

Creates the tables in a Postgres database (15 or newer), or brings those of an earlier version to the
newest one. Running it again changes nothing.

  --database-url URL        the database, as a role that may create schemas, and roles
                            for --reader and --writer (default: DATABASE_ADMIN_URL)
  --reader NAME             also create a login role that may only read what is public, or change its
                            password
  --reader-password PASS    its password, printable ASCII (default: READER_PASSWORD)
  --writer NAME             also create a login role that may only write the tables of the league, or
                            change its password
  --check                   only say which version the tables have, and which ones this program reads
  --writer-password PASS    its password, printable ASCII (default: WRITER_PASSWORD)
  --help                    this text`

/** Credentials of a login role. */
export interface Login {
  readonly name: string
  readonly password: string
}
type LoginKind = 'reader' | 'writer'
/** The role with the rights of a kind of login; logins are its members. */
const groupOf = (kind: LoginKind) => `cageside_${kind}` as const
const groups: readonly string[] = [groupOf('reader'), groupOf('writer')]

/**
 * SCRAM verifier of a password (RFC 5803), as stored by Postgres. Sent instead of the password, so
 * that the server's log does not contain it.
 */
const scramVerifier = (password: string): string => {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** Statements that create a login role or reset an existing one. */
const loginStatements = `
  SELECT format('CREATE ROLE %I', $1::text)
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)
  UNION ALL
  SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', $1::text, $2::text)
  UNION ALL
  SELECT format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''60s''', $1::text)
  UNION ALL
  SELECT format('ALTER ROLE %I SET default_transaction_read_only = on', $1::text)
  WHERE $3 = 'cageside_reader'
  UNION ALL
  SELECT format('REVOKE ALL ON ALL TABLES IN SCHEMA cageside FROM %I', $1::text)
  UNION ALL
  SELECT format('GRANT %I TO %I', $3::text, $1::text)`

/** Finds a role with further rights: it would keep them and is rejected as reader or writer. */
const privilegedRole = `
  SELECT FROM pg_roles AS role
  WHERE rolname = $1 AND (
    rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
    OR EXISTS (
      SELECT FROM pg_class
      WHERE relowner = role.oid
        AND relnamespace::regnamespace::text IN ('cageside', 'cageside_public')
    )
    OR EXISTS (
      SELECT FROM pg_auth_members
      WHERE member = role.oid AND pg_get_userbyid(roleid) <> $2
    )
  )`

export interface Migration {
  /** Schema version after the migration. */
  readonly version: number
  readonly name: string
  readonly sql: Blob
}

const sourceFolder = join(import.meta.dirname, '../src/data/source')
/** Views, then roles and their rights; reapplied by every run. */
const [accessFile, rightsFile] = ['access.sql', 'rights.sql'] as const

/** SQL files by name, from the sources or from the executable. */
const sqlFiles = async (): Promise<ReadonlyMap<string, Blob>> => {
  if (embeddedFiles.size > 0) return embeddedFiles
  const paths = [
    accessFile,
    rightsFile,
    ...(await readdir(join(sourceFolder, 'schema'))).map(inSchema),
  ]
  return new Map(paths.map((path) => [basename(path), Bun.file(join(sourceFolder, path))]))
}
const inSchema = (name: string): string => join('schema', name)

/** The files `001-NAME.sql` and so on; throws for a gap. */
export const readMigrations = async (): Promise<readonly Migration[]> => {
  const files = [...(await sqlFiles())].filter(([name]) => /^\d.*\.sql$/.test(name))
  return files
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, sql], index) => {
      if (!name.startsWith(`${String(index + 1).padStart(3, '0')}-`)) {
        throw new Error(`${name} is not migration ${index + 1}`)
      }
      return { version: index + 1, name, sql }
    })
}

/** Schema version of a database; 0 without a schema. */
const findVersion = async (sql: Transaction): Promise<number> => {
  const [server] = await sql<{ number: number; name: string; encoding: string }[]>`
    SELECT current_setting('server_version_num')::integer AS number,
      current_setting('server_version') AS name,
      current_setting('server_encoding') AS encoding`
  if (server && server.number < 150_000) {
    throw new CommandError(`PostgreSQL 15 or newer is needed, this is ${server.name}`)
  }
  if (server && server.encoding !== 'UTF8') {
    throw new CommandError(`a database in UTF8 is needed, this one is in ${server.encoding}`)
  }
  const [table] = await sql<{ exists: boolean }[]>`
    SELECT to_regclass('cageside.schema_version') IS NOT NULL AS exists`
  if (!table?.exists) return 0
  const [row] = await sql<{ version: number | null }[]>`
    SELECT max(version) AS version FROM cageside.schema_version`
  return row?.version ?? 0
}

/** Schema version of a database, read without changes. Throws a one-line error. */
const checkedVersion = async (url: string): Promise<number> => {
  let version = 0
  await inDatabase(url, async (sql) => {
    version = await findVersion(sql)
  })
  return version
}

/** Applies missing migrations in order and records each. */
const applyMigrations = async (sql: Transaction, upTo: number): Promise<void> => {
  const found = await findVersion(sql)
  if (found > upTo) {
    throw new CommandError(
      `the database has schema version ${found}, newer than ${upTo}, the last one of this program`,
    )
  }
  for (const { version, sql: file } of await readMigrations()) {
    if (version <= found || version > upTo) continue
    await sql.unsafe(await file.text())
    await sql`INSERT INTO cageside.schema_version (version) VALUES (${version})`
  }
  await sql.unsafe(enableTriggers)
}

/** What the owner may do with roles of the server. */
const readOwner = async (sql: Transaction) => {
  const [owner] = await sql<{ name: string; mayCreate: boolean; groups: number }[]>`
    SELECT quote_ident(rolname) AS name, rolsuper OR rolcreaterole AS "mayCreate", (
      SELECT count(*)::int FROM pg_roles WHERE rolname IN ${sql(groups)}
    ) AS groups
    FROM pg_roles WHERE rolname = current_user`
  if (!owner) throw new CommandError('the role is not known')
  return owner
}

/** Makes the public views and the rights; false without rights, if the owner may not create the roles that get them. */
const applyAccess = async (sql: Transaction): Promise<boolean> => {
  const files = await sqlFiles()
  await sql.unsafe((await files.get(accessFile)?.text()) ?? '')
  const { mayCreate, groups: found } = await readOwner(sql)
  const hasRights = mayCreate || found === groups.length
  if (hasRights) await sql.unsafe((await files.get(rightsFile)?.text()) ?? '')
  return hasRights
}

/**
 * Enables all triggers ALWAYS: a data-only restore re-enables them without ALWAYS, so they skip
 * replicated rows.
 */
const enableTriggers = `
  DO $$
  DECLARE
    tracked regclass;
    name name;
  BEGIN
    FOR tracked, name IN
      SELECT tgrelid, tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE relnamespace = 'cageside'::regnamespace AND NOT tgisinternal AND tgenabled <> 'A'
    LOOP
      EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', tracked, name);
    END LOOP;
  END $$`

interface MigrateOptions {
  /** Login to create, or whose password to change. */
  readonly reader?: Login | undefined
  readonly writer?: Login | undefined
  /** Last version to apply; for tests. */
  readonly upTo?: number
}

const makeLogin = async (sql: Transaction, kind: LoginKind, login: Login): Promise<void> => {
  const { name, password } = login
  const group = groupOf(kind)
  const owner = await readOwner(sql)
  const [row] = await sql<{ quoted: string; exists: boolean }[]>`
    SELECT quote_ident(${name}) AS quoted,
      EXISTS (SELECT FROM pg_roles WHERE rolname = ${name}) AS exists`
  const { quoted = name, exists = false } = row ?? {}
  if (!owner.mayCreate)
    throw new CommandError(
      `role ${owner.name} may not create roles; as one that may, run: ${groups.map((each) => `CREATE ROLE ${each} NOLOGIN`).join('; ')}; CREATE ROLE ${quoted} LOGIN PASSWORD '…' IN ROLE ${group}; then migrate without --${kind}`,
    )
  const privileged = await sql.unsafe(privilegedRole, [name, group])
  if (privileged.length > 0) {
    throw new CommandError(
      `role ${name} exists and may do more than ${kind === 'reader' ? 'read' : 'write'}`,
    )
  }
  const statements = await sql.unsafe<{ format: string }[]>(loginStatements, [
    name,
    scramVerifier(password),
    group,
  ])
  try {
    for (const { format } of statements) await sql.unsafe(format)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== '42501') throw error
    // Since Postgres 16, a role may only grant and change roles that it made or administers.
    throw new CommandError(
      `role ${owner.name} may not grant ${group} or change ${name}, which another role made; as that one, run: GRANT ${exists ? `${group}, ${quoted}` : group} TO ${owner.name} WITH ADMIN OPTION`,
    )
  }
}

/**
 * Migrates the schema to the newest version and creates the reader and the writer, in one
 * transaction. `hasRights` is false if the owner could not create the roles that get rights. Throws a one-line error.
 */
export const migrate = async (
  url: string,
  { reader, writer, upTo = schemaVersion }: MigrateOptions = {},
): Promise<{ readonly hasRights: boolean }> => {
  for (const [kind, login] of [
    ['reader', reader],
    ['writer', writer],
  ] as const) {
    if (login && groups.includes(login.name)) {
      throw new CommandError(
        `the ${kind} needs a name of its own: ${login.name} is the role that has the rights`,
      )
    }
    if (login && !/^[ -~]+$/.test(login.password)) {
      throw new CommandError(`the ${kind}'s password must be printable ASCII, and not empty`)
    }
  }
  let hasRights = true
  await inDatabase(url, async (sql) => {
    await sql`SET LOCAL lock_timeout = '10s'`
    await sql`SELECT pg_advisory_xact_lock(hashtext('cageside migrate'))`
    await applyMigrations(sql, upTo)
    // Earlier versions had no public views.
    if (upTo >= minSchemaVersion) hasRights = await applyAccess(sql)
    if (reader) await makeLogin(sql, 'reader', reader)
    if (writer) await makeLogin(sql, 'writer', writer)
  })
  return { hasRights }
}

/** Login from two options and an environment variable; undefined without a name. */
const loginOf = (
  kind: LoginKind,
  name: string | undefined,
  givenPassword: string | undefined,
): Login | undefined => {
  const variable = `${kind.toUpperCase()}_PASSWORD`
  const password = givenPassword ?? readSecret(process.env, variable)
  if (name === undefined && givenPassword !== undefined) {
    throw new CommandError(`--${kind}-password needs --${kind} (see --help)`)
  }
  if (name === undefined) return undefined
  if (!password) {
    throw new CommandError(`--${kind} needs --${kind}-password or ${variable} (see --help)`)
  }
  return { name, password }
}

export const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, {
    'database-url': text,
    reader: text,
    'reader-password': text,
    writer: text,
    'writer-password': text,
    check: flag,
  })
  if (positionals.length > 0) throw new CommandError('no arguments are expected (see --help)')
  const reader = loginOf('reader', values.reader, values['reader-password'])
  const writer = loginOf('writer', values.writer, values['writer-password'])
  const url = databaseUrl(values['database-url'])
  if (values.check) {
    const found = await checkedVersion(url)
    console.log(
      `the tables have version ${found}; this program reads ${minSchemaVersion} to ${schemaVersion}`,
    )
    return
  }
  const { hasRights } = await migrate(url, { reader, writer })
  console.log(`schema cageside is at version ${schemaVersion}`)
  if (!hasRights)
    console.log(
      `roles ${groups.join(' and ')} could not be created: this role alone can read and write the league`,
    )
  if (reader) console.log(`role ${reader.name} may log in and read what is public`)
  if (writer) console.log(`role ${writer.name} may log in and write the tables of the league`)
}

if (import.meta.main) await runCommand(main)

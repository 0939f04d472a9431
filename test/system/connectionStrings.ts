import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, chown, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertLeague } from '../../scripts/load.ts'
import { migrate } from '../../scripts/migrate.ts'
import { connect } from '../../src/data/source/connection.ts'
import { run } from '../deployed.ts'
import { administer } from '../postgres.ts'
import { startService, stopService, temporaryFolder } from '../process.ts'
import { sampleLeague } from '../smallLeague.ts'
import { until } from '../until.ts'
import { type Cluster, startCluster } from './debianPostgres.ts'
import { startPgbouncer } from './startPgbouncer.ts'

/**
 * Connection strings as clouds, ORMs and psql have them, on PostgreSQL 15 of Debian with TLS by a CA of its own, passwords
 * by SCRAM, and behind pgbouncer.
 */
let cluster: Cluster
let authority: string
let pooledPort: number
let bouncer: Bun.Subprocess

/** Makes a certificate by the CA for these names, and its key. */
const certify = async (folder: string, name: string, names: string): Promise<void> => {
  const [key, request, certificate, extensions] = ['key', 'csr', 'crt', 'ext'].map((extension) =>
    join(folder, `${name}.${extension}`),
  ) as [string, string, string, string]
  await writeFile(extensions, `subjectAltName=${names}\n`)
  const subject = ['-subj', `/CN=${name}`, '-nodes', '-newkey', 'rsa:2048', '-keyout', key]
  await run('openssl', 'req', '-new', ...subject, '-out', request)
  const by = ['-CA', join(folder, 'ca.crt'), '-CAkey', join(folder, 'ca.key'), '-CAcreateserial']
  await run(
    'openssl',
    'x509',
    '-req',
    '-in',
    request,
    ...by,
    '-days',
    '2',
    '-extfile',
    extensions,
    '-out',
    certificate,
  )
}

beforeAll(async () => {
  cluster = await startCluster()
  await migrate(cluster.url, { reader: { name: 'reader', password: 'p@ss/word' } })
  await insertLeague(cluster.url, sampleLeague)

  const folder = await temporaryFolder()
  authority = join(folder, 'ca.crt')
  const root = [
    '-subj',
    '/CN=ca',
    '-nodes',
    '-newkey',
    'rsa:2048',
    '-keyout',
    join(folder, 'ca.key'),
  ]
  await run('openssl', 'req', '-x509', '-days', '2', ...root, '-out', authority)
  await certify(folder, 'server', 'DNS:localhost,IP:127.0.0.1')
  const data = join(cluster.folder, 'data')
  const { uid, gid } = await stat(data)
  for (const extension of ['crt', 'key']) {
    const path = join(data, `server.${extension}`)
    await writeFile(path, await readFile(join(folder, `server.${extension}`)))
    await chmod(path, 0o600)
    await chown(path, uid, gid)
  }
  await writeFile(
    join(data, 'pg_hba.conf'),
    `local all postgres trust
host all postgres 127.0.0.1/32 trust
local all reader scram-sha-256
hostssl all reader samehost scram-sha-256
`,
  )
  await administer(cluster.url, 'ALTER SYSTEM SET ssl = on')
  await administer(cluster.url, 'SELECT pg_reload_conf()')

  const started = await startPgbouncer(
    `host=localhost port=${cluster.port}`,
    { name: 'reader', password: 'p@ss/word' },
    'server_tls_sslmode = require',
  )
  pooledPort = started.port
  bouncer = started.process
}, 120_000)
afterAll(async () => {
  bouncer.kill()
  await bouncer.exited
  await cluster.crash()
})

/** Replaces PORT, POOLED, CA and SOCKET. */
const filled = (given: string): string =>
  given
    .replace('PORT', String(cluster.port))
    .replace('POOLED', String(pooledPort))
    .replace('CA', authority)
    .replace('SOCKET', cluster.folder)

/** Reads once; gives the settings of the session, or the message of the error. */
const ask = async (given: string): Promise<unknown> => {
  const source = connect(filled(given), { deadlineMs: 4000 })
  try {
    return await source.transaction(async (query) => {
      const [[version, name, path] = []] = await query(
        `SELECT (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()),
           current_setting('application_name'), current_setting('search_path')`,
      )
      return [version, name, path]
    })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return 'detail' in error ? `${error.message}: ${error.detail}` : error.message
  } finally {
    await source.close()
  }
}

const secure = ['TLSv1.3', 'cageside', '"$user", public']

describe('a string of a managed Postgres reads', () => {
  test.each([
    'postgres://reader:p%40ss%2Fword@localhost:PORT/postgres',
    'postgres://reader:p%40ss%2Fword@localhost:PORT/postgres?sslmode=require&channel_binding=require',
    'postgresql://reader:p%40ss%2Fword@127.0.0.1:PORT/postgres?sslmode=verify-full&sslrootcert=CA',
    'postgresql://reader:p%40ss%2Fword@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=CA',
    'postgres://reader:p%40ss%2Fword@localhost:PORT/postgres?sslmode=verify-ca&sslrootcert=CA',
    'postgres://reader:p%40ss%2Fword@localhost:PORT/postgres?ssl=true&sslrootcert=CA&schema=public&connection_limit=1',
    'postgresql+asyncpg://reader:p%40ss%2Fword@localhost:PORT/postgres?ssl=require',
    'jdbc:postgresql://localhost:PORT/postgres?user=reader&password=p%40ss%2Fword&sslmode=require&prepareThreshold=0',
    "host=localhost port=PORT dbname=postgres user=reader password='p@ss/word' gssencmode=disable target_session_attrs=any",
    'Server=localhost;Database=postgres;Port=PORT;User Id=reader;Password=p@ss/word;Ssl Mode=Require',
    'host=nowhere.invalid hostaddr=127.0.0.1 port=PORT user=reader password=p@ss/word dbname=postgres',
  ])('%s, over TLS', async (given) => {
    expect(await ask(given)).toEqual(secure)
  })

  test('options and a name of the session reach the server, as from psql', async () => {
    const options = 'application_name=cups&options=-c%20search_path%3Dcageside'
    expect(await ask(`postgres://reader:p%40ss%2Fword@localhost:PORT/postgres?${options}`)).toEqual(
      ['TLSv1.3', 'cups', 'cageside'],
    )
  })

  test('a string with the folder of a Unix socket reads, without TLS', async () => {
    for (const given of [
      'postgres://reader:p%40ss%2Fword@/postgres?host=SOCKET&port=PORT',
      'host=SOCKET port=PORT user=reader password=p@ss/word dbname=postgres sslmode=require',
    ])
      expect(await ask(given)).toEqual([null, ...secure.slice(1)])
  })
})

describe('a string that does not fit the server says why', () => {
  test.each([
    ['localhost:PORT/postgres?sslmode=disable', 'the database allows no such connection: '],
    [
      '127.0.0.1:PORT/postgres?sslmode=verify-full',
      'the certificate of the database is not trusted: ',
    ],
    ['localhost:POOLED/postgres?sslmode=require', 'the database does not answer in TLS: '],
    ['localhost:PORT/nowhere', 'the database does not exist: '],
  ])('%s', async (given, message) => {
    expect(await ask(`postgres://reader:p%40ss%2Fword@${given}`)).toStartWith(message)
  })

  test('a certificate for another name is not trusted by verify-full, and is by verify-ca', async () => {
    const given =
      'postgres://reader:p%40ss%2Fword@other.invalid:PORT/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=CA'
    expect(await ask(given)).toMatch(/is not trusted: .*(altname|identity)/i)
    expect(await ask(given.replace('verify-full', 'verify-ca'))).toEqual(secure)
  })
})

test('the service serves the string of a pooler, and says what it leaves out of another', async () => {
  const password = 'p%40ss%2Fword'
  const strings = [
    `postgres://reader:${password}@localhost:POOLED/postgres?pgbouncer=true&connection_limit=1`,
    `postgres://reader:${password}@localhost:PORT/postgres?sslmode=require&channel_binding=require`,
  ]
  for (const [index, given] of strings.entries()) {
    const running = await startService({ DATABASE_URL: filled(given), REFRESH_MS: '200' })
    const health = async () => (await fetch(`${running.url}/health`)).text()
    expect(await health()).toContain('"status":"ok"')
    await administer(cluster.url, `UPDATE cageside.tournaments SET name = 'Cup ${index}'`)
    await until(async () =>
      (await (await fetch(`${running.url}/tournaments`)).text()).includes(`"Cup ${index}"`),
    )
    await stopService(running)
    const log = await running.stderr()
    expect(log.match(/is left out/g)?.length ?? 0).toBe(index)
    expect(log).not.toContain('ss/word')
  }
}, 60_000)

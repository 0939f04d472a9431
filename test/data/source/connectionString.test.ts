import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  clientOptions,
  isThroughPooler,
  omissionsOf,
} from '../../../src/data/source/clientOptions.ts'
import { readConnection, splitHosts } from '../../../src/data/source/connectionString.ts'
import { temporaryFolder } from '../../process.ts'

/** User, password, hosts and database that a string leads to. */
const target = (given: string) => {
  const { user, password, hosts, database } = readConnection(given)
  const at = hosts.map(({ host, port }) => (port === undefined ? host : `${host} ${port}`))
  return [user, password, at.join(','), database]
}

describe('a connection string', () => {
  test.each([
    ['postgres://reader:p%40ss@db.example:6543/league', 'db.example 6543'],
    ['postgresql+asyncpg://reader:p@ss@db.example:6543/league', 'db.example 6543'],
    ['postgresql+psycopg2://reader:p@ss@db.example/league', 'db.example'],
    ['jdbc:postgresql://db.example:6543/league?user=reader&password=p%40ss', 'db.example 6543'],
    ["host=db.example port=6543 dbname=league user=reader password='p@ss'", 'db.example 6543'],
    [
      'Server=db.example;Database=league;Port=6543;User Id=reader;Password=p@ss;',
      'db.example 6543',
    ],
    ['postgres:///league?host=db.example&user=reader&password=p%40ss', 'db.example'],
    [
      'postgres://reader:p@ss@/league?host=/cloudsql/project:region:db',
      '/cloudsql/project:region:db',
    ],
    ['postgres://reader:p@ss@%2Fvar%2Frun%2Fpostgresql/league', '/var/run/postgresql'],
    ['postgres://reader:p@ss@[2001:db8::7]:6543/league', '2001:db8::7 6543'],
    ['  postgres://reader:p@ss@a,b:6543/league\n', 'a,b 6543'],
    ['postgres:///league?host=db.example&user=reader&password=p@ss', 'db.example'],
    ['postgresql+psycopg2://reader:p@ss@/league?host=a:5432&host=b:6543', 'a 5432,b 6543'],
    ["host=db.example password='p@ss'user=reader dbname=league", 'db.example'],
    ['Host=db.example:6543;Database=league;Uid=reader;Password="p@ss"', 'db.example 6543'],
    ['host=a,b port=5432,6543 user=reader password=p@ss dbname=league', 'a 5432,b 6543'],
  ])('%s is read', (given, hosts) => {
    expect(target(given)).toEqual(['reader', 'p@ss', hosts, 'league'])
  })

  test('a quoted value of libpq may have spaces, quotes and backslashes', () => {
    expect(target(String.raw`user = reader  password='it\'s a \\ "word"' host=a`)).toEqual([
      'reader',
      String.raw`it's a \ "word"`,
      'a',
      '',
    ])
  })

  test.each([
    ["host=a user=u password=it's dbname=d", "it's"],
    ['host=a user=u password=x;y dbname=d', 'x;y'],
    ['password=x;y=z host=a user=u dbname=d', 'x;y=z'],
    ['Host=a;Username=u;Password="x;y=""z""";Database=d', 'x;y="z"'],
    ["Host=a;Username=u;Password='x;y';Database=d", 'x;y'],
    ['Host=a;Username=u;Password=x=y;Database=d', 'x=y'],
    ['postgres:///d?host=a&user=u&password=x+y', 'x+y'],
    ['postgres://u:12?y@a/d', '12?y'],
  ])('the password of %s is read', (given, password) => {
    expect(target(given)).toEqual(['u', password, 'a', 'd'])
  })

  test('a database of a URL may have #, as in libpq', () => {
    expect(target('postgres://u:p@a/d#1?sslmode=require')).toEqual(['u', 'p', 'a', 'd#1'])
  })

  test('variables of libpq complete a string', () => {
    const environment = {
      ...{ PGHOST: 'db.example', PGPORT: '6543', PGUSER: 'reader', PGPASSWORD: 'p@ss' },
      ...{ PGDATABASE: 'other', PGSSLMODE: 'verify-full', PGOPTIONS: '' },
    }
    const read = readConnection('postgres:///league', environment)
    expect(read).toEqual({
      hosts: [{ host: 'db.example', port: 6543 }],
      user: 'reader',
      password: 'p@ss',
      database: 'league',
      parameters: new Map([['sslmode', 'verify-full']]),
    })
    expect(readConnection('postgres://a/b?ssl=true', environment).parameters).toEqual(
      new Map([['ssl', 'true']]),
    )
  })

  test('the URLs of its hosts are read as the string itself', () => {
    for (const given of [
      "host=a,b port=5432,6543 user='re ader' password='p@/?#s' dbname='le gue' options='-c jit=off'",
      'postgres://reader@/league?host=/var/run/postgresql&port=5433',
      'postgres://[::1]:5432/league?sslmode=require',
      'host=a,b hostaddr=192.0.2.1,192.0.2.2 user=reader dbname=league',
    ]) {
      const whole = readConnection(given)
      const each = splitHosts(whole).map((url) => readConnection(url))
      expect(each.flatMap(({ hosts }) => hosts)).toEqual([...whole.hosts])
      for (const { hosts: _, ...rest } of each) expect(whole).toMatchObject(rest)
    }
  })

  test.each([
    'mysql://host/db',
    'host',
    'postgres:',
    'postgres://u@a:99999/db',
    'postgres://u:100%@a/db',
    'postgres://u:@/pass@a/db',
    'postgres://u:@?pass@a/db',
    "host=a password='open",
    'postgres://[::1/db',
  ])('%s is refused', (given) => {
    expect(() => readConnection(given)).toThrow('the database URL must be ')
  })
})

describe('the parameters of a connection string', () => {
  const strings = {
    neon: 'postgres://u:p@ep-cool-1.eu.example/neondb?sslmode=require&channel_binding=require',
    'neon without SNI':
      'postgres://u:p@ep-cool-1.eu.example/neondb?sslmode=require&options=endpoint%3Dep-cool-1',
    'supabase and prisma':
      'postgres://u:p@pooler.example:6543/postgres?pgbouncer=true&connection_limit=1&schema=public',
    vercel: 'postgres://u:p@a.example/db?sslmode=require&supa=base-pooler.x&pgbouncer=true',
    heroku: 'postgres://u:p@a.example:5432/d1?ssl=true',
    azure:
      'Server=a.example;Database=postgres;Port=5432;User Id=u;Password=p;Ssl Mode=Require;Trust Server Certificate=true',
    'cloud sql': 'postgres://u:p@/db?host=/cloudsql/a:b:c',
    jdbc: 'jdbc:postgresql://a.example/db?user=u&password=p&prepareThreshold=0&targetServerType=any&ApplicationName=x',
    pgx: 'postgres://u:p@a.example/db?default_query_exec_mode=simple_protocol&pool_max_conns=10',
    libpq:
      'host=a.example user=u connect_timeout=10 keepalives=1 keepalives_idle=30 gssencmode=disable target_session_attrs=any load_balance_hosts=random client_encoding=UTF8',
    sqlalchemy: 'postgresql+asyncpg://u:p@a.example/db?prepared_statement_cache_size=0',
    tenant: 'postgres://u:p@a.example/db?app.tenant=7&application_name=cups',
  } as const

  test('strings of clouds, ORMs and drivers send the server only settings that it knows', () => {
    const sent = Object.entries(strings).map(([name, given]) => {
      const { connection = {} } = clientOptions(given, 15)
      const { application_name: _, ...others } = connection
      return [name, others]
    })
    expect(Object.fromEntries(sent)).toEqual({
      ...Object.fromEntries(Object.keys(strings).map((name) => [name, {}])),
      'neon without SNI': { options: 'endpoint=ep-cool-1' },
      tenant: { 'app.tenant': '7' },
    })
    expect(clientOptions(strings.tenant, 15).connection).toMatchObject({ application_name: 'cups' })
    expect(clientOptions(strings.neon, 15).connection).toMatchObject({
      application_name: 'cageside',
    })
  })

  test('what is left out is said once, without its value', () => {
    const omissions = Object.values(strings).flatMap(omissionsOf)
    expect(omissions).toEqual([
      'channel_binding=require is left out: the client does not check that TLS ends at the database',
    ])
    expect(omissionsOf('postgres://u:p@a/db?channel_binding=prefer')).toEqual([])
    expect(omissionsOf('postgres://u:p@a/db?flavour=secret')).toEqual([
      'flavour is left out: it is no known parameter',
    ])
  })

  test('a piece of a password is not taken for the name of a parameter, which the log would show', () => {
    for (const given of ['postgres://u:p@h/d?p%40ss&x=y', 'Host=h;Username=u;Password="x;y z=w'])
      expect(() => omissionsOf(given)).toThrow('the database URL must be an address')
  })

  test('each host has its own hostaddr', () => {
    const { hosts } = readConnection('host=a,b hostaddr=192.0.2.1,192.0.2.2 user=u')
    expect(hosts).toEqual([
      { host: 'a', port: undefined, address: '192.0.2.1' },
      { host: 'b', port: undefined, address: '192.0.2.2' },
    ])
    expect(clientOptions('postgres://u@a/d?hostaddr=192.0.2.1', 15)).toMatchObject({
      host: ['192.0.2.1'],
    })
  })

  test.each([
    ['service=prod', 'without service'],
    ['replication=database', 'without replication'],
    ['schema=league2', 'without a schema'],
    ['currentSchema=league2', 'without a schema'],
    ['gssencmode=require', 'without gssencmode'],
    ['sslmode=verify', 'with sslmode one of'],
    ['sslmode=verify-full&sslrootcert=/nowhere/ca.pem', 'a file in sslrootcert that can be read'],
    ['sslmode=verify-full&sslrootcert=/etc/passwd', 'with a certificate'],
    ['target_session_attrs=rw', 'with target_session_attrs one of any'],
    ['passfile=/nowhere', 'a file in passfile that can be read'],
  ])('%s is refused, because the data or its protection would differ', (query, message) => {
    expect(() => omissionsOf(`postgres://u:p@a/db?${query}`)).toThrow(message)
  })

  test.each([
    ['', 'prefer'],
    ['sslmode=disable', false],
    ['ssl=false', false],
    ['sslmode=prefer', 'prefer'],
    ['sslmode=require', { rejectUnauthorized: false }],
    ['sslmode=no-verify', { rejectUnauthorized: false }],
    ['ssl=true', { rejectUnauthorized: true, servername: 'a.example' }],
    ['ssl=true&sslmode=require', { rejectUnauthorized: false }],
    ['ssl=require', { rejectUnauthorized: false }],
    ['sslmode=verify-full', { rejectUnauthorized: true, servername: 'a.example' }],
    ['sslmode=require&sslaccept=strict', { rejectUnauthorized: true, servername: 'a.example' }],
    ['sslrootcert=system', { rejectUnauthorized: true, servername: 'a.example' }],
    ['sslmode=require&ssl_min_protocol_version=TLSv1.3', { minVersion: 'TLSv1.3' }],
  ])('%p sets TLS to %p', (query, expected) => {
    const { ssl } = clientOptions(`postgres://u@a.example/db?${query}`, 15)
    if (typeof expected === 'object') expect(ssl).toMatchObject(expected)
    else expect<unknown>(ssl).toBe(expected)
  })

  test('a certificate of the client is sent without an sslmode', async () => {
    const key = join(await temporaryFolder(), 'client.key')
    await Bun.write(key, 'a key')
    const { ssl } = clientOptions(`postgres://a.example/db?sslkey=${key}`, 15)
    expect(ssl).toMatchObject({ key: Buffer.from('a key'), rejectUnauthorized: false })
  })

  test('a socket in a folder has no TLS', () => {
    const options = clientOptions('host=/run/postgresql user=u sslmode=require', 15)
    expect(options).toMatchObject({ path: '/run/postgresql/.s.PGSQL.5432', ssl: false })
  })

  test('a time to connect counts up to the limit of the program', () => {
    const seconds = (given: string) => clientOptions(`postgres://a/db?${given}`, 15).connect_timeout
    expect([seconds('connect_timeout=3'), seconds('connect_timeout=60'), seconds('')]).toEqual([
      3, 15, 15,
    ])
  })

  test('a pooler in transaction mode is recognized', () => {
    const found = Object.entries(strings).filter(([, given]) => isThroughPooler(given))
    expect(found.map(([name]) => name)).toEqual([
      ...['supabase and prisma', 'vercel', 'jdbc', 'pgx', 'sqlalchemy'],
    ])
  })
})

import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { ConfigError, readConfig } from '../src/config.ts'
import { temporaryFolder } from './process.ts'

const problems = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const databaseFile = join(await temporaryFolder(), 'database-url')
await Bun.write(databaseFile, 'postgres://a/b')

describe('configuration', () => {
  test('every setting has a default', () => {
    expect(readConfig({})).toEqual({
      host: '0.0.0.0',
      port: 3000,
      basePath: '',
      legacyBase: '/legacy',
      publicUrl: undefined,
      pages: true,
      ratings: true,
      eventTimeZone: 'UTC',
      databaseUrl: undefined,
      throughPooler: false,
      databaseSleeps: false,
      snapshotPath: expect.stringMatching(/\/snapshot\/sample\.cageside$/),
      mediaDir: undefined,
      mirrorUrl: undefined,
      replay: undefined,
      replaySpeed: 1,
      replayLoop: false,
      dataDir: expect.stringMatching(/\/data$/),
      refreshMs: 2000,
      streamApiUrl: undefined,
      streamKind: 'mediamtx',
      streamHlsUrl: undefined,
      trustedProxies: 0,
      trustedNetworks: [],
      clientKeyRotation: 'month',
      usageLogBytes: 1_000_000_000,
      changeLogBytes: 100_000_000,
      maxStreams: 10_000,
      maxStreamsPerClient: 100,
      rateLimit: 0,
      rateBurst: 500,
      maxWaitingPerClient: 0,
      dataLicense: undefined,
      logLevel: 'info',
      logFormat: 'json',
      adminPort: undefined,
    })
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })

  test('each setting is read under its own name', () => {
    const served = {
      HOST: '127.0.0.1',
      BASE_PATH: '/api',
      LEGACY_BASE: '/old',
      PUBLIC_URL: 'https://league.example/api',
      EVENT_TIME_ZONE: 'Asia/Tokyo',
      SNAPSHOT: '/srv/league.cageside',
      MEDIA_DIR: dirname(databaseFile),
      DATA_DIR: '/srv/data',
      STREAM_API_URL: 'http://streams.example:9997',
      STREAM_KIND: 'nginx-rtmp',
      STREAM_HLS_URL: 'https://hls.example',
      CLIENT_KEY_ROTATION: 'never',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'text',
    }
    expect(readConfig(served)).toMatchObject({
      host: '127.0.0.1',
      basePath: '/api',
      legacyBase: '/old',
      publicUrl: 'https://league.example/api',
      eventTimeZone: 'Asia/Tokyo',
      snapshotPath: '/srv/league.cageside',
      mediaDir: dirname(databaseFile),
      dataDir: '/srv/data',
      streamApiUrl: 'http://streams.example:9997',
      streamKind: 'nginx-rtmp',
      streamHlsUrl: 'https://hls.example',
      clientKeyRotation: 'never',
      logLevel: 'warn',
      logFormat: 'text',
    })
    for (const given of [{ DATABASE_URL: 'postgres://a/b' }, { DATABASE_URL_FILE: databaseFile }])
      expect(readConfig(given).databaseUrl).toBe('postgres://a/b')
  })

  test.each([
    ['PORT', 'port', 0, 65_535],
    ['ADMIN_PORT', 'adminPort', 0, 65_535],
    ['REPLAY_SPEED', 'replaySpeed', 1, 600],
    ['REFRESH_MS', 'refreshMs', 100, 3_600_000],
    ['TRUST_PROXY', 'trustedProxies', 0, 32],
    ['USAGE_LOG_BYTES', 'usageLogBytes', 1_000_000, 9_999_999_999],
    ['CHANGE_LOG_BYTES', 'changeLogBytes', 1_000_000, 9_999_999_999],
    ['MAX_STREAMS', 'maxStreams', 0, 1_000_000],
    ['MAX_STREAMS_PER_CLIENT', 'maxStreamsPerClient', 0, 1_000_000],
    ['RATE_LIMIT', 'rateLimit', 0, 1_000_000],
    ['RATE_BURST', 'rateBurst', 1, 100_000_000],
    ['MAX_WAITING_PER_CLIENT', 'maxWaitingPerClient', 0, 1_000_000],
  ] as const)('%s is a whole number within bounds', (name, property, minimum, maximum) => {
    const expected = `${name} must be a whole number from ${minimum} to ${maximum}`
    for (const value of [minimum, maximum])
      expect(readConfig({ [name]: String(value) })[property]).toBe(value)
    for (const value of [
      minimum - 1,
      maximum + 1,
      minimum + 0.5,
      '1e3',
      '0x1',
      'x',
      '9'.repeat(20),
    ])
      expect(problems({ [name]: String(value) })).toEqual([expected])
  })

  test.each([
    ['PAGES', 'pages'],
    ['RATINGS', 'ratings'],
    ['PGBOUNCER', 'throughPooler'],
    ['REPLAY_LOOP', 'replayLoop'],
  ] as const)('%s is 0 or 1', (name, property) => {
    expect(['0', '1'].map((value) => readConfig({ [name]: value })[property])).toEqual([
      false,
      true,
    ])
    for (const value of ['no', '2', 'true'])
      expect(problems({ [name]: value })).toEqual([`${name} must be one of 0, 1`])
  })

  test.each([
    ['CC BY 4.0', { name: 'CC BY 4.0' }],
    [' CC BY 4.0  https://a.example/x ', { name: 'CC BY 4.0', url: 'https://a.example/x' }],
    ['x'.repeat(200), { name: 'x'.repeat(200) }],
    ['x'.repeat(201), undefined],
    ['https://a.example', undefined],
    ['CC https://[', undefined],
  ])('DATA_LICENSE=%j is a name with or without a URL, or refused', (given, expected) => {
    if (expected) expect(readConfig({ DATA_LICENSE: given }).dataLicense).toEqual(expected)
    else expect(problems({ DATA_LICENSE: given })).toHaveLength(1)
  })

  test.each([
    ['https://a.example/snapshot', []],
    ['HTTP://a.example/snapshot', []],
    ['https://me@a.example/', ['address without a password']],
    ['https://:secret@a.example/', ['address without a password']],
    ['https://a.example/#x', ['address without a password']],
  ])('SNAPSHOT=%s is a URL without a password, or refused', (given, expected) => {
    const found = problems({ SNAPSHOT: given })
    expect(found).toHaveLength(expected.length)
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text)
    if (found.length > 0) return
    expect(readConfig({ SNAPSHOT: given }).mirrorUrl).toBe(given)
    for (const other of [
      { DATABASE_URL: 'postgres://a/b' },
      { DATABASE_URL_FILE: databaseFile },
      { REPLAY: 'auto' },
    ])
      expect(problems({ SNAPSHOT: given, ...other })).toHaveLength(1)
  })

  test('PUBLIC_URL ends without a slash', () => {
    expect(readConfig({}).publicUrl).toBeUndefined()
    expect(readConfig({ PUBLIC_URL: 'https://robots.example/' }).publicUrl).toBe(
      'https://robots.example',
    )
    expect(readConfig({ PUBLIC_URL: 'https://robots.example/api' }).publicUrl).toBe(
      'https://robots.example/api',
    )
  })

  test('an empty setting is an absent one', () => {
    const names = ['HOST', 'PORT', 'BASE_PATH', 'DATABASE_URL', 'SNAPSHOT', 'LOG_LEVEL']
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}))
  })

  test.each([
    'postgres://user:secret@a/league',
    'postgres://user:secret@a:5432,b:5433,c/league?target_session_attrs=primary',
    'postgresql://a/league?sslmode=require',
  ])('DATABASE_URL may be %s', (given) => {
    expect(readConfig({ DATABASE_URL: given, PGBOUNCER: '1' })).toMatchObject({
      databaseUrl: given,
      throughPooler: true,
    })
  })

  test.each([
    ['/api', '/api'],
    ['/api/', '/api'],
    ['/x/api.php', '/x/api.php'],
    ['/', ''],
  ])('BASE_PATH=%s is %s', (given, basePath) => {
    expect(readConfig({ BASE_PATH: given }).basePath).toBe(basePath)
  })

  test.each([
    ['BASE_PATH', ['api', '/a b', '/:id', '//', '/a//b', '/*', '/..', '/a/./b']],
    ['LEGACY_BASE', ['legacy', '/?']],
    ['HOST', ['http://localhost', 'localhost:3000', '[localhost]', '[::1]:3000', 'a b', '::1::']],
    [
      'DATABASE_URL',
      [
        'mysql://host/db',
        'host',
        'postgres:',
        'postgres://u@a:x/db',
        'postgres://u@a,b:x/db',
        'postgres://u:100%@a/db',
        'postgres://%zz:p@a,b/db',
        'postgres://a/db?target_session_attrs=rw',
      ],
    ],
    ['EVENT_TIME_ZONE', ['Mars/Olympus', 'Europe', '../etc', 'x'.repeat(300)]],
    [
      'REPLAY',
      [
        'now',
        'AUTO',
        '2026-03-14',
        '2026-03-14T17:00:00',
        '2026-02-30T17:00:00Z',
        '2026-13-01T17:00:00Z',
        '2026-03-14T24:00:00Z',
        '2026-03-14T17:60:00Z',
        '1960-03-14T17:00:00Z',
        '1773507600',
      ],
    ],
    ['MEDIA_DIR', ['/nowhere', import.meta.path]],
    ['STREAM_API_URL', ['ftp://host', 'localhost:9997']],
    ['STREAM_KIND', ['rtmp', 'MediaMTX']],
    [
      'TRUSTED_NETWORKS',
      [
        ...['localhost', '203.0.113', '203.0.113.0/33', '203.0.113.0/-1', '203.0.113.0/', '/8'],
        ...['0x7f000001/8', '010.0.0.1/8', '2001:db8::/129', 'fe80::1%eth0/64', '[2001:db8::]/48'],
        ...['203.0.113.0/24 198.51.100.0/24', '203.0.113.0/24;2001:db8::/48', '203.0.113.0/24,x'],
      ],
    ],
    [
      'PUBLIC_URL',
      [
        ...['/api', 'ftp://host/', 'https://me:secret@host/', 'https://:secret@host/'],
        'https://host/?a',
      ],
    ],
    ['STREAM_HLS_URL', ['/hls', 'https://me:secret@host/', 'https://host/?a', 'https://host/#a']],
    ['CLIENT_KEY_ROTATION', ['year', 'toString']],
    ['LOG_LEVEL', ['verbose', '__proto__']],
  ])('a bad %s is one line that names it', (name, values) => {
    for (const value of values) {
      const found = problems({ [name]: value })
      expect(found).toHaveLength(1)
      expect(found[0]).toStartWith(`${name} must be `)
      expect(found[0]).not.toContain('\n')
    }
  })

  test('all bad settings are reported at once, without secrets', () => {
    const found = problems({ PORT: 'x', DATABASE_URL: 'mysql://me:secret@host/db', LOG_LEVEL: 'x' })
    expect(found).toHaveLength(3)
    expect(found.join()).not.toContain('secret')
  })

  test('STREAM_API_URL needs the public address of its streams', () => {
    const api = { STREAM_API_URL: 'http://localhost:9997' }
    expect(problems(api)).toEqual(['STREAM_HLS_URL must be given with STREAM_API_URL'])
    expect(problems({ ...api, STREAM_HLS_URL: '/hls' })).toHaveLength(1)
    expect(problems({ ...api, STREAM_HLS_URL: 'https://live.example/hls/' })).toEqual([])
    expect(problems({ STREAM_HLS_URL: 'https://live.example' })).toEqual([])
  })

  test.each([
    ['auto', 'auto'],
    ['1970-01-01T00:00:00Z', 0],
    ['2026-03-14T17:00:00Z', 1_773_507_600],
    ['2026-03-14T18:00:00.5+01:00', 1_773_507_600],
  ] as const)('REPLAY=%s is a moment', (given, replay) => {
    const config = readConfig({ REPLAY: given, REPLAY_SPEED: '600', REPLAY_LOOP: '1' })
    expect(config).toMatchObject({ replay, replaySpeed: 600, replayLoop: true })
  })

  test('a database is not replayed', () => {
    expect(problems({ REPLAY: 'auto', DATABASE_URL: 'postgres://a/b' })).toEqual([
      'REPLAY must not be given with DATABASE_URL: it replays a snapshot',
    ])
  })

  test('PUBLIC_URL must end in BASE_PATH', () => {
    const pairs = [
      ['https://league.example/v1', '/api'],
      ['https://api', '/api'],
      ['https://league.example/myapi', '/api'],
    ] as const
    for (const [publicUrl, basePath] of pairs) {
      expect(problems({ PUBLIC_URL: publicUrl, BASE_PATH: basePath })).toEqual([
        'PUBLIC_URL must end in BASE_PATH, /api',
      ])
    }
    const fitting = { PUBLIC_URL: 'https://league.example/v1/api/', BASE_PATH: '/api' }
    expect(readConfig(fitting).publicUrl).toBe('https://league.example/v1/api')
  })

  test('LEGACY_BASE must differ from BASE_PATH', () => {
    for (const same of [
      { BASE_PATH: '/a', LEGACY_BASE: '/a' },
      { BASE_PATH: '/a', LEGACY_BASE: '/a/' },
      { BASE_PATH: '', LEGACY_BASE: '/' },
      { BASE_PATH: '/legacy', LEGACY_BASE: '' },
    ]) {
      expect(problems(same)).toEqual(['LEGACY_BASE must differ from BASE_PATH'])
    }
  })

  test('LEGACY_BASE and BASE_PATH may lie within each other', () => {
    for (const [basePath, legacyBase] of [
      ['/x/api.php', '/x/backend'],
      ['/x', '/x/backend'],
      ['/x/api', '/x'],
    ] as const) {
      const given = { BASE_PATH: basePath, LEGACY_BASE: legacyBase }
      expect(readConfig(given)).toMatchObject({ basePath, legacyBase })
    }
    expect(readConfig({ BASE_PATH: '/x', LEGACY_BASE: '/' }).legacyBase).toBe('')
  })
})

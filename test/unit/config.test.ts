import { describe, expect, test } from 'bun:test'
import { ConfigError, readConfig } from '../../src/config.ts'

const problems = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('configuration', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      host: '0.0.0.0',
      port: 3000,
      basePath: '',
      legacyBase: '/legacy',
      databaseUrl: undefined,
      throughPooler: false,
      snapshotPath: expect.stringMatching(/\/snapshot\/sample\.cageside$/),
      replay: undefined,
      replaySpeed: 1,
      replayLoop: false,
      dataDir: expect.stringMatching(/\/data$/),
      refreshMs: 2000,
      streamApiUrl: undefined,
      streamKind: 'mediamtx',
      streamHlsUrl: undefined,
      trustedProxies: 0,
      clientKeyRotation: 'month',
      logLevel: 'info',
    })
  })

  test('the public address ends without a slash', () => {
    expect(readConfig({}).publicUrl).toBeUndefined()
    expect(readConfig({ PUBLIC_URL: 'https://robots.example/' }).publicUrl).toBe(
      'https://robots.example',
    )
    expect(readConfig({ PUBLIC_URL: 'https://robots.example/api' }).publicUrl).toBe(
      'https://robots.example/api',
    )
  })

  test('an empty value is an absent one', () => {
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
    ['PORT', ['-1', '65536', 'http', '1e3', '3000.5', '99999999999999999999']],
    ['BASE_PATH', ['api', '/a b', '/:id', '//', '/a//b', '/*', '/..', '/a/./b']],
    ['LEGACY_BASE', ['legacy', '/?']],
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
        'postgres://a/db?target_session_attrs=any',
      ],
    ],
    ['PGBOUNCER', ['yes', '2']],
    ['PAGES', ['no', '2', 'true']],
    ['RATINGS', ['no', '2', 'true']],
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
    ['REPLAY_SPEED', ['0', '601', '1.5', 'fast']],
    ['REPLAY_LOOP', ['yes', '2']],
    ['REFRESH_MS', ['0', '99', '-1', 'often']],
    ['STREAM_API_URL', ['ftp://host', 'localhost:9997']],
    ['STREAM_KIND', ['rtmp', 'MediaMTX']],
    ['PUBLIC_URL', ['/api', 'ftp://host/', 'https://me:secret@host/', 'https://host/?a']],
    ['STREAM_HLS_URL', ['/hls', 'https://me:secret@host/', 'https://host/?a', 'https://host/#a']],
    ['TRUST_PROXY', ['yes', '-1', '33']],
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

  test('all problems are told at once, and no secret', () => {
    const found = problems({ PORT: 'x', DATABASE_URL: 'mysql://me:secret@host/db', LOG_LEVEL: 'x' })
    expect(found).toHaveLength(3)
    expect(found.join()).not.toContain('secret')
  })

  test('a streaming server needs a public address of its streams', () => {
    const api = { STREAM_API_URL: 'http://localhost:9997' }
    expect(problems(api)).toEqual(['STREAM_HLS_URL must be given with STREAM_API_URL'])
    expect(problems({ ...api, STREAM_HLS_URL: '/hls' })).toHaveLength(1)
    expect(problems({ ...api, STREAM_HLS_URL: 'https://live.example/hls/' })).toEqual([])
    expect(problems({ STREAM_HLS_URL: 'https://live.example' })).toEqual([])
  })

  test.each([
    ['auto', 'auto'],
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

  test('the public address must end in the base path', () => {
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

  test('the two bases must differ', () => {
    for (const same of [
      { BASE_PATH: '/a', LEGACY_BASE: '/a' },
      { BASE_PATH: '/a', LEGACY_BASE: '/a/' },
      { BASE_PATH: '', LEGACY_BASE: '/' },
      { BASE_PATH: '/legacy', LEGACY_BASE: '' },
    ]) {
      expect(problems(same)).toEqual(['LEGACY_BASE must differ from BASE_PATH'])
    }
  })

  test('one base may lie within the other', () => {
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

import { resolve } from 'node:path'
import { type LogLevel, logLevels } from './log.ts'

export const streamKinds = ['mediamtx', 'nginx-rtmp'] as const
/** Values of `target_session_attrs`, as in libpq. */
const sessionKinds = ['read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
export const keyRotations = ['day', 'month', 'never'] as const

/** Settings of the process. */
export interface Config {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Empty, or begins with a slash and does not end with one. */
  readonly basePath: string
  readonly legacyBase: string
  readonly databaseUrl: string | undefined
  /** Whether a pooler in transaction mode is in front of the database. */
  readonly throughPooler: boolean
  readonly snapshotPath: string
  /** Unix seconds from which on the snapshot is replayed, or the busiest hour of its last event. */
  readonly replay: number | 'auto' | undefined
  readonly replaySpeed: number
  readonly replayLoop: boolean
  readonly dataDir: string
  readonly refreshMs: number
  readonly streamApiUrl: string | undefined
  readonly streamKind: (typeof streamKinds)[number]
  readonly streamHlsUrl: string | undefined
  readonly trustedProxies: number
  readonly clientKeyRotation: (typeof keyRotations)[number]
  /** Max total bytes of the usage logs; the oldest are removed first. */
  readonly usageLogBytes: number
  /** Of the log of changes; the oldest go first. */
  readonly changeLogBytes: number
  /** Streams of changes, and waiting requests for them, at a time. */
  readonly maxStreams: number
  readonly maxStreamsPerClient: number
  readonly logLevel: LogLevel
}

/** Invalid settings; each problem is one line without secrets. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

const bundledSnapshot = resolve(import.meta.dirname, '../snapshot/sample.cageside')

/** Parses an RFC 3339 time to Unix seconds; undefined for other texts and impossible dates. */
const parseMoment = (given: string): number | undefined => {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(given) ??
    []
  const day = Date.parse(`${date}T00:00:00Z`)
  const isDay = day >= 0 && new Date(day).toISOString().slice(0, 10) === date
  const unix = isDay ? Math.floor(Date.parse(given) / 1000) : Number.NaN
  return unix >= 0 ? unix : undefined
}

/** Reads the settings; throws a {@link ConfigError} with all problems. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const problems: string[] = []
  const text = (name: string): string | undefined => environment[name] || undefined
  const refuse = <T>(name: string, expected: string, fallback: T): T => {
    problems.push(`${name} must be ${expected}`)
    return fallback
  }
  const integer = (name: string, fallback: number, minimum: number, maximum: number): number => {
    const given = text(name)
    if (given === undefined) return fallback
    const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN
    return value >= minimum && value <= maximum
      ? value
      : refuse(name, `a whole number from ${minimum} to ${maximum}`, fallback)
  }
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const given = text(name)
    if (given === undefined) return fallback
    return (
      values.find((value) => value === given) ??
      refuse(name, `one of ${values.join(', ')}`, fallback)
    )
  }
  const path = (name: string, fallback: string): string => {
    const given = text(name)?.replace(/\/$/, '')
    if (given === undefined) return fallback
    return given === '' || /^(\/(?!\.+(\/|$))[A-Za-z0-9._~-]+)+$/.test(given)
      ? given
      : refuse(name, 'a path such as /api', fallback)
  }
  const url = (name: string, prefixes: readonly string[]): string | undefined => {
    const given = text(name)
    if (given === undefined) return undefined
    return URL.canParse(given) && prefixes.some((prefix) => given.startsWith(prefix))
      ? given
      : refuse(name, `an address beginning with ${prefixes.join(' or ')}`, undefined)
  }

  const replay = (): Config['replay'] => {
    const given = text('REPLAY')
    if (given === undefined || given === 'auto') return given
    const unix = parseMoment(given)
    return unix ?? refuse('REPLAY', 'auto or a time such as 2026-03-14T17:00:00Z', undefined)
  }

  /** Connection URL; several hosts are tried in turn. */
  const databaseUrl = (): string | undefined => {
    const given = text('DATABASE_URL')
    if (given === undefined) return undefined
    const [, start, hosts = '', rest] =
      given.match(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s) ?? []
    const isValid = hosts.split(',').every((host) => URL.canParse(`${start}${host}${rest}`))
    if (hosts === '' || !isValid) {
      return refuse('DATABASE_URL', 'an address such as postgres://user@host/database', undefined)
    }
    const { searchParams } = new URL(`${start}${hosts.split(',', 1)}${rest}`)
    const session = searchParams.get('target_session_attrs')
    return session === null || sessionKinds.some((kind) => kind === session)
      ? given
      : refuse(
          'DATABASE_URL',
          `an address with target_session_attrs one of ${sessionKinds.join(', ')}`,
          undefined,
        )
  }

  /** Public base URL to which paths are appended. */
  const publicBase = (name: string): string | undefined => {
    const given = url(name, ['http://', 'https://'])
    if (given === undefined) return undefined
    const { username, password } = new URL(given)
    return username === '' && password === '' && !/[?#]/.test(given)
      ? given
      : refuse(name, 'an address without a password, a query and a fragment', undefined)
  }

  const config: Config = {
    host: text('HOST') ?? '0.0.0.0',
    port: integer('PORT', 3000, 0, 65_535),
    basePath: path('BASE_PATH', ''),
    legacyBase: path('LEGACY_BASE', '/legacy'),
    databaseUrl: databaseUrl(),
    throughPooler: oneOf('PGBOUNCER', ['0', '1'], '0') === '1',
    snapshotPath: text('SNAPSHOT') ?? bundledSnapshot,
    replay: replay(),
    replaySpeed: integer('REPLAY_SPEED', 1, 1, 600),
    replayLoop: oneOf('REPLAY_LOOP', ['0', '1'], '0') === '1',
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    refreshMs: integer('REFRESH_MS', 2000, 100, 3_600_000),
    streamApiUrl: url('STREAM_API_URL', ['http://', 'https://']),
    streamKind: oneOf('STREAM_KIND', streamKinds, 'mediamtx'),
    streamHlsUrl: publicBase('STREAM_HLS_URL'),
    trustedProxies: integer('TRUST_PROXY', 0, 0, 32),
    clientKeyRotation: oneOf('CLIENT_KEY_ROTATION', keyRotations, 'month'),
    usageLogBytes: integer('USAGE_LOG_BYTES', 1_000_000_000, 1_000_000, 9_999_999_999),
    changeLogBytes: integer('CHANGE_LOG_BYTES', 100_000_000, 1_000_000, 9_999_999_999),
    maxStreams: integer('MAX_STREAMS', 10_000, 0, 1_000_000),
    maxStreamsPerClient: integer('MAX_STREAMS_PER_CLIENT', 100, 0, 1_000_000),
    logLevel: oneOf('LOG_LEVEL', logLevels, 'info'),
  }
  if (config.basePath === config.legacyBase) problems.push('LEGACY_BASE must differ from BASE_PATH')
  if (text('REPLAY') !== undefined && text('DATABASE_URL') !== undefined) {
    problems.push('REPLAY must not be given with DATABASE_URL: it replays a snapshot')
  }
  if (config.streamApiUrl !== undefined && text('STREAM_HLS_URL') === undefined) {
    problems.push('STREAM_HLS_URL must be given with STREAM_API_URL')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

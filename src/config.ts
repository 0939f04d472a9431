import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import bundledSnapshot from '../snapshot/sample.cageside' with { type: 'file' }
import { type LogFormat, type LogLevel, logFormats, logLevels } from './log.ts'
import { readSecret, SecretError } from './secret.ts'
import { sessionKinds, splitHosts } from './source/hosts.ts'

export const streamKinds = ['mediamtx', 'nginx-rtmp'] as const
export const keyRotations = ['day', 'month', 'never'] as const

/** Licence of the data: its name, and where its text is. */
export interface DataLicense {
  readonly name: string
  readonly url?: string
}

/** Settings of the process. */
export interface Config {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Empty, or begins with a slash and does not end with one. */
  readonly basePath: string
  readonly legacyBase: string
  /** Public origin and prefix for links, without a slash at the end. */
  readonly publicUrl: string | undefined
  /** Whether browsers get pages. */
  readonly pages: boolean
  /** Whether ratings, and the chances that follow from them, are shown. */
  readonly ratings: boolean
  /** Time zone that pages show times in, as in the IANA database. */
  readonly eventTimeZone: string
  readonly databaseUrl: string | undefined
  /** Whether a pooler in transaction mode is in front of the database. */
  readonly throughPooler: boolean
  readonly snapshotPath: string
  /** Folder of films and pictures that are sent under `/media`. */
  readonly mediaDir: string | undefined
  /** Address of a snapshot that is followed instead. */
  readonly mirrorUrl: string | undefined
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
  /** Units a second that each client may use; 0 for no limit. */
  readonly rateLimit: number
  readonly rateBurst: number
  /** Requests of each client that wait for the main thread at a time; 0 for no limit. */
  readonly maxWaitingPerClient: number
  readonly dataLicense: DataLicense | undefined
  readonly logLevel: LogLevel
  readonly logFormat: LogFormat
  /** Port of metrics and diagnostics on 127.0.0.1; 0 selects a free one, undefined turns them off. */
  readonly adminPort: number | undefined
}

/** Invalid settings; each problem is one line without secrets. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

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

export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Whether a text is an address whose name and password can be decoded. */
const isDatabaseAddress = (text: string): boolean => {
  try {
    const { username, password } = new URL(text)
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** Reads the settings; throws a {@link ConfigError} with all problems. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const problems: string[] = []
  const text = (name: string): string | undefined => environment[name] || undefined
  /** A setting that may hold a password. */
  const secret = (name: string): string | undefined => {
    try {
      return readSecret(environment, name)
    } catch (error) {
      if (!(error instanceof SecretError)) throw error
      problems.push(error.message)
      return undefined
    }
  }
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
  const url = (
    name: string,
    prefixes: readonly string[],
    given = text(name),
  ): string | undefined => {
    if (given === undefined) return undefined
    return URL.canParse(given) && prefixes.some((prefix) => given.startsWith(prefix))
      ? given
      : refuse(name, `an address beginning with ${prefixes.join(' or ')}`, undefined)
  }
  const timeZone = (name: string, fallback: string): string => {
    const given = text(name)
    return given === undefined || isTimeZone(given)
      ? (given ?? fallback)
      : refuse(name, 'a time zone such as Europe/Berlin', fallback)
  }

  const replay = (): Config['replay'] => {
    const given = text('REPLAY')
    if (given === undefined || given === 'auto') return given
    const unix = parseMoment(given)
    return unix ?? refuse('REPLAY', 'auto or a time such as 2026-03-14T17:00:00Z', undefined)
  }

  /** Connection URL; several hosts are tried in turn. */
  const databaseUrl = (): string | undefined => {
    const given = secret('DATABASE_URL')
    if (given === undefined) return undefined
    const hosts = splitHosts(given)
    const [first] = hosts
    if (first === undefined || !hosts.every(isDatabaseAddress)) {
      return refuse('DATABASE_URL', 'an address such as postgres://user@host/database', undefined)
    }
    const { searchParams } = new URL(first)
    const session = searchParams.get('target_session_attrs')
    return session === null || sessionKinds.some((kind) => kind === session)
      ? given
      : refuse(
          'DATABASE_URL',
          `an address with target_session_attrs one of ${sessionKinds.join(', ')}`,
          undefined,
        )
  }

  /** `SNAPSHOT` if it is an address. */
  const mirrorUrl = (): string | undefined => {
    const given = text('SNAPSHOT')
    if (given === undefined || !/^https?:/i.test(given)) return undefined
    const url = URL.parse(given)
    return url && url.username === '' && url.password === '' && url.hash === ''
      ? given
      : refuse('SNAPSHOT', 'a file, or an address without a password and a fragment', undefined)
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

  /** A file has no entry `.`. */
  const folder = (name: string): string | undefined => {
    const given = text(name)
    return given === undefined || existsSync(`${given}/.`)
      ? given
      : refuse(name, 'a folder that is there', undefined)
  }

  const dataLicense = (): DataLicense | undefined => {
    const given = text('DATA_LICENSE')
    if (given === undefined) return undefined
    const [, name = '', address] = /^(.*?)\s*(https?:\/\/\S+)?$/s.exec(given.trim()) ?? []
    if (name === '' || name.length > 200 || (address !== undefined && !URL.canParse(address))) {
      return refuse('DATA_LICENSE', 'a name, and an address after it if there is one', undefined)
    }
    return address === undefined ? { name } : { name, url: address }
  }

  const database = databaseUrl()
  const streamApiUrl = url('STREAM_API_URL', ['http://', 'https://'], secret('STREAM_API_URL'))
  const config: Config = {
    host: text('HOST') ?? '0.0.0.0',
    port: integer('PORT', 3000, 0, 65_535),
    basePath: path('BASE_PATH', ''),
    legacyBase: path('LEGACY_BASE', '/legacy'),
    publicUrl: publicBase('PUBLIC_URL')?.replace(/\/+$/, ''),
    pages: oneOf('PAGES', ['0', '1'], '1') === '1',
    ratings: oneOf('RATINGS', ['0', '1'], '1') === '1',
    eventTimeZone: timeZone('EVENT_TIME_ZONE', 'UTC'),
    databaseUrl: database,
    throughPooler: oneOf('PGBOUNCER', ['0', '1'], '0') === '1',
    snapshotPath: text('SNAPSHOT') ?? bundledSnapshot,
    mediaDir: folder('MEDIA_DIR'),
    mirrorUrl: mirrorUrl(),
    replay: replay(),
    replaySpeed: integer('REPLAY_SPEED', 1, 1, 600),
    replayLoop: oneOf('REPLAY_LOOP', ['0', '1'], '0') === '1',
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    refreshMs: integer('REFRESH_MS', 2000, 100, 3_600_000),
    streamApiUrl,
    streamKind: oneOf('STREAM_KIND', streamKinds, 'mediamtx'),
    streamHlsUrl: publicBase('STREAM_HLS_URL'),
    trustedProxies: integer('TRUST_PROXY', 0, 0, 32),
    clientKeyRotation: oneOf('CLIENT_KEY_ROTATION', keyRotations, 'month'),
    usageLogBytes: integer('USAGE_LOG_BYTES', 1_000_000_000, 1_000_000, 9_999_999_999),
    changeLogBytes: integer('CHANGE_LOG_BYTES', 100_000_000, 1_000_000, 9_999_999_999),
    maxStreams: integer('MAX_STREAMS', 10_000, 0, 1_000_000),
    maxStreamsPerClient: integer('MAX_STREAMS_PER_CLIENT', 100, 0, 1_000_000),
    rateLimit: integer('RATE_LIMIT', 0, 0, 1_000_000),
    rateBurst: integer('RATE_BURST', 500, 1, 100_000_000),
    maxWaitingPerClient: integer('MAX_WAITING_PER_CLIENT', 0, 0, 1_000_000),
    dataLicense: dataLicense(),
    logLevel: oneOf('LOG_LEVEL', logLevels, 'info'),
    logFormat: oneOf('LOG_FORMAT', logFormats, 'json'),
    adminPort: text('ADMIN_PORT') === undefined ? undefined : integer('ADMIN_PORT', 0, 0, 65_535),
  }
  if (config.basePath === config.legacyBase) problems.push('LEGACY_BASE must differ from BASE_PATH')
  if (config.publicUrl && !new URL(config.publicUrl).pathname.endsWith(config.basePath)) {
    problems.push(`PUBLIC_URL must end in BASE_PATH, ${config.basePath}`)
  }
  if (text('REPLAY') !== undefined && database !== undefined) {
    problems.push('REPLAY must not be given with DATABASE_URL: it replays a snapshot')
  }
  if (config.mirrorUrl !== undefined && text('DATABASE_URL') !== undefined) {
    problems.push('SNAPSHOT must not be an address if DATABASE_URL is given')
  }
  if (config.mirrorUrl !== undefined && text('REPLAY') !== undefined) {
    problems.push('REPLAY needs a snapshot file: SNAPSHOT must not be an address')
  }
  if (config.streamApiUrl !== undefined && text('STREAM_HLS_URL') === undefined) {
    problems.push('STREAM_HLS_URL must be given with STREAM_API_URL')
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import bundledSnapshot from '../snapshot/sample.cageside' with { type: 'file' }
import { streamKinds } from './api/streams/liveStreams.ts'
import { dayOfDate } from './data/journal/day.ts'
import { sessionKinds, splitHosts } from './data/source/hosts.ts'
import type { DataLicense } from './http/dataLicense.ts'
import { keyRotations } from './http/usage/clientKey.ts'
import { logFormats, logLevels } from './runtime/log.ts'
import { readSecret, SecretError } from './runtime/secret.ts'
import { isTimeZone } from './runtime/timeZone.ts'

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
  const [, date = ''] =
    /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(given) ??
    []
  const unix = dayOfDate(date) === undefined ? Number.NaN : Math.floor(Date.parse(given) / 1000)
  return unix >= 0 ? unix : undefined
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
export const readConfig = (environment: Readonly<Record<string, string | undefined>>) => {
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
  /** Value of a setting; the fallback without one, and a problem if it is invalid. */
  const read = <T, Fallback>(
    name: string,
    given: string | undefined,
    expected: string,
    fallback: Fallback,
    parse: (given: string) => T | undefined,
  ): T | Fallback => {
    const value = given === undefined ? fallback : parse(given)
    if (given !== undefined && value === undefined) problems.push(`${name} must be ${expected}`)
    return value ?? fallback
  }
  const integer = (name: string, fallback: number, minimum: number, maximum: number): number =>
    read(name, text(name), `a whole number from ${minimum} to ${maximum}`, fallback, (given) => {
      const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN
      return value >= minimum && value <= maximum ? value : undefined
    })
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T =>
    read(name, text(name), `one of ${values.join(', ')}`, fallback, (given) =>
      values.find((value) => value === given),
    )
  const isOn = (name: string, fallback: '0' | '1'): boolean =>
    oneOf(name, ['0', '1'], fallback) === '1'
  const path = (name: string, fallback: string): string =>
    read(name, text(name), 'a path such as /api', fallback, (given) => {
      const value = given.replace(/\/$/, '')
      return /^(\/(?!\.+(\/|$))[A-Za-z0-9._~-]+)*$/.test(value) ? value : undefined
    })
  const url = (name: string, given: string | undefined): string | undefined =>
    read(name, given, 'an address beginning with http:// or https://', undefined, (each) =>
      URL.canParse(each) && /^https?:\/\//.test(each) ? each : undefined,
    )
  /** Public base URL to which paths are appended. */
  const publicBase = (name: string): string | undefined => {
    const expected = 'an address without a password, a query and a fragment'
    return read(name, url(name, text(name)), expected, undefined, (given) => {
      const { username, password } = new URL(given)
      return username === '' && password === '' && !/[?#]/.test(given) ? given : undefined
    })
  }
  /** A file has no entry `.`. */
  const folder = (name: string): string | undefined =>
    read(name, text(name), 'a folder that is there', undefined, (given) =>
      existsSync(`${given}/.`) ? given : undefined,
    )

  /** Connection URL; several hosts are tried in turn. */
  const databaseUrl = (): string | undefined => {
    const name = 'DATABASE_URL'
    const example = 'an address such as postgres://user@host/database'
    const kinds = `an address with target_session_attrs one of ${sessionKinds.join(', ')}`
    const isKind = (given: string): boolean => {
      const { searchParams } = new URL(splitHosts(given)[0] ?? '')
      const session = searchParams.get('target_session_attrs')
      return session === null || sessionKinds.some((kind) => kind === session)
    }
    const isAddress = (given: string): boolean => {
      const hosts = splitHosts(given)
      return hosts.length > 0 && hosts.every(isDatabaseAddress)
    }
    const address = read(name, secret(name), example, undefined, (given) =>
      isAddress(given) ? given : undefined,
    )
    return read(name, address, kinds, undefined, (given) => (isKind(given) ? given : undefined))
  }

  /** `SNAPSHOT` if it is an address. */
  const mirrorUrl = (): string | undefined => {
    if (!/^https?:/i.test(text('SNAPSHOT') ?? '')) return undefined
    const expected = 'a file, or an address without a password and a fragment'
    return read('SNAPSHOT', text('SNAPSHOT'), expected, undefined, (given) => {
      const { username, password, hash } = URL.parse(given) ?? { hash: '#' }
      return username === '' && password === '' && hash === '' ? given : undefined
    })
  }

  const dataLicense = (): DataLicense | undefined =>
    read(
      'DATA_LICENSE',
      text('DATA_LICENSE'),
      'a name, and an address after it if there is one',
      undefined,
      (given) => {
        const [, name = '', url] = /^(.*?)\s*(https?:\/\/\S+)?$/s.exec(given.trim()) ?? []
        if (name === '' || name.length > 200) return undefined
        if (url === undefined) return { name }
        return URL.canParse(url) ? { name, url } : undefined
      },
    )

  const database = databaseUrl()
  const streamApiUrl = url('STREAM_API_URL', secret('STREAM_API_URL'))
  const config = {
    host: text('HOST') ?? '0.0.0.0',
    /** 0 selects a free port. */
    port: integer('PORT', 3000, 0, 65_535),
    /** Empty, or begins with a slash and does not end with one. */
    basePath: path('BASE_PATH', ''),
    legacyBase: path('LEGACY_BASE', '/legacy'),
    /** Public origin and prefix for links, without a slash at the end. */
    publicUrl: publicBase('PUBLIC_URL')?.replace(/\/+$/, ''),
    /** Whether browsers get pages. */
    pages: isOn('PAGES', '1'),
    /** Whether ratings, and the chances that follow from them, are shown. */
    ratings: isOn('RATINGS', '1'),
    /** Time zone that pages show times in, as in the IANA database. */
    eventTimeZone: read(
      'EVENT_TIME_ZONE',
      text('EVENT_TIME_ZONE'),
      'a time zone such as Europe/Berlin',
      'UTC',
      (given) => (isTimeZone(given) ? given : undefined),
    ),
    databaseUrl: database,
    /** Whether a pooler in transaction mode is in front of the database. */
    throughPooler: isOn('PGBOUNCER', '0'),
    snapshotPath: text('SNAPSHOT') ?? bundledSnapshot,
    /** Folder of films and pictures that are sent under `/media`. */
    mediaDir: folder('MEDIA_DIR'),
    /** Address of a snapshot that is followed instead. */
    mirrorUrl: mirrorUrl(),
    /** Unix seconds from which on the snapshot is replayed, or the busiest hour of its last event. */
    replay: read(
      'REPLAY',
      text('REPLAY'),
      'auto or a time such as 2026-03-14T17:00:00Z',
      undefined,
      (given) => (given === 'auto' ? ('auto' as const) : parseMoment(given)),
    ),
    replaySpeed: integer('REPLAY_SPEED', 1, 1, 600),
    replayLoop: isOn('REPLAY_LOOP', '0'),
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    refreshMs: integer('REFRESH_MS', 2000, 100, 3_600_000),
    streamApiUrl,
    streamKind: oneOf('STREAM_KIND', streamKinds, 'mediamtx'),
    streamHlsUrl: publicBase('STREAM_HLS_URL'),
    trustedProxies: integer('TRUST_PROXY', 0, 0, 32),
    clientKeyRotation: oneOf('CLIENT_KEY_ROTATION', keyRotations, 'month'),
    /** Max total bytes of the usage logs; the oldest are removed first. */
    usageLogBytes: integer('USAGE_LOG_BYTES', 1_000_000_000, 1_000_000, 9_999_999_999),
    /** Of the log of changes; the oldest go first. */
    changeLogBytes: integer('CHANGE_LOG_BYTES', 100_000_000, 1_000_000, 9_999_999_999),
    /** Streams of changes, and waiting requests for them, at a time. */
    maxStreams: integer('MAX_STREAMS', 10_000, 0, 1_000_000),
    maxStreamsPerClient: integer('MAX_STREAMS_PER_CLIENT', 100, 0, 1_000_000),
    /** Units a second that each client may use; 0 for no limit. */
    rateLimit: integer('RATE_LIMIT', 0, 0, 1_000_000),
    rateBurst: integer('RATE_BURST', 500, 1, 100_000_000),
    /** Requests of each client that wait for the main thread at a time; 0 for no limit. */
    maxWaitingPerClient: integer('MAX_WAITING_PER_CLIENT', 0, 0, 1_000_000),
    dataLicense: dataLicense(),
    logLevel: oneOf('LOG_LEVEL', logLevels, 'info'),
    logFormat: oneOf('LOG_FORMAT', logFormats, 'json'),
    /** Port of metrics and diagnostics on 127.0.0.1; 0 selects a free one, undefined turns them off. */
    adminPort: text('ADMIN_PORT') === undefined ? undefined : integer('ADMIN_PORT', 0, 0, 65_535),
  }
  const { basePath, legacyBase, publicUrl } = config
  const isMirror = config.mirrorUrl !== undefined
  const conflicts: readonly (readonly [boolean, string])[] = [
    [basePath === legacyBase, 'LEGACY_BASE must differ from BASE_PATH'],
    [
      publicUrl !== undefined && !new URL(publicUrl).pathname.endsWith(basePath),
      `PUBLIC_URL must end in BASE_PATH, ${basePath}`,
    ],
    [
      text('REPLAY') !== undefined && database !== undefined,
      'REPLAY must not be given with DATABASE_URL: it replays a snapshot',
    ],
    [
      isMirror && database !== undefined,
      'SNAPSHOT must not be an address if DATABASE_URL is given',
    ],
    [
      isMirror && text('REPLAY') !== undefined,
      'REPLAY needs a snapshot file: SNAPSHOT must not be an address',
    ],
    [
      streamApiUrl !== undefined && text('STREAM_HLS_URL') === undefined,
      'STREAM_HLS_URL must be given with STREAM_API_URL',
    ],
  ]
  problems.push(...conflicts.flatMap(([isThere, problem]) => (isThere ? [problem] : [])))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

/** Settings of the process. */
export type Config = ReturnType<typeof readConfig>

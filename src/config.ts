import { isIP } from 'node:net'
import { resolve } from 'node:path'
import bundledSnapshot from '../snapshot/sample.cageside' with { type: 'file' }
import { streamKinds } from './api/streams/liveStreams.ts'
import { dayOfDate } from './data/journal/day.ts'
import { isThroughPooler, omissionsOf } from './data/source/clientOptions.ts'
import { ConnectionStringError } from './data/source/connectionString.ts'
import type { DataLicense } from './http/dataLicense.ts'
import { type Network, parseNetworks } from './http/trustedNetworks.ts'
import { keyRotations } from './http/usage/clientKey.ts'
import { logFormats, logLevels } from './runtime/log.ts'
import {
  createReader,
  Expected,
  existingFolder,
  flag,
  httpUrl,
  integer,
  oneOf,
  publicBase,
  type SettingRow,
  timeZone,
  urlPath,
} from './runtime/settings.ts'

/** Invalid settings; each problem is one line without secrets. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Name or address without a port; an IPv6 address may be in brackets, as in URLs. */
const listeningHost = (given: string): string => {
  const address = given.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) === 6) return address
  if (/^[^\s:/@[\]]+$/.test(given)) return given
  throw new Expected('a name or address without a port, such as 0.0.0.0 or ::')
}

/** Connection URL; several hosts are tried in turn. */
const databaseUrl = (given: string): string => {
  try {
    omissionsOf(given)
    return given
  } catch (error) {
    throw error instanceof ConnectionStringError ? new Expected(error.expected) : error
  }
}

const isAddress = (snapshot: string): boolean => /^https?:/i.test(snapshot)

/** Path of a snapshot file, or address of one. */
const snapshotSource = (given: string): string => {
  if (!isAddress(given)) return given
  const { username, password, hash } = URL.parse(given) ?? { hash: '#' }
  if (username === '' && password === '' && hash === '') return given
  throw new Expected('a file, or an address without a password and a fragment')
}

/** `auto`, or Unix seconds of an RFC 3339 time. */
const replayStart = (given: string): number | 'auto' => {
  if (given === 'auto') return given
  const [, date = ''] =
    /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(given) ??
    []
  const unix = dayOfDate(date) === undefined ? Number.NaN : Math.floor(Date.parse(given) / 1000)
  if (unix >= 0) return unix
  throw new Expected('auto or a time such as 2026-03-14T17:00:00Z')
}

const dataLicense = (given: string): DataLicense => {
  const [, name = '', url] = /^(.*?)\s*(https?:\/\/\S+)?$/s.exec(given.trim()) ?? []
  if (name === '' || name.length > 200 || (url !== undefined && !URL.canParse(url)))
    throw new Expected('a name, and an address after it if there is one')
  return url === undefined ? { name } : { name, url }
}

const networkList = (given: string): readonly Network[] => {
  const networks = parseNetworks(given)
  if (networks) return networks
  throw new Expected('networks such as 203.0.113.0/24,2001:db8::/48')
}

/** The table of settings: name in the environment, default, how it is read, meaning. */
const readTable = ({ setting, optional, secret }: ReturnType<typeof createReader>) => ({
  host: setting('HOST', '0.0.0.0', listeningHost, 'listening address'),
  port: setting('PORT', '3000', integer(0, 65_535), 'port; 0 picks a free one and prints it'),
  basePath: setting('BASE_PATH', '', urlPath, 'path before every route, such as `/api`'),
  legacyBase: setting('LEGACY_BASE', '/legacy', urlPath, 'path before the legacy endpoints'),
  publicUrl: optional(
    'PUBLIC_URL',
    (given) => publicBase(given).replace(/\/+$/, ''),
    'address that clients use, prefix included, for links, feeds and `/openapi`',
  ),
  pages: setting('PAGES', '1', flag, '`0` serves no pages: `/` is JSON for browsers, too'),
  ratings: setting(
    'RATINGS',
    '1',
    flag,
    '`0` computes no ratings, nor the chances and forecasts that follow from them',
  ),
  eventTimeZone: setting(
    'EVENT_TIME_ZONE',
    'UTC',
    timeZone,
    'time zone of the times on pages, such as `Europe/Berlin`',
  ),
  databaseUrl: secret(
    'DATABASE_URL',
    databaseUrl,
    'Postgres to serve; unset means serve `SNAPSHOT`',
  ),
  snapshot: optional(
    'SNAPSHOT',
    snapshotSource,
    'snapshot file to serve when there is no database, or its address',
    'the bundled sample',
  ),
  mediaDir: optional(
    'MEDIA_DIR',
    existingFolder,
    'folder of films and pictures sent under `/media`, see [sample](companions/sample/README.md)',
  ),
  replay: optional(
    'REPLAY',
    replayStart,
    'moment from which on the snapshot is replayed, see [replay](data/replay/README.md)',
  ),
  replaySpeed: setting(
    'REPLAY_SPEED',
    '1',
    integer(1, 600),
    'seconds of the replayed event per second, up to 600',
  ),
  replayLoop: setting('REPLAY_LOOP', '0', flag, '`1` begins the event again when it is over'),
  dataDir: setting(
    'DATA_DIR',
    './data',
    (given) => resolve(given),
    'the folder for everything the process writes',
  ),
  throughPooler: setting(
    'PGBOUNCER',
    '0',
    flag,
    '`1` when `DATABASE_URL` is a pooler in transaction mode',
  ),
  databaseSleeps: setting(
    'DATABASE_SLEEPS',
    '0',
    flag,
    '`1` holds no connection between refreshes, so that a serverless database can sleep, see [following](data/following/README.md)',
  ),
  refreshMs: setting(
    'REFRESH_MS',
    '2000',
    integer(100, 3_600_000),
    'time between refreshes from Postgres or an address',
  ),
  streamApiUrl: secret(
    'STREAM_API_URL',
    httpUrl,
    'control API or statistics page of the streaming server',
  ),
  streamKind: setting(
    'STREAM_KIND',
    'mediamtx',
    oneOf(streamKinds),
    'its kind, `mediamtx` or `nginx-rtmp`',
  ),
  streamHlsUrl: optional(
    'STREAM_HLS_URL',
    publicBase,
    'public base address of its HLS streams, required with the API',
  ),
  trustedProxies: setting(
    'TRUST_PROXY',
    '0',
    integer(0, 32),
    'number of reverse proxies in front whose `X-Forwarded-For` is believed',
  ),
  trustedNetworks: setting(
    'TRUSTED_NETWORKS',
    '',
    networkList,
    'networks without limits by client, such as a hall: `203.0.113.7,2001:db8::/48`',
  ),
  clientKeyRotation: setting(
    'CLIENT_KEY_ROTATION',
    'month',
    oneOf(keyRotations),
    'when the key of client pseudonyms is replaced: `day`, `month`, `never`',
  ),
  usageLogBytes: setting(
    'USAGE_LOG_BYTES',
    '1000000000',
    integer(1_000_000, 9_999_999_999),
    'maximum size of the usage log; its oldest days are removed beyond it',
  ),
  changeLogBytes: setting(
    'CHANGE_LOG_BYTES',
    '100000000',
    integer(1_000_000, 9_999_999_999),
    'maximum size of the log of changes; the oldest go first',
  ),
  maxStreams: setting(
    'MAX_STREAMS',
    '10000',
    integer(0, 1_000_000),
    'streams of changes, and requests waiting for one, at a time',
  ),
  maxStreamsPerClient: setting(
    'MAX_STREAMS_PER_CLIENT',
    '100',
    integer(0, 1_000_000),
    'the same for each address',
  ),
  dataLicense: optional(
    'DATA_LICENSE',
    dataLicense,
    'licence of the data, in `/openapi`, `/` and pages: `CC BY 4.0 https://…`',
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    '0',
    integer(0, 1_000_000),
    'units per second for each client, see [http](http/README.md); 0 for no limit',
  ),
  rateBurst: setting(
    'RATE_BURST',
    '500',
    integer(1, 100_000_000),
    'units that a client can use at once',
  ),
  maxWaitingPerClient: setting(
    'MAX_WAITING_PER_CLIENT',
    '0',
    integer(0, 1_000_000),
    'requests of each client that wait for the main thread; 0 for no limit',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf(logLevels),
    'process log on stderr: `debug`, `info`, `warn`, `error`, `silent`',
  ),
  logFormat: setting(
    'LOG_FORMAT',
    'json',
    oneOf(logFormats),
    '`json`, one object per line, or `text` for people',
  ),
  adminPort: optional(
    'ADMIN_PORT',
    integer(0, 65_535),
    'port on 127.0.0.1 for metrics and diagnostics, see [admin](http/admin/README.md)',
  ),
})

/** All settings, in the order of the table in `README.md`. */
export const listSettings = (): readonly SettingRow[] => {
  const reader = createReader({})
  readTable(reader)
  return reader.rows
}

/** Settings that do not fit together, one sentence each. */
const conflictsOf = (settings: ReturnType<typeof readTable>): readonly string[] => {
  const { basePath, legacyBase, publicUrl, snapshot, replay, databaseUrl } = settings
  const isMirror = snapshot !== undefined && isAddress(snapshot)
  const conflicts: readonly (readonly [boolean, string])[] = [
    [basePath === legacyBase, 'LEGACY_BASE must differ from BASE_PATH'],
    [
      publicUrl !== undefined && !new URL(publicUrl).pathname.endsWith(basePath),
      `PUBLIC_URL must end in BASE_PATH, ${basePath}`,
    ],
    [
      replay !== undefined && databaseUrl !== undefined,
      'REPLAY must not be given with DATABASE_URL: it replays a snapshot',
    ],
    [
      isMirror && databaseUrl !== undefined,
      'SNAPSHOT must not be an address if DATABASE_URL is given',
    ],
    [
      isMirror && replay !== undefined,
      'REPLAY needs a snapshot file: SNAPSHOT must not be an address',
    ],
    [
      settings.streamApiUrl !== undefined && settings.streamHlsUrl === undefined,
      'STREAM_HLS_URL must be given with STREAM_API_URL',
    ],
  ]
  return conflicts.flatMap(([isThere, problem]) => (isThere ? [problem] : []))
}

/** Reads the settings; throws a {@link ConfigError} with all problems. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>) => {
  const reader = createReader(environment)
  const settings = readTable(reader)
  const problems = reader.problems.length > 0 ? reader.problems : conflictsOf(settings)
  if (problems.length > 0) throw new ConfigError(problems)
  const { snapshot = bundledSnapshot, ...rest } = settings
  const { databaseUrl } = settings
  return Object.freeze({
    ...rest,
    throughPooler:
      settings.throughPooler || (databaseUrl !== undefined && isThroughPooler(databaseUrl)),
    snapshotPath: snapshot,
    /** Address of a snapshot that is followed instead of the file. */
    mirrorUrl: isAddress(snapshot) ? snapshot : undefined,
  })
}

/** Settings of the process. */
export type Config = ReturnType<typeof readConfig>

import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type postgres from 'postgres'
import {
  type Connection,
  ConnectionStringError,
  expectedEncoding,
  readConnection,
} from './connectionString.ts'
import { sessionKinds } from './hosts.ts'

type Parameters = Connection['parameters']

const namesIn = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Parameters that become settings of the session, as names with a dot do. */
const sessionSettings = namesIn(`
  application_name options search_path statement_timeout lock_timeout role timezone work_mem
  idle_in_transaction_session_timeout idle_session_timeout`)

/** Parameters that {@link clientOptions} and the candidates read. */
const understood = namesIn(`
  sslmode ssl sslaccept sslrootcert sslcert sslkey sslpassword sslcrl sslnegotiation requiressl
  ssl_min_protocol_version ssl_max_protocol_version passfile connect_timeout target_session_attrs
  fallback_application_name trustservercertificate`)

/** Parameters that change nothing here: tuning of other drivers, and what the client does anyway. */
const harmless = namesIn(`
  pgbouncer connection_limit pool_timeout pool_size pool_mode pool_max_conns pool_min_conns
  pool_max_conn_lifetime pool_max_conn_idle_time maximumpoolsize minimumpoolsize maxpoolsize minpoolsize
  pooling max idle_timeout max_lifetime socket_timeout sockettimeout cancel_timeout tcp_user_timeout
  keepalive tcpkeepalive keepalives keepalives_idle keepalives_interval keepalives_count
  statement_cache_size statement_cache_mode statement_cache_capacity prepared_statement_cache_queries
  prepared_statement_cache_size preparethreshold default_query_exec_mode prepare no_prepare
  binary_parameters rewritebatchedinserts fetch_types async_fallback supa workaround uselibpqcompat
  load_balance_hosts client_encoding encoding datestyle intervalstyle schema channel_binding sslsni
  sslcompression sslcertmode gssencmode krbsrvname gsslib gssdelegation`)

/** Values that say that a pooler in transaction mode is in between, by the parameters of ORMs and drivers. */
const poolerValues: Readonly<Record<string, RegExp>> = {
  pgbouncer: /^(true|1|yes|on)$/i,
  no_prepare: /^(true|1|yes|on)$/i,
  pool_mode: /^transaction$/,
  preparethreshold: /^0$/,
  statement_cache_size: /^0$/,
  prepared_statement_cache_size: /^0$/,
  prepare: /^false$/,
  default_query_exec_mode: /^simple_protocol$/,
}

/** True if a parameter says that a pooler in transaction mode is in between. */
export const isThroughPooler = (given: string): boolean => {
  const { parameters } = readConnection(given)
  return Object.entries(poolerValues).some(([name, value]) =>
    value.test(parameters.get(name) ?? ''),
  )
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

/** Modes for values of `ssl`, as in JDBC and node-postgres; others are modes themselves. */
const sslModes = new Map<string, Mode>([
  ...['true', '1', 'yes', 'on'].map((value) => [value, 'verify-full'] as const),
  ...['false', '0', 'no', 'off'].map((value) => [value, 'disable'] as const),
])

/** Mode of encryption: `prefer` by default, as in libpq. Other drivers have `ssl`, `sslaccept` and `requiressl`. */
const modeOf = (parameters: Parameters): Mode => {
  const get = (name: string): string => (parameters.get(name) ?? '').toLowerCase()
  const named = get('sslmode') || sslModes.get(get('ssl')) || get('ssl')
  const mode = modes.find((each) => each === named)
  if (named !== '' && !mode)
    throw new ConnectionStringError(`an address with sslmode one of ${modes.join(', ')}`)
  const asked = mode ?? (get('requiressl') === '1' ? 'require' : 'prefer')
  const isStrict = get('sslaccept') === 'strict' || get('sslrootcert') === 'system'
  if (asked !== 'disable' && isStrict) return 'verify-full'
  return asked === 'require' && parameters.has('sslrootcert') ? 'verify-ca' : asked
}

const readNamedFile = (parameters: Parameters, name: string): Buffer | undefined => {
  const path = parameters.get(name)
  if (!path || (name === 'sslrootcert' && path === 'system')) return undefined
  try {
    return readFileSync(path)
  } catch {
    throw new ConnectionStringError(`an address with a file in ${name} that can be read`)
  }
}

const isCertificate = (bytes: Buffer): boolean => {
  try {
    return new X509Certificate(bytes).subject !== undefined
  } catch {
    return false
  }
}

const protocolOf = (
  parameters: Parameters,
  name: string,
): ConnectionOptions['minVersion'] | undefined =>
  (['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const).find(
    (each) => each === parameters.get(name),
  )

/** Options of TLS; false without. */
const tlsOf = ({ parameters }: Connection, host: string): ConnectionOptions | 'prefer' | false => {
  const mode = host.startsWith('/') ? 'disable' : modeOf(parameters)
  if (mode === 'disable') return false
  const key = readNamedFile(parameters, 'sslkey')
  const certificate = readNamedFile(parameters, 'sslcert')
  // `sslcert` without a key is the certificate of the server, as in Prisma.
  const ca = readNamedFile(parameters, 'sslrootcert') ?? (key ? undefined : certificate)
  if (ca && !isCertificate(ca))
    throw new ConnectionStringError('an address with a certificate (PEM) in sslrootcert')
  const crl = readNamedFile(parameters, 'sslcrl')
  const passphrase = parameters.get('sslpassword')
  const [minVersion, maxVersion] = ['min', 'max'].map((bound) =>
    protocolOf(parameters, `ssl_${bound}_protocol_version`),
  )
  const options: ConnectionOptions = {
    ...(ca && { ca }),
    ...(crl && { crl }),
    ...(key && { key }),
    ...(key && certificate && { cert: certificate }),
    ...(passphrase !== undefined && { passphrase }),
    ...(minVersion && { minVersion }),
    ...(maxVersion && { maxVersion }),
  }
  const isVerified = mode === 'verify-ca' || mode === 'verify-full'
  // The client can fall back to plain text only without options; a certificate of its own means TLS.
  if (!isVerified && mode !== 'require' && !key) return 'prefer'
  if (!isVerified) return { ...options, rejectUnauthorized: false }
  return {
    ...options,
    rejectUnauthorized: true,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  }
}

/** Password of a target in a file of `host:port:database:user:password` lines, where `*` fits anything. */
const passwordIn = (file: Buffer, target: readonly string[]): string => {
  for (const line of file.toString().split(/\r?\n/)) {
    const fields = (line.match(/(?:\\.|[^:\\])+/g) ?? []).map((each) =>
      each.replace(/\\(.)/g, '$1'),
    )
    if (target.every((value, index) => fields[index] === '*' || fields[index] === value))
      return fields[4] ?? ''
  }
  return ''
}

/** Folders of sockets in Debian and in Postgres's own builds. */
const socketFolders = ['/var/run/postgresql', '/tmp']

/** Host of a string without one: the socket of a server on this machine, as in psql. */
const defaultHost = (port: number): string =>
  socketFolders.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost'

/** Options of the client for the first host of a connection string. */
export const clientOptions = (
  given: string,
  connectSeconds: number,
): postgres.Options<Record<string, never>> => {
  const connection = readConnection(given)
  const { user, password, database, parameters } = connection
  const [{ host: named = '', port = 5432, address } = {}] = connection.hosts
  const host = named || (address ?? defaultHost(port))
  const passfile = readNamedFile(parameters, 'passfile')
  const asked = Number(parameters.get('connect_timeout') ?? 0)
  const settings = [...parameters].filter(
    ([name]) => sessionSettings.has(name) || name.includes('.'),
  )
  const isDirect = parameters.get('sslnegotiation') === 'direct'
  const isFolder = host.startsWith('/')
  // Lists, which its types lack, because the client splits a text at each colon (postgres 3.4.9).
  const target: object = { host: [address ?? host], port: [port] }
  return {
    ...target,
    ...(isFolder && { path: `${host}/.s.PGSQL.${port}` }),
    ...(user !== '' && { user }),
    ...(database !== '' && { database }),
    password:
      password || (passfile ? passwordIn(passfile, [host, String(port), database, user]) : ''),
    ssl: tlsOf(connection, host),
    ...(isDirect && { sslnegotiation: 'direct' }),
    connect_timeout: asked > 0 ? Math.min(asked, connectSeconds) : connectSeconds,
    connection: {
      application_name: parameters.get('fallback_application_name') ?? 'cageside',
      ...Object.fromEntries(settings),
    },
  }
}

const served = new Set(['', 'public', 'cageside'])

/**
 * What of a connection string is left out, a sentence for each parameter. Throws a {@link ConnectionStringError} for one
 * that would change which data is read, or that cannot be used.
 */
export const omissionsOf = (given: string): readonly string[] => {
  const connection = readConnection(given)
  const { parameters } = connection
  // Other text may be the end of a password that is not encoded.
  if ([...parameters.keys()].some((name) => !/^[\w.]{1,63}$/.test(name)))
    throw new ConnectionStringError(expectedEncoding)
  const kind = parameters.get('target_session_attrs')
  if (kind !== undefined && !sessionKinds.some((each) => each === kind))
    throw new ConnectionStringError(
      `an address with target_session_attrs one of any, ${sessionKinds.join(', ')}`,
    )
  for (const name of ['service', 'servicefile', 'replication'])
    if (parameters.has(name)) throw new ConnectionStringError(`an address without ${name}`)
  if (!served.has(parameters.get('schema') ?? ''))
    throw new ConnectionStringError(
      'an address without a schema: the tables are in the schema cageside',
    )
  if (parameters.get('gssencmode') === 'require')
    throw new ConnectionStringError('an address without gssencmode=require')
  for (const { host } of connection.hosts) tlsOf(connection, host)
  readNamedFile(parameters, 'passfile')
  const omitted = [...parameters.keys()].filter(
    (name) =>
      !(sessionSettings.has(name) || understood.has(name) || harmless.has(name)) &&
      !name.includes('.'),
  )
  return [
    ...(parameters.get('channel_binding') === 'require'
      ? [
          'channel_binding=require is left out: the client does not check that TLS ends at the database',
        ]
      : []),
    ...omitted.map((name) => `${name} is left out: it is no known parameter`),
  ]
}

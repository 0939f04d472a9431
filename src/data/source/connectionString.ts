import { isIP } from 'node:net'
import { SourceError } from './sourceErrors.ts'

/** A connection string that cannot be used; `expected` completes the sentence `It must be …`, without any secret. */
export class ConnectionStringError extends SourceError {
  readonly expected: string

  constructor(expected: string) {
    super(`the database URL must be ${expected}`)
    this.expected = expected
  }
}

interface Host {
  /** Name or address; the folder of a Unix socket begins with a slash. Empty means the default. */
  readonly host: string
  readonly port: number | undefined
  /** Address to connect to instead of the name (`hostaddr`). */
  readonly address?: string
}

/** A connection string of any form, read. */
export interface Connection {
  /** Hosts in the order of attempts, at least one. */
  readonly hosts: readonly Host[]
  readonly user: string
  readonly password: string
  readonly database: string
  /** Other parameters by their names in libpq. */
  readonly parameters: ReadonlyMap<string, string>
}

const expectedPort = 'an address with ports from 1 to 65535'
export const expectedEncoding = 'an address whose password is percent-encoded'
const expectedForm = 'an address such as postgres://user@host/database'

/** End of user and password in a URL without its scheme; -1 if it has none. */
const userInfoEnd = (rest: string): number => {
  const [authority = ''] = /^[^/?]*/.exec(rest) ?? []
  if (authority.includes('@')) return authority.lastIndexOf('@')
  const after = rest.slice(authority.length)
  // The colon is followed by a port or by the start of a password.
  const isPassword =
    /:[^:]*\D/.test(authority) || (/:\d*$/.test(authority) && /^(?:[^?]*|\?[^=]*)@/.test(after))
  return isPassword ? rest.lastIndexOf('@') : -1
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConnectionStringError('an address whose percent signs are written as %25')
  }
}

/** Undefined without a port. */
const readPort = (digits = ''): number | undefined => {
  if (digits === '') return undefined
  const port = Number(digits)
  if (/^\d+$/.test(digits) && port > 0 && port < 65_536) return port
  throw new ConnectionStringError(expectedPort)
}

/** Splits `host:port`, `[IPv6]:port` or the percent-encoded folder of a socket. */
const readHost = (text: string): Host => {
  const [, bracketed, plain = '', digits] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::([^:]*))?$/.exec(text) ?? []
  if (bracketed !== undefined ? isIP(bracketed) !== 6 : plain === '' && text !== '')
    throw new ConnectionStringError(expectedForm)
  return { host: decoded(bracketed ?? plain), port: readPort(digits) }
}

/** Keywords and values of a URI: `postgres://user:password@host,host:port/database?name=value`. */
const readUri = (rest: string): Map<string, string> => {
  const end = userInfoEnd(rest)
  const [, hosts = '', path = '', query = ''] =
    /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest.slice(end + 1)) ?? []
  // Part of the password would be taken for a host or a database, which messages name.
  if (end >= 0 && (hosts + path + query.replace(/=.*/s, '')).includes('@'))
    throw new ConnectionStringError(expectedEncoding)
  const found = new Map<string, string>()
  if (end >= 0) {
    const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(rest.slice(0, end)) ?? []
    found.set('user', decoded(user))
    if (password !== undefined) found.set('password', decoded(password))
  }
  if (path !== '') found.set('dbname', decoded(path))
  if (hosts !== '') {
    const read = hosts.split(',').map(readHost)
    found.set('host', read.map(({ host }) => host).join(','))
    if (read.some(({ port }) => port))
      found.set('port', read.map(({ port = '' }) => port).join(','))
  }
  // A plus in a name or password stays a plus, as in libpq; other drivers read it as a space.
  const literal = query.replace(/(?:^|&)(?:user|password|dbname)=[^&]*/gi, (each) =>
    each.replaceAll('+', '%2B'),
  )
  const parameters = new URLSearchParams(literal)
  for (const [name, value] of parameters) found.set(name, value)
  // SQLAlchemy repeats the name.
  const repeated = parameters.getAll('host')
  if (repeated.length > 1) found.set('host', repeated.join(','))
  return found
}

/** Keywords and values of libpq: `host=localhost password='a b'`, with a backslash before a quote or backslash. */
const readKeywords = (text: string): Map<string, string> => {
  const found = new Map<string, string>()
  const rest = text.replace(
    /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(?!')((?:[^\s\\]|\\.)*))/gis,
    (_, name: string, quoted: string | undefined, plain = '') => {
      found.set(name.toLowerCase(), (quoted ?? plain).replace(/\\(.)/gs, '$1'))
      return ''
    },
  )
  if (rest.trim() !== '' || found.size === 0) throw new ConnectionStringError(expectedForm)
  return found
}

/** Names of ADO.NET, as clouds print them beside URLs: `Server=host;Database=league;User Id=reader`. */
const semicolonNames: Readonly<Record<string, string>> = {
  server: 'host',
  database: 'dbname',
  userid: 'user',
  username: 'user',
  uid: 'user',
  pwd: 'password',
  timeout: 'connect_timeout',
  rootcertificate: 'sslrootcert',
}

/** A value in quotes has semicolons, and its own quotes twice. */
const readSemicolons = (text: string): Map<string, string> => {
  const found = new Map<string, string>()
  const rest = text.replace(
    /\s*([^=;]+?)\s*=\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|(?!["'])([^;]*?))\s*(?:;|$)/gs,
    (_, key: string, double?: string, single?: string, plain = '') => {
      const name = key.toLowerCase().replaceAll(' ', '')
      const value = double?.replaceAll('""', '"') ?? single?.replaceAll("''", "'") ?? plain
      found.set(semicolonNames[name] ?? name, value)
      return ''
    },
  )
  if (/[^\s;]/.test(rest)) throw new ConnectionStringError(expectedForm)
  return found
}

/** A semicolon before a name of ADO.NET, which a semicolon in a password of libpq is not. */
const semicolonForm =
  /;\s*(?:server|host|port|database|user ?id|user ?name|uid|password|pwd|ssl ?mode)\s*=/i

const readAny = (text: string): Map<string, string> => {
  const [, rest] = /^(?:jdbc:)?postgres(?:ql)?(?:\+\w+)?:\/\/(.*)$/is.exec(text) ?? []
  if (rest !== undefined) return readUri(rest)
  if (semicolonForm.test(text)) return readSemicolons(text)
  if (/^\s*[a-z_]+\s*=/i.test(text)) return readKeywords(text)
  throw new ConnectionStringError(expectedForm)
}

/** Names that ORMs, poolers and other drivers have for parameters of libpq, in lower case. */
const otherNames: Readonly<Record<string, string>> = {
  username: 'user',
  database: 'dbname',
  applicationname: 'application_name',
  targetservertype: 'target_session_attrs',
  connecttimeout: 'connect_timeout',
  logintimeout: 'connect_timeout',
  currentschema: 'schema',
}

/** Values of other drivers, by the name in libpq. */
const otherValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  target_session_attrs: {
    any: '',
    master: 'primary',
    secondary: 'standby',
    slave: 'standby',
    preferprimary: '',
    'prefer-primary': '',
    prefersecondary: 'prefer-standby',
    preferslave: 'prefer-standby',
  },
  sslmode: { verifyfull: 'verify-full', verifyca: 'verify-ca', 'no-verify': 'require' },
}

/** Variables of the environment that libpq reads for parameters that a string lacks. */
const variables: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslcrl: 'PGSSLCRL',
  options: 'PGOPTIONS',
}

/** Names of other drivers for `sslmode`. */
const otherModes = ['ssl', 'sslaccept', 'requiressl'] as const

/** Reads a connection URL, keywords of libpq, or the form of ADO.NET; throws a {@link ConnectionStringError}. */
export const readConnection = (
  given: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Connection => {
  const all = new Map<string, string>()
  for (const [name, value] of readAny(given.trim())) {
    const lower = name.toLowerCase()
    const own = otherNames[lower] ?? (name.includes('.') ? name : lower)
    all.set(own, otherValues[own]?.[value.toLowerCase()] ?? value)
  }
  const hasMode = otherModes.some((name) => all.has(name))
  for (const [name, variable] of Object.entries(variables)) {
    const value = environment[variable]
    if (value && !all.has(name) && !(name === 'sslmode' && hasMode)) all.set(name, value)
  }
  const take = (name: string): string => {
    const value = all.get(name) ?? ''
    all.delete(name)
    return value
  }
  const ports = take('port').split(',')
  const addresses = take('hostaddr').split(',')
  const names = take('host').split(',')
  const hosts = (names.length < addresses.length ? addresses : names).map((_, index): Host => {
    // Npgsql has ports behind hosts.
    const [, host = names[index] ?? '', own = ports[ports.length === 1 ? 0 : index]] =
      /^([^/:]+):(\d+)$/.exec(names[index] ?? '') ?? []
    const address = addresses[index] ?? ''
    return { host, port: readPort(own), ...(address !== '' && { address }) }
  })
  if (all.get('target_session_attrs') === '') all.delete('target_session_attrs')
  return {
    hosts,
    user: take('user'),
    password: take('password'),
    database: take('dbname'),
    parameters: all,
  }
}

/** A connection as a URL with one host. */
const writeUrl = (
  { user, password, database, parameters }: Connection,
  { host, port, address }: Host,
): string => {
  const isFolder = host.startsWith('/')
  const query = new URLSearchParams([...parameters])
  if (isFolder) query.set('host', host)
  if (isFolder && port !== undefined) query.set('port', String(port))
  if (address !== undefined) query.set('hostaddr', address)
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`
  const name = user === '' && secret === '' ? '' : `${encodeURIComponent(user)}${secret}@`
  const encoded = isIP(host) === 6 ? `[${host.replaceAll('%', '%25')}]` : encodeURIComponent(host)
  const at = isFolder ? '' : `${encoded}${port === undefined ? '' : `:${port}`}`
  const search = query.size > 0 ? `?${query}` : ''
  return `postgres://${name}${at}/${encodeURIComponent(database)}${search}`
}

/** URL of each host; a URL with one host is in the same form. */
export const splitHosts = (connection: Connection): readonly string[] =>
  connection.hosts.map((host) => writeUrl(connection, host))

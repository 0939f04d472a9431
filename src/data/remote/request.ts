import dns from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type Reach, reachOf as reachOfAddress } from './networkAddress.ts'

/** Failure of a request to another server. The message holds no address, so it is safe to log and to show. */
export class RequestError extends Error {
  /** HTTP status of an unwanted answer. */
  readonly status: number | undefined
  /** Server that sent no answer at all. */
  readonly silentOrigin: string | undefined
  constructor(
    reason: string,
    about: { readonly status?: number; readonly silentOrigin?: string } = {},
  ) {
    super(reason)
    this.status = about.status
    this.silentOrigin = about.silentOrigin
  }
}

export interface RequestOptions {
  /** Ends the request and the reading of its body. */
  readonly signal: AbortSignal
  /** Headers for the origin of the address only; they can hold a key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Headers for every server. */
  readonly openHeaders?: Readonly<Record<string, string>>
  /**
   * True if the operator chose the address, which may then be in any network. Other addresses must be public or local.
   */
  readonly isTrusted?: boolean
  readonly maxRedirects?: number
  readonly reachOf?: (address: string) => Reach | undefined
  /** Resolves a host name to addresses. */
  readonly resolve?: (
    hostname: string,
    options: dns.LookupAllOptions,
    callback: (error: NodeJS.ErrnoException | null, found: dns.LookupAddress[]) => void,
  ) => void
}

/** An answer whose body is not read yet. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Chunks of the body; throws a {@link RequestError} if it ends early. */
  readonly chunks: AsyncIterable<Uint8Array>
}

const defaultRedirects = 3
const maxResponseHeaderBytes = 16 * 1024

/** Reason why a request got no answer, in few words and without the address. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time'
  return 'code' in error ? `no answer (${error.code})` : `no answer (${error.name})`
}

const notAllowed = (): RequestError => new RequestError('the address is not allowed')

const parseAddress = (text: string, base?: string): URL => {
  const url = URL.parse(text, base)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new RequestError('the address is not http or https')
  }
  return url
}

/** Networks that addresses may be in; undefined allows any. */
type Allowed = readonly Reach[] | undefined

interface Connected {
  readonly response: IncomingMessage
  /** Reach of the address that answered; undefined if it was not checked. */
  readonly reach: Reach | undefined
}

/** Sends one request; the address is checked at the time of connection, against DNS rebinding. */
const connect = (
  url: URL,
  allowed: Allowed,
  headers: Readonly<Record<string, string>>,
  { signal, reachOf = reachOfAddress, resolve = dns.lookup }: RequestOptions,
): Promise<Connected> => {
  const { promise, resolve: settle, reject } = Promise.withResolvers<Connected>()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  let reach = allowed && isIP(host) !== 0 ? reachOf(host) : undefined
  if (allowed && isIP(host) !== 0 && !(reach && allowed.includes(reach))) throw notAllowed()

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const byReach = Map.groupBy(found, ({ address }) => reachOf(address))
      reach = allowed?.find((each) => byReach.has(each))
      const addresses = byReach.get(reach) ?? []
      if (reach) callback(null, addresses)
      else callback(notAllowed(), [])
    })
  }

  const { request: begin } = url.protocol === 'https:' ? https : http
  const sent = begin(url, {
    // Always a new connection: the server may have closed a kept one.
    agent: false,
    // Refused, because a compressed body can unpack to any size.
    headers: { ...headers, 'accept-encoding': 'identity' },
    ...(allowed && { lookup }),
    maxHeaderSize: maxResponseHeaderBytes,
    signal,
  })
  sent.on('error', (error) => {
    const isOurs = error instanceof RequestError
    reject(isOurs ? error : new RequestError(reasonOf(error), { silentOrigin: url.origin }))
  })
  sent.on('response', (response) => {
    if (allowed && !reach) reject(notAllowed())
    else settle({ response, reach })
  })
  sent.end()
  return promise
}

/** Target of a redirect: the same origin, or a public one by https. */
const redirectOf = (
  from: URL,
  location: string,
  { allowed, reach }: { readonly allowed: Allowed; readonly reach: Reach | undefined },
): { readonly url: URL; readonly allowed: Allowed } => {
  const url = parseAddress(location, from.href)
  // The operator did not choose the target of a public server's redirect.
  if (url.origin === from.origin) return { url, allowed: reach === 'public' ? ['public'] : allowed }
  if (url.protocol !== 'https:') throw notAllowed()
  return { url, allowed: ['public'] }
}

async function* chunksOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk
  } catch (error) {
    throw new RequestError(reasonOf(error))
  }
}

/**
 * Sends a GET to another server, follows its redirects and passes the answer on; the connection ends with `use`.
 * Throws a {@link RequestError}: no answer, a redirect that is not allowed, a compressed body.
 */
export const request = async <Result>(
  address: string | URL,
  options: RequestOptions,
  use: (answer: Answer) => Promise<Result>,
): Promise<Result> => {
  const { isTrusted = false, maxRedirects = defaultRedirects } = options
  const ending = new AbortController()
  const signal = AbortSignal.any([options.signal, ending.signal])
  let url = parseAddress(address.toString())
  let allowed: Allowed = isTrusted ? undefined : ['public', 'local']
  const { origin } = url
  try {
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const headers = { ...(url.origin === origin && options.headers), ...options.openHeaders }
      const { response, reach } = await connect(url, allowed, headers, { ...options, signal })
      const { statusCode: status = 0, headers: received } = response
      const isRedirect = status > 300 && status < 309 && status !== 304
      if (isRedirect && maxRedirects > 0 && received.location !== undefined) {
        const next = redirectOf(url, received.location, { allowed, reach })
        url = next.url
        allowed = next.allowed
        continue
      }
      if ((received['content-encoding'] ?? 'identity') !== 'identity') {
        throw new RequestError('the answer is compressed')
      }
      const entries = Object.entries(received).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
      )
      return await use({ status, headers: new Headers(entries), chunks: chunksOf(response) })
    }
    throw new RequestError('there are too many redirects')
  } finally {
    ending.abort()
  }
}

/** Reads a body of at most `maxBytes`. */
export const readBody = async (
  { headers, chunks: body }: Answer,
  maxBytes: number,
): Promise<Buffer> => {
  const tooLarge = (): RequestError => new RequestError('the answer is too large')
  if (Number(headers.get('content-length')) > maxBytes) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the text of an answer with status 200, of one of these media types if given, and of bounded size. */
export const readText = async (
  answer: Answer,
  { maxBytes, mediaTypes }: { readonly maxBytes: number; readonly mediaTypes?: readonly string[] },
): Promise<string> => {
  const { status, headers } = answer
  if (status !== 200) throw new RequestError(`the server answered ${status}`, { status })
  const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (mediaTypes && !mediaTypes.includes(mediaType)) {
    throw new RequestError(`the answer is not ${mediaTypes.join(' or ')}`)
  }
  return new TextDecoder().decode(await readBody(answer, maxBytes))
}

import { lookup as resolve } from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type Reach, reachOf as reachOfAddress } from './networkAddress.ts'

/** Why a picture could not be read. Safe to log: no address. */
export class PictureError extends Error {}

/** No response: the whole origin is unavailable. */
export class PictureHostError extends PictureError {
  readonly origin: string
  constructor(message: string, origin: string) {
    super(message)
    this.origin = origin
  }
}

/** Bytes read of a picture. */
export const maxHeadBytes = 64 * 1024
const maxResponseHeaderBytes = 16 * 1024
const maxRedirects = 3

const headers = {
  accept: 'image/*',
  // A compressed body could unpack to any size: refused.
  'accept-encoding': 'identity',
  range: `bytes=0-${maxHeadBytes - 1}`,
}

const anyReach: readonly Reach[] = ['public', 'local']

interface Options {
  readonly signal: AbortSignal
  readonly reachOf: (address: string) => Reach | undefined
}

interface Answer {
  readonly response: IncomingMessage
  /** Of the address that answered. */
  readonly reach: Reach
}

const notAllowed = (): PictureError => new PictureError('the address is not allowed')

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time'
  return 'code' in error ? `no answer (${error.code})` : `no answer (${error.name})`
}

/**
 * Sends one request to an address of an allowed reach, checked at connection time against DNS rebinding.
 */
const request = (
  url: URL,
  allowed: readonly Reach[],
  { signal, reachOf }: Options,
): Promise<Answer> => {
  const { promise, resolve: settle, reject } = Promise.withResolvers<Answer>()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  let reach = isIP(host) === 0 ? undefined : reachOf(host)
  if (isIP(host) !== 0 && !(reach && allowed.includes(reach))) throw notAllowed()

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const byReach = Map.groupBy(found, ({ address }) => reachOf(address))
      reach = allowed.find((each) => byReach.has(each))
      const addresses = byReach.get(reach) ?? []
      if (reach) callback(null, addresses)
      else callback(notAllowed(), [])
    })
  }

  const { request: begin } = url.protocol === 'https:' ? https : http
  const sent = begin(url, {
    // A new connection: a kept one may have been closed by the server.
    agent: false,
    headers,
    lookup,
    maxHeaderSize: maxResponseHeaderBytes,
    signal,
  })
  sent.on('error', (error) => {
    const isOurs = error instanceof PictureError
    reject(isOurs ? error : new PictureHostError(reasonOf(error), url.origin))
  })
  sent.on('response', (response) => {
    if (reach) settle({ response, reach })
    else reject(notAllowed())
  })
  sent.end()
  return promise
}

const parseAddress = (text: string, base?: string): URL => {
  const url = URL.parse(text, base)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new PictureError('the address is not http or https')
  }
  return url
}

/** At most {@link maxHeadBytes} from the start of the picture; fewer where the body is cut off. */
const readBody = async (response: IncomingMessage): Promise<Uint8Array> => {
  const { 'content-encoding': coding = 'identity', 'content-range': range } = response.headers
  if (coding !== 'identity') throw new PictureError('the answer is compressed')
  if (response.statusCode === 206 && !range?.startsWith('bytes 0-')) {
    throw new PictureError('the answer is another part of the picture')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= maxHeadBytes) break
    }
  } catch (error) {
    if (size === 0) throw error
  }
  return Buffer.concat(chunks).subarray(0, maxHeadBytes)
}

const read = async (address: string, options: Options): Promise<Uint8Array> => {
  let url = parseAddress(address)
  let allowed = anyReach
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const { response, reach } = await request(url, allowed, options)
    const { statusCode = 0, headers } = response
    if (statusCode === 200 || statusCode === 206) return await readBody(response)
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined) {
      throw new PictureError(`the answer is ${statusCode}`)
    }
    url = parseAddress(headers.location, url.href)
    if (reach === 'public') allowed = ['public']
  }
  throw new PictureError('there are too many redirects')
}

/**
 * The first bytes of a picture, as many as arrive before the signal. Throws a {@link PictureError}.
 *
 * Addresses come from the league's own database, so an address in a private network (a media server at
 * the venue) is allowed. What a public server redirects to is not the league's choice: from there on only
 * public addresses are. Link-local ones never are.
 */
export const readPictureHead = async (
  address: string,
  signal: AbortSignal,
  reachOf: Options['reachOf'] = reachOfAddress,
): Promise<Uint8Array> => {
  const ending = new AbortController()
  try {
    return await read(address, { signal: AbortSignal.any([signal, ending.signal]), reachOf })
  } catch (error) {
    throw error instanceof PictureError ? error : new PictureError(reasonOf(error))
  } finally {
    ending.abort()
  }
}

import { LRUCache } from 'lru-cache'
import { type Coding, encode } from './encoding.ts'
import type { Moment } from './moment.ts'
import type { Prepared } from './responses.ts'
import { areCurrent, type Reads } from './trackedArchive.ts'

/** A response with status 200, and its dependencies. Immutable but for `checkedVersion`. */
export interface CachedResponse extends Reads, Prepared {
  /** Cache key; undefined if the response is not cached. */
  readonly key: string | undefined
  readonly route: string | undefined
  /** Unix seconds at which it was made: a response is not valid at an earlier time. */
  readonly madeUnix: number
  /** The last {@link versionFor} at which the dependencies were found current. */
  checkedVersion: string | undefined
}

/** A value that changes whenever a dependency of such a response may have changed. */
export const versionFor = (
  { readsCages }: Pick<Reads, 'readsCages'>,
  { archive }: Pick<Moment, 'archive'>,
): string | undefined => (readsCages ? archive?.version : archive?.dataVersion)

/** A clock that goes back further was set; the clock of a mirror differs by a second between reads. */
const maxClockBackSeconds = 2

/** True if its handler would now give this response. */
export const isValid = (response: CachedResponse, moment: Moment): boolean => {
  const { dependencies, readsCages, validUntil, madeUnix } = response
  if (moment.now >= validUntil || moment.now < madeUnix - maxClockBackSeconds) return false
  const version = versionFor({ readsCages }, moment)
  if (response.checkedVersion === version) return true
  if (!areCurrent(dependencies, moment.archive)) return false
  response.checkedVersion = version
  return true
}

/** Bytes of memory that cached responses may take. */
const maxSize = 20 * 2 ** 20
/** Memory of a cached response besides its bodies, with its dependencies. */
const overheadBytes = 1280
/** Memory of a blob besides its content. */
const blobBytes = 256

const sizeOf = ({ body, link = '' }: CachedResponse, key: string): number => {
  const blobs = Object.values(body.blobs)
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0)
  return bytes + blobBytes * blobs.length + key.length + link.length + overheadBytes
}

/** URLs as clients write them, whose key is known without reading the parameters. */
const maxAddresses = 4096
const maxAddressLength = 512
const maxHeaderValueLength = 200

/** Cache key of a URL for given values of its Vary headers. */
interface Address {
  readonly key: string | undefined
  /** Request headers by which responses for this URL vary. */
  readonly names: readonly string[]
  readonly ignored: string | undefined
}

const noNames: readonly string[] = []

/** No value holds a line feed. */
const valuesOf = (headers: Headers, names: readonly string[]): string =>
  names.length === 0 ? '' : names.map((name) => headers.get(name) ?? '').join('\n')

/** The URL and the values of these headers; no URL holds a line feed. */
const addressWith = ({ url, headers }: Request, names: readonly string[]): string =>
  names.length === 0 ? url : `${url}\n${valuesOf(headers, names)}`

/** A response, and the parameters of a URL that it ignores. */
export interface FoundResponse extends Pick<Address, 'ignored'> {
  readonly response: CachedResponse
}

/**
 * Responses by key, with their bodies in each content coding, ready to be sent. Bounded in bytes; the least recently
 * used go first.
 */
export const createResponseCache = () => {
  const responses = new LRUCache<string, CachedResponse>({
    maxSize,
    maxEntrySize: maxSize / 2,
    sizeCalculation: sizeOf,
  })
  // The least recently used go first: a client with many headers or parameters leaves the responses that others
  // request.
  const addresses = new LRUCache<string, Address>({ max: maxAddresses })
  const underWay = new Map<string, Promise<Blob>>()

  /** Stores a body in a further coding with its response, unless the response has another body by now. */
  const keep = ({ key, body: { etag } }: CachedResponse, coding: Coding, blob: Blob): void => {
    const current = key === undefined ? undefined : responses.peek(key)
    if (key === undefined || current?.body.etag !== etag) return
    const { body } = current
    responses.set(key, { ...current, body: { ...body, blobs: { ...body.blobs, [coding]: blob } } })
  }

  const encodeOnce = async (
    taskKey: string,
    response: CachedResponse,
    coding: Coding,
  ): Promise<Blob> => {
    try {
      const blob = await encode(response.body, coding)
      keep(response, coding, blob)
      return blob
    } finally {
      underWay.delete(taskKey)
    }
  }

  /** The body in a content coding, made once for all requests at a time and cached with the response. */
  const encoded = (response: CachedResponse, coding: Coding): Blob | Promise<Blob> => {
    const { blobs, etag } = response.body
    const made = blobs[coding]
    if (made) return made
    const taskKey = `${coding} ${etag} ${response.key}`
    return underWay.getOrInsertComputed(taskKey, () => encodeOnce(taskKey, response, coding))
  }

  return {
    find: (key: string): CachedResponse | undefined => responses.get(key),
    /** The previous response for a URL, valid or not. */
    findByAddress: (request: Request): FoundResponse | undefined => {
      const plain = addresses.get(request.url)
      const address = plain?.names.length ? addresses.get(addressWith(request, plain.names)) : plain
      const response = address?.key === undefined ? undefined : responses.get(address.key)
      return response && { response, ignored: address?.ignored }
    },
    /**
     * Remembers the key of a URL with the values of the headers that its response varies by: they belong together for
     * as long as the process runs.
     */
    learnAddress: (
      request: Request,
      key: string,
      {
        variesBy: names,
        ignored,
      }: { readonly variesBy: readonly string[] } & Pick<Address, 'ignored'>,
    ): void => {
      const { url } = request
      const values = valuesOf(request.headers, names)
      if (url.length > maxAddressLength || values.length > maxHeaderValueLength) return
      if (names.length > 0) addresses.set(url, { key: undefined, names, ignored })
      addresses.set(addressWith(request, names), { key, names: noNames, ignored })
    },
    /** Stores a response unless it is outdated at the moment; returns it ready to be sent. */
    store: (response: CachedResponse, moment: Moment): CachedResponse => {
      const { key } = response
      if (key === undefined || !isValid(response, moment)) return response
      const before = responses.peek(key)?.body
      const isSame = before?.etag === response.body.etag
      const blobs = { ...response.body.blobs, ...(isSame && before.blobs) }
      const stored = { ...response, body: { ...response.body, blobs } }
      responses.set(key, stored)
      return stored
    },
    /** Drops responses that are not valid at a moment. */
    dropOutdated: (moment: Moment): void => {
      for (const [key, response] of [...responses.entries()]) {
        if (!isValid(response, moment)) responses.delete(key)
      }
    },
    encoded,
  }
}

export type ResponseCache = ReturnType<typeof createResponseCache>

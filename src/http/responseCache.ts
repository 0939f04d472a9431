import { LRUCache } from 'lru-cache'
import { type Body, type Coding, encode } from './encoding.ts'
import type { Moment } from './moment.ts'
import { areCurrent, type Reads } from './trackedArchive.ts'

/** How a response is sent: its body in a content coding, or no body to a client that has it. */
export type Form = Coding | 'unmodified'

/** A response in one form, less the headers of a single request. */
export interface Prepared {
  readonly body: Blob | null
  /** Bytes of the body. */
  readonly size: number
  /** Shared by all requests: what a request sets here is copied when the response is made. */
  readonly init: { readonly status: number; readonly headers: Headers }
  /** Those of the moment that were set last; setting them for each request takes 0.2 µs. */
  momentHeaders: Moment['headers'] | undefined
}

/** A response with status 200, and what it is valid for. Immutable but for `checked`. */
export interface CachedResponse extends Reads {
  /** Undefined for a response that is not cached. */
  readonly key: string | undefined
  readonly route: string | undefined
  /** Headers that do not depend on the request. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  readonly forms: Readonly<Partial<Record<Form, Prepared>>>
  /** The time it was made at, in Unix seconds: a response is not valid at an earlier one. */
  readonly madeUnix: number
  /** The last {@link versionFor} which the dependencies were found current. */
  readonly checked: { version: string | undefined }
}

/** Changes whenever a dependency of such a response may have changed. */
export const versionFor = (
  { readsCages }: Pick<Reads, 'readsCages'>,
  { archive }: Pick<Moment, 'archive'>,
): string | undefined => (readsCages ? archive?.version : archive?.dataVersion)

/** A clock that goes back further was set: the clock of a mirror differs by a second from read to read. */
const maxClockBackSeconds = 2

/** Whether a response is what its handler would answer now. */
export const isValid = (
  { dependencies, readsCages, validUntil, madeUnix, checked }: CachedResponse,
  moment: Moment,
): boolean => {
  if (moment.now >= validUntil || moment.now < madeUnix - maxClockBackSeconds) return false
  const version = versionFor({ readsCages }, moment)
  if (checked.version === version) return true
  if (!areCurrent(dependencies, moment.archive)) return false
  checked.version = version
  return true
}

/** Bytes of memory that cached responses may take. */
const maxSize = 40 * 2 ** 20
/** Bytes of a cached response besides its bodies. */
const overheadBytes = 3072
const formBytes = 1024

const sizeOf = ({ body, forms }: CachedResponse, key: string): number => {
  const bodies = Object.values(body.blobs).reduce((sum, { size }) => sum + size, 0)
  return bodies + key.length + overheadBytes + formBytes * Object.keys(forms).length
}

/** Addresses as clients write them, of which the key is known without reading the parameters. */
const maxAddresses = 4096
const maxAddressLength = 512
/** Values of headers for each address whose responses depend on some; browsers send few. */
const maxHeaderValues = 8
const maxHeaderValueLength = 200

/** Keys of one address by the values of the headers that its responses vary by. */
interface Address {
  readonly names: readonly string[]
  readonly keys: Map<string, string>
  readonly ignored: string | undefined
}

/** No value holds a line feed. */
const valuesOf = (headers: Headers, names: readonly string[]): string =>
  names.length === 0 ? '' : names.map((name) => headers.get(name) ?? '').join('\n')

const prepare = (
  { headers, body: { etag } }: CachedResponse,
  form: Form,
  body: Blob | null,
): Prepared => {
  const all = new Headers({ ...headers, etag })
  const status = form === 'unmodified' ? 304 : 200
  const size = body?.size ?? 0
  if (form === 'unmodified') all.delete('content-type')
  else all.set('content-length', String(size))
  if (form !== 'unmodified' && form !== 'identity') all.set('content-encoding', form)
  return { body, size, init: { status, headers: all }, momentHeaders: undefined }
}

/** A response, and the parameters that it ignores of an address. */
export interface FoundResponse extends Pick<Address, 'ignored'> {
  readonly response: CachedResponse
}

/**
 * Responses by key, with their bodies in each content coding and ready to be sent. Bounded in bytes; the
 * least recently used go first.
 */
export const createResponseCache = () => {
  const responses = new LRUCache<string, CachedResponse>({
    maxSize,
    maxEntrySize: maxSize / 2,
    sizeCalculation: sizeOf,
  })
  const addresses = new Map<string, Address>()
  const underWay = new Map<string, Promise<Blob>>()

  /** Replaces a response by one with more made of it, unless it is another one by now. */
  const extend = (
    { key, headers }: CachedResponse,
    change: (
      current: CachedResponse,
    ) => Pick<CachedResponse, 'body'> | Pick<CachedResponse, 'forms'>,
  ): void => {
    const current = key === undefined ? undefined : responses.peek(key)
    if (key !== undefined && current?.headers === headers) {
      responses.set(key, { ...current, ...change(current) })
    }
  }

  const encodeOnce = async (
    taskKey: string,
    response: CachedResponse,
    coding: Coding,
  ): Promise<Blob> => {
    try {
      const blob = await encode(response.body, coding)
      extend(response, ({ body }) => ({
        body: { ...body, blobs: { ...body.blobs, [coding]: blob } },
      }))
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
    const making = underWay.get(taskKey) ?? encodeOnce(taskKey, response, coding)
    underWay.set(taskKey, making)
    return making
  }

  const withBody = (response: CachedResponse, form: Form, body: Blob | null): Prepared => {
    const prepared = prepare(response, form, body)
    extend(response, ({ forms }) => ({ forms: { ...forms, [form]: prepared } }))
    return prepared
  }

  /** The response in a form, unless its body must be encoded first. */
  const preparedAtOnce = (response: CachedResponse, form: Form): Prepared | undefined => {
    const known = response.forms[form]
    if (known) return known
    if (form === 'unmodified') return withBody(response, form, null)
    const body = response.body.blobs[form]
    return body && withBody(response, form, body)
  }

  return {
    find: (key: string): CachedResponse | undefined => responses.get(key),
    /** The response that an address had before, valid or not. */
    findByAddress: (request: Request): FoundResponse | undefined => {
      const address = addresses.get(request.url)
      const key = address?.keys.get(valuesOf(request.headers, address.names))
      const response = key === undefined ? undefined : responses.get(key)
      return response && { response, ignored: address?.ignored }
    },
    /**
     * Has the address of a request, and the values of the headers that its response varies by, mean a key: the
     * same for as long as the process runs.
     */
    learnAddress: (
      { url, headers }: Request,
      key: string,
      { variesBy, ignored }: { readonly variesBy: readonly string[] } & Pick<Address, 'ignored'>,
    ): void => {
      const values = valuesOf(headers, variesBy)
      if (url.length > maxAddressLength || values.length > maxHeaderValueLength) return
      if (addresses.size >= maxAddresses) addresses.clear()
      const address = addresses.get(url) ?? { names: variesBy, keys: new Map(), ignored }
      if (address.keys.size >= maxHeaderValues) address.keys.clear()
      address.keys.set(values, key)
      addresses.set(url, address)
    },
    /** Stores a response unless it is outdated at the moment, and returns it as it is to be sent. */
    store: (response: CachedResponse, moment: Moment): CachedResponse => {
      const { key } = response
      if (key === undefined || !isValid(response, moment)) return response
      // The bytes of before have all of their codings made already.
      const before = responses.peek(key)?.body
      const body = before?.etag === response.body.etag ? before : response.body
      const stored = { ...response, body }
      responses.set(key, stored)
      return stored
    },
    /** Drops what is not valid at a moment. */
    dropOutdated: (moment: Moment): void => {
      for (const [key, response] of [...responses.entries()]) {
        if (!isValid(response, moment)) responses.delete(key)
      }
    },
    encoded,
    preparedAtOnce,
    /** The response in a form, once its body is encoded. */
    prepared: async (response: CachedResponse, form: Form): Promise<Prepared> => {
      const ready = preparedAtOnce(response, form)
      if (ready || form === 'unmodified') return ready ?? withBody(response, form, null)
      return withBody(response, form, await encoded(response, form))
    },
  }
}

export type ResponseCache = ReturnType<typeof createResponseCache>

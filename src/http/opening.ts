import { crc32 } from 'node:zlib'
import { type Body, type Bytes, etagOf } from './encoding.ts'
import { formFor } from './negotiation.ts'
import type { CachedResponse, Prepared, ResponseCache } from './responseCache.ts'

/**
 * The start of a body that differs from request to request: cached bodies have `cached`, the client gets
 * `sent` in its place. ASCII.
 */
export interface Opening {
  readonly cached: string
  readonly sent: string
}

const zeros = new Uint8Array(64 * 1024)

/** CRC-32 of as many zero bytes, continued from another one. */
const crcOfZeros = (length: number, crc: number): number => {
  let result = crc
  for (let left = length; left > 0; left -= zeros.length) {
    result = crc32(left < zeros.length ? zeros.subarray(0, left) : zeros, result)
  }
  return result
}

/** CRC-32 of two byte strings one after the other, by the linearity of CRCs. */
const combineCrcs = (first: number, second: number, secondLength: number): number =>
  (crcOfZeros(secondLength, first) ^ crcOfZeros(secondLength, 0) ^ second) >>> 0

const headerLength = 10
const trailerLength = 8
/** A stored block has at most as many bytes. */
const maxStoredLength = 0xffff

/**
 * The gzip stream of `prefix` and the content of another stream without optional header fields: the
 * prefix as a stored block, then the compressed blocks as they are. One stream, since browsers read no
 * second member.
 */
export const prependToGzip = (prefix: Bytes, gzip: Bytes): Bytes => {
  if (gzip[3] !== 0) throw new Error('the gzip stream has optional header fields')
  if (prefix.length > maxStoredLength) throw new Error('the prefix is too long for one block')
  const trailer = gzip.length - trailerLength
  const view = new DataView(gzip.buffer, gzip.byteOffset, gzip.byteLength)
  const contentLength = view.getUint32(trailer + 4, true)
  const result = new Uint8Array(gzip.length + prefix.length + 5)
  result.set(gzip.subarray(0, headerLength))
  const out = new DataView(result.buffer)
  out.setUint8(headerLength, 0)
  out.setUint16(headerLength + 1, prefix.length, true)
  out.setUint16(headerLength + 3, ~prefix.length & 0xffff, true)
  result.set(prefix, headerLength + 5)
  result.set(gzip.subarray(headerLength, trailer), headerLength + 5 + prefix.length)
  const crc = combineCrcs(crc32(prefix), view.getUint32(trailer, true), contentLength)
  out.setUint32(result.length - trailerLength, crc, true)
  out.setUint32(result.length - 4, contentLength + prefix.length, true)
  return result
}

/** The tag of a body with an opening, from that of the rest, so that the rest is not hashed again. */
export const openedEtag = ({ etag }: Body, { sent }: Opening): Promise<string> =>
  etagOf(new TextEncoder().encode(`${sent}\n${etag}`))

/** The rest of a body after its opening. */
export const withoutOpening = (bytes: Bytes, { cached }: Opening): Bytes => {
  const start = new TextDecoder().decode(bytes.subarray(0, cached.length))
  if (start !== cached) throw new Error('the body does not start with its opening')
  return bytes.subarray(cached.length)
}

/**
 * A cached response with the opening of one request. In gzip where the client accepts it, whatever it
 * prefers: the compressed rest is used as it is, while br and zstd are made for each request.
 */
export const openResponse = async (
  cache: Pick<ResponseCache, 'encoded' | 'prepared'>,
  request: Request,
  response: CachedResponse,
  opening: Opening,
): Promise<Prepared> => {
  const etag = await openedEtag(response.body, opening)
  const size = response.body.size + opening.sent.length
  const form = formFor(request, { etag, size }, { prefersGzip: true })
  const prefix = new TextEncoder().encode(opening.sent)
  const blobs = async (): Promise<Body['blobs']> => {
    if (form === 'unmodified') return {}
    const coding = form === 'gzip' ? 'gzip' : 'identity'
    const rest = await cache.encoded(response, coding)
    return coding === 'gzip'
      ? { gzip: new Blob([prependToGzip(prefix, await rest.bytes())]) }
      : { identity: new Blob([prefix, rest]) }
  }
  const body = { etag, size, blobs: await blobs() }
  return cache.prepared({ ...response, key: undefined, body, forms: {} }, form)
}

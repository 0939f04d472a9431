import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Archive } from '../archive.ts'

/** Content codings in the order of preference among those a client likes equally. */
export const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** A body, its tag, and its compressed forms, each made once and off the main thread. */
export interface EncodedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
  readonly compressed: Map<Encoding, Uint8Array<ArrayBuffer>>
  /** Compressions under way. */
  readonly compressing: Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>
}

/** An answer that may be given again while what it was made from is there, see {@link holds}. */
export interface StoredAnswer {
  /** Whether the part of the archive that it was made from is the same in another archive. */
  readonly holdsFor: (archive: Archive) => boolean
  readonly validUntil: number
  readonly route: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: EncodedBody
  /** Headers as they were sent last, by content coding. */
  readonly prepared: Map<Encoding | 'identity', Prepared>
}

/** Headers that serve every answer for as long as the data is as fresh, which is up to a second. */
interface Prepared {
  readonly freshness: object
  readonly init: { readonly headers: Headers }
}

/**
 * The tag of a body: weak, because all its content codings share it, and of the bytes alone, so
 * that a restart or another machine gives the same one.
 */
const etagOf = (bytes: Uint8Array): string => {
  const digest = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url')
  return `W/"${digest.slice(0, 22)}"`
}

export const encodeBody = (bytes: Uint8Array<ArrayBuffer>): EncodedBody => ({
  bytes,
  etag: etagOf(bytes),
  compressed: new Map(),
  compressing: new Map(),
})

const brotli = promisify(brotliCompress)
const zstd = promisify(zstdCompress)
const deflate = promisify(gzip)

/** Measured on fight lists: brotli 5 is within 8 % of the size of 11 in a hundredth of the time. */
const compressors: Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>> = {
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (bytes) => zstd(bytes),
  gzip: (bytes) => deflate(bytes),
}

/** Compresses the body, once for all who ask while that takes, and keeps the result with it. */
export const compress = (
  { bytes, compressed, compressing }: EncodedBody,
  encoding: Encoding,
): Promise<Uint8Array<ArrayBuffer>> => {
  const underWay = compressing.get(encoding)
  if (underWay) return underWay
  const made = compressors[encoding](bytes)
    .then((result) => {
      compressed.set(encoding, result)
      return result
    })
    .finally(() => compressing.delete(encoding))
  compressing.set(encoding, made)
  return made
}

/** Whether an answer is still the right one for this archive and time. */
export const holds = (
  { holdsFor, validUntil }: StoredAnswer,
  archive: Archive | undefined,
  now: number,
): boolean => archive !== undefined && now < validUntil && holdsFor(archive)

/** Bytes of memory that kept answers may take, compressed forms estimated at half the body. */
const maxSize = 64 * 2 ** 20

/**
 * Answers by address, as canonical path and query. Bounded in bytes; what was not asked for longest
 * goes first.
 */
export const createAnswerStore = (): LRUCache<string, StoredAnswer> =>
  new LRUCache({
    maxSize,
    maxEntrySize: maxSize / 4,
    sizeCalculation: ({ body }, key) => Math.ceil(body.bytes.length * 1.5) + key.length + 2048,
  })

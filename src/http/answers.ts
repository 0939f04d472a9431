import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Archive } from '../archive.ts'

/**
 * Content codings in the order of preference among those a client likes equally. Measured on fight
 * lists: zstd takes a fifth of the time of brotli 5, and a tenth more bytes.
 */
export const encodings = ['zstd', 'br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** How a body is sent. */
export type Coding = Encoding | 'identity'

/** A body, its tag, and what is sent of it in each content coding, made once. */
export interface EncodedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
  /** Blobs, as the bytes of those are not copied for each response: half the time of sending them. */
  readonly coded: Map<Coding, Blob>
  /** Compressions under way on other threads. */
  readonly compressing: Map<Encoding, Promise<Blob>>
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
  readonly prepared: Map<Coding, Prepared>
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
  coded: new Map(),
  compressing: new Map(),
})

/** Above this, compressing would hold up other answers. */
const compressAtOnceBytes = 64 * 1024

type Bytes = Uint8Array<ArrayBuffer>

interface Compressor {
  readonly atOnce: (bytes: Bytes) => Bytes
  readonly apart: (bytes: Bytes) => Promise<Bytes>
}

/** Measured on fight lists: brotli 5 is within 8 % of the size of 11 in a hundredth of the time. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

const compressors: Record<Encoding, Compressor> = {
  zstd: {
    atOnce: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes)),
    apart: async (bytes) => new Uint8Array(await Bun.zstdCompress(bytes)),
  },
  br: {
    atOnce: (bytes) => brotliCompressSync(bytes, brotliOptions),
    apart: (bytes) => brotli(bytes, brotliOptions),
  },
  gzip: {
    atOnce: (bytes) => Bun.gzipSync(bytes, { library: 'libdeflate', level: 6 }),
    apart: (bytes) => deflate(bytes),
  },
}

/**
 * The body in a content coding, made once for all who ask and kept with it: at once, or off the main
 * thread where that would take long. Small bodies are not worth the way to another thread, which on a
 * busy core takes longer than compressing them does.
 */
export const encode = (
  { bytes, coded, compressing }: EncodedBody,
  coding: Coding,
): Blob | Promise<Blob> => {
  const keep = (result: Bytes): Blob => {
    const blob = new Blob([result])
    coded.set(coding, blob)
    return blob
  }
  const made = coded.get(coding)
  if (made) return made
  if (coding === 'identity') return keep(bytes)
  const { atOnce, apart } = compressors[coding]
  if (bytes.length <= compressAtOnceBytes) return keep(atOnce(bytes))
  const underWay =
    compressing.get(coding) ??
    apart(bytes)
      .then(keep)
      .finally(() => compressing.delete(coding))
  compressing.set(coding, underWay)
  return underWay
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

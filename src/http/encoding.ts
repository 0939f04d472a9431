import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'

/**
 * Content codings in the order of preference among those a client likes equally. Measured on fight
 * lists: zstd takes a fifth of the time of brotli 5, and a tenth more bytes.
 */
export const encodings = ['zstd', 'br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** How a body is sent. */
export type Coding = Encoding | 'identity'

type Bytes = Uint8Array<ArrayBuffer>

/** A body and its tag. */
export interface Body {
  readonly etag: string
  /** Bytes before compression. */
  readonly size: number
  /**
   * The body in one content coding. A blob, as the bytes of those are not copied for each response: that
   * is half the time of sending them.
   */
  readonly kept: { readonly coding: 'identity' | 'zstd'; readonly blob: Blob }
  /** Made for one request, so that its other codings are not kept. */
  readonly isTransient: boolean
}

/** Below this a compressed body saves no packet. */
const compressFromBytes = 1024

/** Above this, compressing would hold up other answers. */
const compressAtOnceBytes = 64 * 1024

/** Bodies that other threads compress at a time; more would take the processor from the main thread. */
const apartInTurn = pLimit(2)

/** Whether it is worth the while to compress a body. */
export const isCompressed = (size: number): boolean => size >= compressFromBytes

/** Above this, the digest is made off the main thread, which takes it 3 ms for each MiB. */
const digestAtOnceBytes = 1024 * 1024

const digestOf = async (bytes: Bytes): Promise<string> =>
  bytes.length <= digestAtOnceBytes
    ? new Bun.CryptoHasher('sha256').update(bytes).digest('base64url')
    : Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64url')

/**
 * The tag of a body: weak, because all its content codings share it, and of the bytes alone, so
 * that a restart or another machine gives the same one.
 */
const etagOf = async (bytes: Bytes): Promise<string> =>
  `W/"${(await digestOf(bytes)).slice(0, 22)}"`

interface Compressor {
  readonly atOnce: (bytes: Bytes) => Bytes
  readonly apart: (bytes: Bytes) => Promise<Bytes>
}

/** Measured on fight lists: brotli 5 is within 8 % of the size of 11 in a hundredth of the time. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

const zstd: Compressor = {
  atOnce: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes)),
  apart: async (bytes) => new Uint8Array(await Bun.zstdCompress(bytes)),
}
const compressors: Record<Encoding, Compressor> = {
  zstd,
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
 * A body to be kept: compressed, where that is soon done, as that is a sixth of the memory. What came out
 * the same as before is the one of before.
 */
export const makeBody = async (bytes: Bytes, before: Body | undefined): Promise<Body> => {
  const etag = await etagOf(bytes)
  if (before?.etag === etag) return before
  const size = bytes.length
  const isPlain = !isCompressed(size) || size > compressAtOnceBytes
  return {
    etag,
    size,
    isTransient: false,
    kept: isPlain
      ? { coding: 'identity', blob: new Blob([bytes]) }
      : { coding: 'zstd', blob: new Blob([zstd.atOnce(bytes)]) },
  }
}

const plainBytes = async ({ kept: { coding, blob } }: Body): Promise<Bytes> => {
  const bytes = await blob.bytes()
  return coding === 'identity' ? bytes : new Uint8Array(Bun.zstdDecompressSync(bytes))
}

/** The body with some ASCII text before it. Its tag is made of both, without another look at all bytes. */
export const withPrefix = async (body: Body, prefix: string): Promise<Body> => {
  const blob = new Blob([prefix, await plainBytes(body)])
  const etag = await etagOf(new TextEncoder().encode(`${prefix}\n${body.etag}`))
  return { etag, size: blob.size, isTransient: true, kept: { coding: 'identity', blob } }
}

/**
 * Makes a body in another content coding: at once, or off the main thread where that would take long.
 * Small bodies are not worth the way to another thread, which on a busy core takes longer than
 * compressing them does.
 */
const encode = async (body: Body, coding: Coding): Promise<Blob> => {
  if (coding === 'identity') return new Blob([await plainBytes(body)])
  const { atOnce, apart } = compressors[coding]
  return body.size <= compressAtOnceBytes
    ? new Blob([atOnce(await plainBytes(body))])
    : apartInTurn(async () => new Blob([await apart(await plainBytes(body))]))
}

/** Bytes of memory that bodies in other codings than they are kept in may take. */
const maxSize = 8 * 2 ** 20

/** Bodies in any content coding. */
export interface Encoder {
  /** Undefined for what is yet to be made. */
  readonly find: (body: Body, coding: Coding) => Blob | undefined
  /** Makes it once for all who ask at a time, and keeps it for a while. */
  readonly make: (body: Body, coding: Coding) => Promise<Blob>
}

export const createEncoder = (): Encoder => {
  const made = new LRUCache<string, Blob>({
    maxSize,
    sizeCalculation: ({ size }, key) => size + key.length + 1024,
  })
  const underWay = new Map<string, Promise<Blob>>()

  const make = async (key: string, body: Body, coding: Coding): Promise<Blob> => {
    try {
      const blob = await encode(body, coding)
      if (!body.isTransient) made.set(key, blob)
      return blob
    } finally {
      underWay.delete(key)
    }
  }
  const keyOf = ({ etag }: Body, coding: Coding): string => `${coding} ${etag}`
  return {
    find: (body, coding) =>
      coding === body.kept.coding ? body.kept.blob : made.get(keyOf(body, coding)),
    make: (body, coding) => {
      const key = keyOf(body, coding)
      const making = underWay.get(key) ?? make(key, body, coding)
      underWay.set(key, making)
      return making
    },
  }
}

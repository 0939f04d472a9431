import { zstdDecompressSync } from 'node:zlib'
import { decodeFrame, frameDecoder, type TournamentFrame } from '../source/snapshot.ts'
import {
  checkHeader,
  declaredBytes,
  type FrameName,
  headerBytes,
  headLength,
  lengthBytes,
  type ParsedHead,
  parseHead,
} from '../source/snapshotHead.ts'
import { unpackedBytes } from '../source/snapshotLayout.ts'
import { MirrorError, type RemoteAnswer, type RemoteOptions, requestFile } from './remote.ts'

/** Number of bytes requested first; the head of a league of 12,000 fights takes 15 KB. */
const firstBytes = 32 * 1024
/**
 * Maximum size of a head, enough for some 40,000 tournaments; deeply nested brackets of that size take 80 times as much
 * to parse.
 */
const maxHeadBytes = 4 * 2 ** 20
/** Frames are requested this many bytes at a time, which bounds the memory of a first fetch. */
const batchBytes = 8 * 2 ** 20
/** Known frames of up to this size between wanted ones are cheaper to fetch again than another request. */
const gapBytes = 16 * 1024
/** Maximum number of attempts: a file that changes while it is read is begun again, and frames already read stay. */
const maxRounds = 30

/** Frames by the hash in their names. */
export type KnownFrames = Pick<ReadonlyMap<string, TournamentFrame>, 'get'>

/** A file that was fetched, or found unchanged. */
export interface Fetched {
  /** Contents of the file; undefined if it still has the ETag that was sent. */
  readonly file:
    | {
        readonly head: ParsedHead
        readonly headBytes: Buffer
        /** Frames in the order of the file. */
        readonly frames: readonly { readonly name: FrameName; readonly frame: TournamentFrame }[]
        readonly etag: string | undefined
      }
    | undefined
  /** Headers of the last answer. */
  readonly headers: Headers
}

interface FetchOptions extends Omit<RemoteOptions, 'sizeOf' | 'headerBytes'> {
  /** ETag of the file that the known frames belong to. */
  readonly etag?: string | undefined
  readonly known?: KnownFrames
  /**
   * Frames already fetched, for later attempts. Frames that the newest file lacks are removed, which bounds the map.
   */
  readonly kept: Map<string, TournamentFrame>
}

/** Max bytes of an unpacked frame; tournaments take about 0.3 MB. */
const maxFrameBytes = 64 * 2 ** 20
/** Maximum size of all unpacked frames of a file: a dozen times its size is usual. */
const maxUnpackedBytes = 64 * 2 ** 20
const maxRatio = 64
/** Unpacked bytes allowed for a frame of any packed size; decoding 4 MiB of empty texts blocks for a second. */
const smallFrameBytes = 2 ** 19

export const refuse = (why: string): never => {
  throw new MirrorError(`the file ${why}`)
}

const sizeOf = (start: Buffer): number => {
  checkHeader(start, refuse)
  return declaredBytes(start)
}

/**
 * Size of the content of a zstd frame without a dictionary, as its header says (RFC 8878, 3.1.1.1); undefined if the
 * header has none. The unpacker is held to it.
 */
const contentSize = (frame: Uint8Array): number | undefined => {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const descriptor = view.getUint8(4)
  const isSingle = (descriptor & 0x20) !== 0
  const at = 5 + (isSingle ? 0 : 1)
  const kind = descriptor >> 6
  if (kind === 0) return isSingle ? view.getUint8(at) : undefined
  if (kind === 1) return view.getUint16(at, true) + 256
  return kind === 2 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))
}

/**
 * Decoder of the frames of a file, one at a time. Throws a {@link MirrorError} if a frame is no table, or would unpack
 * to too much, by itself or with the frames before it.
 */
export const decoderOf = ({ preface, sizeBytes }: ParsedHead) => {
  let left = Math.max(maxUnpackedBytes, maxRatio * sizeBytes)
  return frameDecoder(preface.columns, refuse, (bytes) => {
    const size = contentSize(bytes)
    const most = Math.min(maxFrameBytes, Math.max(smallFrameBytes, maxRatio * bytes.length), left)
    if (size === undefined || size > most) throw new Error('too large')
    const packed = zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) })
    left -= unpackedBytes(packed)
    if (left < 0) throw new Error('too large')
    return packed
  })
}

interface Stretch {
  readonly start: number
  end: number
  readonly frames: { readonly name: FrameName; readonly start: number }[]
}

/** The stretches of a file that hold unknown frames. */
const stretchesOf = ({ preface, length }: ParsedHead, known: KnownFrames): Stretch[] => {
  const stretches: Stretch[] = []
  let end = length
  for (const name of preface.frames) {
    const start = end + lengthBytes
    end = start + name[2]
    if (known.get(name[1])) continue
    const last = stretches.at(-1)
    if (last && start - last.end <= gapBytes && end - last.start <= batchBytes) {
      last.end = end
      last.frames.push({ name, start })
    } else {
      stretches.push({ start, end, frames: [{ name, start }] })
    }
  }
  return stretches
}

const tagOf = ({ headers }: Pick<RemoteAnswer, 'headers'>): string | undefined =>
  headers.get('etag') ?? undefined

/**
 * Fetches a snapshot from a web server: its head, and the unknown frames, by `Range` if the server supports it. The
 * digest of the head proves every byte. Throws a {@link MirrorError}.
 */
export const fetchSnapshot = async (
  address: URL,
  { etag, known, kept, ...options }: FetchOptions,
): Promise<Fetched> => {
  const { maxBytes } = options
  const frameOf = (hash: string): TournamentFrame | undefined => kept.get(hash) ?? known?.get(hash)
  const get = (headers: Record<string, string>): Promise<RemoteAnswer> =>
    requestFile(address, headers, { ...options, headerBytes, sizeOf })
  const rangeHeader = (start: number, end: number): Record<string, string> => ({
    range: `bytes=${start}-${end - 1}`,
  })

  /** One attempt; undefined if the file changed meanwhile. */
  const attempt = async (): Promise<Fetched | undefined> => {
    const first = await get({
      ...rangeHeader(0, firstBytes),
      ...(etag !== undefined && { 'if-none-match': etag }),
    })
    const { headers } = first
    if (first.isUnchanged) {
      if (etag === undefined) throw new MirrorError('the server answered 304')
      return { file: undefined, headers }
    }
    const tag = tagOf(first)
    if (Number(first.total) > maxBytes) return refuse('is too large')
    /** Part of the file; undefined if the file is another one by now. */
    const part = async (start: number, end: number): Promise<Buffer | undefined> => {
      const has = first.bytes.length >= end
      if (has) return first.bytes.subarray(start, end)
      if (first.total === first.bytes.length) return refuse('is cut off')
      const answer = await get(rangeHeader(start, end))
      const isPart = answer.start === start && answer.bytes.length === end - start
      return isPart && tagOf(answer) === tag && answer.total === first.total
        ? answer.bytes
        : undefined
    }

    checkHeader(first.bytes, refuse)
    let bytes: Buffer | undefined = first.bytes
    for (let length = headLength(bytes); length > bytes.length; length = headLength(bytes)) {
      if (length > maxHeadBytes) return refuse('is damaged: its head is too long')
      bytes = await part(0, length)
      if (!bytes) return undefined
    }
    const head = parseHead(bytes, refuse)
    if (first.total !== head.sizeBytes) {
      return refuse(`should hold ${head.sizeBytes} bytes and holds ${first.total}`)
    }
    const hashes = new Set(head.preface.frames.map(([, hash]) => hash))
    for (const hash of kept.keys()) if (!hashes.has(hash)) kept.delete(hash)
    for (const { start, end, frames } of stretchesOf(head, { get: frameOf })) {
      const stretch = await part(start, end)
      if (!stretch) return undefined
      for (const { name, start: at } of frames) {
        // A copy: a view would keep the whole stretch in memory.
        const own = Buffer.from(stretch.subarray(at - start, at - start + name[2]))
        kept.set(name[1], decodeFrame(name, own) ?? refuse('is damaged: a digest does not match'))
      }
    }
    const frames = head.preface.frames.map((name) => ({
      name,
      frame: frameOf(name[1]) ?? refuse('is damaged: it lacks a frame'),
    }))
    const headBytes = Buffer.from(bytes.subarray(0, head.length))
    return { file: { head, headBytes, frames, etag: tag }, headers }
  }

  for (let round = 0; round < maxRounds; round += 1) {
    const result = await attempt()
    if (result) return result
  }
  throw new MirrorError('the file changes faster than it can be read')
}

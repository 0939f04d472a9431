import { type FileHandle, readFile } from 'node:fs/promises'
import { Packr } from 'msgpackr'
import { codeOf, replaceFile, writeWhole } from '../files.ts'
import type { Unchecked } from './check.ts'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  compareTexts,
  TournamentRow,
  type TournamentRows,
  tournamentTables,
} from './rows.ts'

/**
 * One file that holds a whole league. Layout, integers little-endian:
 *
 *     0  8   magic "CAGESIDE"
 *     8  4   format version
 *     12 8   capture time, Unix seconds
 *     20 8   length of the payload in bytes
 *     28 32  SHA-256 of bytes 0 to 27 and the payload
 *     60     payload: frames, each 4 bytes of length and that many bytes of zstd-compressed msgpack;
 *            the first is the state of the cages, each further one a tournament with its rows
 *
 * In the frames, what has the columns of a table in their order is a record of msgpackr, numbered as in
 * `structures`: another order there, or other columns, are another format version.
 *
 * The checksum covers the header too, so that no flipped bit goes unseen.
 */
const magic = Buffer.from('CAGESIDE', 'latin1')
const formatVersion = 2
const hashedHeaderBytes = 28
const headerBytes = 60
/** The end of the year 9999, as for every time in a row. */
const latestCapture = 253_402_300_799
/** Levels of zstd: small for files that are passed on, fast for what is kept while serving. */
const compression = { small: { level: 12 }, fast: { level: 3 } } as const

/** A snapshot that cannot be read or written; the message is one line and names the file. */
export class SnapshotError extends Error {}

/** A tournament as it stands in a snapshot file, compressed. */
export interface TournamentFrame {
  readonly id: string
  readonly bytes: Uint8Array
}

export interface SnapshotHead extends CageRows {
  /** When the rows were true, in Unix seconds. */
  readonly capturedAt: number
}

export interface SnapshotContents extends SnapshotHead {
  /** In any order; the file has them ascending by id, so that equal data makes equal files. */
  readonly tournaments: Iterable<TournamentRows> | AsyncIterable<TournamentRows>
}

/** A snapshot whose checksum holds. Its rows are decoded one tournament at a time and unchecked. */
export interface Snapshot {
  readonly capturedAt: number
  /** SHA-256 in hex; equal contents have equal digests. */
  readonly digest: string
  readonly tournamentCount: number
  readonly cages: Unchecked<CageRows>
  tournaments(): Iterable<Unchecked<TournamentRows>>
}

/** The columns of each kind of record. Frames that define their own take half as long again to decode. */
const structures: string[][] = [
  ...[TournamentRow, ...Object.values(tournamentTables), CageRow, CageQueueRow].map(
    ({ properties }) => Object.keys(properties),
  ),
  ['tournament', ...Object.keys(tournamentTables)],
  ['cages', 'cageQueue'],
]
const packr = new Packr({ structures, maxSharedStructures: structures.length })

const encodeFrame = (value: unknown, effort: keyof typeof compression): Uint8Array =>
  Bun.zstdCompressSync(packr.pack(value), compression[effort])

/** Equal rows give equal bytes at the same effort. */
export const encodeTournament = (
  rows: TournamentRows,
  effort: keyof typeof compression,
): TournamentFrame => ({ id: rows.tournament.id, bytes: encodeFrame(rows, effort) })

const decodeFrame = (frame: Uint8Array): unknown => packr.unpack(Bun.zstdDecompressSync(frame))

const frameLength = ({ length }: Uint8Array): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(length)
  return bytes
}

/** The payload enters as its own hash, so that it need not be in one piece. */
const fileDigest = (header: Uint8Array, payloadDigest: Uint8Array): Buffer =>
  new Bun.CryptoHasher('sha256')
    .update(header.subarray(0, hashedHeaderBytes))
    .update(payloadDigest)
    .digest()

/** The header goes in last; between two frames the event loop is free. */
const writeFile = async (
  file: FileHandle,
  capturedAt: number,
  frames: readonly Uint8Array[],
): Promise<Buffer> => {
  const payloadHash = new Bun.CryptoHasher('sha256')
  let end = headerBytes
  for (const frame of frames) {
    for (const part of [frameLength(frame), frame]) {
      payloadHash.update(part)
      await writeWhole(file, part, end)
      end += part.length
    }
  }
  const header = Buffer.alloc(headerBytes)
  magic.copy(header)
  header.writeUInt32LE(formatVersion, 8)
  header.writeBigUInt64LE(BigInt(capturedAt), 12)
  header.writeBigUInt64LE(BigInt(end - headerBytes), 20)
  const digest = fileDigest(header, payloadHash.digest())
  digest.copy(header, hashedHeaderBytes)
  await writeWhole(file, header, 0)
  return digest
}

/**
 * Writes a snapshot whole or not at all: into a temporary file beside it, synced, renamed, and the
 * folder synced. What stood at `path` stays until the new file is complete. Throws a
 * {@link SnapshotError}.
 */
export const writeFrames = async (
  path: string,
  { capturedAt, cages, cageQueue }: SnapshotHead,
  tournaments: readonly TournamentFrame[],
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<{ digest: string; sizeBytes: number }> => {
  const frames = [
    encodeFrame({ cages, cageQueue }, 'small'),
    ...tournaments.toSorted((a, b) => compareTexts(a.id, b.id)).map(({ bytes }) => bytes),
  ]
  try {
    const temporary = `${path}.${process.pid}.tmp`
    return await replaceFile(path, { temporary, mode }, async (file) => {
      const digest = await writeFile(file, capturedAt, frames)
      const { size: sizeBytes } = await file.stat()
      return { digest: digest.toString('hex'), sizeBytes }
    })
  } catch (error) {
    throw new SnapshotError(`snapshot ${path} cannot be written (${codeOf(error)})`)
  }
}

/** {@link writeFrames} of rows, as small as can be. */
export const writeSnapshot = async (
  path: string,
  contents: SnapshotContents,
): Promise<{ digest: string; sizeBytes: number }> => {
  const frames: TournamentFrame[] = []
  for await (const rows of contents.tournaments) frames.push(encodeTournament(rows, 'small'))
  return writeFrames(path, contents, frames)
}

const readBytes = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw new SnapshotError(`snapshot ${path} cannot be read (${codeOf(error)})`)
  })

/** The frames of a payload, as views on its bytes; undefined when the lengths do not add up. */
const splitFrames = (payload: Buffer): Buffer[] | undefined => {
  const frames: Buffer[] = []
  let offset = 0
  while (offset + 4 <= payload.length) {
    const end = offset + 4 + payload.readUInt32LE(offset)
    if (end > payload.length) return undefined
    frames.push(payload.subarray(offset + 4, end))
    offset = end
  }
  return offset === payload.length ? frames : undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Reads and verifies a snapshot. Throws a {@link SnapshotError} for whatever is not a whole one. */
export const readSnapshot = async (path: string): Promise<Snapshot> => {
  const bytes = await readBytes(path)
  const refuse = (why: string): never => {
    throw new SnapshotError(`snapshot ${path} ${why}`)
  }
  if (bytes.length < magic.length || !bytes.subarray(0, magic.length).equals(magic)) {
    return refuse('is not a Cageside snapshot')
  }
  if (bytes.length < headerBytes) return refuse('is cut off in its header')
  const version = bytes.readUInt32LE(8)
  if (version !== formatVersion) {
    const age = version < formatVersion ? 'an older' : 'a newer'
    return refuse(`has ${age} format, ${version}; this program reads ${formatVersion}`)
  }
  const capturedAt = Number(bytes.readBigUInt64LE(12))
  const payload = bytes.subarray(headerBytes)
  const payloadBytes = bytes.readBigUInt64LE(20)
  if (payloadBytes !== BigInt(payload.length)) {
    return refuse(`should hold ${payloadBytes} bytes of data and holds ${payload.length}`)
  }
  const payloadDigest = new Bun.CryptoHasher('sha256').update(payload).digest()
  const digest = fileDigest(bytes, payloadDigest)
  if (!digest.equals(bytes.subarray(hashedHeaderBytes, headerBytes))) {
    return refuse('is damaged: its checksum does not match')
  }
  if (capturedAt > latestCapture) return refuse('has a capture time that cannot be')
  const [head, ...frames] = splitFrames(payload) ?? refuse('holds no frames')
  if (!head) return refuse('holds no frames')
  const decode = (frame: Uint8Array): Record<string, unknown> => {
    try {
      const value = decodeFrame(frame)
      if (isRecord(value)) return value
    } catch {
      // Told below: the checksum was right, so whoever wrote the file wrote this.
    }
    return refuse('holds a frame that is no table')
  }
  const { cages, cageQueue } = decode(head)
  return {
    capturedAt,
    digest: digest.toString('hex'),
    tournamentCount: frames.length,
    cages: { cages, cageQueue },
    *tournaments() {
      for (const frame of frames) yield decode(frame)
    },
  }
}

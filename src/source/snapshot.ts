import { type FileHandle, readFile } from 'node:fs/promises'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { compareTexts } from '../compareTexts.ts'
import { codeOf, replaceFile, writeWhole } from '../files.ts'
import type { Unchecked } from './check.ts'
import type { CageRows, TournamentRows } from './rows.ts'
import {
  type FrameReader,
  frameReader,
  ownLayout,
  packFrame,
  SnapshotLayout,
  unpackFrame,
} from './snapshotLayout.ts'
import { layoutOfVersion2, upgradeRecording } from './snapshotVersion2.ts'
import { isShownClip } from './visibility.ts'

/**
 * One file that holds a whole league. Layout, integers little-endian:
 *
 *     0  8   magic "CAGESIDE"
 *     8  4   format version
 *     12 8   capture time, Unix seconds
 *     20 8   length of the payload in bytes
 *     28 32  SHA-256 of bytes 0 to 27 and the payload
 *     60     payload: frames, each 4 bytes of length and that many bytes: the names of all columns
 *            (JSON, see `Preface`), the state of the cages, and for each tournament the digest
 *            of its rows (8 bytes) and the rows; both kinds of rows are zstd-compressed msgpack
 *
 * The checksum covers the header too. Files of version 2, which hold neither names nor digests, are
 * read too.
 */
const magic = Buffer.from('CAGESIDE', 'latin1')
const formatVersion = 3
const minFormatVersion = 2
const hashedHeaderBytes = 28
const headerBytes = 60
const digestBytes = 8
/** End of the year 9999, as for every time in a row. */
const maxCapturedAt = 253_402_300_799
/** Levels of zstd: `small` for files to distribute, `fast` for files written while serving. */
const compression = { small: { level: 12 }, fast: { level: 3 } } as const
type CompressionProfile = keyof typeof compression

/** A snapshot that cannot be read or written; the message is one line and names the file. */
export class SnapshotError extends Error {}

/** Position in the database at which the rows were read, to continue from there. */
export const Origin = Type.Object({
  databaseIdentity: Type.String({ maxLength: 256 }),
  systemIdentifier: Type.String({ maxLength: 512 }),
  mark: Type.String({ pattern: '^[0-9]{1,20}$' }),
  /** Id, stamp and fingerprint per tournament. */
  seen: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
})
export type Origin = Static<typeof Origin>

/** The first frame. */
const Preface = Type.Object({ columns: SnapshotLayout, origin: Type.Optional(Origin) })
type Preface = Static<typeof Preface>

/** A tournament in msgpack. */
export interface PackedTournament {
  readonly id: string
  /** Digest of the rows that are served: equal rows have equal digests, whatever their source. */
  readonly digest: bigint
  readonly packed: Uint8Array
}

/** A tournament as stored in a snapshot file, compressed. */
export interface TournamentFrame {
  readonly id: string
  readonly digest: bigint
  readonly bytes: Uint8Array
}

/** A tournament of a snapshot file. */
export interface SnapshotTournament {
  /** Decodes the unchecked rows; throws a {@link SnapshotError} for an invalid frame. */
  readonly rows: () => Unchecked<TournamentRows>
  /** Undefined if the file has another layout: then frames cannot be copied. */
  readonly frame: { readonly digest: bigint; readonly bytes: Uint8Array } | undefined
}

export interface SnapshotHead extends CageRows {
  /** Unix seconds at which the rows were read. */
  readonly capturedAt: number
  readonly origin?: Origin
}

export interface SnapshotContents extends SnapshotHead {
  /** In any order; the file orders them by id, so that equal data gives equal files. */
  readonly tournaments: Iterable<TournamentRows> | AsyncIterable<TournamentRows>
}

/** A snapshot with a valid checksum. Rows are unchecked and decoded one tournament at a time. */
export interface Snapshot {
  readonly capturedAt: number
  /** SHA-256 in hex; equal contents have equal digests. */
  readonly digest: string
  readonly origin: Origin | undefined
  readonly cages: Unchecked<CageRows>
  readonly tournamentCount: number
  readonly entries: readonly SnapshotTournament[]
  /** The rows of all entries. */
  tournaments(): Iterable<Unchecked<TournamentRows>>
}

/** Equal rows give equal bytes and digests. */
export const packTournament = (rows: TournamentRows): PackedTournament => {
  const packed = packFrame(rows)
  const shown = rows.clips.every(isShownClip)
    ? packed
    : packFrame({ ...rows, clips: rows.clips.filter(isShownClip) })
  return { id: rows.tournament.id, digest: Bun.hash.xxHash64(shown), packed }
}

export const compressTournament = (
  { id, digest, packed }: PackedTournament,
  profile: CompressionProfile,
): TournamentFrame => ({ id, digest, bytes: Bun.zstdCompressSync(packed, compression[profile]) })

/** Decodes a frame written by this version. */
export const unpackTournament = ({ bytes }: TournamentFrame): Unchecked<TournamentRows> =>
  unpackFrame(Bun.zstdDecompressSync(bytes))

const digestOf = ({ digest }: TournamentFrame): Uint8Array => {
  const bytes = Buffer.alloc(digestBytes)
  bytes.writeBigUInt64LE(digest)
  return bytes
}

const lengthOf = (parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(parts.reduce((sum, { length }) => sum + length, 0))
  return bytes
}

/** Hashes the hash of the payload, so that the payload can be written in parts. */
const fileDigest = (header: Uint8Array, payloadDigest: Uint8Array): Buffer =>
  new Bun.CryptoHasher('sha256')
    .update(header.subarray(0, hashedHeaderBytes))
    .update(payloadDigest)
    .digest()

/** Writes the frames, then the header. Yields to the event loop between frames. */
const writeFile = async (
  file: FileHandle,
  capturedAt: number,
  frames: readonly (readonly Uint8Array[])[],
): Promise<Buffer> => {
  const payloadHash = new Bun.CryptoHasher('sha256')
  let end = headerBytes
  for (const frame of frames) {
    for (const part of [lengthOf(frame), ...frame]) {
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
 * Writes a snapshot atomically: a temporary file, synced and renamed, and the folder synced. Throws
 * a {@link SnapshotError}; the previous file then stays.
 */
export const writeFrames = async (
  path: string,
  { capturedAt, cages, cageQueue, origin }: SnapshotHead,
  tournaments: readonly TournamentFrame[],
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<{ digest: string; sizeBytes: number }> => {
  const frames = [
    [
      Buffer.from(
        JSON.stringify({ columns: ownLayout, ...(origin && { origin }) } satisfies Preface),
      ),
    ],
    [Bun.zstdCompressSync(packFrame({ cages, cageQueue }), compression.small)],
    ...tournaments
      .toSorted((a, b) => compareTexts(a.id, b.id))
      .map((frame) => [digestOf(frame), frame.bytes]),
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

/** {@link writeFrames} of rows, with the best compression. */
export const writeSnapshot = async (
  path: string,
  contents: SnapshotContents,
): Promise<{ digest: string; sizeBytes: number }> => {
  const frames: TournamentFrame[] = []
  for await (const rows of contents.tournaments) {
    frames.push(compressTournament(packTournament(rows), 'small'))
  }
  return writeFrames(path, contents, frames)
}

const readBytes = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw new SnapshotError(`snapshot ${path} cannot be read (${codeOf(error)})`)
  })

/** Splits a payload into views of its frames; undefined if the lengths are inconsistent. */
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

const parsePreface = (frame: Uint8Array): Preface | undefined => {
  try {
    const preface: unknown = JSON.parse(new TextDecoder().decode(frame))
    return Value.Check(Preface, preface) ? preface : undefined
  } catch {
    return undefined
  }
}

/** Reads and verifies a snapshot. Throws a {@link SnapshotError} for an invalid file. */
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
  if (version < minFormatVersion || version > formatVersion) {
    const age = version < minFormatVersion ? 'an older' : 'a newer'
    return refuse(
      `has ${age} format, ${version}; this program reads ${minFormatVersion} and ${formatVersion}`,
    )
  }
  const capturedAt = Number(bytes.readBigUInt64LE(12))
  const payload = bytes.subarray(headerBytes)
  const payloadBytes = bytes.readBigUInt64LE(20)
  if (payloadBytes !== BigInt(payload.length)) {
    return refuse(`should hold ${payloadBytes} bytes of data and holds ${payload.length}`)
  }
  const payloadDigest = new Bun.CryptoHasher('sha256').update(payload).digest()
  const fileHash = fileDigest(bytes, payloadDigest)
  if (!fileHash.equals(bytes.subarray(hashedHeaderBytes, headerBytes))) {
    return refuse('is damaged: its checksum does not match')
  }
  if (capturedAt > maxCapturedAt) return refuse('has an invalid capture time')
  const frames = splitFrames(payload) ?? refuse('holds no frames')
  const nextFrame = (): Buffer => frames.shift() ?? refuse('holds no frames')
  const preface: Preface =
    version === 2
      ? { columns: layoutOfVersion2 }
      : (parsePreface(nextFrame()) ?? refuse('does not name its columns'))
  const reader = frameReader(
    preface.columns,
    refuse,
    version === 2 ? { recordings: upgradeRecording } : {},
  )
  const decode = (frame: Uint8Array): ReturnType<FrameReader['decode']> => {
    try {
      return reader.decode(Bun.zstdDecompressSync(frame))
    } catch {
      return refuse('holds a frame that is no table')
    }
  }
  const { cages, cageQueue } = decode(nextFrame())
  const entries = frames.map((frame): SnapshotTournament => {
    if (version === 2) return { rows: () => decode(frame), frame: undefined }
    if (frame.length < digestBytes) return refuse('holds a frame that is no table')
    const digest = frame.readBigUInt64LE(0)
    const bytes = frame.subarray(digestBytes)
    return { rows: () => decode(bytes), frame: reader.isOwn ? { digest, bytes } : undefined }
  })
  return {
    capturedAt,
    digest: fileHash.toString('hex'),
    origin: preface.origin,
    cages: { cages, cageQueue },
    tournamentCount: entries.length,
    entries,
    *tournaments() {
      for (const { rows } of entries) yield rows()
    },
  }
}

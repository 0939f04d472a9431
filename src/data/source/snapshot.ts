import { compareTexts } from '../../runtime/compareTexts.ts'
import type { DiskFile } from '../../runtime/disk.ts'
import { readWhole, replaceFile, temporaryPath, whyOf } from '../../runtime/files.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'
import type { Unchecked } from './check.ts'
import type { PackedRows } from './recordingTable.ts'
import type { CageRows, TournamentRows } from './rows.ts'
import {
  checkStart,
  encodeHead,
  type FrameName,
  hashedHeaderBytes,
  headerBytes,
  lengthBytes,
  lengthOf,
  type Origin,
  type Preface,
  parseHead,
  type SnapshotHead,
  sha256,
} from './snapshotHead.ts'
import { type FrameReader, frameReader, packFrame, unpackFrame } from './snapshotLayout.ts'
import { shownRows } from './visibility.ts'

/**
 * One file that holds a whole league: its head (see `snapshotHead.ts`), then for each tournament, by id, 4
 * bytes of length, the digest of its rows (8 bytes) and the rows, zstd-compressed msgpack.
 */
const digestBytes = 8
/** Levels of zstd: `small` for files to distribute, `fast` for files written while the service runs. */
const compression = { small: { level: 12 }, fast: { level: 3 } } as const
type CompressionProfile = keyof typeof compression

/** A snapshot that cannot be read or written; the message is one line and names the file. */
export class SnapshotError extends Error {}

/** A tournament in msgpack. */
export interface PackedTournament {
  readonly id: string
  /** Digest of the {@link shownRows}: equal rows have equal digests. */
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
  /** Decodes the unchecked rows; throws a {@link SnapshotError} if the frame is invalid. */
  readonly rows: () => Unchecked<TournamentRows>
  /** Digest of the rows in the layout of the file. */
  readonly digest: bigint
  /** Frame to copy; undefined if the file has another layout. */
  readonly frame: { readonly digest: bigint; readonly bytes: Uint8Array } | undefined
  /** Frame of a tournament in the layout of its file. */
  readonly stored: { readonly name: FrameName; readonly bytes: Uint8Array }
}

export interface SnapshotContents extends SnapshotHead {
  /** Tournaments in any order; the file orders entries by id, so that equal data gives equal files. */
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
  /** The wanted entries with their rows; other threads unpack the next frames meanwhile. */
  loaded(isWanted?: (entry: SnapshotTournament) => boolean): AsyncIterable<{
    readonly entry: SnapshotTournament
    readonly rows: Unchecked<TournamentRows>
  }>
}

/** Equal rows give equal bytes and digests. */
export const packTournament = (rows: TournamentRows | PackedRows): PackedTournament => {
  const packed = packFrame(rows)
  const shown = shownRows(rows)
  const digest = Bun.hash.xxHash64(shown === rows ? packed : packFrame(shown))
  return { id: rows.tournament.id, digest, packed }
}

export const compressTournament = (
  { id, digest, packed }: PackedTournament,
  profile: CompressionProfile,
): TournamentFrame => ({ id, digest, bytes: Bun.zstdCompressSync(packed, compression[profile]) })

/**
 * {@link compressTournament} when its bytes are first read: serving a change does not need them, and most versions are
 * replaced before they are saved or mirrored.
 */
export const frameWhenRead = (tournament: PackedTournament): TournamentFrame => {
  // A copy, because the packer returns views of large buffers that it shares with other tournaments.
  let packed: PackedTournament | undefined = {
    ...tournament,
    packed: new Uint8Array(tournament.packed),
  }
  let bytes: Uint8Array = new Uint8Array()
  return {
    id: tournament.id,
    digest: tournament.digest,
    get bytes() {
      if (packed) ({ bytes } = compressTournament(packed, 'fast'))
      packed = undefined
      return bytes
    },
  }
}

/** Decodes a frame written by this version. */
export const unpackTournament = ({ bytes }: TournamentFrame): Unchecked<TournamentRows> =>
  unpackFrame(Bun.zstdDecompressSync(bytes))

/** The parts of a frame as stored in a file. */
const partsOf = ({ digest, bytes }: Pick<TournamentFrame, 'digest' | 'bytes'>): Uint8Array[] => {
  const start = Buffer.alloc(digestBytes)
  start.writeBigUInt64LE(digest)
  return [start, bytes]
}

/** Hashes of frames by their bytes: hashing a league of 10,000 fights takes 30 ms. */
const hashes = new WeakMap<Uint8Array, string>()

/** Name of a frame in the head of a file. */
export const nameFrame = (frame: TournamentFrame): FrameName => {
  const { id, bytes } = frame
  const known = hashes.get(bytes)
  const hash = known ?? sha256(partsOf(frame)).toString('base64url')
  if (known === undefined) hashes.set(bytes, hash)
  return [id, hash, digestBytes + bytes.length]
}

/** A frame with its length, as stored in a file. */
export const encodeFrame = (frame: TournamentFrame): Uint8Array[] => {
  const parts = partsOf(frame)
  return [lengthOf(parts), ...parts]
}

/** The frame of this name from its bytes without the length; undefined if the bytes do not match the name. */
export const decodeFrame = (
  [id, hash, length]: FrameName,
  bytes: Buffer,
): TournamentFrame | undefined => {
  if (bytes.length !== length || sha256([bytes]).toString('base64url') !== hash) return undefined
  const rows = bytes.subarray(digestBytes)
  hashes.set(rows, hash)
  return { id, digest: bytes.readBigUInt64LE(0), bytes: rows }
}

export const byID = (a: { readonly id: string }, b: { readonly id: string }): number =>
  compareTexts(a.id, b.id)

/** Bytes between syncs; a slow memory card writes them in less than a second. */
const syncEveryBytes = 8 * 2 ** 20

/** Writes head and frames. Yields to the event loop between frames. */
const writeFile = async (
  file: DiskFile,
  head: SnapshotHead,
  frames: readonly TournamentFrame[],
): Promise<{ digest: string; sizeBytes: number }> => {
  const names: FrameName[] = []
  const slice = createTimeSlice()
  for (const frame of frames) {
    names.push(nameFrame(frame))
    if (slice.isOver()) await slice.next()
  }
  const { head: bytes, sizeBytes } = encodeHead(head, names)
  await file.write(bytes, 0)
  let end = bytes.length
  let synced = 0
  for (const frame of frames) {
    for (const part of encodeFrame(frame)) {
      await file.write(part, end)
      end += part.length
    }
    // Synced in parts, because other writes wait for a sync.
    if (end - synced < syncEveryBytes) continue
    await file.datasync()
    synced = end
  }
  return { digest: bytes.toString('hex', hashedHeaderBytes, headerBytes), sizeBytes }
}

/**
 * Writes a snapshot atomically: a temporary file is synced and renamed, then the folder is synced. Throws a {@link
 * SnapshotError}; the previous file then stays.
 */
export const writeFrames = async (
  path: string,
  head: SnapshotHead,
  tournaments: readonly TournamentFrame[],
  { mode = 0o666 }: { readonly mode?: number } = {},
): Promise<{ digest: string; sizeBytes: number }> => {
  try {
    return await replaceFile(path, { temporary: temporaryPath(path), mode }, (file) =>
      writeFile(file, head, tournaments.toSorted(byID)),
    )
  } catch (error) {
    throw new SnapshotError(`snapshot ${path} cannot be written: ${whyOf(error)}`)
  }
}

/** {@link writeFrames} for rows, with the best compression. */
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

/** Decoder of the compressed frames of a file with these columns; `refuse` throws for an invalid one. */
export const frameDecoder = (
  columns: Preface['columns'],
  refuse: (why: string) => never,
  /** Unpacks zstd. */
  inflate: (bytes: Uint8Array) => Uint8Array = Bun.zstdDecompressSync,
) => {
  const { isOwn, decode } = frameReader(columns, refuse)
  const orRefuse =
    (read: FrameReader['decode']): FrameReader['decode'] =>
    (bytes) => {
      try {
        return read(bytes)
      } catch {
        return refuse('has an invalid frame')
      }
    }
  return {
    isOwn,
    decode: orRefuse((frame) => decode(inflate(frame))),
    /** Decodes a frame that is unpacked already. */
    decodeUnpacked: orRefuse(decode),
  }
}

/** Number of frames that other threads unpack at a time. */
const framesAhead = 8

/** Verifies the bytes of a snapshot; `refuse` throws for an invalid one. */
const parseSnapshot = (bytes: Buffer, refuse: (why: string) => never): Snapshot => {
  checkStart(bytes, bytes.length, refuse)
  const { capturedAt, digest, preface, cages: packedCages, length } = parseHead(bytes, refuse)
  const { isOwn, decode, decodeUnpacked } = frameDecoder(preface.columns, refuse)
  let end = length
  const entries = preface.frames.map((name): SnapshotTournament => {
    const start = end + lengthBytes
    end = start + name[2]
    const isLength = bytes.readUInt32LE(start - lengthBytes) === name[2]
    const frame = isLength ? decodeFrame(name, bytes.subarray(start, end)) : undefined
    if (!frame) return refuse('is damaged: its checksum does not match')
    return {
      rows: () => decode(frame.bytes),
      digest: frame.digest,
      frame: isOwn ? frame : undefined,
      stored: { name, bytes: frame.bytes },
    }
  })
  const { cages, cageQueue } = decode(packedCages)
  const orDamaged = (unpacked: Uint8Array | undefined): Unchecked<TournamentRows> =>
    decodeUnpacked(unpacked ?? refuse('has an invalid frame'))
  return {
    capturedAt,
    digest,
    origin: preface.origin,
    cages: { cages, cageQueue },
    tournamentCount: entries.length,
    entries,
    *tournaments() {
      for (const { rows } of entries) yield rows()
    },
    async *loaded(isWanted = () => true) {
      const wanted = entries.filter(isWanted)
      const waiting = wanted.values()
      const ahead = waiting.take(framesAhead).map(unpackEntry).toArray()
      for (const entry of wanted) {
        const unpacked = await ahead.shift()
        const next = waiting.next()
        if (!next.done) ahead.push(unpackEntry(next.value))
        yield { entry, rows: orDamaged(unpacked) }
      }
    },
  }
}

/** Unpacks bytes on another thread; undefined if they are not zstd. */
const unpackAside = (bytes: Uint8Array): Promise<Uint8Array | undefined> =>
  Bun.zstdDecompress(bytes).catch(() => undefined)
const unpackEntry = ({ stored }: SnapshotTournament) => unpackAside(stored.bytes)

/** Reads and verifies a snapshot. Throws a {@link SnapshotError} for an invalid file. */
export const readSnapshot = async (path: string): Promise<Snapshot> => {
  const refuse = (why: string): never => {
    throw new SnapshotError(`snapshot ${path} ${why}`)
  }
  const check = (start: Buffer, sizeBytes: number) => checkStart(start, sizeBytes, refuse)
  const bytes = await readWhole(path, { check }).catch((error: unknown) => {
    if (error instanceof SnapshotError) throw error
    return refuse(`cannot be read: ${whyOf(error)}`)
  })
  return parseSnapshot(bytes, refuse)
}

import { type Static, Type } from '@sinclair/typebox'
import { compiled } from '../../runtime/once.ts'
import type { CageRows } from './rows.ts'
import { ownLayout, packFrame, SnapshotLayout } from './snapshotLayout.ts'

/**
 * The head of a snapshot: everything before the frames of the tournaments. Integers little-endian:
 *
 *     0  8   magic "CAGESIDE"
 *     8  4   format version
 *     12 8   capture time, Unix seconds
 *     20 8   length of everything from byte 60 on
 *     28 32  SHA-256 of the other bytes of the head
 *     60     two frames, each 4 bytes of length and that many bytes: the {@link Preface} (JSON), and the
 *            state of the cages (zstd-compressed msgpack)
 *
 * The preface names each following frame with its SHA-256. So the head proves the whole file, equal
 * tournaments have equal names, and a reader that has all but one of them needs no other bytes.
 */
export const magic = Buffer.from('CAGESIDE', 'latin1')
export const formatVersion = 5
export const minFormatVersion = 4
export const hashedHeaderBytes = 28
export const headerBytes = 60
export const lengthBytes = 4
/** End of the year 9999, as for every time in a row. */
const maxCapturedAt = 253_402_300_799

/** Position in the database at which the rows were read, so that a reader can continue from there. */
export const Origin = Type.Object({
  databaseIdentity: Type.String({ maxLength: 256 }),
  systemIdentifier: Type.String({ maxLength: 512 }),
  mark: Type.String({ pattern: '^[0-9]{1,20}$' }),
  /** Ids of tournaments added while others were held back. */
  addedSinceLoss: Type.Optional(Type.Array(Type.String())),
  /** Id, stamp and stamp digest per tournament. */
  seen: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
})
export type Origin = Static<typeof Origin>

/** Id of a tournament, SHA-256 (base64url) and length in bytes of its frame. */
const FrameName = Type.Tuple([
  Type.String(),
  Type.String({ pattern: '^[\\w-]{43}$' }),
  Type.Integer({ minimum: 8, maximum: 2 ** 32 - 1 }),
])
export type FrameName = Static<typeof FrameName>

/** The first frame. */
export const Preface = Type.Object({
  columns: SnapshotLayout,
  origin: Type.Optional(Origin),
  frames: Type.Array(FrameName),
})
export type Preface = Static<typeof Preface>
const prefaceCheck = compiled(Preface)

export interface SnapshotHead extends CageRows {
  /** Unix seconds at which the rows were read. */
  readonly capturedAt: number
  readonly origin?: Origin
}

export const lengthOf = (parts: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.alloc(lengthBytes)
  bytes.writeUInt32LE(parts.reduce((sum, { length }) => sum + length, 0))
  return bytes
}

export const sha256 = (parts: readonly Uint8Array[]): Buffer => {
  const hash = new Bun.CryptoHasher('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The head of a file with these frames, in their order, and the size of that file. */
export const encodeHead = (
  { capturedAt, cages, cageQueue, origin }: SnapshotHead,
  frames: readonly FrameName[],
): { readonly head: Buffer; readonly sizeBytes: number } => {
  const preface = { columns: ownLayout, ...(origin && { origin }), frames: [...frames] }
  const parts = [
    Buffer.from(JSON.stringify(preface satisfies Preface)),
    Bun.zstdCompressSync(packFrame({ cages, cageQueue }), { level: 12 }),
  ].flatMap((part) => [lengthOf([part]), part])
  const rest = frames.reduce((sum, [, , length]) => sum + lengthBytes + length, 0)
  const payloadBytes = rest + parts.reduce((sum, { length }) => sum + length, 0)
  const header = Buffer.alloc(headerBytes)
  magic.copy(header)
  header.writeUInt32LE(formatVersion, 8)
  header.writeBigUInt64LE(BigInt(capturedAt), 12)
  header.writeBigUInt64LE(BigInt(payloadBytes), 20)
  sha256([header.subarray(0, hashedHeaderBytes), ...parts]).copy(header, hashedHeaderBytes)
  return { head: Buffer.concat([header, ...parts]), sizeBytes: headerBytes + payloadBytes }
}

/** Size of a file as its header says, from at least {@link headerBytes} bytes. */
export const declaredBytes = (bytes: Buffer): number =>
  headerBytes + Number(bytes.readBigUInt64LE(20))

/** Length of the head as far as these first bytes show it; complete once there are that many bytes. */
export const headLength = (bytes: Buffer): number => {
  let end = headerBytes
  for (let frame = 0; frame < 2; frame += 1) {
    end += lengthBytes
    if (bytes.length < end) return end
    end += bytes.readUInt32LE(end - lengthBytes)
  }
  return end
}

const parsePreface = (frame: Uint8Array): Preface | undefined => {
  try {
    const preface: unknown = JSON.parse(new TextDecoder().decode(frame))
    return prefaceCheck().Check(preface) ? preface : undefined
  } catch {
    return undefined
  }
}

/** A head with a valid checksum, as stored in a file. */
export interface ParsedHead {
  readonly capturedAt: number
  /** SHA-256 in hex; equal contents have equal digests. */
  readonly digest: string
  readonly preface: Preface
  /** The state of the cages, packed. */
  readonly cages: Uint8Array
  /** Bytes of the head. */
  readonly length: number
  /** Bytes of the file. */
  readonly sizeBytes: number
}

/**
 * Checks the first bytes of any snapshot: magic, whole header, known version. `refuse` throws, with the
 * reason as the rest of a sentence.
 */
export const checkHeader = (bytes: Buffer, refuse: (why: string) => never): void => {
  if (bytes.length < magic.length || !bytes.subarray(0, magic.length).equals(magic)) {
    refuse('is not a Cageside snapshot')
  }
  if (bytes.length < headerBytes) refuse('is cut off in its header')
  const version = bytes.readUInt32LE(8)
  if (version < minFormatVersion || version > formatVersion) {
    const age = version < minFormatVersion ? 'an older' : 'a newer'
    const known = `${minFormatVersion} to ${formatVersion}`
    refuse(`has ${age} format, ${version}; this program reads ${known}`)
  }
}

/** Checks the first bytes of a file against its size. */
export const checkStart = (
  start: Buffer,
  sizeBytes: number,
  refuse: (why: string) => never,
): void => {
  checkHeader(start, refuse)
  const [declared, found] = [declaredBytes(start) - headerBytes, sizeBytes - headerBytes]
  if (declared !== found) refuse(`should hold ${declared} bytes of data and holds ${found}`)
}

/** Parses the head of a file of the current version, from at least {@link headLength} bytes. */
export const parseHead = (bytes: Buffer, refuse: (why: string) => never): ParsedHead => {
  const length = headLength(bytes)
  if (length > bytes.length) return refuse('is damaged: its head has no end')
  const parts = bytes.subarray(headerBytes, length)
  const hash = sha256([bytes.subarray(0, hashedHeaderBytes), parts])
  if (!hash.equals(bytes.subarray(hashedHeaderBytes, headerBytes))) {
    return refuse('is damaged: its checksum does not match')
  }
  const capturedAt = Number(bytes.readBigUInt64LE(12))
  if (capturedAt > maxCapturedAt) return refuse('has an invalid capture time')
  const prefaceEnd = lengthBytes + parts.readUInt32LE(0)
  const preface =
    parsePreface(parts.subarray(lengthBytes, prefaceEnd)) ??
    refuse('does not name its columns and frames')
  const sizeBytes = preface.frames.reduce((sum, [, , size]) => sum + lengthBytes + size, length)
  if (declaredBytes(bytes) !== sizeBytes) {
    return refuse('is damaged: its frames do not fill it')
  }
  return {
    capturedAt,
    digest: hash.toString('hex'),
    preface,
    cages: parts.subarray(prefaceEnd + lengthBytes),
    length,
    sizeBytes,
  }
}

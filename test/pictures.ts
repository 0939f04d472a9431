/** Headers of pictures with a size, for programs that only read headers. */

const text = (value: string): readonly number[] => [...Buffer.from(value, 'latin1')]
const uint16 = (value: number): readonly number[] => [value >> 8, value & 255]
const uint32 = (value: number): readonly number[] => [
  ...uint16(Math.floor(value / 65_536)),
  ...uint16(value & 65_535),
]

export const segment = (marker: number, content: readonly number[]): readonly number[] => [
  0xff,
  marker,
  ...uint16(content.length + 2),
  ...content,
]

/** An EXIF segment with this orientation, in either byte order, filled up with a thumbnail's bytes. */
const exif = (orientation: number, isLittleEndian: boolean, fill: number): readonly number[] => {
  const order = (bytes: readonly number[]) => (isLittleEndian ? bytes.toReversed() : bytes)
  const directory = [
    ...order(uint16(2)),
    // The width of the thumbnail, then the orientation.
    ...[0x0100, 3].flatMap((value) => order(uint16(value))),
    ...[...order(uint32(1)), ...order(uint16(160)), 0, 0],
    ...[0x0112, 3].flatMap((value) => order(uint16(value))),
    ...[...order(uint32(1)), ...order(uint16(orientation)), 0, 0],
    ...[0, 0, 0, 0],
  ]
  return segment(0xe1, [
    ...text('Exif\0\0'),
    ...text(isLittleEndian ? 'II' : 'MM'),
    ...order(uint16(42)),
    ...order(uint32(8)),
    ...directory,
    ...Array.from({ length: fill }, () => 0xff),
  ])
}

export const jpeg = (
  width: number,
  height: number,
  {
    orientation,
    isLittleEndian = false,
    fill = 0,
    isProgressive = false,
    before = [],
  }: {
    orientation?: number
    isLittleEndian?: boolean
    fill?: number
    isProgressive?: boolean
    /** Bytes before the EXIF segment. */
    before?: readonly number[]
  } = {},
): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    0xff,
    0xd8,
    ...segment(0xe0, [...text('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...before,
    ...(orientation === undefined ? [] : exif(orientation, isLittleEndian, fill)),
    ...segment(
      0xdb,
      Array.from({ length: 65 }, () => 1),
    ),
    ...segment(isProgressive ? 0xc2 : 0xc0, [8, ...uint16(height), ...uint16(width), 1, 1, 17, 0]),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
    ...Array.from({ length: 200 }, () => 0x55),
    0xff,
    0xd9,
  ])

export const png = (width: number, height: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...[0x89, ...text('PNG\r\n'), 0x1a, 0x0a],
    ...[...uint32(13), ...text('IHDR'), ...uint32(width), ...uint32(height), 8, 2, 0, 0, 0],
    ...[0, 0, 0, 0],
  ])

/** A WebP with an extended header, as used for metadata or transparency. */
export const webp = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const uint24 = (value: number) => [value & 255, (value >> 8) & 255, value >> 16]
  return new Uint8Array([
    ...[...text('RIFF'), 22, 0, 0, 0, ...text('WEBPVP8X'), 10, 0, 0, 0],
    ...[0, 0, 0, 0, ...uint24(width - 1), ...uint24(height - 1)],
  ])
}

const box = (type: string, content: readonly number[]): readonly number[] => [
  ...uint32(content.length + 8),
  ...text(type),
  ...content,
]

export const avif = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const version = [0, 0, 0, 0]
  const sizes = box('ipco', box('ispe', [...version, ...uint32(width), ...uint32(height)]))
  const associations = box('ipma', [...version, ...uint32(1), 0, 1, 1, 1])
  const meta = [
    ...version,
    ...box('pitm', [...version, 0, 1]),
    ...box('iprp', [...sizes, ...associations]),
  ]
  return new Uint8Array([
    ...box('ftyp', [...text('avif'), ...version, ...text('avifmif1')]),
    ...box('meta', meta),
  ])
}

import { describe, expect, test } from 'bun:test'
import { Packr } from 'msgpackr/pack'
import { packFrame, unpackedBytes, unpackFrame } from '../../../src/data/source/snapshotLayout.ts'

const textsOf = (packed: Uint8Array): unknown => unpackFrame(packed).texts

describe('bytes that unpacking takes', () => {
  /** Number of bytes of the length, and of other bytes before the payload, in the specification of msgpack. */
  const tokens: readonly (readonly [token: number, lengthBytes: number, otherBytes: number])[] = [
    ...[0x00, 0x3f, 0xc0, 0xc2, 0xc3, 0xe0, 0xff].map((token) => [token, 0, 0] as const),
    ...[1, 2, 4].flatMap((size, index) => [
      [0xc4 + index, size, 0] as const,
      [0xc7 + index, size, 1] as const,
      [0xd9 + index, size, 0] as const,
    ]),
    ...[4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17].map(
      (size, index) => [0xca + index, 0, size] as const,
    ),
  ]
  const lengthOf = (bytes: number, length: number): number[] =>
    Array.from({ length: bytes }, (_, index) => (index === bytes - 1 ? length : 0))
  /** Empty arrays, each an object of 64 bytes: a misread token before them would change their number. */
  const arrays = (count: number): number[] => Array.from({ length: count }, () => 0x90)

  test.each(tokens)(
    'the unpacked size of token %d, whose payload is no value, is right',
    (token, lengthBytes, otherBytes) => {
      const payload = arrays(lengthBytes === 0 ? otherBytes : otherBytes + 5)
      const packed = [token, ...lengthOf(lengthBytes, 5), ...payload, ...arrays(20)]
      expect(unpackedBytes(Buffer.from(packed))).toBe(packed.length + 20 * 64)
    },
  )
  test.each([0xa0, 0xa5, 0xbf])(
    'the unpacked size of a short text, token %d, is right',
    (token) => {
      const packed = [token, ...arrays(token - 0xa0), ...arrays(20)]
      expect(unpackedBytes(Buffer.from(packed))).toBe(packed.length + 20 * 64)
    },
  )
  test.each([0x40, 0x7f, 0x80, 0x8f, 0x90, 0x9f])(
    'the unpacked size of record, map or array %d is right',
    (token) => {
      expect(unpackedBytes(Buffer.of(token, ...arrays(3)))).toBe(4 + 4 * 64)
    },
  )
  test.each([
    [0xdc, 2],
    [0xdd, 4],
    [0xde, 2],
    [0xdf, 4],
  ])('the unpacked size of a long map or array, token %d, is right', (token, lengthBytes) => {
    const packed = [token, ...lengthOf(lengthBytes, 3), ...arrays(3)]
    expect(unpackedBytes(Buffer.from(packed))).toBe(packed.length + 4 * 64 + 3 * 8)
    // The number of values is bounded by the bytes that follow.
    const claimed = [token, ...lengthOf(lengthBytes, 255), ...arrays(3)]
    expect(unpackedBytes(Buffer.from(claimed))).toBe(claimed.length + 4 * 64 + claimed.length * 8)
  })
})

describe('texts of a frame', () => {
  const texts = [
    '',
    'Axe',
    'axe',
    'Ünïcödé',
    'Unicode',
    'x'.repeat(31),
    'y'.repeat(32),
    'z'.repeat(64),
    'ü'.repeat(32),
    'w'.repeat(65),
    'long '.repeat(60),
    '\u{1f916} robot',
    '\ufffd',
  ]

  test('texts of a frame are as written, whatever was read before', () => {
    const packed = new Packr().pack({ texts: [...texts, ...texts] })
    const others = new Packr().pack({ texts: texts.map((text) => text.replaceAll('e', 'o')) })
    for (const read of [packed, others, packed]) unpackFrame(read)
    expect(textsOf(packed)).toEqual([...texts, ...texts])
    expect(textsOf(others)).toEqual(texts.map((text) => text.replaceAll('e', 'o')))
  })

  test('a text with an invalid UTF-8 byte has a replacement character, not the letter with that code', () => {
    const padding = 'p'.repeat(200)
    const valid = new Packr().pack({ texts: ['caf\u00e9s', padding] })
    const plain = new Packr().pack({ texts: ['cafeXs', padding] })
    const broken = Uint8Array.from(plain)
    broken.set([0xe9], Buffer.from(plain).indexOf('eXs'))
    for (const read of [valid, plain]) unpackFrame(read)
    expect(textsOf(broken)).toEqual(['caf\ufffdXs', padding])
    expect(textsOf(broken)).toEqual(['caf\ufffdXs', padding])
    expect(textsOf(valid)).toEqual(['caf\u00e9s', padding])
  })

  test('two texts with the same hash stay apart, even if one has the bytes of the other', () => {
    // A search found these texts, which have the same hash in UTF-8.
    const short = 'þwg珫É㔀q怀'
    const long = Buffer.from(short).toString('latin1')
    for (const text of [long, short, long])
      expect(textsOf(new Packr().pack({ texts: [text] }))).toEqual([text])
  })

  test('a frame that redefines a record type does so only for itself', () => {
    const rows = { cages: [], cageQueue: [] }
    const packed = packFrame(rows)
    const types = Array.from({ length: 31 }, (_, index) => ({ [`column${index}`]: index }))
    const defining = new Packr().pack({ types })
    unpackFrame(defining)
    expect(unpackFrame(packed)).toEqual(rows)
    expect(() => unpackFrame(Uint8Array.of(...defining, 0))).toThrow()
    expect(unpackFrame(packed)).toEqual(rows)
    expect(packFrame(rows)).toEqual(packed)
  })

  test('a frame that ends early is refused', () => {
    const packed = new Packr().pack({ texts: ['a'.repeat(200), 'the last text of the frame'] })
    expect(() => unpackFrame(packed.subarray(0, -3))).toThrow()
  })
})

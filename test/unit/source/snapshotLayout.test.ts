import { describe, expect, test } from 'bun:test'
import { Packr } from 'msgpackr/pack'
import { packFrame, unpackFrame } from '../../../src/source/snapshotLayout.ts'

const textsOf = (packed: Uint8Array): unknown => unpackFrame(packed).texts

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

  test('are as they were written, whatever was read before', () => {
    const packed = new Packr().pack({ texts: [...texts, ...texts] })
    const others = new Packr().pack({ texts: texts.map((text) => text.replaceAll('e', 'o')) })
    for (const read of [packed, others, packed]) unpackFrame(read)
    expect(textsOf(packed)).toEqual([...texts, ...texts])
    expect(textsOf(others)).toEqual(texts.map((text) => text.replaceAll('e', 'o')))
  })

  test('with a byte that is no UTF-8 have a replacement for it, not a letter with that code', () => {
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

  test('that define a type of record anew do so for themselves alone', () => {
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

  test('that end early are refused', () => {
    const packed = new Packr().pack({ texts: ['a'.repeat(200), 'the last text of the frame'] })
    expect(() => unpackFrame(packed.subarray(0, -3))).toThrow()
  })
})

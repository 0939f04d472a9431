import { describe, expect, test } from 'bun:test'
import { pictureSize } from '../../../src/derived/media/pictureSize.ts'
import { avif, jpeg, png, segment, webp } from '../../pictures.ts'

describe('pictureSize', () => {
  test.each([
    ['a JPEG', jpeg(6000, 4000)],
    ['a progressive JPEG', jpeg(6000, 4000, { isProgressive: true })],
    ['a PNG', png(6000, 4000)],
    ['a WebP', webp(6000, 4000)],
    ['an AVIF', avif(6000, 4000)],
  ])('pictureSize reads %s', (_, bytes) => {
    expect(pictureSize(bytes)).toEqual({ width: 6000, height: 4000 })
  })

  test.each([
    [
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 400" width="6000" height="4000">',
      6000,
      4000,
    ],
    ["\ufeff<?xml version=\"1.0\"?>\n<!-- a > b -->\n<svg\n width = '59.6px' height='40'>", 60, 40],
    [
      '<!DOCTYPE svg><svg stroke-width="9" width="100%" height="100%" viewBox="0,0, 30 20">',
      30,
      20,
    ],
    ['<svg viewBox="0 0 30 20">', 30, 20],
  ])('pictureSize reads the SVG %s', (text, width, height) => {
    expect(pictureSize(Buffer.from(text))).toEqual({ width, height })
  })
  test.each([
    '<svg>',
    '<svg width="0" height="0">',
    '<svg width="1e9" height="10em">',
    '<svg width="60" height="40"',
    '<!DOCTYPE html><p>Not found</p><svg width="24" height="24">',
    `<!--${'<!--'.repeat(16_000)}`,
    `<svg ${'width='.repeat(10_000)}`,
  ])('pictureSize reads no size of %.60s', (text) => {
    const started = performance.now()
    expect(pictureSize(Buffer.from(text))).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(100)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('pictureSize applies EXIF orientation %i', (orientation) => {
    const isTurned = orientation >= 5
    const expected = isTurned ? { width: 4000, height: 6000 } : { width: 6000, height: 4000 }
    for (const isLittleEndian of [false, true]) {
      const bytes = jpeg(6000, 4000, { orientation, isLittleEndian })
      expect(pictureSize(bytes)).toEqual(expected)
    }
  })
  test('pictureSize ignores EXIF without a byte order', () => {
    const bytes = jpeg(60, 40, { orientation: 6 })
    const at = Buffer.from(bytes).indexOf('MM')
    expect(pictureSize(bytes.with(at, 0x20))).toEqual({ width: 60, height: 40 })
  })
  test.each([
    ['Huffman tables', segment(0xc4, [0, 0])],
    ['an extension', segment(0xc8, [0, 0])],
    ['arithmetic tables', segment(0xcc, [0, 0])],
    ['fill bytes', [0xff, 0xff, 0xff]],
    ['an empty segment', segment(0xfe, [])],
  ])('pictureSize applies an orientation after %s', (_, before) => {
    const bytes = jpeg(60, 40, { orientation: 6, before })
    expect(pictureSize(bytes)).toEqual({ width: 40, height: 60 })
  })
  test('an unknown orientation leaves width and height', () => {
    expect(pictureSize(jpeg(60, 40, { orientation: 99 }))).toEqual({ width: 60, height: 40 })
  })
  test('an orientation after the frame is ignored', () => {
    const [plain, turned] = [jpeg(60, 40), jpeg(60, 40, { orientation: 6 })]
    const exif = turned.subarray(20, 20 + turned.length - plain.length)
    const scan = plain.length - 212
    const late = new Uint8Array([...plain.subarray(0, scan), ...exif, ...plain.subarray(scan)])
    expect(pictureSize(late)).toEqual({ width: 60, height: 40 })
  })
  test('the size may follow a large EXIF segment', () => {
    const bytes = jpeg(6000, 4000, { orientation: 6, fill: 60_000 })
    expect(pictureSize(bytes)).toEqual({ width: 4000, height: 6000 })
    expect(pictureSize(bytes.subarray(0, 60_000))).toBeUndefined()
  })
  test('only entries within the EXIF segment count, and only markers begin segments', () => {
    const turned = jpeg(60, 40, { orientation: 6 })
    const length = turned.subarray(4, 6)
    const cut = new Uint8Array(turned)
    // The segment ends within its only entry.
    cut.set([0, 8 + 8 + 2 + 4], 4)
    expect(length.length).toBe(2)
    expect(pictureSize(cut)).toEqual({ width: 60, height: 40 })
  })
  test('pictureSize reads a view into other bytes', () => {
    const bytes = new Uint8Array([1, 2, 3, ...jpeg(60, 40, { orientation: 6 })]).subarray(3)
    expect(pictureSize(bytes)).toEqual({ width: 40, height: 60 })
  })

  test.each([
    ['nothing', new Uint8Array()],
    ['a page', Buffer.from('<!doctype html><svg width="5" height="5"></svg>')],
    ['zeros', new Uint8Array(65_536)],
    ['a JPEG without a frame', jpeg(6000, 4000).subarray(0, 30)],
    ['a PNG without a width', png(0, 4000)],
    ['a JPEG without a height', jpeg(6000, 0)],
  ])('%s has no size', (_, bytes) => {
    expect(pictureSize(bytes)).toBeUndefined()
  })

  test('pictureSize never throws, and gives only whole numbers of pixels', () => {
    const seeds = [
      jpeg(6000, 4000, { orientation: 6, isLittleEndian: true }),
      png(60, 40),
      webp(60, 40),
      avif(60, 40),
    ]
    let random = 7
    const next = (below: number): number => {
      random = (random * 1_664_525 + 1_013_904_223) % 2 ** 32
      return Math.floor((random / 2 ** 32) * below)
    }
    let found = 0
    for (let round = 0; round < 20_000; round += 1) {
      const bytes = new Uint8Array(seeds[round % seeds.length] ?? [])
      for (let changes = next(4); changes >= 0; changes -= 1) bytes[next(bytes.length)] = next(256)
      const size = pictureSize(bytes.subarray(0, next(bytes.length + 1)))
      if (!size) continue
      found += 1
      expect(Number.isInteger(size.width) && size.width > 0).toBe(true)
      expect(Number.isInteger(size.height) && size.height > 0).toBe(true)
    }
    expect(found).toBeGreaterThan(1000)
  })

  test('entries in a circle are read once', () => {
    const bytes = new Uint8Array(65_536)
    bytes.set([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xf0, ...Buffer.from('Exif\0\0MM\0*\0\0\0\u0008')])
    bytes.fill(0xff, 20)
    expect(pictureSize(bytes)).toBeUndefined()
    const directoryAtItself = jpeg(60, 40, { orientation: 6 })
    directoryAtItself.set([0, 0, 0, 0], 34)
    expect(pictureSize(directoryAtItself)).toEqual({ width: 60, height: 40 })
  })
})

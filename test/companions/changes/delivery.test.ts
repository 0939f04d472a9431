import { describe, expect, test } from 'bun:test'
import { chunkOf, slowest } from '../../../src/companions/changes/delivery.ts'
import type { Entry } from '../../../src/companions/changes/entry.ts'
import { isDelivered } from '../../../src/companions/changes/hub.ts'

const epoch = 'abcdefgh1234'
const entry = (seq: number, length: number): Entry => ({
  seq,
  id: `${epoch}-${seq}`,
  type: 'fight.ended',
  bots: [],
  tournaments: [],
  text: 'x'.repeat(length),
})
const pageOf = (...lengths: readonly number[]) => ({
  entries: lengths.map((length, index) => entry(index + 1, length)),
  place: { epoch, seq: 99 },
  more: false,
  version: 'version',
})

describe('a chunk of a stream', () => {
  test.each([
    ['changes up to 64 KiB', [30_000, 30_000, 30_000], 2],
    ['one change, however large', [100_000, 10], 1],
    ['the changes before a large one', [10, 100_000], 1],
  ])('a chunk has %s, and the next one goes on after it', (_, lengths, sent) => {
    const { place, bytes } = chunkOf(pageOf(...lengths))
    expect(place).toEqual({ epoch, seq: sent })
    const text = new TextDecoder().decode(bytes)
    expect([...text.matchAll(/^id: \w+-(\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual(
      Array.from({ length: sent }, (_, index) => index + 1),
    )
  })

  test('a chunk with all changes of a page ends at the place of the page', () => {
    const { place, bytes } = chunkOf(pageOf(30_000, 30_000))
    expect(place).toEqual({ epoch, seq: 99 })
    expect(new TextDecoder().decode(bytes)).toEndWith(`\n\nid: ${epoch}-99\n\n`)
  })
})

test('an empty page is delivered when it is due, any other at once', () => {
  expect(isDelivered(pageOf(), { dueMs: 10 }, 9)).toBe(false)
  expect(isDelivered(pageOf(), { dueMs: 10 }, 10)).toBe(true)
  expect(isDelivered(pageOf(1), { dueMs: 10 }, 9)).toBe(true)
})

test.each([
  ['one', 50, ['b']],
  ['one that just suffices', 100, ['b']],
  ['as few as suffice', 150, ['b', 'd']],
  ['all if they do not suffice', 1000, ['b', 'd', 'a']],
])('the readers that wait longest are cut: %s', (_, bytes, expected) => {
  const readers = [
    { name: 'a', unreadBytes: 100, sentMs: 3 },
    { name: 'b', unreadBytes: 100, sentMs: 1 },
    { name: 'c', unreadBytes: 0, sentMs: 0 },
    { name: 'd', unreadBytes: 100, sentMs: 2 },
  ]
  expect(slowest(readers, bytes).map(({ name }) => name)).toEqual(expected)
})

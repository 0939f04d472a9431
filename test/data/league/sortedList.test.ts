import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { intersect, positionAfter } from '../../../src/data/league/sortedList.ts'

const sortedNumbers = fc
  .uniqueArray(fc.nat(300), { maxLength: 200 })
  .map((numbers) => numbers.sort((a, b) => a - b))

describe('positionAfter', () => {
  test('positionAfter is the first place at or after a given one whose entry does not come before', () => {
    fc.assert(
      fc.property(sortedNumbers, fc.nat(310), fc.nat(220), (list, wanted, from) => {
        const expected = list.findIndex((number, index) => index >= from && number >= wanted)
        const end = Math.max(from, list.length)
        expect(positionAfter(list, (number) => number < wanted, from)).toBe(
          expected < 0 ? end : expected,
        )
      }),
    )
  })
})

describe('intersect', () => {
  const compare = (a: number, b: number) => a - b
  test('intersect keeps the entries of every list, in order', () => {
    fc.assert(
      fc.property(fc.array(sortedNumbers, { minLength: 1, maxLength: 4 }), (lists) => {
        const [first = [], ...others] = lists
        expect(intersect(lists, compare)).toEqual(
          first.filter((number) => others.every((list) => list.includes(number))),
        )
      }),
    )
  })
  test('intersect of no lists is empty', () => {
    expect(intersect<number>([], compare)).toEqual([])
  })
})

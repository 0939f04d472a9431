import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { draw } from '../../../src/legacy/draw.ts'

/** Every sequence of choices that a draw can be given, and what it draws. */
const allDraws = <T>(list: readonly T[], count: number): (readonly T[])[] => {
  const drawn: (readonly T[])[] = []
  const explore = (choices: readonly number[]): void => {
    const asked: number[] = []
    const result = draw(list, count, (n) => {
      asked.push(n)
      return choices[asked.length - 1] ?? 0
    })
    const next = asked[choices.length]
    if (next === undefined) drawn.push(result)
    else for (let choice = 0; choice < next; choice += 1) explore([...choices, choice])
  }
  explore([])
  return drawn
}

describe('a draw', () => {
  test('gives every arrangement exactly once over all choices', () => {
    for (const [size, count, arrangements] of [
      [5, 3, 60],
      [5, 5, 120],
      [4, 1, 4],
      [3, 9, 6],
    ] as const) {
      const drawn = allDraws([...'abcde'].slice(0, size), count).map((each) => each.join(''))
      expect(drawn).toHaveLength(arrangements)
      expect(new Set(drawn).size).toBe(arrangements)
    }
  })

  test('of nothing, or of no entries, is empty', () => {
    const never = (): never => {
      throw new Error('nothing is to be chosen')
    }
    expect(draw([], 10, never)).toEqual([])
    expect(draw([1, 2], 0, never)).toEqual([])
  })

  test('never gives an entry twice, and asks no more than it draws', () => {
    fc.assert(
      fc.property(
        fc.nat(200),
        fc.nat(20),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true })),
        (size, count, stream) => {
          const list = Array.from({ length: size }, (_, index) => index)
          let asked = 0
          const drawn = draw(list, count, (n) => {
            asked += 1
            return Math.floor((stream.next().value ?? 0) * n)
          })
          expect(new Set(drawn).size).toBe(Math.min(size, count))
          expect(drawn.every((entry) => list.includes(entry))).toBe(true)
          expect(asked).toBe(Math.min(size, count))
        },
      ),
    )
  })
})

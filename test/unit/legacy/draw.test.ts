import { describe, expect, test } from 'bun:test'
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
})

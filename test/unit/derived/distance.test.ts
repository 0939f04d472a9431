import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { editDistances } from '../../../src/derived/distance.ts'

/** The whole table of edits, row by row, as textbooks have it. */
const tableOf = (text: string, name: string): number[][] => {
  const table = [Array.from({ length: name.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= text.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= name.length; j += 1) {
      const at = (up: number, left: number) => (up === 0 ? row : table[i - up])?.[j - left] ?? 999
      const isSwap = i > 1 && j > 1 && text[i - 1] === name[j - 2] && text[i - 2] === name[j - 1]
      row.push(
        Math.min(
          at(1, 1) + (text[i - 1] === name[j - 1] ? 0 : 1),
          at(1, 0) + 1,
          at(0, 1) + 1,
          isSwap ? at(2, 2) + 1 : 999,
        ),
      )
    }
    table.push(row)
  }
  return table
}

describe('editDistances', () => {
  test.each([
    ['wynk', 'wynk', 0, 0],
    ['wnyk', 'wynk', 1, 1],
    ['wyn', 'wynk', 1, 0],
    ['wynkk', 'wynk', 1, 1],
    ['gond', 'gondola', 3, 0],
    ['godn', 'gondola', Number.POSITIVE_INFINITY, 1],
    ['', 'ab', 2, 0],
    ['abcdef', 'uvwxyz', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('%s and %s: %d whole, %d to a beginning', (text, name, whole, beginning) => {
    expect(editDistances(text, name, 3)).toEqual({ whole, beginning })
  })

  test('are those of the whole table, as far as they count', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
    fc.assert(
      fc.property(word, word, fc.nat(4), (text, name, most) => {
        const last = tableOf(text, name)[text.length] ?? []
        const within = (edits: number) => (edits <= most ? edits : Number.POSITIVE_INFINITY)
        expect(editDistances(text, name, most)).toEqual({
          whole: within(last[name.length] ?? 999),
          beginning: within(Math.min(...last)),
        })
      }),
      { numRuns: 2000 },
    )
  })
})

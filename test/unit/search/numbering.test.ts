import { expect, test } from 'bun:test'
import { createNumbering } from '../../../src/search/numbering.ts'

test('a bot whose entry is replaced keeps its new number when the old one is retired', () => {
  const numbering = createNumbering<object>()
  const [first, second] = [numbering.take('axe'), numbering.take('axe')]
  numbering.retire('axe', first)
  expect(numbering.numberOf('axe')).toBe(second)
  expect(numbering.retired()).toEqual([first])
  numbering.free(first)
  expect(numbering.retired()).toEqual([])
  expect(numbering.take('bolt')).toBe(first)
  numbering.retire('axe', second)
  expect(numbering.numberOf('axe')).toBeUndefined()
})

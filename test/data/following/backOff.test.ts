import { expect, test } from 'bun:test'
import { delayAfter } from '../../../src/data/following/backOff.ts'

test('retry delays double with each failure up to 30 s, and equal the setting without failures', () => {
  expect([0, 1, 2, 3, 4, 9].map((failures) => delayAfter(2000, failures))).toEqual([
    ...[2000, 4000, 8000, 16_000, 30_000, 30_000],
  ])
  expect([0, 1, 3].map((failures) => delayAfter(3_600_000, failures))).toEqual([
    3_600_000, 4000, 16_000,
  ])
  expect(delayAfter(100, 1)).toBe(200)
  expect(delayAfter(2000, 9, 5000)).toBe(5000)
})

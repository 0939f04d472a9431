import { expect, test } from 'bun:test'
import { dateTime, unixTime } from '../../../scripts/import/values.ts'

const noon = Date.UTC(2026, 2, 14, 12) / 1000

test.each([
  ['2026-03-14T12:00:00Z', noon],
  ['2026-03-14 12:00', noon],
  ['2026-03-14T12:00:00-05:00', noon + 5 * 3600],
  ['2026-03-14T12:00:00+0530', noon - 5.5 * 3600],
  ['2026-03-14', noon - 12 * 3600],
  ['2026-02-29', null],
  ['2026-03-14T12:00:00+14:00', noon - 14 * 3600],
  ['2026-03-14T12:00:00+99:99', null],
  ['2026-03-14T12:00:00-05:60', null],
  ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1) / 1000],
  ['2026-03-14T12:00:61Z', null],
  ['0000-00-00 00:00:00', null],
])('the time %s is %p', (text, unix) => {
  expect(dateTime(text)).toBe(unix)
})

test.each([
  [1_770_000_000, 1_770_000_000],
  ['1770000000250', 1_770_000_000.25],
  [99_999_999_999, 99_999_999_999],
  [100_000_000_000, 100_000_000],
  [0, null],
  [-1, null],
])('the time %p is %p', (value, unix) => {
  expect(unixTime(value)).toBe(unix)
})

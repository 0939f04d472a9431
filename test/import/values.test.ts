import { expect, test } from 'bun:test'
import {
  dateTime,
  fileNumber,
  folderNumber,
  isFileNumber,
  isFolderNumber,
  record,
  records,
  stableNumber,
  unixTime,
  wholePounds,
} from '../../scripts/import/values.ts'

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

test.each([
  [folderNumber('film.mp4'), true, true],
  [2 ** 51, true, true],
  [2 ** 52 - 1, true, true],
  [fileNumber('film.mp4'), true, false],
  [3 * 2 ** 51, true, false],
  [stableNumber('film.mp4'), false, false],
  [2 ** 52, false, false],
  [3 * 2 ** 51 - 1, false, false],
  [2 ** 51 - 1, false, false],
  [`${fileNumber('film.mp4')}`, false, false],
  [`${folderNumber('film.mp4')}`, false, false],
])('the number %p of a recording is of a file: %p, of a folder: %p', (id, isOfFile, isOfFolder) => {
  expect([isFileNumber(id), isFolderNumber(id)]).toEqual([isOfFile, isOfFolder])
})

test.each([[[1]], [[{ id: 1 }]], [null], ['text'], [undefined]])(
  'the value %p is no object',
  (value) => {
    expect(record(value)).toEqual({})
    expect(records([value, { id: 2 }])).toEqual([{ id: 2 }])
  },
)

test.each([
  [0, 0],
  [0.3, 1],
  [1.5, 2],
  [2.4, 2],
])('a class of %p pounds is one of %p', (pounds, whole) => {
  expect(wholePounds(pounds)).toBe(whole)
})

import { expect, test } from 'bun:test'
import { clockText, readMoment } from '../../../src/companions/pages/browser/moment.ts'

test.each([
  ['72', 72],
  ['72s', 72],
  ['3.5', 3.5],
  ['-3.5', -3.5],
  ['1:12', 72],
  ['1m12s', 72],
  ['2m', 120],
  ['1:02:03', 3723],
  ['1h2m3s', 3723],
  ['-1:12', -72],
  ['', 0],
  ['soon', 0],
  ['12x', 0],
  ['+5', 0],
])('the moment %p in a URL is %p s', (text, seconds) => {
  expect(readMoment(text)).toBe(seconds)
})

test.each([
  [0, '0:00.0'],
  [9.94, '0:09.9'],
  [59.96, '1:00.0'],
  [72.5, '1:12.5'],
  [3600, '60:00.0'],
  [-15, '−0:15.0'],
  [-0.01, '0:00.0'],
])('the clock at %p s is %p', (seconds, text) => {
  expect(clockText(seconds)).toBe(text)
})

import { expect, test } from 'bun:test'
import { clockText, plainText } from '../../../src/companions/feeds/text.ts'

test('half a character is replaced, and so is a character that no format can hold', () => {
  expect(plainText('a\ud800b')).toBe('a\ufffdb')
  expect(plainText(' a\u0000\u2028\r\nb\uffff ')).toBe('a b')
})

test.each([
  [0, '0:00'],
  [65, '1:05'],
  [3599, '59:59'],
  [3600, '1:00:00'],
  [36_061, '10:01:01'],
])('%d seconds are %s', (seconds, text) => {
  expect(clockText(seconds)).toBe(text)
})

import { expect, test } from 'bun:test'
import { csvLine } from '../../src/api/csv.ts'

test.each([...'=+-@\t\r\n＝＋－＠'])('a text that begins with %j is no formula', (first) => {
  expect(csvLine([`${first}1+1`]).replace(/^"/, '')).toStartWith(`'${first}1+1`)
})

test.each(['a,b', 'a"b', 'a\rb', 'a\nb', '\r', ','])('the cell %j is quoted', (text) => {
  const [, quoted = ''] = /^"(.*)"\n$/s.exec(csvLine([text])) ?? []
  expect(quoted.replaceAll('""', '"').replace(/^'/, '')).toBe(text)
})

test('CSV joins lists, leaves missing values empty and writes negative numbers as numbers', () => {
  expect(csvLine([[3, 12], null, undefined, 0, -1.5, false, 'x'])).toBe('3 12,,,0,-1.5,false,x\n')
})

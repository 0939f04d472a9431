import { expect, test } from 'bun:test'
import { rangeOf } from '../../../src/http/ranges.ts'

test('a range of more than 200 characters is ignored', () => {
  const rangeWith = (length: number) =>
    rangeOf(new Headers({ range: `bytes=${'0'.repeat(length - 8)}1-` }), { etag: '"a"', size: 9 })
  expect([rangeWith(200), rangeWith(201)]).toEqual([{ start: 1, end: 9 }, 'whole'])
})

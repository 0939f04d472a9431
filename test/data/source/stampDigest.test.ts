import { expect, test } from 'bun:test'
import { type Part, stampDigestOf } from '../../../src/data/source/stampDigest.ts'
import { childTables } from '../../../src/data/source/tables.ts'

const nothing: Part = { rows: 0, stamps: 0 }

test('the digest of stamps differs by table, number of rows and sum', () => {
  const parts: Part[] = [
    { rows: 1, stamps: 5 },
    { rows: 1, stamps: 6 },
    { rows: 2, stamps: 5 },
  ]
  const digests = childTables.flatMap((table) =>
    parts.map((part) => stampDigestOf(new Map([[table, part]]))),
  )
  expect(new Set([...digests, '']).size).toBe(1 + childTables.length * parts.length)
})

test('tables without rows are left out of the digest of stamps', () => {
  const [first, second] = childTables
  if (!first || !second) throw new Error('no tables')
  expect(stampDigestOf(new Map([[first, nothing]]))).toBe('')
  const one: Part = { rows: 1, stamps: 5 }
  expect(
    stampDigestOf(
      new Map([
        [second, one],
        [first, nothing],
      ]),
    ),
  ).toBe(stampDigestOf(new Map([[second, one]])))
})

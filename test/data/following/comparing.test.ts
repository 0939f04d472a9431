import { expect, test } from 'bun:test'
import { createComparing, currentAfter } from '../../../src/data/following/fromPostgres.ts'

test('the share to compare grows with time, is due from 64 tournaments on, and is whole after the period', () => {
  let now = 0
  const due = createComparing(1000, () => now)
  now = 320
  expect(due(199).share).toBe(0)
  expect(due(200).share).toBe(0.32)
  now = 999
  expect(due(10).share).toBe(0)
  now = 5000
  expect(due(10).share).toBe(1)
})

test('twice as many tournaments must be due while commits wait, and all are after the period', () => {
  let now = 0
  const due = createComparing(1000, () => now)
  now = 400
  expect(due(200).share).toBe(0.4)
  expect(due(200, true).share).toBe(0)
  now = 640
  expect(due(200, true).share).toBe(0.64)
  expect(due(100, true).share).toBe(0)
  now = 1000
  expect(due(100, true).share).toBe(1)
})

test('a share that a failed refresh did not compare stays due', () => {
  let now = 1000
  const due = createComparing(1000, () => now)
  now = 2000
  due(10)
  expect(due(10).share).toBe(1)
  due(10).compared()
  expect(due(10).share).toBe(0)
})

test('a standby is as old as its last replayed commit, but never older than before', () => {
  const read = (isCurrent: boolean, replayedUntil: number | null, before?: number) =>
    currentAfter({ isCurrent, replayedUntil }, 5000, before, 1_770_000_000_000)
  expect(currentAfter(undefined, 5000, 4000)).toBe(5000)
  expect(read(true, 1_769_999_998, 4000)).toBe(5000)
  expect(read(false, 1_769_999_998)).toBe(3000)
  expect(read(false, 1_769_999_998, 2000)).toBe(3000)
  // A primary that is idle has no newer commit.
  expect(read(false, 1_769_000_000, 4000)).toBe(4000)
  expect(read(false, 1_770_000_009)).toBe(5000)
  expect(read(false, null, 4000)).toBe(4000)
})

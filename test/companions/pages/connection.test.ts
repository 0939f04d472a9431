import { expect, test } from 'bun:test'
import {
  ageOf,
  ageText,
  type Connection,
  isOld,
  stateOf,
} from '../../../src/companions/pages/browser/connection.ts'

const live: Connection = { answeredMs: 0, ageSeconds: 1 }

test.each([
  ['answers', live, 10_000, 'live', 11, false],
  ['no answer for 15 s', { ...live, ageSeconds: 0 }, 15_000, 'live', 15, false],
  ['no answer for 16 s', live, 16_000, 'reconnecting', 17, true],
  ['no answer for 60 s', live, 60_000, 'reconnecting', 61, true],
  ['no answer for 61 s', live, 61_000, 'lost', 62, true],
  ['an answer with old data', { answeredMs: 5000, ageSeconds: 300 }, 6000, 'old', 301, true],
] as const)('a connection has its state after %s', (_, connection, nowMs, state, age, old) => {
  expect([stateOf(connection, nowMs), ageOf(connection, nowMs), isOld(connection, nowMs)]).toEqual([
    state,
    age,
    old,
  ])
})

test.each([
  [0.4, '0 s'],
  [89, '89 s'],
  [90, '2 min'],
  [5399, '90 min'],
  [5400, '2 h'],
  [36_000, '10 h'],
  [47 * 3600, '47 h'],
  [48 * 3600, '2 days'],
  [200_000, '2 days'],
])('an age of %p seconds is shown as %p', (seconds, text) => {
  expect(ageText(seconds)).toBe(text)
})

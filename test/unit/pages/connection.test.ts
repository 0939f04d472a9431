import { expect, test } from 'bun:test'
import {
  ageOf,
  ageText,
  type Connection,
  isOld,
  stateOf,
  stepConnection,
} from '../../../src/pages/browser/connection.ts'

const live: Connection = { answeredMs: 0, ageSeconds: 1, hasFailed: false }
const failed = stepConnection(live, undefined, 10_000)

test.each([
  ['answers', live, 10_000, 'live', 11, false],
  ['no answer for 16 s', live, 16_000, 'reconnecting', 17, true],
  ['a failure', failed, 10_000, 'reconnecting', 11, false],
  ['a failure, 20 s after the last answer', failed, 20_000, 'reconnecting', 21, true],
  ['a failure, 60 s after the last answer', failed, 60_000, 'reconnecting', 61, true],
  ['a failure, 61 s after the last answer', failed, 61_000, 'lost', 62, true],
  ['an answer after a failure', stepConnection(failed, 0, 70_000), 71_000, 'live', 1, false],
  ['an answer with old data', stepConnection(live, 300, 5_000), 6_000, 'old', 301, true],
] as const)('after %s', (_, connection, nowMs, state, age, old) => {
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
])('%p seconds are %p', (seconds, text) => {
  expect(ageText(seconds)).toBe(text)
})

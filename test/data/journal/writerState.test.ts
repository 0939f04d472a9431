import { expect, test } from 'bun:test'
import { type Attempt, step, type WriterState } from '../../../src/data/journal/writerState.ts'

const locked: Attempt = { kind: 'locked' }
const failed = (isKept = false): Attempt => ({ kind: 'failed', reason: 'full', isKept })

test.each<[string, readonly (readonly [Attempt, atMs: number])[], boolean]>([
  [
    'waits 15 s for another process',
    [
      [locked, 1000],
      [locked, 9000],
      [locked, 16_000],
    ],
    false,
  ],
  [
    'waits no longer than 15 s, however often it asked',
    [
      [locked, 1000],
      [locked, 9000],
      [locked, 16_001],
    ],
    true,
  ],
  [
    'starts the wait again after a write',
    [
      [locked, 0],
      [{ kind: 'written' }, 9000],
      [locked, 16_000],
    ],
    false,
  ],
  ['keeps its lines at a first failure', [[failed(), 0]], false],
  [
    'drops its lines at a second failure',
    [
      [failed(), 0],
      [failed(), 1],
    ],
    true,
  ],
  [
    'drops no written lines',
    [
      [failed(), 0],
      [failed(true), 1],
    ],
    false,
  ],
  [
    'keeps its lines at a failure after a wait',
    [
      [locked, 0],
      [failed(), 1],
    ],
    false,
  ],
])('a writer %s', (_, attempts, isLost) => {
  let state: WriterState = { kind: 'writing' }
  for (const [attempt, atMs] of attempts) state = step(state, attempt, atMs)
  expect('isLost' in state && state.isLost).toBe(isLost)
})

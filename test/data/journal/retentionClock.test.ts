import { expect, test } from 'bun:test'
import { step, todayOf } from '../../../src/data/journal/retentionClock.ts'

const day = 86_400_000
const clock = { reachedMs: 10 * day, wallMs: 10 * day, monotonicMs: 0 }

test.each([
  ['follows the system clock', [[11, 1, 11, 11]]],
  [
    'follows a clock that jumps ahead at twice the speed of the monotonic clock, and back at once',
    [
      [1000, 1, 12, 12],
      [11, 1, 11, 12],
    ],
  ],
  [
    'is never ahead of a clock that is set back, and remembers what it had reached',
    [[7, 1, 7, 10]],
  ],
  ['stops while the monotonic clock goes back', [[20, -1, 10, 10]]],
])('the retention clock %s', (_, steps) => {
  let now = clock
  for (const [wall = 0, steady = 0, today, reached = 0] of steps) {
    now = step(now, wall * day, steady * day)
    expect(todayOf(now)).toBe(today ?? 0)
    expect(now.reachedMs).toBe(reached * day)
  }
})

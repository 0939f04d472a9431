import { describe, expect, test } from 'bun:test'
import { createRetentionClock } from '../../../src/usage/retentionClock.ts'

const day = 86_400_000

describe('the retention clock', () => {
  test('follows the clock of the system', () => {
    const clock = createRetentionClock(10 * day, 10 * day, 0)
    expect(clock.advance(11 * day, day)).toBe(11 * day)
    expect(clock.now()).toBe(11 * day)
  })

  test('follows one that jumps ahead at twice the speed of the steady clock', () => {
    const clock = createRetentionClock(10 * day, 10 * day, 0)
    clock.advance(1000 * day, day)
    expect(clock.now()).toBe(12 * day)
    // The jump is over: nothing was lost.
    clock.advance(11 * day, day)
    expect(clock.now()).toBe(11 * day)
  })

  test('is never ahead of a clock that is set back, and remembers where it was', () => {
    const clock = createRetentionClock(10 * day, 10 * day, 0)
    expect(clock.advance(7 * day, 1)).toBe(10 * day)
    expect(clock.now()).toBe(7 * day)
  })

  test('stands still where the steady clock goes back', () => {
    const clock = createRetentionClock(10 * day, 20 * day, 5 * day)
    expect(clock.advance(20 * day, 4 * day)).toBe(10 * day)
  })
})

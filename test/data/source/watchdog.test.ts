import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { createWatchdog } from '../../../src/data/source/watchdog.ts'

let timeouts = 0
const open = () =>
  createWatchdog(100, () => {
    timeouts += 1
  })
beforeEach(() => {
  timeouts = 0
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})
const pass = (ms: number): void => void jest.advanceTimersByTime(ms)

test('a query without an answer times out, however many follow it', () => {
  const watchdog = open()
  watchdog.started()
  pass(60)
  watchdog.started()
  pass(39)
  expect(timeouts).toBe(0)
  pass(1)
  expect(timeouts).toBe(1)
})

test('each answer restarts the time of the next query, and no time runs without a query', () => {
  const watchdog = open()
  watchdog.started()
  watchdog.started()
  pass(99)
  watchdog.finished()
  pass(99)
  expect(timeouts).toBe(0)
  watchdog.finished()
  pass(1000)
  expect(timeouts).toBe(0)
  watchdog.started()
  pass(100)
  expect(timeouts).toBe(1)
})

test('nothing times out after a stop', () => {
  const watchdog = open()
  watchdog.started()
  watchdog.stop()
  pass(1000)
  watchdog.finished()
  watchdog.started()
  pass(1000)
  expect(timeouts).toBe(0)
})

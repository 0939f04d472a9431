import { describe, expect, test } from 'bun:test'
import { createClientHasher } from '../../../src/usage/client.ts'

const midnight = Date.UTC(2026, 2, 15)
const hourMs = 3_600_000

describe('the key of a day', () => {
  const opened = () =>
    createClientHasher({ nowMs: midnight - hourMs, rotation: 'day', keyPath: undefined })

  test('is one, also when events come late or the clock goes back a little', () => {
    const clients = opened()
    const names = [1, -1, 3, -hourMs, 2 * hourMs].map((ms) =>
      clients.hash(midnight + ms, '192.0.2.1', 'agent'),
    )
    expect(new Set(names).size).toBe(1)
  })

  test('is another the day before and after', () => {
    const clients = opened()
    const names = [-hourMs, 1, 24 * hourMs, -48 * hourMs].map((ms) =>
      clients.hash(midnight + ms, '192.0.2.1', 'agent'),
    )
    expect(new Set(names).size).toBe(4)
  })
})

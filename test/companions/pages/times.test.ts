import { expect, test } from 'bun:test'
import { relative } from '../../../src/companions/pages/times.ts'

const [minute, hour, day] = [60, 3600, 86_400]

test.each([
  [0, 'now'],
  [59, 'now'],
  [minute, '1 minute ago'],
  [hour - 1, '59 minutes ago'],
  [47 * hour, '47 hours ago'],
  [2 * day, '2 days ago'],
  [61 * day, '2 months ago'],
  [800 * day, '2 years ago'],
  [-90, 'in 1 minute'],
  [-3 * hour, 'in 3 hours'],
  [-12.5 * day, 'in 12 days'],
])('a time %d seconds ago is "%s"', (after, words) => {
  expect(relative(1_770_000_000, 1_770_000_000 + after).value).toBe(words)
})

test('the words for a time hold exactly until the given end', () => {
  for (let now = -3 * day; now < 3 * day; now += 977) {
    const { value, validUntil } = relative(0, now)
    expect(validUntil).toBeGreaterThan(now)
    expect([now, relative(0, validUntil - 1).value]).toEqual([now, value])
    expect([now, relative(0, validUntil).value]).not.toEqual([now, value])
  }
})

import { expect, test } from 'bun:test'
import { calibrationOf } from '../../../src/derived/ratings/calibration.ts'

test('fights without a likelier corner count as half won, even if all winners are red', () => {
  const fights = (count: number, chance: number, wins: number) =>
    Array.from({ length: count }, (_, index) => ({
      chances: [chance, 0.5, 0.5],
      redWon: index < wins,
    }))
  const [even] = calibrationOf([...fights(30, 0.5, 30), ...fights(10, 0.55, 6)]).bins
  expect(even?.fights).toBe(40)
  expect(even?.observed).toBeCloseTo((15 + 6) / 40)
})

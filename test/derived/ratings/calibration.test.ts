import { expect, test } from 'bun:test'
import { addFight, calibrationOf, newSums } from '../../../src/derived/ratings/calibration.ts'

test('fights without a likelier corner count as half won, also where all winners are red', () => {
  const sums = newSums()
  for (let fight = 0; fight < 30; fight += 1) addFight(sums, [0.5, 0.5, 0.5], true)
  for (let fight = 0; fight < 10; fight += 1) addFight(sums, [0.55, 0.5, 0.5], fight < 6)
  const [even] = calibrationOf(sums).bins
  expect(even?.fights).toBe(40)
  expect(even?.observed).toBeCloseTo((15 + 6) / 40)
})

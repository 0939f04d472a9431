import { expect, test } from 'bun:test'
import { bandCoverage, knownLeagues } from '../../knownStrengths.ts'

test('95 % bands hold 93 to 97 % of strengths that are known', () => {
  const shares = knownLeagues.map(bandCoverage)
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
  expect(mean).toBeGreaterThan(0.93)
  expect(mean).toBeLessThan(0.97)
})

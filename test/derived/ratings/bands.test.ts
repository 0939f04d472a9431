import { expect, test } from 'bun:test'
import { bandCoverages, gainByTeams, knownLeagues } from '../../knownStrengths.ts'

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

test('95 % bands hold 93 to 97 % of known strengths in leagues of each kind', () => {
  for (const share of bandCoverages()) {
    expect(share).toBeGreaterThan(0.93)
    expect(share).toBeLessThan(0.97)
  }
})

test('95 % bands hold 92 to 97 % after 30 years, with more fights than estimates are learned from', () => {
  const share = meanOf(bandCoverages({ length: 4 }, 2))
  expect(share).toBeGreaterThan(0.92)
  expect(share).toBeLessThan(0.97)
})

test('95 % bands hold 93 to 97 % over leagues whose teams share a strength', () => {
  const share = meanOf(bandCoverages({ team: 0.8 }))
  expect(share).toBeGreaterThan(0.93)
  expect(share).toBeLessThan(0.97)
})

test('teams that share a strength help to predict new bots, and others do no harm', () => {
  const gainOf = (team: number) =>
    meanOf(knownLeagues.map((league) => gainByTeams({ ...league, team })))
  expect(gainOf(0)).toBeGreaterThan(-0.0005)
  expect(gainOf(0.8)).toBeGreaterThan(0.001)
})

import { expect, test } from 'bun:test'
import { bandCoverage, gainByTeams, knownLeagues } from '../../knownStrengths.ts'

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

test.each([0, 0.8])(
  '95 %% bands hold 93 to 97 %% of known strengths, of teams that share %d',
  (team) => {
    const mean = meanOf(knownLeagues.map((league) => bandCoverage({ ...league, team })))
    expect(mean).toBeGreaterThan(0.93)
    expect(mean).toBeLessThan(0.97)
  },
)

test('teams that share a strength foretell their new bots, others cost nothing', () => {
  const gainOf = (team: number) =>
    meanOf(knownLeagues.map((league) => gainByTeams({ ...league, team })))
  expect(gainOf(0)).toBeGreaterThan(-0.0005)
  expect(gainOf(0.8)).toBeGreaterThan(0.001)
})

import { expect, test } from 'bun:test'
import { layOutBrackets } from '../../../src/companions/pages/events/bracketLayout.ts'
import { buildTournament } from '../../../src/data/league/build.ts'
import { bracketOf, type GameSpec } from '../../brackets.ts'

const layoutOf = (...specs: readonly GameSpec[]) =>
  layOutBrackets(buildTournament(bracketOf(4, specs)))

test('a circle of games has no line back: a note names the earlier game', () => {
  const { links } = layoutOf(['W-0', 0, 'W-1', 'p0'], ['W-1', 0, 'W-0', 'p1'])
  expect(links).toHaveLength(2)
  for (const { source, to } of links) expect(source?.column ?? -1).toBeLessThan(to.column)
})

test('the first rounds of a bracket are its first column, whatever their number', () => {
  const { games } = layoutOf(['W-0', 5, 'p0', 'p1'], ['W-1', 9, 'W-0', 'p2'])
  expect(games.map(({ column }) => column)).toEqual([0, 1])
})

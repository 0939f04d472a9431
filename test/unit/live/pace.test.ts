import { expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { buildTournament } from '../../../src/league/build.ts'
import { leaguePast, type Past } from '../../../src/live/pace.ts'
import type { GameRow } from '../../../src/source/rows.ts'
import { isPublic } from '../../../src/source/visibility.ts'
import { atOnce } from '../../../src/timeSlice.ts'

const over = [...generateLeague({ seed: 1, scale: 'sample' }).tournaments]
  .filter(({ tournament }) => isPublic(tournament) && !tournament.active)
  .slice(0, 3)

/** The past with a change of each fight that is done. */
const pastWith = (change: Partial<GameRow>): Past =>
  atOnce(
    leaguePast(
      over.map((rows) =>
        buildTournament({
          ...rows,
          games: rows.games.map((game) => (game.state === 'done' ? { ...game, ...change } : game)),
        }),
      ),
    ),
  )

test('a league is measured again where what counts of its past fights changes', () => {
  const past = pastWith({})
  expect(pastWith({ notice: 'corrected' })).toBe(past)
  expect(pastWith({})).toBe(past)
  const moved = pastWith({ cage: 'Cage 9' })
  expect(moved).not.toBe(past)
  expect(moved.days).not.toEqual(past.days)
  expect(pastWith({})).not.toBe(moved)
})

import { expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { buildTournament } from '../../../src/league/build.ts'
import { errorSteps } from '../../../src/live/errors.ts'
import { leaguePast, type Past, pastOf } from '../../../src/live/pace.ts'
import type { GameRow } from '../../../src/source/rows.ts'
import { isPublic } from '../../../src/source/visibility.ts'
import { atOnce } from '../../../src/timeSlice.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const overOf = (seed: number) =>
  [...generateLeague({ seed, scale: 'sample' }).tournaments].filter(
    ({ tournament }) => isPublic(tournament) && !tournament.active,
  )
const over = overOf(1).slice(0, 3)

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

test('the first event of a league is measured with each change, and once', () => {
  const [first, other] = overOf(1).map((rows) => {
    const { info, ...built } = buildTournament(rows)
    return { ...built, info: { ...info, active: true } }
  })
  if (!first || !other) throw new Error('the league has no events')
  const past = atOnce(pastOf([first]))
  expect(past.pace.gaps.length).toBeGreaterThan(20)
  expect(atOnce(pastOf([first]))).toBe(past)
  const changed = atOnce(pastOf([{ ...first }]))
  expect(changed).not.toBe(past)
  expect(changed.pace).toEqual(past.pace)
  expect(atOnce(pastOf([first, other])).pace).not.toEqual(past.pace)
})

test('a pace is within days and cages, without breaks', () => {
  let start = 1_770_000_000
  const days = [
    [100, 5000, 200, 300, 6000, 400],
    [100, 110, 120, 130],
    [100, 300, 500, 700],
  ].map((gaps, day) => {
    start += 86_400
    const fights = [0, ...gaps].map((gap, index) => {
      start += gap + 60
      return fightRows(
        { id: `W-${index}`, startTime: start - 60, stopTime: start },
        `${index}a`,
        `${index}b`,
      )
    })
    const players = fights.flatMap(({ slots }) =>
      slots.map(({ playerId }) => ({ id: playerId ?? '' })),
    )
    return buildTournament(tournamentOf({ id: `${day}` }, players, fights))
  })
  // By hand: means of the days are 250, 115 and 400, variances 16,667, 167 and 66,667.
  expect(atOnce(leaguePast(days)).pace).toMatchObject({
    length: 60,
    gap: 255,
    spread: 200,
    priorGaps: expect.closeTo(2.08229, 4),
  })
})

test('where all of a few days were late, a start far ahead can be early nevertheless', () => {
  const before = Date.parse('2026-01-10') / 1000
  const first = overOf(2).map(buildTournament)
  const past = atOnce(leaguePast(first.filter(({ info }) => (info.startUnix ?? 0) < before)))
  const errors = atOnce(errorSteps(past))
  expect(errors.length).toBeGreaterThan(4)
  expect(Math.max(...errors.map(({ early }) => early))).toBeLessThan(0)
})

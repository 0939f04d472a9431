import { expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { buildTournament } from '../../../src/league/build.ts'
import { errorSteps } from '../../../src/live/errors.ts'
import { leaguePast, type Past, pastOf, presentOf } from '../../../src/live/pace.ts'
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

test.each([0, 1, 2, 3])(
  'the pace of the first day of a league with %i cages is finite',
  (cages) => {
    const day = tournamentOf(
      { id: 'first' },
      [{ id: 'axe' }, { id: 'saw' }],
      Array.from({ length: 4 * cages }, (_, at) => {
        const startTime = 1_770_000_000 + 300 * at
        return fightRows(
          { id: `W-${at}`, cage: `Cage ${at % cages}`, startTime, stopTime: startTime + 180 },
          'axe',
          'saw',
        )
      }),
    )
    const { pace } = atOnce(leaguePast([buildTournament(day)]))
    const values = Object.values(pace).flatMap((each) =>
      typeof each === 'number' ? each : [...each],
    )
    expect(values.filter((each) => !Number.isFinite(each))).toEqual([])
  },
)

test('where all of a few days were late, a start far ahead can be early nevertheless', () => {
  const before = Date.parse('2026-01-10') / 1000
  const first = overOf(2).map(buildTournament)
  const past = atOnce(leaguePast(first.filter(({ info }) => (info.startUnix ?? 0) < before)))
  const errors = atOnce(errorSteps(past))
  expect(errors.length).toBeGreaterThan(4)
  expect(Math.max(...errors.map(({ early }) => early))).toBeLessThan(0)
})

test('the day of an event whose clock is ahead is cut at each moment, and kept once it is over', () => {
  const start = 1_770_000_000
  const rows = tournamentOf(
    { id: 'ahead', active: true },
    [{ id: 'axe' }, { id: 'saw' }],
    [0, 1, 2, 3].map((at) => {
      const startTime = start + 600 * at
      return fightRows({ id: `W-${at}`, startTime, stopTime: startTime + 100 }, 'axe', 'saw')
    }),
  )
  const tournaments = [buildTournament(rows)]
  const dayAt = (seconds: number) => presentOf(tournaments, start + seconds).day
  const timesAt = (seconds: number) =>
    dayAt(seconds).spans.map((span) => [span.start - start, (span.stop ?? 0) - start])
  const whole = dayAt(3000)
  const first = [0, 100]
  expect(timesAt(650)).toEqual([first, [600, 650], [650, 650], [650, 650]])
  expect(timesAt(630)).toEqual([first, [600, 630], [630, 630], [630, 630]])
  // As one that was cut is no other time's.
  expect(dayAt(3000)).toBe(whole)
  expect(dayAt(1900)).toBe(whole)
})

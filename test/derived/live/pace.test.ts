import { expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { buildTournament } from '../../../src/data/league/build.ts'
import type { GameRow } from '../../../src/data/source/rows.ts'
import { isPublic } from '../../../src/data/source/visibility.ts'
import { errorSteps } from '../../../src/derived/live/errors.ts'
import {
  daysOf,
  leaguePast,
  type Past,
  pastOf,
  presentOf,
  quantile,
  remaining,
  repairOf,
  spansOf,
  withoutBreaks,
} from '../../../src/derived/live/pace.ts'
import { atOnce } from '../../../src/runtime/timeSlice.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const overOf = (seed: number) =>
  [...generateLeague({ seed, scale: 'sample' }).tournaments].filter(
    ({ tournament }) => isPublic(tournament) && !tournament.active,
  )
const over = overOf(1).slice(0, 3)

/** The past with a change of each done fight. */
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

test('a league is measured again only if a relevant part of its past fights changes', () => {
  const past = pastWith({})
  expect(pastWith({ notice: 'corrected' })).toBe(past)
  expect(pastWith({})).toBe(past)
  const moved = pastWith({ cage: 'Cage 9' })
  expect(moved).not.toBe(past)
  expect(moved.days).not.toEqual(past.days)
  expect(pastWith({})).not.toBe(moved)
})

test('the first event of a league is measured once per change', () => {
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

test('a far start can be early even if all of a few days were late', () => {
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
  // A cut day is not reused for another time.
  expect(dayAt(3000)).toBe(whole)
  expect(dayAt(1900)).toBe(whole)
})

const sorted = (...values: readonly number[]) => Float64Array.from(values)

test('a quantile is the value below which its share of the list is', () => {
  const list = sorted(10, 20, 30, 40)
  expect([0, 0.24, 0.25, 0.5, 1].map((share) => quantile(list, share))).toEqual([
    10, 10, 20, 30, 40,
  ])
  expect([quantile(list, 0.5, 2), quantile(sorted(), 0.5)]).toEqual([40, 0])
})

test.each([
  ['of the longer durations', [10, 20, 30, 40], 10, 1, 20],
  ['less the elapsed time', [10, 20, 30, 40], 25, 1, 15],
  ['times the scale', [10, 20, 30, 40], 50, 2, 30],
  ['of all durations if none lasted so long', [10, 20, 30, 40], 40, 1, 30],
  ['of all durations times the scale', [10, 20, 30, 40], 80, 2, 60],
])('the remaining time is the median %s', (_, values, elapsed, scale, left) => {
  expect(remaining(sorted(...values), elapsed, scale)).toBe(left)
})

test('the remaining time is the median of all if less than a fiftieth lasted so long', () => {
  const values = sorted(...Array.from({ length: 101 }, (_, index) => index))
  // Three of 101 values are above 97, two above 98.
  expect([remaining(values, 97), remaining(values, 98)]).toEqual([2, 50])
})

test('breaks are gaps of more than three times the median', () => {
  expect([...withoutBreaks([30, 91, 10, 90, 20])]).toEqual([10, 20, 30, 90])
})

test.each([
  ['the shortest tenth of the league', [500, 900], [], 500],
  ['the shortest tenth of this day, if that is shorter', [500, 900], [400, 900], 400],
  ['the shortest tenth of this day, if the league has none', [], [400], 400],
  ['an hour at most', [4000], [5000], 3600],
  ['an hour if nothing is known', [], [], 3600],
])('the repair of a bot takes %s', (_, league, today, seconds) => {
  const { pace } = pastWith({})
  expect(repairOf({ ...pace, rests: sorted(...league) }, sorted(...today))).toBe(seconds)
})

const begin = 1_770_000_000
const hours = 3600
const bots = Array.from({ length: 40 }, (_, index) => ({ id: `p${index}` }))
/** A fight of 60 s in a cage, of bots that fight in no other by default. */
const short = (id: number, cage: number, at: number, row: Partial<GameRow> = {}, red = id) => {
  const startTime = begin + at
  const game = { startTime, stopTime: startTime + 60, endTime: null, ...row }
  return fightRows({ id: `W-${id}`, cage: `Cage ${cage}`, ...game }, `p${red}`, `p${39 - id}`)
}
const eventOf = (...fights: readonly ReturnType<typeof fightRows>[]) =>
  buildTournament(tournamentOf({ id: 'event' }, bots, fights))

test('the pace of a league follows from the fights, cages and bots of its days', () => {
  const event = eventOf(
    // The first cage has gaps of 100, 200 and 300 s, each further cage 100 s more.
    short(0, 1, 0),
    short(1, 1, 160, { calledSince: begin + 120 }),
    short(2, 1, 420, { scheduledTime: begin + 120 }),
    // The bot of the first fight has rested for 720 s.
    short(3, 1, 780, {}, 0),
    ...[0, 260, 620, 1080].map((at, index) => short(4 + index, 2, at)),
    ...[0, 360, 820, 1380].map((at, index) => short(8 + index, 3, at)),
    // No gap, rest or wait lasts over the night to the next day. A forfeit has no duration.
    short(12, 1, 24 * hours, { calledSince: begin, scheduledTime: begin }, 0),
    short(13, 2, 24 * hours, { stopTime: begin + 24 * hours }),
  )
  const { days, pace } = atOnce(leaguePast([event]))
  expect(days.map(({ length }) => length)).toEqual([12, 2])
  expect(pace).toEqual({
    durations: sorted(...Array.from({ length: 13 }, () => 60)),
    length: 60,
    gaps: sorted(100, 200, 200, 300, 300, 300, 400, 400, 500),
    gap: 300,
    // The quartiles of the first day are 200 and 400 s.
    spread: 200,
    // The variance within a cage is 10,000; the variance of the means 200, 300 and 400 s is 10,000 less a third of it.
    priorGaps: 1.5,
    rests: sorted(720),
    leads: sorted(40),
    delays: sorted(300),
  })
})

test('breaks count neither for the gaps of the league nor for the variance within cages', () => {
  const cages = [1, 2, 3].flatMap((cage) =>
    [0, 160, 420, 780, 9000].map((at, index) =>
      short(5 * (cage - 1) + index, cage, at + 100 * index * (cage - 1)),
    ),
  )
  // A cage with one gap has no variance.
  const other = [short(16, 4, 0), short(17, 4, 360)]
  const { pace } = atOnce(leaguePast([eventOf(...cages, ...other)]))
  expect([pace.gaps.length, pace.gap, pace.priorGaps]).toEqual([10, 300, 1.5])
})

test('a gap is shorter than a night of four hours, and starts further apart are on two days', () => {
  const [first, second] = [short(0, 1, 0), short(1, 1, 4 * hours + 60, {}, 0)]
  const pastOfGap = (seconds: number) =>
    atOnce(leaguePast([eventOf(first, short(1, 1, 60 + seconds, {}, 0))])).pace
  expect([...pastOfGap(4 * hours - 61).gaps, ...pastOfGap(4 * hours - 61).rests]).toEqual([
    4 * hours - 61,
    4 * hours - 61,
  ])
  expect(pastOfGap(4 * hours).gaps).toHaveLength(0)
  const afterForfeit = eventOf(short(0, 1, 0, { stopTime: begin }), short(1, 1, 4 * hours))
  expect(atOnce(leaguePast([afterForfeit])).pace.gaps).toHaveLength(0)
  const startsOf = (...fights: readonly ReturnType<typeof fightRows>[]) =>
    daysOf(spansOf(eventOf(...fights).fights)).map((day) => day.length)
  expect(startsOf(first, short(1, 1, 4 * hours))).toEqual([2])
  expect(startsOf(first, short(1, 1, 4 * hours + 1))).toEqual([1, 1])
  expect(startsOf(first, short(1, 2, 3 * hours), second)).toEqual([3])
})

test('a fight without a start began at its end, and no fight ends before it began', () => {
  const untimed = { startTime: null, stopTime: null }
  const { fights } = eventOf(
    short(0, 1, 0, { ...untimed, stopTime: begin + 30 }),
    short(1, 1, 0, { ...untimed, endTime: begin + 20 }),
    short(2, 1, 500, { stopTime: begin + 400 }),
    short(3, 1, 600, { state: 'active', stopTime: null }),
    short(4, 1, 0, untimed),
    short(5, 1, 0, { ...untimed, state: 'called' }),
  )
  expect(
    spansOf(fights).map(({ fight: { id }, start, stop }) => [
      id,
      start - begin,
      stop && stop - begin,
    ]),
  ).toEqual([
    ['W-1', 20, 20],
    ['W-0', 30, 30],
    ['W-2', 500, 500],
    ['W-3', 600, null],
  ])
})

test('the pace covers the last twelve finished tournaments with fights', () => {
  const tournament = (
    length: number,
    row = {},
    fights = [short(0, 1, 0, { stopTime: begin + length })],
  ) => buildTournament(tournamentOf({ id: `t${length}`, ...row }, bots, fights))
  const recent = Array.from({ length: 13 }, (_, index) => tournament(1 + index))
  const others = [tournament(99, { active: true }), tournament(98, {}, [])]
  const { pace } = atOnce(leaguePast([...others, ...recent]))
  expect([...pace.durations]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildTournament } from '../../../src/data/league/build.ts'
import { buildCages } from '../../../src/data/league/cages.ts'
import type { Tournament } from '../../../src/data/league/types.ts'
import type { CageRows, GameRow, TournamentRows } from '../../../src/data/source/rows.ts'
import { isPublic } from '../../../src/data/source/visibility.ts'
import {
  buildExpectations,
  type Expectations,
  type Expected,
} from '../../../src/derived/live/expected.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'
import { sampleLeague as league } from '../../smallLeague.ts'

/** The sample: finished tournaments, and an event under way at `now`. */
interface Day {
  readonly over: readonly TournamentRows[]
  readonly active: readonly TournamentRows[]
  readonly cages: CageRows
  readonly now: number
}

const shown = [...league.tournaments].filter(({ tournament }) => isPublic(tournament))
const sample: Day = {
  over: shown.filter(({ tournament }) => !tournament.active),
  active: shown.filter(({ tournament }) => tournament.active),
  cages: league,
  now: league.capturedAt,
}
const known = new Map<TournamentRows, Tournament>()
const built = (rows: TournamentRows): Tournament => known.getOrInsertComputed(rows, buildTournament)

const expectationsOf = ({ active, over, cages, now }: Day): Expectations => {
  const tournaments = [...active, ...over]
    .map(built)
    .sort((a, b) => (b.info.startUnix ?? 0) - (a.info.startUnix ?? 0))
  const tournamentsByID = new Map(tournaments.map((each) => [each.info.id, each]))
  const dataset = { tournaments, tournamentsByID, fights: [] }
  return buildExpectations(dataset, buildCages(dataset, cages), now)
}
const expectedOf = (day: Day): readonly Expected[] => [...expectationsOf(day).values()]

const withGames = (day: Day, change: (game: GameRow) => Partial<GameRow>): Day => ({
  ...day,
  active: day.active.map((rows) => ({
    ...rows,
    games: rows.games.map((game) => ({ ...game, ...change(game) })),
  })),
})

/** A fixed number from 0 to 1 for a text and seed. */
const share = (seed: number, text: string): number =>
  Number(Bun.hash.xxHash32(text, seed)) / 2 ** 32

type Harm = (day: Day, seed: number) => Day
const harms = {
  'a cage is closed for an hour': (day) => ({ ...day, now: day.now + 3600 }),
  'a single cage is closed for an hour': (day) =>
    withGames(day, ({ id, cage, state, startTime }) => ({
      ...(cage === 'Cage 2' && (startTime ?? 0) > day.now - 3600 && { cage: null }),
      ...(state === 'called' &&
        day.cages.cageQueue.some((row) => row.cage === 2 && row.gameId === id) && {
          state: 'available' as const,
        }),
    })),
  'fights are moved between cages': (day, seed) => ({
    ...day,
    cages: {
      ...day.cages,
      cageQueue: day.cages.cageQueue.map((row) => ({
        ...row,
        cage: 1 + Math.floor(6 * share(seed, row.gameId)),
      })),
    },
  }),
  'results are entered late': (day, seed) =>
    withGames(day, ({ id, state }) =>
      state === 'done' && share(seed, id) < 0.2
        ? { state: 'active', stopTime: null, endTime: null, winAnnotation: null }
        : {},
    ),
  'results are entered in a batch': (day) =>
    withGames(day, ({ stopTime }) => (stopTime ? { stopTime: day.now, endTime: day.now } : {})),
  'clocks are wrong by ten minutes': (day, seed) =>
    withGames(day, ({ id, startTime, stopTime }) => {
      const by = Math.round(1200 * share(seed, id)) - 600
      return {
        startTime: startTime && startTime + by,
        stopTime: stopTime && stopTime + by,
      }
    }),
  'there is no plan': (day) => withGames(day, () => ({ scheduledTime: null })),
  'there was no event before': (day) => ({ ...day, over: [] }),
  'there is no queue': (day) => ({ ...day, cages: { ...day.cages, cageQueue: [] } }),
  'no start times are recorded': (day) => withGames(day, () => ({ startTime: null })),
} as const satisfies Readonly<Record<string, Harm>>

const said = (expected: readonly Expected[]) => expected.flatMap(({ at }) => at ?? [])

describe('expected starts', () => {
  test('expected starts are within their range and never in the past, whatever goes wrong', () => {
    const names = fc.uniqueArray(fc.constantFrom(...Object.values<Harm>(harms)))
    fc.assert(
      fc.property(names, fc.nat(), fc.integer({ min: 0, max: 5400 }), (chosen, seed, later) => {
        const harmed = chosen.reduce<Day>((day, harm) => harm(day, seed), sample)
        const now = harmed.now + later
        for (const { start, from, to, inSeconds } of said(expectedOf({ ...harmed, now }))) {
          expect(Number.isInteger(start) && Number.isInteger(from) && Number.isInteger(to)).toBe(
            true,
          )
          expect(from).toBeGreaterThanOrEqual(now)
          expect(start).toBeGreaterThanOrEqual(from)
          expect(to).toBeGreaterThan(start)
          expect(inSeconds).toBe(start - now)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('most fights of the sample have an expected start', () => {
    const expected = expectedOf(sample)
    expect(said(expected).length).toBeGreaterThan(expected.length / 2)
  })

  test('an event that goes on four hours after its first fight has expected starts', () => {
    const starts = sample.active.flatMap(({ games }) =>
      games.flatMap(({ startTime }) => startTime ?? []),
    )
    const first = Math.min(...starts)
    expect(sample.now - first).toBeGreaterThan(1800)
    const long = withGames(sample, ({ startTime, stopTime }) =>
      startTime === first
        ? { startTime: first - 13_000, stopTime: stopTime && stopTime - 13_000 }
        : {},
    )
    const placed = expectedOf(long).filter(({ at, cage }) => at !== null && cage !== null)
    expect(placed.length).toBeGreaterThan(5)
  })

  test('no expected starts once an event has had no start for an hour', () => {
    const queued = expectedOf(harms['a cage is closed for an hour'](sample)).filter(
      ({ cage }) => cage !== null,
    )
    expect(queued.length).toBeGreaterThan(5)
    expect(queued.every(({ at, isPaused }) => at === null && isPaused)).toBe(true)
  })

  test('no expected starts in a single closed cage, while other cages have theirs', () => {
    const expected = expectedOf(harms['a single cage is closed for an hour'](sample))
    const [closed, open] = [true, false].map((isClosed) =>
      expected.filter(({ cage }) => cage !== null && (cage === 2) === isClosed),
    )
    expect(closed?.length).toBeGreaterThan(3)
    expect(closed?.every(({ at, isPaused }) => at === null && isPaused)).toBe(true)
    expect(open?.length).toBeGreaterThan(20)
    expect(open?.every(({ at, isPaused }) => at !== null && !isPaused)).toBe(true)
  })

  test('no expected starts for fights on hold, in a queue or not', () => {
    const held = withGames(sample, ({ state }) =>
      state === 'called' || state === 'available' ? { state: 'hold' } : {},
    )
    const onHold = [...expectationsOf(held)].filter(([{ waitsAs }]) => waitsAs === 'hold')
    expect(new Set(onHold.map(([, { at }]) => at))).toEqual(new Set([null]))
  })

  test('no expected starts if no start times are recorded', () => {
    expect(said(expectedOf(harms['no start times are recorded'](sample)))).toEqual([])
    const most = withGames(sample, ({ id }) => (share(1, id) < 0.7 ? { startTime: null } : {}))
    expect(said(expectedOf(most))).toEqual([])
  })

  test('expected starts have wider ranges if clocks are wrong', () => {
    const width = (day: Day): number => {
      const all = said(expectedOf(day)).map(
        ({ to, from, inSeconds }) => (to - from) / (inSeconds + 60),
      )
      return all.reduce((sum, each) => sum + each, 0) / all.length
    }
    expect(width(harms['clocks are wrong by ten minutes'](sample, 1))).toBeGreaterThan(
      1.2 * width(sample),
    )
  })

  test('expected starts follow the plan plus the usual delay before the first fight of a day', () => {
    const fresh = withGames(sample, ({ state }) =>
      state === 'done' || state === 'active'
        ? { state: 'unavailable', startTime: null, stopTime: null, endTime: null, cage: null }
        : { state: 'unavailable', cage: null },
    )
    const idle = { cages: [], cageQueue: [] }
    const before = { ...fresh, cages: idle, now: sample.now - 12 * 3600 }
    expect(said(expectedOf(before)).length).toBeGreaterThan(5)
    expect(said(expectedOf(harms['there is no plan'](before)))).toEqual([])
    expect(said(expectedOf(withGames(before, () => ({ state: 'hold' }))))).toEqual([])

    const [[fight, expected] = []] = [...expectationsOf(before)].filter(([, { at }]) => at)
    const plan = fight?.scheduledUnix ?? 0
    const [usual, longest] = [expected?.at?.start ?? 0, expected?.at?.to ?? 0]
    expect(longest).toBeGreaterThan(Math.max(plan, usual))
    /** Expected start of that fight at a time. */
    const at = (now: number) => {
      const found = [...expectationsOf({ ...before, now })].find(([{ id }]) => id === fight?.id)
      return found?.[1].at
    }
    const late = longest - 1
    expect(at(late)).toEqual({ start: late, from: late, to: longest, inSeconds: 0 })
    expect(at(longest)).toBeNull()
    for (const { start, from, to, inSeconds } of said(expectedOf({ ...before, now: late }))) {
      expect([from >= late, start >= from, to > late, inSeconds]).toEqual([
        true,
        true,
        true,
        start - late,
      ])
    }
  })
})

describe('fights before the first one of a day', () => {
  const start = 1_770_000_000
  const bots = [{ id: 'axe' }, { id: 'saw' }]
  /** A past event whose fights began this many seconds after their planned times, plus two unplanned ones. */
  const lateBy = (delays: readonly number[]) =>
    tournamentOf(
      { id: 'past' },
      bots,
      [...delays, null, null].map((delay, index) => {
        const time = start - 90 * 86_400 + 600 * index
        const startTime = time + (delay ?? 0)
        const scheduledTime = delay === null ? null : time
        return fightRows(
          { id: `W-${index}`, scheduledTime, startTime, stopTime: startTime + 60 },
          'axe',
          'saw',
        )
      }),
    )
  const next = tournamentOf({ id: 'next', active: true }, bots, [
    openFight({ scheduledTime: start }, 'axe', 'saw'),
  ])
  const at = (seconds: number, delays: readonly number[]) => {
    const idle = { cages: [], cageQueue: [] }
    const day = { over: [lateBy(delays)], active: [next], cages: idle, now: start + seconds }
    const [{ at = null } = {}] = expectedOf(day)
    return at && [at.from - start, at.start - start, at.to - start, at.inSeconds]
  }
  /** Delays from 0 to 190 s: the first tenth is 20, the median 100, the last tenth 180. */
  const usual = Array.from({ length: 20 }, (_, index) => 10 * index)

  test('fights are expected within the middle eight tenths of the usual delays before the first one starts', () => {
    expect(at(-1000, usual)).toEqual([20, 100, 180, 1100])
    expect(at(50, usual)).toEqual([50, 100, 180, 50])
    expect(at(150, usual)).toEqual([150, 150, 180, 0])
    expect(at(180, usual)).toBeNull()
  })

  test('no expected starts before the first fight if fewer than 20 delays are known', () => {
    expect(at(-1000, usual.slice(1))).toBeNull()
  })
})

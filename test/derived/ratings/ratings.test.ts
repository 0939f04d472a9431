import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildDataset, buildTournament } from '../../../src/data/league/build.ts'
import { mergeDataset, tournamentChange } from '../../../src/data/league/merge.ts'
import type { Dataset, Fight, Tournament } from '../../../src/data/league/types.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { isPublic } from '../../../src/data/source/visibility.ts'
import { buildBots } from '../../../src/derived/careers/bots.ts'
import type { Bout } from '../../../src/derived/ratings/bouts.ts'
import { calibrationSteps } from '../../../src/derived/ratings/calibration.ts'
import { chanceIn } from '../../../src/derived/ratings/chances.ts'
import { createFilter } from '../../../src/derived/ratings/filter.ts'
import type { FightOdds } from '../../../src/derived/ratings/odds.ts'
import {
  buildRatings,
  chanceOf,
  noRatings,
  type RatedLeague,
  type Ratings,
  updateRatings,
} from '../../../src/derived/ratings/ratings.ts'
import { learningFights } from '../../../src/derived/ratings/settings.ts'
import { emptyState, newestShared } from '../../../src/derived/ratings/state.ts'
import { atOnce } from '../../../src/runtime/timeSlice.ts'
import { deepFreeze } from '../../fixtures.ts'
import { present } from '../../present.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'
import { sampleLeague } from '../../smallLeague.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const teams = [null, 'Team X', 'team x', 'Y']

interface Given {
  readonly weightClass: number
  /** Teams of the bots in their order; none by default. */
  readonly teams?: readonly (string | null)[]
  readonly fights: readonly {
    /** Time in units of 20,000 seconds. */
    readonly at: number
    readonly red: string
    readonly blue: string
    /** The winning corner, null for a double forfeit. */
    readonly result: 0 | 1 | null | 'open'
    /** Seconds from the start to the end; 30,000 by default. */
    readonly seconds?: number
  }[]
}

const given: fc.Arbitrary<Given> = fc.record({
  weightClass: fc.constantFrom(3, 30),
  teams: fc.array(fc.constantFrom(...teams), { minLength: names.length, maxLength: names.length }),
  fights: fc.array(
    fc.record({
      at: fc.nat(30),
      red: fc.constantFrom(...names),
      blue: fc.constantFrom(...names),
      result: fc.constantFrom<(0 | 1 | null | 'open')[]>(0, 1, 0, 1, null, 'open'),
    }),
    { maxLength: 6 },
  ),
})

const build = (id: string, { weightClass, teams = [], fights }: Given): Tournament =>
  buildTournament(
    tournamentOf(
      { id, weightClass },
      names.map((id, index) => ({ id, team: teams[index] ?? null })),
      fights.map(({ at, red, blue, result, seconds = 30_000 }, index) => {
        const stopTime = 1_770_000_000 + at * 20_000
        const game = {
          id: `W-${index}`,
          startTime: stopTime - seconds,
          stopTime,
          winAnnotation: 'FF',
        }
        return result === 'open'
          ? openFight({ id: game.id }, red, blue)
          : fightRows(game, red, blue, result)
      }),
    ),
  )

/** All public values, to the last bit. */
const valuesOf = (dataset: Dataset, ratings: Ratings) => {
  const league = { ratings, bots: buildBots(dataset.tournaments) }
  const { state, odds } = ratings
  return {
    presentUnix: state.presentUnix,
    shared: newestShared(state),
    bots: [...state.classes].flatMap(([ratingClass, { bots }]) =>
      [...bots].map(([name, bot]) => [ratingClass, name, bot] as const),
    ),
    odds: [...odds].map(([id, own]) => [id, [...own]]),
    calibration: atOnce(calibrationSteps(ratings, dataset.tournaments)),
    chances: [null, 1_770_000_000, 1_770_400_000].map((startUnix) =>
      [...names, 'newcomer'].flatMap((cleanName) =>
        teams.map((team) =>
          chanceOf(league, 30, { cleanName: 'a', team: null }, { cleanName, team }, startUnix),
        ),
      ),
    ),
  }
}

/** Follows a league through changes by tournament id; undefined removes the tournament. */
const follow = (
  changes: readonly (readonly (readonly [id: string, given: Given | undefined])[])[],
): void => {
  let dataset = buildDataset([])
  let ratings = noRatings
  for (const changed of changes) {
    const change = tournamentChange(
      dataset,
      new Map(changed.map(([id, own]) => [id, own && build(id, own)])),
    )
    dataset = mergeDataset(dataset, change)
    ratings = deepFreeze(atOnce(updateRatings(ratings, dataset, buildBots(dataset.tournaments))))
    expect(valuesOf(dataset, ratings)).toEqual(valuesOf(dataset, buildRatings(dataset)))
  }
}

test('a fight of a bot against itself says nothing about another class', () => {
  const fought = (at: number, weightClass: number, red: string, blue: string): Given => ({
    weightClass,
    fights: [{ at, red, blue, result: 0 }],
  })
  follow([
    [['d', fought(20, 30, 'a', 'b')]],
    [['b', fought(20, 3, 'c', 'a')]],
    [['a', fought(0, 3, 'a', 'a')]],
  ])
})

test('a fight that starts on a day after its end learns nothing from the days between', () => {
  const fought = (at: number, weightClass: number, seconds?: number): Given => ({
    weightClass,
    fights: [
      { at, red: 'a', blue: 'b', result: weightClass === 3 ? 0 : 1, ...(seconds && { seconds }) },
    ],
  })
  follow([
    [
      ['a', fought(0, 3)],
      ['b', fought(5, 12)],
      ['c', fought(10, 30, -400_000)],
    ],
    [['d', fought(15, 3)]],
  ])
})

test('ratings that follow a league equal the ratings of the league loaded again, bit for bit', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const changes = fc.array(fc.tuple(id, fc.option(given, { nil: undefined })), { maxLength: 3 })
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (given) => {
      const last = [...new Map(given.flat())]
      const moved = last.map(([id, own]) => {
        const teams = own?.teams?.toReversed()
        return [id, own && teams && { ...own, teams }] as const
      })
      follow([...given, moved])
    }),
    { numRuns: 300 },
  )
})

const ratedLeague = (tournaments: readonly Tournament[]): RatedLeague => {
  const dataset = buildDataset(tournaments)
  const bots = buildBots(dataset.tournaments)
  return { ratings: buildRatings(dataset, bots), bots }
}

const won = (at: number, red: string, blue: string): Given['fights'][number] => ({
  at,
  red,
  blue,
  result: 0,
})

test('a withdrawn fight no longer counts, even if its tournament has older ones', () => {
  const first = won(0, 'a', 'b')
  follow([
    [['t', { weightClass: 30, fights: [first, won(9, 'b', 'a')] }]],
    [['t', { weightClass: 30, fights: [first] }]],
  ])
})

test('the start of a bot in a class does not depend on the order of its other classes', () => {
  const light = { weightClass: 3, fights: [won(20, 'a', 'b')] }
  const heavy = { weightClass: 12, fights: [won(22, 'b', 'a')] }
  follow([
    [['first', { weightClass: 60, fights: [won(0, 'c', 'd')] }]],
    [
      ['light', light],
      ['heavy', heavy],
    ],
    [['light', { ...light, fights: [won(24, 'a', 'b')] }]],
  ])
})

test('an unfinished fight has the chance of a new load once later results are withdrawn', () => {
  const old = { weightClass: 30, fights: [won(0, 'a', 'b'), won(10, 'c', 'd')] }
  follow([
    [['old', old]],
    [['new', { weightClass: 30, fights: [won(20, 'c', 'd')] }]],
    [['new', undefined]],
  ])
})

test('a correction keeps the odds of the tournaments before it', () => {
  const old = build('old', { weightClass: 30, fights: [won(0, 'a', 'b')] })
  const leagueWith = (given: Given) => buildDataset([old, build('new', given)])
  const before = buildRatings(leagueWith({ weightClass: 30, fights: [won(1, 'a', 'b')] }))
  const corrected = leagueWith({ weightClass: 30, fights: [won(1, 'b', 'a')] })
  const after = atOnce(updateRatings(before, corrected, buildBots(corrected.tournaments)))
  expect(after.odds.get('old')).toBe(present(before.odds.get('old')))
  expect(after.odds.get('new')).not.toEqual(before.odds.get('new'))
})

test('each further class of a bot reads a bounded number of its fights', () => {
  const classes = 400
  const dataset = buildDataset(
    Array.from({ length: classes }, (_, index) =>
      build(`${index}`, { weightClass: index, fights: [won(index, 'a', 'b')] }),
    ),
  )
  let reads = 0
  const counted = buildBots(dataset.tournaments).map((bot) => ({
    ...bot,
    fights: new Proxy(bot.fights, {
      get: (fights, key) => {
        reads += 1
        return Reflect.get(fights, key)
      },
    }),
  }))
  expect(buildRatings(dataset, counted).odds).toEqual(buildRatings(dataset).odds)
  expect(reads).toBeLessThan(2 * classes * 200)
})

test('fights have the same chances if taken in parts, even after estimates are learned', () => {
  const bouts = Array.from({ length: learningFights + 400 }, (_, index) => {
    const endUnix = 1_500_000_000 + 300 * index
    const [red, blue] = [index % 41, 41 + ((index * 7) % 43)].map((number) => ({
      cleanName: `${number}`,
      team: null,
    }))
    const score = index % 3 === 0 ? 1 : 0
    const times = { startUnix: endUnix - 900, endUnix }
    return { ratingClass: 30, red: present(red), blue: present(blue), score, ...times }
  }) satisfies readonly Bout[]
  const chances = (ends: readonly number[]): readonly FightOdds[] => {
    let state = emptyState
    return ends.flatMap((end, part) => {
      const filter = createFilter(state, [])
      const odds = bouts.slice(ends[part - 1] ?? 0, end).map(filter.take)
      state = deepFreeze(filter.state())
      return odds
    })
  }
  const whole = chances([bouts.length])
  for (const parts of [[20], [-1, 0, 1], [2, 3, 4, 5, 200]]) {
    const ends = parts.map((part) => learningFights + part)
    expect(chances([...ends, bouts.length])).toEqual(whole)
  }
})

test('any number of fights at the same time are rated in order of play', () => {
  const fights = Array.from({ length: 60 }, () => won(0, 'a', 'b'))
  const dataset = buildDataset(['x', 'y'].map((id) => build(id, { weightClass: 30, fights })))
  expect(buildRatings(dataset).bouts).toEqual(dataset.fights.toReversed())
})

test('the chance of a fight stays as it was at its start, however many others end meanwhile', () => {
  const began = 1_770_000_000
  const fight = (id: string, start: number, stop: number, red: string, blue: string) =>
    fightRows({ id, startTime: began + start, stopTime: began + stop, endTime: null }, red, blue)
  const players = names.map((id, index) => ({ id, team: index % 2 === 0 ? 'X' : null }))
  const ratingsOf = (meanwhile: number, fights: readonly ReturnType<typeof fight>[]) => {
    const others = Array.from({ length: meanwhile }, (_, index) => {
      const start = 20 * index
      return fight(`W-${100 + index}`, start, start + 10, index % 3 === 0 ? 'd' : 'c', 'e')
    })
    const before = [fight('W-1', -900, -800, 'a', 'c'), fight('W-2', -700, -600, 'd', 'b')]
    return ratedLeague([
      buildTournament(
        tournamentOf({ id: 't', weightClass: 30 }, players, [...before, ...others, ...fights]),
      ),
    ])
  }
  const chanceIn = (league: RatedLeague) =>
    chanceOf(league, 30, { cleanName: 'a', team: 'X' }, { cleanName: 'b', team: null }, began)
  const first = chanceIn(ratingsOf(0, []))
  expect(first).not.toBe(0.5)
  for (const meanwhile of [1, 40, 400]) {
    expect(chanceIn(ratingsOf(meanwhile, []))).toBe(first)
    const done = fight('W-999', 0, 20 * meanwhile + 30, 'a', 'b')
    const { odds } = ratingsOf(meanwhile, [done]).ratings
    expect(odds.get('t')?.get('W-999')?.chance).toBe(Math.fround(first))
  }
})

test('a corrected team changes the start of its bots, exactly as a new load does', () => {
  const fights = [won(0, 'a', 'b'), won(10, 'a', 'c'), won(20, 'd', 'c'), won(30, 'e', 'c')]
  const teams = ['X', null, null, 'X', null]
  follow([
    [['t', { weightClass: 30, teams, fights }]],
    [['t', { weightClass: 30, teams: ['Y', null, null, 'X', 'Y'], fights }]],
    [['t', { weightClass: 30, fights }]],
  ])
})

describe('a new bot of a team', () => {
  const five = (red: string, blue: string) => [0, 2, 4, 6, 8].map((at) => won(at, red, blue))
  /** Teams of a, b, c, d and e. */
  const ofTeams = (...own: readonly (string | null)[]) => ({ weightClass: 30, teams: own })
  const ratingsOf = (...given: readonly Given[]) =>
    ratedLeague(given.map((each, index) => build(`${index}`, each)))
  const chanceOfNew = (league: RatedLeague, team: string | null, startUnix: number | null = null) =>
    chanceOf(league, 30, { cleanName: 'e', team }, { cleanName: 'newcomer', team: null }, startUnix)

  test('a new bot starts from the best of its team, however the name is written', () => {
    const fights = [...five('a', 'b'), ...five('a', 'd')]
    const ratings = ratingsOf({ ...ofTeams('Team X', 'team x', null, 'Y'), fights })
    expect(chanceOfNew(ratings, 'TEAM-X')).toBeGreaterThan(0.51)
    expect(chanceOfNew(ratings, 'Y')).toBeLessThan(0.5)
    for (const team of [null, '', 'Z']) expect(chanceOfNew(ratings, team)).toBe(0.5)
  })

  test('a new bot starts equal to a new opponent of the same team', () => {
    const fights = [...five('b', 'a'), won(20, 'c', 'd')]
    const { odds } = ratingsOf({ ...ofTeams('X', null, 'X', 'X'), fights }).ratings
    expect(odds.get('0')?.get('W-5')?.chance).toBe(0.5)
  })

  test('a new bot starts from its own strength in another class if it has one', () => {
    const known = { ...ofTeams('X'), fights: five('a', 'b') }
    const ratings = ratingsOf(known, { weightClass: 3, fights: five('d', 'e') })
    expect(chanceOfNew(ratings, 'X')).toBeLessThan(0.5)
    expect(chanceOfNew(ratings, 'X')).toBe(chanceOfNew(ratings, null))
  })

  test('a new bot keeps the chance of its first fight while its team fights meanwhile', () => {
    const before = { ...ofTeams('X', null, null, null, 'X'), fights: five('a', 'b') }
    // A fight begins one and a half time units before its end.
    const startUnix = 1_770_000_000 + 12 * 20_000 - 30_000
    const began = chanceOf(
      ratingsOf(before),
      30,
      { cleanName: 'e', team: 'X' },
      { cleanName: 'c', team: null },
      startUnix,
    )
    const fights = [...before.fights, won(11, 'b', 'a'), won(12, 'e', 'c')]
    const { odds } = ratingsOf({ ...before, fights }).ratings
    expect(began).toBeGreaterThan(0.5)
    expect(odds.get('0')?.get(`W-${fights.length - 1}`)?.chance).toBeCloseTo(began, 6)
  })
})

describe('the order of results', () => {
  const undated = { startTime: null, stopTime: null, endTime: null } as const
  const small = sampleLeague.tournaments
    .filter(({ tournament }) => isPublic(tournament))
    .toSorted((a, b) => a.games.length - b.games.length)
    .slice(0, 6)
  /** The rows with the given fights still pending, and the corners that they feed unknown. */
  const without = (rows: TournamentRows, open: ReadonlySet<string>): TournamentRows => ({
    ...rows,
    games: rows.games.map((game) =>
      open.has(game.id) ? { ...game, ...undated, state: 'available', winAnnotation: null } : game,
    ),
    slots: rows.slots.map((slot) =>
      open.has(slot.gameId)
        ? {
            ...slot,
            state: 'pending',
            score: null,
            playerId: slot.prevGameId === null ? slot.playerId : null,
          }
        : slot,
    ),
  })
  test.each([
    ['dated', small],
    [
      'undated',
      small.map((rows) => ({
        ...rows,
        tournament: { ...rows.tournament, startTime: null, endTime: null },
        games: rows.games.map((game) => ({ ...game, ...undated })),
      })),
    ],
  ])(
    '%s results do not change chances of earlier fights, the last of each round first',
    (_, rows) => {
      const tournaments = new Map(rows.map((own) => [own.tournament.id, buildTournament(own)]))
      const played = buildDataset([...tournaments.values()])
        .fights.filter(({ isCompleted }) => isCompleted)
        .toReversed()
      const keyOf = ({ tournament, id }: Fight): string => `${tournament.id} ${id}`
      const places = new Map(played.map((fight, place) => [keyOf(fight), place]))
      const rounds = Map.groupBy(played, ({ tournament, bracketID, round }) =>
        [tournament.id, bracketID, round].join(' '),
      )
      const open = new Map(
        rows.map((own) => {
          const ids = played.filter(({ tournament }) => tournament.id === own.tournament.id)
          return [own.tournament.id, { own, ids: new Set(ids.map(({ id }) => id)) }]
        }),
      )
      const type = (id: string): void => {
        const entry = open.get(id)
        if (entry) tournaments.set(id, buildTournament(without(entry.own, entry.ids)))
      }
      for (const id of open.keys()) type(id)
      const seen = new Map<string, number | null>()
      for (const result of [...rounds.values()].flatMap((round) => round.toReversed())) {
        open.get(result.tournament.id)?.ids.delete(result.id)
        type(result.tournament.id)
        const dataset = buildDataset([...tournaments.values()])
        const { odds } = buildRatings(dataset)
        for (const tournament of dataset.tournaments) {
          const own = odds.get(tournament.info.id)
          for (const fight of tournament.fights.filter(({ isCompleted }) => isCompleted)) {
            const [key, chance] = [keyOf(fight), chanceIn(own, fight, () => null)]
            const isBefore = (places.get(key) ?? 0) < (places.get(keyOf(result)) ?? 0)
            if (isBefore && seen.has(key))
              expect([key, chance]).toEqual([key, seen.get(key) ?? null])
            seen.set(key, chance)
          }
        }
      }
      expect(seen.size).toBe(played.length)
    },
  )
})

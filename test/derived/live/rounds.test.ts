import { describe, expect, test } from 'bun:test'
import { buildTournament } from '../../../src/data/league/build.ts'
import { feedsOf } from '../../../src/data/league/progression.ts'
import type { Fight, Tournament } from '../../../src/data/league/types.ts'
import { historyOf } from '../../../src/data/replay/history.ts'
import { isPublic } from '../../../src/data/source/visibility.ts'
import type { Expectations } from '../../../src/derived/live/expected.ts'
import {
  buildRounds,
  maxComers,
  nextGames,
  type Rounds,
  roundsAt,
} from '../../../src/derived/live/rounds.ts'
import { bracketOf, doubleOfFour, type GameSpec, knockout } from '../../brackets.ts'
import { archiveOf } from '../../fixtures.ts'
import { fightRows, openFight, playersNamed, tournamentOf } from '../../rows.ts'
import { sampleLeague } from '../../smallLeague.ts'

const now = 1_770_003_600
const [length, repair] = [60, 1200]

/** The waiting fights begin one minute apart, ten minutes from now. */
const startsOf = (tournament: Tournament, at = now): Expectations =>
  new Map(
    tournament.fights
      .filter(({ state }) => state === 'pending')
      .map((fight: Fight, index) => {
        const from = at + 600 + 60 * index
        const expected = { start: from + 60, from, to: from + 120, inSeconds: from + 60 - at }
        return [fight, { at: expected, cage: 1, ahead: index, isPaused: false }]
      }),
  )

const roundsOf = (tournament: Tournament, at = now): Rounds =>
  buildRounds(tournament, { now: at, length, repair }, startsOf(tournament, at))

const double = (...decided: readonly GameSpec[]) => {
  const byID = new Map(decided.map((spec) => [spec[0], spec]))
  return buildTournament(
    bracketOf(
      4,
      doubleOfFour.map((spec) => byID.get(spec[0]) ?? spec),
    ),
  )
}

const shownOf = ({ prospects }: Rounds) =>
  Object.fromEntries(
    [...prospects].map(([{ id }, { comers, notBefore }]) => [
      id,
      [
        ...comers.map((each) => each?.map(({ name }) => name.slice(4)).join('') ?? '?'),
        notBefore === null ? 0 : notBefore - now,
      ],
    ]),
  )

const nextOf = (tournament: Tournament, bot: string) =>
  nextGames(roundsOf(tournament), bot).map(({ game, after, opponents }) => [
    game.id,
    after?.takes ?? 'waits',
    opponents?.map(({ name }) => name.slice(4)).join(''),
  ])

describe('the rounds of a bracket', () => {
  test('a round names possible bots, and begins after the fights and repairs that lead there', () => {
    expect(shownOf(roundsOf(double()))).toEqual({
      'W-0': ['0', '3', 600],
      'W-1': ['1', '2', 660],
      'L-0': ['03', '12', 1920],
      'W-2': ['03', '12', 1920],
      'L-1': ['0312', '0312', 3180],
      'W-3': ['0312', '0312', 4440],
    })
  })

  test('a game with a bye sends no loser on, and its bot is in the next game', () => {
    const rows = bracketOf(4, doubleOfFour)
    const players = rows.players.map((each) => ({ ...each, isBye: each.id === 'p3' }))
    expect(shownOf(roundsOf(buildTournament({ ...rows, players })))).toMatchObject({
      'W-2': ['0', '12', 1860],
      'L-0': ['', '12', 0],
      'L-1': ['12', '012', 3120],
    })
    const late = bracketOf(4, [
      ['W-0', 0, 'p0', 'p1'],
      ['W-2', 1, 'W-0', 'p3'],
      ['W-3', 2, 'W-2', 'L-1'],
      ['L-0', 0, 'W-0', 'p2', { loserPlacement: 4 }],
      ['L-1', 1, 'L-0', 'W-2', { loserPlacement: 3 }],
    ])
    expect(shownOf(roundsOf(buildTournament({ ...late, players })))).toMatchObject({
      'W-2': ['01', '', 0],
      'L-1': ['012', '', 0],
      'W-3': ['01', '012', 3120],
    })
  })

  test('a round names up to eight possible bots', () => {
    const { prospects } = roundsOf(buildTournament(bracketOf(32, knockout(32))))
    const counts = [...prospects.values()].map(({ comers }) => comers.map((each) => each?.length))
    expect(counts.at(-2)).toEqual([8, 8])
    expect(counts.at(-1)).toEqual([undefined, undefined])
  })

  const stop = 1_770_000_190
  test.each([
    ['over', {}, stop + 110, stop + repair],
    ['over, by a clock that is ahead', {}, stop - 40, stop - 40 + repair],
    ['over for long', {}, stop + repair, null],
    ['fought', { state: 'active', startTime: now - 10 }, now, now - 10 + length + repair],
    ['fought for long', { state: 'active', startTime: now - 900 }, now, now + repair],
    [
      'fought, by a clock that is ahead',
      { state: 'active', startTime: now + 90 },
      now,
      now + length + repair,
    ],
  ] as const)(
    'a round begins after the repair of bots whose fight is %s',
    (_, first, at, notBefore) => {
      const rows = bracketOf(4, [
        ['W-0', 0, 'p0', 'p3', { won: 0 }],
        ['W-1', 1, 'W-0', 'p1'],
      ])
      const [game, final] = rows.games
      if (!game || !final) throw new Error('there is no game')
      const notBeforeOf = (last: Partial<typeof final>) => {
        const games = [
          { ...game, ...first },
          { ...final, ...last },
        ]
        const { prospects } = buildRounds(
          buildTournament({ ...rows, games }),
          { now: at, length, repair },
          new Map(),
        )
        return [...prospects].find(([{ id }]) => id === 'W-1')?.[1].notBefore
      }
      expect(notBeforeOf({})).toBe(notBefore)
      // The game has begun all the same.
      expect(notBeforeOf({ state: 'active', startTime: at })).toBeNull()
    },
  )

  test('the next games of a bot follow results', () => {
    const decided = double(['W-0', 0, 'p0', 'p3', { won: 0 }], ['W-2', 1, 'W-0 p0', 'W-1'])
    expect(shownOf(roundsOf(decided))).toMatchObject({
      'W-2': ['0', '12', expect.any(Number)],
      'L-0': ['3', '12', expect.any(Number)],
    })
    expect(nextOf(decided, 'bot0')).toEqual([
      ['W-2', 'waits', '12'],
      ['W-3', 'winner', '312'],
      ['L-1', 'loser', '312'],
    ])
    expect(nextOf(decided, 'bot3')).toEqual([
      ['L-0', 'waits', '12'],
      ['L-1', 'winner', '012'],
    ])
  })

  test('a bot has no next game whose corner is taken by another one', () => {
    expect(nextOf(double(), 'bot0').map(([id]) => id)).toEqual(['W-2', 'L-0'])
    const taken = double(['W-2', 1, 'W-0 p3', 'W-1'])
    expect(nextOf(taken, 'bot0').map(([id]) => id)).toEqual(['L-0'])
  })

  test('an unbeaten bot has the second grand final only if it loses the first', () => {
    const rows = [
      ['W-0', 0, 'p0', 'p3', { won: 0 }],
      ['W-1', 0, 'p1', 'p2', { won: 0 }],
      ['W-2', 1, 'W-0 p0', 'W-1 p1', { won: 0 }],
      ['L-0', 0, 'W-0 p3', 'W-1 p2', { won: 0, loserPlacement: 4 }],
      ['L-1', 1, 'L-0 p3', 'W-2 p1', { won: 1, loserPlacement: 3 }],
      ['W-3', 2, 'W-2 p0', 'L-1 p1', { loserPlacement: 2 }],
      ['W-4', 3, 'W-3', 'W-3', { loserPlacement: 2 }],
    ] as const satisfies readonly GameSpec[]
    const final = buildTournament(bracketOf(4, rows))
    expect(nextOf(final, 'bot0')).toEqual([['W-4', 'loser', '1']])
    expect(nextOf(final, 'bot1')).toEqual([['W-4', 'winner', '0']])
  })

  test('a round has no time without an expected start, or in a circle of games', () => {
    const { prospects } = buildRounds(double(), { now, length, repair }, new Map())
    expect([...prospects.values()].every(({ notBefore }) => notBefore === null)).toBe(true)
    const circle = buildTournament(
      bracketOf(2, [
        ['W-0', 0, 'W-1', 'p0'],
        ['W-1', 0, 'W-0', 'p1'],
      ]),
    )
    expect(nextOf(circle, 'bot0')).toHaveLength(2)
  })
})

test.each([
  [10, 0],
  [11, 400],
])('after %i fights of two bots that day their rest is measured as %i s', (count, rest) => {
  const done = Array.from({ length: count }, (_, index) => {
    const startTime = now - 9000 + 600 * index
    const times = { startTime, stopTime: startTime + (index < 2 ? 100 : 200) }
    return fightRows({ id: `E-${index}`, ...times }, 'p2', 'p3')
  })
  const startTime = now - 10
  const next = openFight({ id: 'W-9', roundIdx: 1 }, null, 'p4')
  const [red, blue] = next.slots
  const rows = tournamentOf({ active: true }, playersNamed('A', 'B', 'C', 'D', 'E'), [
    ...done,
    openFight({ id: 'W-8', state: 'active', startTime }, 'p0', 'p1'),
    { ...next, slots: [{ ...red, prevGameId: 'W-8' }, blue] },
  ])
  const archive = archiveOf(rows)
  const [tournament] = archive.dataset.tournaments
  if (!tournament) throw new Error('there is no tournament')
  const { value } = roundsAt(archive, tournament, now)
  const found = [...value.prospects].find(([{ id }]) => id === 'W-9')
  // The shortest fights take 100 s.
  expect(found?.[1].notBefore).toBe(startTime + 100 + rest)
  // Rounds are reused for a period only.
  expect(roundsAt(archive, tournament, now).value).toBe(value)
  const later = roundsAt(archive, tournament, now + 200)
  expect(later.value).not.toBe(value)
  expect(later.validUntil).toBeGreaterThan(now + 200)
})

describe('the rounds of every event of the sample, replayed', () => {
  const league = sampleLeague
  const shown = [...league.tournaments].filter(({ tournament }) => isPublic(tournament))

  test('a game is neither before the games that lead to it nor in the past, and its bots were named', () => {
    let [arrived, timed] = [0, 0]
    for (const rows of shown) {
      const last = buildTournament(rows)
      const history = historyOf(rows, league.capturedAt)
      const steps = history.instants.filter((_, index) => index % 13 === 0)
      for (const [index, at] of steps.entries()) {
        const past = history.rowsAt(at)
        if (!past) continue
        // Some event software fills corners later than it enters results.
        const waits = new Set(
          past.games.flatMap(({ id, state }) => (/active|done/.test(state) ? [] : [id])),
        )
        const slots = past.slots.map((slot) =>
          slot.prevGameId !== null && waits.has(slot.gameId) ? { ...slot, playerId: null } : slot,
        )
        const tournament = buildTournament(index % 2 ? past : { ...past, slots })
        if (!tournament.info.active) continue
        const { prospects } = roundsOf(tournament, at)
        for (const [game, { comers, notBefore }] of prospects) {
          if (game.state !== 'pending') continue
          if (notBefore !== null) expect(notBefore).toBeGreaterThanOrEqual(at)
          const then = last.games.get(game.id)
          for (const [corner, named] of comers.entries()) {
            const player = (corner === 0 ? then?.red : then?.blue)?.player
            if (!named || !player?.isBot) continue
            expect(named.length).toBeLessThanOrEqual(maxComers)
            const names = named.map(({ id }) => id)
            expect([rows.tournament.id, game.id, names]).toEqual([
              rows.tournament.id,
              game.id,
              expect.arrayContaining([player.id]),
            ])
            arrived += Number(named.length > 1)
          }
        }
        for (const { source, target } of feedsOf([...tournament.games.values()])) {
          const [before, after] = [source, target].map((game) => prospects.get(game)?.notBefore)
          if (before == null || after == null) continue
          expect(after).toBeGreaterThanOrEqual(before + length + repair)
          timed += 1
        }
      }
    }
    expect(arrived).toBeGreaterThan(250)
    expect(timed).toBeGreaterThan(250)
  })
})

import { describe, expect, test } from 'bun:test'
import { buildTournament, findRecording } from '../../../src/data/league/build.ts'
import { resultOf } from '../../../src/data/league/placements.ts'
import { standingsOf } from '../../../src/data/league/stages.ts'
import type { Tournament } from '../../../src/data/league/types.ts'
import { archiveOf } from '../../fixtures.ts'
import {
  fightRows,
  openFight,
  playersAs,
  playersNamed,
  recordingRow,
  slotRow,
  tournamentOf,
  tournamentRows,
} from '../../rows.ts'

const bots = playersAs({ a: 'Axe', b: 'Blade', c: 'Crab' })
const build = (...parameters: Parameters<typeof tournamentOf>): Tournament => {
  const [tournament] = archiveOf(tournamentOf(...parameters)).dataset.tournaments
  if (!tournament) throw new Error('no tournament')
  return tournament
}
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id)
const record = (tournament: Tournament, id: string) => tournament.playersByID.get(id)

describe('shown rows', () => {
  test.each([{ privacy: 'private' as const }, { privacy: 'unlisted' as const }, { isTest: true }])(
    'a tournament that is %p is not shown',
    (over) => {
      const { dataset } = archiveOf(
        tournamentOf({ id: 'shown' }, bots, []),
        tournamentOf({ id: 'hidden', ...over }, bots, [fightRows({}, 'a', 'b')], {
          recordings: [recordingRow({ id: 9 })],
        }),
      )
      expect(ids(dataset.tournaments.map(({ info }) => info))).toEqual(['shown'])
      expect(dataset.fights).toEqual([])
      expect(findRecording(dataset, 9)).toBeUndefined()
    },
  )

  test('only rows that break their schema are left out and counted', () => {
    const good = fightRows({}, 'a', 'b')
    const { dataset } = archiveOf(
      tournamentOf({}, [...bots, { id: '', name: 'Nobody' }], [good], {
        recordings: [recordingRow({ id: 1 }), recordingRow({ id: 1.5 })],
      }),
    )
    const [tournament] = dataset.tournaments
    expect(tournament?.info.numPlayers).toBe(3)
    expect(tournament?.fights[0]?.recordings).toHaveLength(1)
  })
})

describe('a fight', () => {
  test('a fight has a bot in both corners', () => {
    const tournament = build(
      {},
      [...bots, { id: 'bye', name: '(Bye)', isBye: true }, { id: 's4', name: 'Bracket Seed 4' }],
      [
        fightRows({ id: 'real' }, 'a', 'b'),
        fightRows({ id: 'bye' }, 'a', 'bye'),
        fightRows({ id: 'seed' }, 's4', 'b', null),
        fightRows({ id: 'open' }, 'a', null, null),
        fightRows({ id: 'unknown' }, 'a', 'ghost', null),
      ],
    )
    expect(ids(tournament.fights)).toEqual(['real'])
    expect(tournament.games.size).toBe(5)
    expect(tournament.info.numPlayers).toBe(3)
    expect(record(tournament, 'a')).toMatchObject({
      wins: 1,
      losses: 0,
      gameIDs: ['real'],
    })
  })

  test('a fight is completed if it is done and has an outcome, with or without times', () => {
    const tournament = build({ active: true }, bots, [
      fightRows({ id: 'done' }, 'a', 'b'),
      fightRows({ id: 'active', state: 'active', stopTime: null }, 'a', 'b', null),
      fightRows({ id: 'timeless', startTime: null, stopTime: null, endTime: null }, 'a', 'b'),
      fightRows({ id: 'double-forfeit', winAnnotation: 'FF' }, 'a', 'b', null),
      fightRows({ id: 'closed', winAnnotation: null }, 'a', 'b', null),
      fightRows(
        { id: 'waiting', state: 'called', startTime: null, stopTime: null },
        'a',
        'b',
        null,
      ),
    ])
    expect(ids(tournament.fights.filter(({ isCompleted }) => isCompleted))).toEqual([
      'timeless',
      'double-forfeit',
      'done',
    ])
    expect(record(tournament, 'a')).toMatchObject({
      wins: 2,
      losses: 0,
      mostRecentGameID: 'timeless',
      gameIDs: ['closed', 'done', 'double-forfeit', 'timeless', 'active'],
    })
    expect(record(tournament, 'b')).toMatchObject({ wins: 0, losses: 2 })
    expect(record(tournament, 'c')).toMatchObject({ wins: 0, losses: 0, mostRecentGameID: null })
  })

  test.each([
    ['tie', 'tie'],
    ['winner', 'winner'],
    ['winner_by_default', 'winner'],
  ] as const)(
    'a fight that nobody or both won is a tie and counts for neither (%s, %s)',
    (red, blue) => {
      const { games, slots } = fightRows({ winAnnotation: null }, 'a', 'b', null)
      const tournament = build({}, bots, [
        {
          games,
          slots: [
            { ...slots[0], state: red },
            { ...slots[1], state: blue },
          ],
        },
      ])
      expect(tournament.fights).toMatchObject([
        { isCompleted: true, red: { state: 'tie' }, blue: { state: 'tie' } },
      ])
      expect(record(tournament, 'a')).toMatchObject({ wins: 0, losses: 0, mostRecentGameID: 'W-0' })
    },
  )

  test('a fight can be won by default', () => {
    const { games, slots } = fightRows({ winAnnotation: null }, 'a', 'b')
    const tournament = build({}, bots, [
      { games, slots: [{ ...slots[0], state: 'winner_by_default' }, slots[1]] },
    ])
    expect(tournament.fights).toMatchObject([{ isCompleted: true, red: { isWinner: true } }])
    expect(record(tournament, 'a')).toMatchObject({ wins: 1 })
  })

  test.each([
    ['unavailable', 'pending'],
    ['available', 'pending'],
    ['called', 'pending'],
    ['hold', 'pending'],
    ['active', 'active'],
    ['done', 'done'],
  ] as const)('a fight in state %s is shown as %s', (state, shown) => {
    expect(build({}, bots, [fightRows({ state }, 'a', 'b', null)]).fights[0]?.state).toBe(shown)
  })

  const waiting = ['unavailable', 'available', 'called', 'hold'] as const
  test.each([...waiting, 'active'] as const)(
    'a fight in state %s shows nothing that its row says about later',
    (state) => {
      const isActive = state === 'active'
      const { games, slots } = fightRows({ state }, 'a', 'b')
      const played = slots.map((slot) => ({
        ...slot,
        ...{ tapped: true, score: 3, unstickTime: 4, showMotionTime: 5 },
      }))
      const pauses = [{ gameId: 'W-0', idx: 0, startTime: 1_770_000_120, stopTime: 1_770_000_130 }]
      const told = build({}, bots, [], {
        games,
        slots: played,
        pauses,
        judgeLines: [{ gameId: 'W-0', idx: 0, line: 'Ann: Damage 3-2' }],
      })
      const later = { winAnnotation: null, timerDuration: null, stopTime: null, endTime: null }
      const silent = build({}, bots, [], {
        games: games.map((game) => ({
          ...game,
          ...later,
          startTime: isActive ? game.startTime : null,
        })),
        slots: isActive
          ? played.map((slot) => ({ ...slot, state: 'pending' }))
          : openFight({}, 'a', 'b').slots,
        pauses: isActive ? pauses : [],
      })
      expect(told).toEqual(silent)
      expect(told.fights[0]?.red).toMatchObject(
        isActive
          ? { tapped: true, score: 3, unstickSeconds: 4, showMotionSeconds: 5 }
          : { tapped: false, score: null, unstickSeconds: null, showMotionSeconds: null },
      )
    },
  )

  test('the pauses of a fight end with it, except those that began before it', () => {
    const times = [
      [100, 250],
      [150, 160],
      [190, 250],
      [195, null],
      [90, 250],
      [95, null],
      [210, null],
      [96, 92],
    ] as const
    const pauses = times.map(([startTime, stopTime], idx) => ({
      gameId: 'W-0',
      idx,
      startTime,
      stopTime,
    }))
    const fights = [fightRows({ startTime: 100.5, stopTime: 200 }, 'a', 'b')]
    const [fight] = build({}, bots, fights, { pauses }).fights
    const stops = fight?.pauses.map(({ startUnix, stopUnix }) => [startUnix, stopUnix])
    const within = [100, 150, 190, 195].map((start) => [start, start === 150 ? 160 : 200])
    // No pause ends before it begins.
    expect<unknown>(stops).toEqual([...within, ...times.slice(4, 6), [210, 210], [96, 96]])
  })

  test('a fight of an exhibition bracket has round -1 and the name of its round', () => {
    const [fight] = build(
      {},
      bots,
      [fightRows({ id: 'EX-1', bracketId: 'EX', roundIdx: 1 }, 'a', 'b')],
      {
        brackets: [
          { id: 'EX', position: 0, name: 'Exhibition', isExhibition: true, formatType: null },
        ],
        rounds: [{ bracketId: 'EX', idx: 1, name: 'The Cusp', scoreToWin: 2 }],
      },
    ).fights
    expect(fight).toMatchObject({ round: -1, roundName: 'The Cusp', scoreToWin: 2 })
  })
})

describe('order', () => {
  test('fights are listed under way first, then done ones newest first, then pending ones', () => {
    const tournament = build({ active: true }, bots, [
      openFight({ id: 'never' }, 'a', 'b'),
      fightRows({ id: 'forfeit', startTime: null, stopTime: null, endTime: 150 }, 'a', 'b'),
      fightRows({ id: 'b', startTime: 100, stopTime: 200 }, 'a', 'b'),
      fightRows({ id: 'a', startTime: 100, stopTime: 200 }, 'a', 'b'),
      fightRows({ id: 'later', startTime: 150, stopTime: 200 }, 'a', 'b'),
      fightRows({ id: 'now', state: 'active', startTime: 900, stopTime: null }, 'a', 'b', null),
      fightRows({ id: 'latest', startTime: 100, stopTime: 300 }, 'a', 'b'),
    ])
    expect(ids(tournament.fights)).toEqual(['now', 'latest', 'later', 'b', 'a', 'forfeit', 'never'])
  })

  const timeless = { startTime: null, stopTime: null, endTime: null } as const
  test.each([
    ['over', { active: false, endTime: 900 }],
    ['active', { active: true }],
    ['started by its row', { active: true, startTime: 90 }],
    ['scheduled for later', { active: true, scheduledStartTime: 800 }],
    ['created later', { active: false, createTime: 1000 }],
  ])(
    'decided fights without times follow the previous fight, also if the tournament is %s',
    (_, over) => {
      const tournament = build(over, bots, [
        fightRows({ id: 'x', position: 0, ...timeless }, 'a', 'b'),
        fightRows({ id: 'first', position: 1, startTime: 100, stopTime: 200 }, 'a', 'b'),
        fightRows(
          { id: 'forfeit', position: 2, ...timeless, winAnnotation: 'FF' },
          ...(['a', 'b', null] as const),
        ),
        fightRows(
          { id: 'unstopped', position: 3, startTime: 150, stopTime: null, endTime: null },
          ...(['b', 'a'] as const),
        ),
      ])
      expect(ids(tournament.fights)).toEqual(['forfeit', 'first', 'unstopped', 'x'])
      expect(tournament.fights.map(({ finishUnix }) => finishUnix)).toEqual([
        ...[200, 200, 150],
        'startTime' in over ? 90 : 100,
      ])
      expect(record(tournament, 'a')?.mostRecentGameID).toBe('forfeit')
    },
  )

  test.each([
    [{ startTime: 10, scheduledStartTime: 20, createTime: 30 }, 10],
    [{ scheduledStartTime: 20, createTime: 30 }, 20],
    [{ createTime: 30 }, 30],
  ])('the moment of a fight without any time follows %p', (over, moment) => {
    const fights = [
      fightRows({ id: 'x', ...timeless }, 'a', 'b'),
      fightRows({ id: 'closed', ...timeless, winAnnotation: null }, 'a', 'b', null),
    ]
    for (const active of [true, false]) {
      const tournament = build({ ...over, active, endTime: 999 }, bots, fights)
      expect(tournament.fights.map(({ finishUnix }) => finishUnix)).toEqual([moment, moment])
      expect(record(tournament, 'a')?.lastPlayUnix).toBe(moment)
    }
  })

  test('tournaments are sorted by start, else scheduled start, else creation, latest first', () => {
    const { dataset } = archiveOf(
      tournamentOf({ id: 'created', createTime: 50 }, [], []),
      tournamentOf({ id: 'scheduled', createTime: 1, scheduledStartTime: 60 }, [], []),
      tournamentOf({ id: 'started', createTime: 1, scheduledStartTime: 90, startTime: 55 }, [], []),
      tournamentOf({ id: 'b', createTime: 10 }, [], []),
      tournamentOf({ id: 'a', createTime: 10 }, [], []),
    )
    const order = ids(dataset.tournaments.map(({ info }) => info))
    expect(order).toEqual(['scheduled', 'started', 'created', 'a', 'b'])
  })

  test('players are sorted by seed, the unseeded last, then by name', () => {
    const tournament = build(
      {},
      [
        { id: '1', name: 'Zed' },
        { id: '2', name: 'Abe' },
        { id: '3', name: 'Two', seed: 2 },
        { id: '4', name: 'One', seed: 1 },
      ],
      [],
    )
    expect(tournament.players.map(({ player }) => player.name)).toEqual([
      'One',
      'Two',
      'Abe',
      'Zed',
    ])
  })

  test('games of a bracket are sorted by round, then position', () => {
    const [bracket] = build({}, bots, [
      fightRows({ id: 'final', roundIdx: 1 }, 'a', 'b'),
      fightRows({ id: 'second', position: 1 }, 'a', 'b'),
      fightRows({ id: 'first', position: 0 }, 'a', 'b'),
    ]).brackets
    expect(ids(bracket?.games ?? [])).toEqual(['first', 'second', 'final'])
  })
})

describe('start and end of a tournament', () => {
  const fights = [
    fightRows({ id: '1', startTime: 100, stopTime: 200 }, 'a', 'b'),
    fightRows({ id: '2', startTime: 300, stopTime: 400 }, 'a', 'b'),
  ]
  test('start and end of a tournament come from its own row', () => {
    const { info } = build({ startTime: 10, endTime: 20 }, bots, fights)
    expect(info).toMatchObject({ startUnix: 10, endUnix: 20 })
  })
  test('start and end of a tournament come from its fights if its row has none', () => {
    expect(build({}, bots, fights).info).toMatchObject({ startUnix: 100, endUnix: 400 })
  })
  test('the start of a tournament without starts is its first finish', () => {
    const tournament = build({ createTime: 1000 }, bots, [
      fightRows({ id: 'late', startTime: null, stopTime: 400 }, 'a', 'b'),
      fightRows({ id: 'early', startTime: null, stopTime: null, endTime: 300 }, 'a', 'b'),
      fightRows({ id: 'x', startTime: null, stopTime: null, endTime: null }, 'a', 'b'),
    ])
    expect(tournament.info).toMatchObject({ startUnix: 300, endUnix: 400 })
    expect(ids(tournament.fights)).toEqual(['x', 'late', 'early'])
  })
  test('start and end of a tournament do not come from byes', () => {
    const bye = fightRows({ id: 'bye', startTime: 50, stopTime: 500 }, 'a', 'x')
    const withBye = [...bots, { id: 'x', name: '(Bye)', isBye: true }]
    const { info } = build({}, withBye, [...fights, bye])
    expect(info).toMatchObject({ startUnix: 100, endUnix: 400 })
  })
  test('an active tournament has no end, and one without fights has no start', () => {
    for (const endTime of [null, 20])
      expect(build({ active: true, endTime }, bots, fights).info.endUnix).toBeNull()
    expect(build({}, bots, []).info).toMatchObject({ startUnix: null, endUnix: null })
  })
})

test.each([
  ['', null],
  ['Beetleweight', 'Beetleweight'],
])('a class named %p has the name %p', (weightClassName, expected) => {
  expect(build({ weightClassName }, bots, []).info.weightClassName).toBe(expected)
})

describe('findRecording', () => {
  const film = (id: number, gameId: string) => recordingRow({ id, gameId })
  const { dataset } = archiveOf(
    tournamentOf(
      { id: 'one' },
      bots,
      [fightRows({ id: 'x' }, 'a', 'b'), fightRows({ id: 'y' }, 'a', 'b')],
      {
        recordings: [film(3, 'x'), film(10, 'y'), film(20, 'x'), film(30, 'nowhere')],
      },
    ),
    tournamentOf({ id: 'two' }, bots, [fightRows({ id: 'z' }, 'a', 'b')], {
      recordings: [film(5, 'z'), film(25, 'z')],
    }),
    tournamentOf({ id: 'none' }, bots, []),
  )
  test.each([
    [3, 'x'],
    [5, 'z'],
    [10, 'y'],
    [20, 'x'],
    [25, 'z'],
  ])('recording %i is of fight %s', (id, gameID) => {
    const found = findRecording(dataset, id)
    expect(found?.recording.id).toBe(id)
    expect(found?.fight.id).toBe(gameID)
  })
  test.each([0, 4, 11, 26, 30, 1e15])('recording %i is unknown', (id) => {
    expect(findRecording(dataset, id)).toBeUndefined()
  })
})

test('a player in both corners has won and lost, whichever corner won', () => {
  for (const winner of [0, 1] as const) {
    const [record] = build({}, [{ id: 'a' }], [fightRows({}, 'a', 'a', winner)]).players
    expect(record).toMatchObject({ wins: 1, losses: 1, gameIDs: ['W-0'] })
  }
})

describe('stages', () => {
  const group = (id: string, position: number, formatType: 'round_robin' | 'swiss' | null) => ({
    ...{ id, position, formatType },
    name: id,
    isExhibition: false,
  })
  const fight = (bracketId: string, id: string, red: string, blue: string, over: object = {}) =>
    fightRows({ bracketId, id, ...over }, red, blue)
  const four = playersNamed('Axe', 'Bolt', 'Club', 'Drum')
  const groups = [fight('A', 'A1', 'p0', 'p1'), fight('B', 'B1', 'p2', 'p3')]
  const brackets = [group('A', 0, 'round_robin'), group('B', 1, 'round_robin')]
  test.each([
    ['only groups give none', {}, groups, brackets, [null, null, null, null]],
    [
      'the elimination after groups decides',
      {},
      [...groups, fight('F', 'F1', 'p0', 'p2', { loserPlacement: 2 })],
      [...brackets, group('F', 2, null)],
      [1, null, 2, null],
    ],
    [
      'wins decide in a single Swiss stage',
      { formatType: 'round_robin' as const },
      [fight('S', 'S1', 'p0', 'p1'), fight('S', 'S2', 'p2', 'p3'), fight('S', 'S3', 'p0', 'p2')],
      [group('S', 0, 'swiss')],
      [1, 3, 2, 3],
    ],
    [
      'a round robin in several groups gives none',
      { formatType: 'round_robin' as const },
      groups,
      brackets,
      [null, null, null, null],
    ],
    [
      'wins decide in a single table',
      {},
      [fight('S', 'S1', 'p0', 'p1'), fight('S', 'S2', 'p2', 'p3'), fight('S', 'S3', 'p0', 'p2')],
      [group('S', 0, 'round_robin')],
      [1, 3, 2, 3],
    ],
  ])('places after stages: %s', (_, tournament, fights, brackets, places) => {
    const { players } = buildTournament(tournamentOf(tournament, four, fights, { brackets }))
    const byName = new Map(players.map(({ player, placement }) => [player.name, placement]))
    expect(['Axe', 'Bolt', 'Club', 'Drum'].map((name) => byName.get(name))).toEqual(places)
  })
})

describe('placements', () => {
  const players = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
  const game = (
    id: string,
    roundIdx: number,
    position: number,
    [red, blue]: readonly [string, string],
    winner: 0 | 1 | null,
    [redFrom, blueFrom]: readonly (string | null)[],
    loserPlacement: number | null,
  ): ReturnType<typeof fightRows> => {
    const fight = fightRows({ id, roundIdx, position, loserPlacement }, red, blue, winner)
    const [one, two] = fight.slots
    return {
      ...fight,
      slots: [
        { ...one, prevGameId: redFrom ?? null },
        { ...two, prevGameId: blueFrom ?? null },
      ],
    }
  }
  /** A bracket game that is never fought; null is an empty corner. */
  const never = (
    id: string,
    roundIdx: number,
    position: number,
    [red, blue]: readonly [string | null, string | null],
    from: readonly (string | null)[],
    loserPlacement: number | null,
  ): ReturnType<typeof fightRows> => {
    const { games, slots } = game(id, roundIdx, position, ['', ''], null, from, loserPlacement)
    const [row] = games
    const [one, two] = slots
    return {
      games: [{ ...row, state: 'unavailable', winAnnotation: null, startTime: null }],
      slots: [
        { ...one, playerId: red },
        { ...two, playerId: blue },
      ],
    }
  }
  const places = (tournament: Tournament) =>
    Object.fromEntries(tournament.players.map(({ player, placement }) => [player.id, placement]))

  test('single elimination with a game for third place gives four places', () => {
    const tournament = build({}, players, [
      game('W-0', 0, 0, ['a', 'd'], 0, [], null),
      game('W-1', 0, 1, ['b', 'c'], 0, [], null),
      game('W-2', 1, 0, ['a', 'b'], 1, ['W-0', 'W-1'], 2),
      game('W-3', 1, 1, ['d', 'c'], 0, ['W-0', 'W-1'], 4),
    ])
    expect(places(tournament)).toEqual({ b: 1, a: 2, d: 3, c: 4 })
  })

  test('losers of the same round share a place', () => {
    const tournament = build({}, players, [
      game('W-0', 0, 0, ['a', 'd'], 0, [], 3),
      game('W-1', 0, 1, ['b', 'c'], 0, [], 3),
      game('W-2', 1, 0, ['a', 'b'], 0, ['W-0', 'W-1'], 2),
    ])
    expect(places(tournament)).toEqual({ a: 1, b: 2, c: 3, d: 3 })
  })

  test('a grand final that is followed by a reset decides nothing', () => {
    const tournament = build({ formatType: 'double_elimination' }, players.slice(0, 2), [
      game('W-0', 0, 0, ['a', 'b'], 0, [], null),
      game('W-1', 1, 0, ['a', 'b'], 1, ['W-0', 'W-0'], 2),
      game('W-2', 2, 0, ['a', 'b'], 0, ['W-1', 'W-1'], 2),
    ])
    expect(places(tournament)).toEqual({ a: 1, b: 2 })
  })

  test('a second final that is still to come keeps the places open', () => {
    const tournament = build({ formatType: 'double_elimination' }, players.slice(0, 2), [
      game('W-0', 0, 0, ['a', 'b'], 0, [], null),
      game('W-1', 1, 0, ['a', 'b'], 1, ['W-0', 'W-0'], 2),
      never('W-2', 2, 0, [null, null], ['W-1', 'W-1'], 2),
    ])
    expect(places(tournament)).toEqual({ a: null, b: null })
  })

  test('a round robin gives places by wins, and equal numbers share one', () => {
    const tournament = build({ formatType: 'round_robin' }, players.slice(0, 3), [
      game('W-0', 0, 0, ['a', 'b'], 0, [], null),
      game('W-1', 0, 1, ['a', 'c'], 0, [], null),
      game('W-2', 0, 2, ['b', 'c'], null, [], null),
    ])
    expect(places(tournament)).toEqual({ a: 1, b: 2, c: 2 })
  })

  test('an active tournament, or one with an open game, gives no places', () => {
    const final = game('W-0', 0, 0, ['a', 'b'], 0, [], 2)
    expect(places(build({ active: true }, players.slice(0, 2), [final]))).toEqual({
      a: null,
      b: null,
    })
    const open = fightRows({ id: 'W-1', state: 'called' }, 'a', 'b', null)
    expect(places(build({}, players.slice(0, 2), [final, open]))).toEqual({ a: null, b: null })
  })

  /** A done game with both corners in this state. */
  const undecided = (
    fight: ReturnType<typeof fightRows>,
    state: 'tie' | 'loser' | 'loser_by_default',
  ): ReturnType<typeof fightRows> => {
    const [one, two] = fight.slots
    return {
      ...fight,
      slots: [
        { ...one, state },
        { ...two, state },
      ],
    }
  }
  const semis = [
    game('W-0', 0, 0, ['a', 'd'], 0, [], null),
    game('W-1', 0, 1, ['b', 'c'], 0, [], null),
  ]
  const final = game('W-2', 1, 0, ['a', 'b'], 1, ['W-0', 'W-1'], 2)

  test.each([
    ['its robots known', ['d', 'c']],
    ['its corners empty', [null, null]],
  ] as const)(
    'a game for third place never fought leaves open the places of its own, %s',
    (_, bots) => {
      const third = never('W-3', 1, 1, bots, ['W-0', 'W-1'], 4)
      expect(places(build({}, players, [...semis, final, third]))).toEqual({
        b: 1,
        a: 2,
        c: null,
        d: null,
      })
    },
  )

  test('a final never fought keeps the places of those out before', () => {
    const tournament = build({}, players, [
      game('W-0', 0, 0, ['a', 'd'], 0, [], 3),
      game('W-1', 0, 1, ['b', 'c'], 0, [], 3),
      never('W-2', 1, 0, ['a', 'b'], ['W-0', 'W-1'], 2),
    ])
    expect(places(tournament)).toEqual({ a: null, b: null, c: 3, d: 3 })
  })

  test.each(['loser', 'loser_by_default'] as const)(
    'a final whose other corner stays empty after a double forfeit (%s) is a walkover',
    (state) => {
      const forfeit = undecided(game('W-1', 0, 1, ['b', 'c'], null, [], 3), state)
      const placesAgainst = (other: string | null) =>
        places(
          build(
            {},
            [...players, { id: 'e' }],
            [
              game('W-0', 0, 0, ['a', 'd'], 0, [], 3),
              forfeit,
              never('W-2', 1, 0, ['a', other], ['W-0', 'W-1'], 2),
            ],
          ),
        )
      const lost = { b: 3, c: 3, d: 3, e: null }
      expect(placesAgainst(null)).toEqual({ ...lost, a: 1 })
      expect(placesAgainst('e')).toEqual({ ...lost, a: null })
    },
  )

  describe('a needless second final', () => {
    const first = (place: number | null) => game('W-1', 1, 0, ['a', 'b'], 0, ['W-0', 'L-0'], place)
    const opening = game('W-0', 0, 0, ['a', 'b'], 0, [], null)
    const closed = (
      bots: readonly [string | null, string | null],
      place: number | null,
    ): ReturnType<typeof fightRows> => {
      const { games, slots } = never('W-2', 2, 0, bots, ['W-1', 'W-1'], place)
      return { games: [{ ...games[0], state: 'done' }], slots }
    }
    test.each([
      ['open, with a place', first(2), never('W-2', 2, 0, [null, null], ['W-1', 'W-1'], 2)],
      ['open, without a place', first(2), never('W-2', 2, 0, [null, null], ['W-1', 'W-1'], null)],
      [
        'open, with the only place',
        first(null),
        never('W-2', 2, 0, [null, null], ['W-1', 'W-1'], 2),
      ],
      [
        'open, none with a place',
        first(null),
        never('W-2', 2, 0, ['a', 'b'], ['W-1', 'W-1'], null),
      ],
      ['closed, without a place', first(2), closed(['a', 'b'], null)],
      ['closed, with the only place', first(null), closed([null, null], 2)],
    ])('a needless second final, %s, leaves the first to decide', (_, one, two) => {
      const rows = build({ formatType: 'double_elimination' }, players.slice(0, 2), [
        opening,
        one,
        two,
      ])
      expect(places(rows)).toEqual({ a: 1, b: 2 })
    })
  })

  test('a second final without a place of its own decides the first two places', () => {
    const tournament = build({ formatType: 'double_elimination' }, players.slice(0, 2), [
      game('W-0', 0, 0, ['a', 'b'], 0, [], null),
      game('W-1', 1, 0, ['a', 'b'], 1, ['W-0', 'W-0'], 2),
      game('W-2', 2, 0, ['a', 'b'], 1, ['W-1', 'W-1'], null),
    ])
    expect(places(tournament)).toEqual({ b: 1, a: 2 })
  })

  test.each([
    ['of the same round, listed after it', 'W-2', 1, 1, 'W-4', 0, ['W-0', 'W-1'], 2],
    ['of the same round, without a place', 'W-4', 1, 0, 'W-2', 1, ['W-0', 'W-1'], null],
    ['of the next round, linked', 'W-4', 2, 0, 'W-2', 0, ['W-2', 'W-2'], null],
    ['of the next round, not linked', 'W-4', 2, 0, 'W-2', 0, [], null],
  ] as const)(
    'a drawn final is decided by the game %s',
    (_, id, round, position, drawn, at, from, place) => {
      const draw = undecided(game(drawn, 1, at, ['a', 'b'], null, ['W-0', 'W-1'], 2), 'tie')
      const again = game(id, round, position, ['b', 'a'], 0, from, place)
      expect(places(build({}, players, [...semis, draw, again]))).toMatchObject({ b: 1, a: 2 })
    },
  )

  test('a draw to be fought again leaves both places open', () => {
    const draw = undecided(final, 'tie')
    const again = never('W-4', 1, 1, ['a', 'b'], ['W-0', 'W-1'], 2)
    expect(places(build({}, players, [...semis, draw, again]))).toMatchObject({ a: null, b: null })
  })

  test('a draw from which both go on is not decided by their later game', () => {
    const tournament = build({ formatType: 'double_elimination' }, players, [
      undecided(game('W-0', 0, 0, ['a', 'b'], null, [], null), 'tie'),
      game('W-1', 1, 0, ['a', 'c'], 0, ['W-0', null], null),
      game('L-0', 2, 0, ['b', 'd'], 0, ['W-0', null], 4),
      game('L-1', 3, 0, ['b', 'c'], 0, ['L-0', 'W-1'], 3),
      game('W-2', 4, 0, ['a', 'b'], 0, ['W-1', 'L-1'], 2),
    ])
    expect(places(tournament)).toEqual({ a: 1, b: 2, c: 3, d: 4 })
  })

  test('a drawn game without a place that is fought again gives no place', () => {
    const tournament = build({}, players, [
      undecided(game('W-0', 0, 0, ['a', 'd'], null, [], null), 'tie'),
      game('W-1', 0, 1, ['b', 'c'], 0, [], null),
      game('W-3', 1, 0, ['a', 'd'], 0, ['W-0', 'W-0'], null),
      game('W-2', 2, 0, ['a', 'b'], 0, ['W-3', 'W-1'], 2),
    ])
    expect(places(tournament)).toEqual({ a: 1, b: 2, c: null, d: null })
  })

  test('a bot that reaches a repeated game has no place from the drawn one', () => {
    // The games of the losers' bracket follow the games of the winners' bracket.
    const tournament = build({ formatType: 'double_elimination' }, players, [
      game('W-0', 0, 0, ['a', 'b'], 0, [], null),
      game('W-1', 0, 1, ['c', 'd'], 1, [], null),
      game('W-2', 1, 0, ['a', 'd'], 1, ['W-0', 'W-1'], null),
      game('W-3', 2, 0, ['d', 'c'], 1, ['W-2', 'L-2'], 2),
      game('W-4', 3, 0, ['d', 'c'], 1, ['W-3', 'W-3'], 2),
      game('L-0', 4, 0, ['b', 'c'], 1, ['W-0', 'W-1'], 4),
      undecided(game('L-1', 5, 0, ['a', 'c'], null, ['W-2', 'L-0'], 3), 'tie'),
      game('L-2', 5, 1, ['a', 'c'], 1, ['L-1', 'L-1'], 3),
    ])
    expect(places(tournament)).toEqual({ c: 1, d: 2, a: 3, b: 4 })
  })

  test.each([3, 4])('a winner who is replaced in the next game has no place (%i)', (place) => {
    const tournament = build(
      {},
      [...players, { id: 'e' }],
      [
        game('W-0', 0, 0, ['a', 'd'], 0, [], place),
        game('W-1', 0, 1, ['b', 'c'], 0, [], place),
        game('W-2', 1, 0, ['e', 'b'], 1, ['W-0', 'W-1'], 2),
      ],
    )
    expect(places(tournament)).toEqual({ b: 1, e: 2, a: null, c: place, d: place })
  })

  test.each([
    [['b', 'c'], { a: 1, b: null, c: null }],
    [['a', 'b'], { a: 1, b: null, c: null }],
  ] as const)(
    'a round robin with %j never fought leaves open the places that it decides',
    (pair, expected) => {
      const games = [
        game('W-0', 0, 0, ['a', 'b'], 0, [], null),
        game('W-1', 0, 1, ['a', 'c'], 0, [], null),
        never('W-2', 0, 2, pair, [], null),
      ]
      expect(places(build({ formatType: 'round_robin' }, players.slice(0, 3), games))).toEqual(
        expected,
      )
    },
  )

  test('places given by the league replace computed ones once the tournament is over', () => {
    const placed = [{ id: 'a', placement: 2 }, { id: 'b', placement: 1 }, { id: 'c' }]
    const fights = [fightRows({ loserPlacement: 2 }, 'a', 'b')]
    const placesOf = (active: boolean) => places(build({ active }, placed, fights))
    expect(placesOf(false)).toEqual({ a: 2, b: 1, c: null })
    expect(placesOf(true)).toEqual({ a: null, b: null, c: null })
  })

  test.each([0, 1])('a game for place %i gives no place', (placement) => {
    const final = game('W-0', 0, 0, ['a', 'b'], 0, [], placement)
    expect(places(build({}, players.slice(0, 2), [final]))).toEqual({ a: null, b: null })
  })

  test('byes take no place', () => {
    const tournament = build(
      {},
      [{ id: 'a' }, { id: 'bye', isBye: true }],
      [game('W-0', 0, 0, ['a', 'bye'], 0, [], 2)],
    )
    expect(places(tournament)).toEqual({ a: 1, bye: null })
    const table = ['b', 'bye'].map((other, at) => game(`W-${at}`, 0, at, ['a', other], 0, [], null))
    const withBye = [{ id: 'a' }, { id: 'b' }, { id: 'bye', isBye: true }]
    expect(places(build({ formatType: 'round_robin' }, withBye, table))).toEqual({
      a: 1,
      b: 2,
      bye: null,
    })
  })

  test('a loser whose next game is against a bye has the place of that game', () => {
    const tournament = build(
      {},
      [...players, { id: 'bye', isBye: true }],
      [
        game('W-0', 0, 0, ['a', 'd'], 0, [], 3),
        game('W-1', 0, 1, ['b', 'c'], 0, [], 3),
        game('W-2', 1, 0, ['a', 'b'], 0, ['W-0', 'W-1'], 2),
        game('W-3', 1, 1, ['bye', 'c'], 1, ['W-0', 'W-1'], 4),
      ],
    )
    expect(places(tournament)).toEqual({ a: 1, b: 2, c: 3, d: 3, bye: null })
  })

  test.each([
    ['a draw of an active event has none yet', ['tie', 'tie'], true, 'b', undefined],
    ['a game with a single loser has none', ['loser', 'tie'], true, 'b', undefined],
    ['two losers are both out', ['loser', 'loser'], true, 'b', 'nobody'],
    ['a game against a bye is not fought again', ['tie', 'tie'], true, 'bye', 'nobody'],
    ['a draw of an event that is over is not fought again', ['tie', 'tie'], false, 'b', 'nobody'],
  ] as const)('the loser of a game: %s', (_, [one, two], active, other, loser) => {
    const { games, slots } = game('W-0', 0, 0, ['a', other], null, [], null)
    const [red, blue] = slots
    const { brackets } = build(
      { active },
      [{ id: 'a' }, { id: 'b' }, { id: 'bye', isBye: true }],
      [
        {
          games,
          slots: [
            { ...red, state: one },
            { ...blue, state: two },
          ],
        },
      ],
    )
    const found = brackets.flatMap((bracket) => bracket.games)
    expect(found.map((each) => resultOf(each, ['a', other], 'nobody')?.loser)).toEqual([loser])
  })

  test('winners of a round whose next one is missing have no place', () => {
    const tournament = build({}, players, [
      game('W-0', 0, 0, ['a', 'd'], 0, [], 3),
      game('W-1', 0, 1, ['b', 'c'], 0, [], 3),
    ])
    expect(places(tournament)).toEqual({ a: null, b: null, c: 3, d: 3 })
  })

  test('a drawn game is not decided by an earlier one, nor by one of another bracket', () => {
    const brackets = ['L', 'W'].map((id, position) => ({
      ...{ id, name: id, position, isExhibition: false, formatType: null },
    }))
    const draw = undecided(game('W-1', 1, 0, ['a', 'b'], null, [], 2), 'tie')
    const before = game('W-0', 0, 0, ['a', 'b'], 0, [], null)
    const { games, slots } = game('L-0', 1, 0, ['a', 'b'], 0, [], 4)
    const [row] = games
    const elsewhere: typeof before = { games: [{ ...row, bracketId: 'L' }], slots }
    for (const other of [before, elsewhere])
      expect(places(build({}, players.slice(0, 2), [other, draw], { brackets }))).toEqual({
        a: null,
        b: null,
      })
  })

  test('a double forfeit of the final leaves only the first two places open', () => {
    const tournament = build({ formatType: 'single_elimination' }, players, [
      game('W-0', 0, 0, ['a', 'b'], 0, [], 3),
      game('W-1', 0, 1, ['c', 'd'], 0, [], 3),
      game('W-2', 1, 0, ['a', 'c'], null, ['W-0', 'W-1'], 2),
    ])
    expect(places(tournament)).toEqual({ a: null, b: 3, c: null, d: 3 })
  })

  test('a table is sorted by wins, then wins against tied bots, then fewer losses; a bye is no win', () => {
    const meetings = [
      ...[
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'd'],
        ['d', 'a'],
        ['a', 'e'],
        ['c', 'e'],
      ],
      ...[
        ['b', 'e'],
        ['d', 'bye'],
      ],
    ] as const
    const games = meetings.map(([winner, loser], index) =>
      game(`W-${index}`, 0, index, [winner, loser], 0, [], null),
    )
    const entrants = [...players, { id: 'e' }, { id: 'bye', name: '(Bye)', isBye: true }]
    // a, b and c have two wins: a beat b, b beat c, and c lost one fight less.
    const tournament = build({ formatType: 'round_robin' }, entrants, games)
    expect(places(tournament)).toMatchObject({ a: 1, b: 1, c: 3, d: 4, e: 5 })
    const [stage] = tournament.brackets
    expect(stage && standingsOf(stage).map(({ player, rank }) => [player.id, rank])).toEqual([
      ...[
        ['a', 1],
        ['b', 1],
        ['c', 3],
        ['d', 4],
        ['e', 5],
      ],
    ])
  })
})

describe('rows that do not fit together', () => {
  test('an unknown player, round or bracket is treated as missing', () => {
    const { dataset } = archiveOf(
      tournamentRows({
        ...tournamentOf({}, bots, [fightRows({ id: 'x', roundIdx: 9 }, 'a', 'b')]),
        rounds: [],
      }),
      tournamentOf({ id: 'odd' }, [], [fightRows({ bracketId: 'ZZ' }, 'a', 'b')], {
        slots: [slotRow({ gameId: 'nowhere' })],
      }),
    )
    expect(dataset.fights[0]).toMatchObject({ id: 'x', roundName: '' })
    expect(dataset.tournamentsByID.get('odd')?.games.size).toBe(0)
  })
})

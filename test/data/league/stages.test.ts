import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildTournament } from '../../../src/data/league/build.ts'
import { isOver, qualifiedRounds, stagesOf, standingsOf } from '../../../src/data/league/stages.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'

const bots = ['a', 'b', 'c', 'd']
const players = [...bots.map((id) => ({ id, name: id.toUpperCase() })), { id: 'bye', isBye: true }]
const bracket = (
  id: string,
  formatType: 'round_robin' | 'swiss' | 'single_elimination' | null = null,
  isExhibition = false,
) => ({
  id,
  position: id.charCodeAt(0),
  name: id,
  isExhibition,
  formatType,
})

test('standings count wins, losses and draws of each bot, and equal records share a rank', () => {
  const game = fc.record({
    corners: fc.constantFrom(
      ...bots.flatMap((red) => ['a', 'b', 'bye', null].map((blue) => [red, blue] as const)),
    ),
    result: fc.constantFrom<0 | 1 | null | 'open'>(0, 1, null, 'open'),
  })
  fc.assert(
    fc.property(fc.array(game, { maxLength: 9 }), (drawn) => {
      const games = drawn.filter(({ corners: [red, blue] }) => red !== blue)
      const fights = games.map(({ corners: [red, blue], result }, index) => {
        const row = { id: `W-${index}`, position: index }
        return result === 'open' ? openFight(row, red, blue) : fightRows(row, red, blue, result)
      })
      const [stage] = buildTournament(tournamentOf({}, players, fights)).brackets
      const fought = games.filter(
        ({ corners: [, blue], result }) => blue !== null && blue !== 'bye' && result !== 'open',
      )
      const winnerOf = ({ corners, result }: (typeof games)[number]) =>
        typeof result === 'number' ? corners[result] : undefined
      const tallies = bots.flatMap((id) => {
        const own = fought.filter(({ corners }) => corners.includes(id))
        const wins = own.filter((each) => winnerOf(each) === id).length
        const draws = own.filter((each) => winnerOf(each) === undefined).length
        const isListed = games.some(({ corners }) => corners.includes(id))
        return isListed ? { id, wins, losses: own.length - wins - draws, draws } : []
      })
      const amongEqual = ({ id, wins }: (typeof tallies)[number]): number =>
        fought.filter(
          (each) =>
            winnerOf(each) === id &&
            each.corners.every(
              (other) => tallies.find((tally) => tally.id === other)?.wins === wins,
            ),
        ).length
      const compare = (x: (typeof tallies)[number], y: (typeof tallies)[number]): number =>
        y.wins - x.wins || amongEqual(y) - amongEqual(x) || x.losses - y.losses
      const expected = tallies
        .toSorted((x, y) => compare(x, y) || (x.id < y.id ? -1 : 1))
        .map((tally) => ({
          ...tally,
          rank: 1 + tallies.filter((other) => compare(other, tally) < 0).length,
        }))
      expect(
        standingsOf(stage ?? { games: [] }).map(({ player, ...rest }) => ({
          id: player.id,
          ...rest,
        })),
      ).toEqual(expected)
    }),
  )
})

test.each([
  ['one stage of knock-out', [bracket('W')], 'ab', {}],
  ['knock-out after knock-out', [bracket('W'), bracket('X')], 'ab ab', {}],
  [
    'knock-out of those in the groups',
    [bracket('G', 'round_robin'), bracket('W')],
    'ab ab',
    { W: 0 },
  ],
  ['knock-out of others', [bracket('G', 'round_robin'), bracket('W')], 'ab cd', {}],
  [
    'knock-out of one of those in two groups',
    [bracket('G', 'round_robin'), bracket('H', 'round_robin'), bracket('W')],
    'ab cd ad',
    { W: 0 },
  ],
  ['groups after a knock-out', [bracket('A'), bracket('G', 'round_robin')], 'ab ab', {}],
  ['a Swiss stage', [bracket('S', 'swiss')], 'ab', { S: 1 }],
  [
    'a Swiss stage, then a knock-out',
    [bracket('S', 'swiss'), bracket('W')],
    'ab ab',
    { S: 1, W: 0 },
  ],
  [
    'qualifying fights, then a knock-out',
    [bracket('Q', null, true), bracket('W')],
    'ab cd',
    { W: 0 },
  ],
  ['an exhibition without a fight', [bracket('E', null, true), bracket('W')], '- ab', {}],
] as const)(
  'the rounds that tell who qualified are right for %s',
  (_, brackets, fights, expected) => {
    const rows = fights.split(' ').flatMap((corners, index) => {
      const [red = '', blue = ''] = corners
      const { id } = brackets[index] ?? { id: '' }
      return corners === '-' ? [] : [fightRows({ id: `${id}-1`, bracketId: id }, red, blue)]
    })
    const from = qualifiedRounds(
      tournamentOf({}, players, rows, { brackets: [...brackets].reverse() }),
    )
    expect(Object.fromEntries(from)).toEqual(expected)
  },
)

test.each([
  ['round_robin', { W: 0 }],
  ['single_elimination', {}],
] as const)(
  'a stage without its own format has the format of the tournament, %s',
  (formatType, expected) => {
    const fights = ['G', 'W'].map((id) => fightRows({ id: `${id}-1`, bracketId: id }, 'a', 'b'))
    const brackets = [bracket('G'), bracket('W', 'single_elimination')]
    const from = qualifiedRounds(tournamentOf({ formatType }, players, fights, { brackets }))
    expect(Object.fromEntries(from)).toEqual(expected)
  },
)

test('a bracket without a game is no stage, and neither is an exhibition', () => {
  const { brackets } = buildTournament(
    tournamentOf(
      {},
      players,
      [
        fightRows({ id: 'W-1', bracketId: 'W' }, 'a', 'b'),
        fightRows({ id: 'X-1', bracketId: 'X' }, 'a', 'b'),
      ],
      { brackets: [bracket('W'), bracket('X', null, true), bracket('Z')] },
    ),
  )
  expect(stagesOf(brackets).map(({ id }) => id)).toEqual(['W'])
})

test.each([
  [false, [fightRows({}, 'a', 'b')], true],
  [true, [fightRows({}, 'a', 'b')], false],
  [false, [openFight({}, 'a', 'b')], false],
])(
  'a tournament is over if it is inactive and has no open fight: active %p, case %#',
  (active, fights, expected) => {
    expect(isOver(buildTournament(tournamentOf({ active }, players, fights)))).toBe(expected)
  },
)

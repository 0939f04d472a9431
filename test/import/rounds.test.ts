import { expect, test } from 'bun:test'
import type { FightResponses } from '../../scripts/import/api/responses.ts'
import { placeGames } from '../../scripts/import/api/rounds.ts'

/** Brackets, rounds and positions of games, as far as these tests distinguish them. */
const placed = (brackets: object, fights: Readonly<Record<string, FightResponses>> = {}) => {
  const rows = placeGames({
    tournament: {},
    brackets: { ...brackets },
    fights: new Map(Object.entries(fights)),
    clips: undefined,
    stills: undefined,
    curatedStills: undefined,
  })
  return {
    brackets: rows.brackets.map(({ id, name, isExhibition }) => [id, name, isExhibition]),
    formats: rows.brackets.map(({ formatType }) => formatType),
    rounds: rows.rounds.map(({ bracketId, idx, name, scoreToWin }) => [
      bracketId,
      idx,
      name,
      scoreToWin,
    ]),
    games: rows.games.map(({ id, bracketId, roundIdx, position }) => [
      id,
      bracketId,
      roundIdx,
      position,
    ]),
  }
}

test('games known only from the list of fights follow the games of their bracket, or make one', () => {
  const { brackets, games } = placed(
    { brackets: [{ bracketID: 'L', bracketName: 'Lower', games: [{ id: 'L-1', round: 0 }] }] },
    Object.fromEntries(
      ['L-1', 'L-2', 'EX-9', 'x7', 'POOL-1', 'ABC-1'].map((id) => [
        id,
        { summary: { round: id === 'L-2' ? 1 : 0 } },
      ]),
    ),
  )
  expect(brackets).toEqual([
    ['L', 'Lower', false],
    ['EX', 'Exhibition', false],
    ['W', 'Winners', false],
    ['ABC', 'ABC', false],
  ])
  expect(games).toEqual([
    ['L-1', 'L', 0, 0],
    ['L-2', 'L', 1, 1],
    ['EX-9', 'EX', 0, 0],
    ['x7', 'W', 0, 0],
    ['POOL-1', 'W', 0, 1],
    ['ABC-1', 'ABC', 0, 0],
  ])
})

test('a bracket without an id is ignored', () => {
  const brackets = [{ games: [{ id: 'W-1' }] }, { bracketID: 'L', games: [{ id: 'L-1' }] }]
  expect(placed({ brackets }).brackets).toEqual([['L', '', false]])
})

test('a bracket has its own format only if it differs', () => {
  const brackets = ['A', 'B', 'C'].map((bracketID) => ({ bracketID, games: [] }))
  const ofEach = { A: 'round_robin', B: 'single_elimination', C: 'unheard_of' }
  const format = {
    type: 'single_elimination',
    brackets: Object.entries(ofEach).map(([id, type]) => ({ id, type })),
  }
  expect(placed({ brackets, format }).formats).toEqual(['round_robin', null, null])
})

test('games of an exhibition are in the next round with their name and score, else with their name', () => {
  const rounds = [
    ['Opening', 1],
    ['Opening', 2],
    ['Cusp', 1],
  ].map(([name, scoreToWin], idx) => ({ idx, name, scoreToWin }))
  const names = { a: 'Opening', b: 'Cusp', c: 'Opening', d: 'Unknown' }
  const scores: Readonly<Record<string, number>> = { a: 2, b: 3, c: 1, d: 1 }
  const found = placed(
    {
      brackets: [
        {
          bracketID: 'EX',
          games: Object.keys(names).map((id) => ({ id, round: -1, scoreToWin: scores[id] })),
        },
      ],
      format: { brackets: [{ id: 'EX', rounds }] },
    },
    Object.fromEntries(
      Object.entries(names).map(([id, roundName]) => [id, { stats: { roundName } }]),
    ),
  )
  expect(found.games.map(([id, , round]) => [id, round])).toEqual([
    ['a', 1],
    // Only the name matches.
    ['b', 2],
    // These have a round that is over, and none: they stay with the games before.
    ['c', 2],
    ['d', 2],
  ])
})

test('a round known only from games is named after one of them', () => {
  const found = placed(
    { brackets: [{ bracketID: 'W', games: [{ id: 'W-1', round: 2, scoreToWin: 2 }] }] },
    { 'W-1': { details: { player1: { roundName: 'Final' } }, stats: { roundName: 'Other' } } },
  )
  expect(found.rounds).toEqual([['W', 2, 'Final', 2]])
})

test('rounds without any details have no name and one win per fight', () => {
  const games = (id: string, round: number) => [{ id: `${id}-1`, round }]
  const found = placed({
    brackets: [
      { bracketID: 'EX', games: games('EX', -1) },
      { bracketID: 'W', games: games('W', 3) },
      { bracketID: 'L', games: games('L', 0) },
    ],
    format: { brackets: [{ id: 'L', rounds: [{ idx: 1 }, {}] }] },
  })
  expect(found.rounds).toEqual([
    ['EX', 0, '', 1],
    ['W', 3, '', 1],
    ['L', 0, '', 1],
    ['L', 1, '', 1],
  ])
})

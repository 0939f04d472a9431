import { expect, test } from 'bun:test'
import { movedFights } from '../../../scripts/import/csv/movedFights.ts'

/** Games and slots of fights such as `W-1 Axe Blade`, in one round; `?` is a corner without a bot. */
const tablesOf = (...fights: readonly string[]) => {
  const lines = fights.map((fight) => fight.split(' '))
  return {
    games: lines.map(([id = ''], position) => ({
      id,
      bracketId: 'W',
      roundIdx: 0,
      position,
      name: id,
    })),
    slots: lines.flatMap(([gameId = '', ...bots]) =>
      bots.map((bot, idx) => ({
        gameId,
        idx,
        playerId: bot === '?' ? null : bot,
        prevGameId: null,
        score: null,
      })),
    ),
  }
}
const movedFrom = (before: readonly string[], after: readonly string[]) =>
  Object.fromEntries(movedFights(tablesOf(...before), tablesOf(...after)))

test('a fight of which both names are others at once stays itself', () => {
  expect(movedFrom(['W-1 axe blade', 'W-2 club dart'], ['W-1 edge fang', 'W-2 club dart'])).toEqual(
    {},
  )
  expect(movedFrom(['W-1 axe blade', 'W-2 ? ?'], ['W-1 axe blade', 'W-2 club dart'])).toEqual({})
})

test('open fights move with the lines before them, and get their bots', () => {
  expect(movedFrom(['W-1 axe ?', 'W-2 ? ?'], ['W-1 club dart', 'W-2 axe ?', 'W-3 ? ?'])).toEqual({
    'W-1': 'W-2',
    'W-2': 'W-3',
  })
  expect(movedFrom(['W-1 axe ?', 'W-2 ? blade'], ['W-1 axe dart', 'W-2 dart blade'])).toEqual({})
})

test('a fight that is gone gives its place to none with others', () => {
  expect(movedFrom(['W-1 axe blade', 'W-2 club dart'], ['W-1 club dart'])).toEqual({
    'W-1': null,
    'W-2': 'W-1',
  })
})

import { expect, test } from 'bun:test'
import { followFights, keptIds, movedFights } from '../../scripts/import/csv/movedFights.ts'
import { clipRow, fightRows, playersNamed, recordingRow, tournamentOf } from '../rows.ts'

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

test('a fight whose names both change at once stays itself', () => {
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

test('fights of one renamed bot follow their other bots first', () => {
  const before = ['W-1 axe blade', 'W-2 axe crane', 'W-3 axe dart']
  expect(movedFrom(before, ['W-7 edge blade', 'W-8 fang crane', 'W-9 axe grip'])).toEqual({
    'W-1': 'W-7',
    'W-2': 'W-8',
    'W-3': 'W-9',
  })
})

test.each([
  ['the same bots', ['W-1 axe blade'], ['W-1 axe club', 'W-2 axe blade'], { 'W-1': 'W-2' }],
  [
    'one bot, which an open corner is not',
    ['W-1 ? axe'],
    ['W-1 ? dart', 'W-2 edge axe'],
    { 'W-1': 'W-2' },
  ],
  [
    'one bot, which one of nearly its name is not',
    ['W-1 axe blade'],
    ['W-1 club blades', 'W-2 axe dart'],
    { 'W-1': 'W-2' },
  ],
  [
    'one bot at its place, before another of that bot',
    ['W-1 axe blade', 'W-2 axe club'],
    ['W-2 axe dart'],
    { 'W-1': null },
  ],
])('a fight follows %s', (_, before, after, moved) => {
  expect(movedFrom(before, after)).toEqual(moved)
})

test('fights of the same bots follow each other in the order of their rounds', () => {
  const placed =
    (...places: readonly (readonly [roundIdx: number, position: number])[]) =>
    (...fights: readonly string[]) => {
      const { games, slots } = tablesOf(...fights)
      return {
        games: games.map((game, at) => {
          const [roundIdx = 0, position = 0] = places[at] ?? []
          return { ...game, roundIdx, position }
        }),
        slots,
      }
    }
  // The rows may be in any order.
  const before = placed([2, 0], [1, 0], [0, 2])('W-3 axe blade', 'W-2 axe blade', 'W-1 axe blade')
  const after = placed([0, 0], [1, 0])('W-5 axe blade', 'W-6 axe blade')
  expect(Object.fromEntries(movedFights(before, after))).toEqual({
    'W-1': 'W-5',
    'W-2': 'W-6',
    'W-3': null,
  })
})

test('films of a missing fight do not go to the fight with its id', () => {
  const fights = ['W-1', 'W-2'].map((id) => fightRows({ id }, 'p0', 'p1'))
  const existing = tournamentOf({}, playersNamed('Axe', 'Bolt'), fights, {
    recordings: ['W-1', 'W-2'].map((gameId, at) => recordingRow({ id: at + 1, gameId })),
  })
  const moved = new Map([
    ['W-1', null],
    ['W-2', 'W-1'],
  ])
  const followed = followFights(existing, { games: existing.games.slice(0, 1) }, moved)
  expect(followed?.recordings).toMatchObject([{ id: 2, gameId: 'W-1' }])
  expect(followFights(existing, { games: [] }, new Map([['W-1', null]]))).toBe(existing)
})

test('a missing fight gives its place to none with other bots', () => {
  expect(movedFrom(['W-1 axe blade', 'W-2 club dart'], ['W-1 club dart'])).toEqual({
    'W-1': null,
    'W-2': 'W-1',
  })
})

test('everything that names a moved fight follows it: corners, films, clips and feeds', () => {
  const fights = ['W-1', 'W-2'].map((id) => fightRows({ id }, 'p0', 'p1'))
  const rows = tournamentOf({}, playersNamed('Axe', 'Bolt'), fights, {
    recordings: [recordingRow({ id: 1, gameId: 'W-1' })],
    clips: [clipRow({ token: 'a', gameId: 'W-1' }), clipRow({ token: 'b', gameId: 'W-2' })],
    judgeLines: [{ gameId: 'W-1', idx: 0, line: 'Ann: Damage 3-2' }],
    pauses: [{ gameId: 'W-1', idx: 0, startTime: 5, stopTime: 9 }],
  })
  const slots = rows.slots.map((slot) =>
    slot.gameId === 'W-2' && slot.idx === 0 ? { ...slot, prevGameId: 'W-1' } : slot,
  )
  const existing = { ...rows, slots }
  const moved = new Map([['W-1', 'W-7']])
  // Every reference to a fight in the rows, in any column.
  expect(followFights(existing, { games: [] }, moved)).toEqual(
    JSON.parse(JSON.stringify(existing).replaceAll('"W-1"', '"W-7"')),
  )
})

test('fights keep their ids if nothing is removed, and others get free ones', () => {
  const present = tablesOf('W-1 axe blade', 'W-2 club dart')
  const listed = tablesOf('W-1 edge fang', 'W-2 axe blade')
  const moved = new Map([
    ['W-1', 'W-2'],
    ['W-2', null],
  ])
  expect(keptIds(present, listed, moved)).toEqual(
    new Map([
      ['W-1', 'W-1-2'],
      ['W-2', 'W-1'],
    ]),
  )
})

test('no two fights get the same free id', () => {
  const present = tablesOf('W-1 axe blade')
  const listed = tablesOf('W-1 edge fang', 'W-1-2 club dart')
  expect(keptIds(present, listed, new Map([['W-1', null]]))).toEqual(
    new Map([
      ['W-1', 'W-1-2'],
      ['W-1-2', 'W-1-2-2'],
    ]),
  )
})

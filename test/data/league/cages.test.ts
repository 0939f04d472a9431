import { expect, test } from 'bun:test'
import { buildDataset, buildTournament } from '../../../src/data/league/build.ts'
import { buildCages } from '../../../src/data/league/cages.ts'
import type { GameRow } from '../../../src/data/source/rows.ts'
import { cageRow, fightRows, playersNamed, tournamentOf } from '../../rows.ts'

const at = (tournamentId: string, gameId: string) => ({ tournamentId, gameId })
const pauseAt = (startTime: number, idx: number) => ({
  gameId: 'W-0',
  idx,
  startTime,
  stopTime: null,
})
const datasetOf = (state: GameRow['state'], ...openPauses: readonly number[]) => {
  const fights = [
    fightRows({ id: 'W-0', state, startTime: 1, stopTime: 90 }, 'p0', 'p1'),
    ...['W-1', 'W-2', 'W-3'].map((id) => fightRows({ id, state: 'available' }, 'p0', 'p1')),
    fightRows({ id: 'W-4', state: 'done' }, 'p0', 'p1'),
  ]
  const pauses = openPauses.map(pauseAt)
  return buildDataset([
    buildTournament(tournamentOf({ id: 'cup' }, playersNamed('Axe', 'Bolt'), fights, { pauses })),
  ])
}

test.each([
  ['done', 'idle', 'idle', true],
  ['done', 'active', 'completed', true],
  ['available', 'idle', 'idle', false],
  ['available', 'completed', 'idle', false],
  ['available', 'active', 'assigned', true],
  ['active', 'idle', 'active', true],
  ['active', 'assigned', 'active', true],
] as const)(
  'a cage with a fight that is %s and a row that says %s is %s',
  (state, status, expected, hasFight) => {
    const cages = [cageRow({ number: 1, status, ...at('cup', 'W-0') })]
    const { cage1 } = buildCages(datasetOf(state), { cages, cageQueue: [] })
    expect([cage1.status, cage1.fight?.id]).toEqual([expected, hasFight ? 'W-0' : undefined])
  },
)

test.each([
  ['the last open pause of its fight', 'active', [5, 7], 3, 7],
  ['the time that its row has', 'paused', [], 3, 3],
  ['the change of its row without one', 'paused', [], null, 9],
] as const)('a cage is paused since %s', (_, status, pauses, pausedSince, expected) => {
  const row = { number: 1, status, pausedSince, updateTime: 9, ...at('cup', 'W-0') }
  const { cage1 } = buildCages(datasetOf('active', ...pauses), {
    cages: [cageRow(row)],
    cageQueue: [],
  })
  expect([cage1.status, cage1.pausedUnix]).toEqual(['paused', expected])
})

test('a cage without a game says when it changed, one with a hidden game does not', () => {
  const cages = [
    cageRow({ number: 1, updateTime: 9 }),
    cageRow({ number: 2, ...at('secret', 'W-0') }),
    cageRow({ number: 4, updateTime: 9, tournamentId: 'secret' }),
  ]
  const { cage1, cage2, cage4 } = buildCages(datasetOf('active'), { cages, cageQueue: [] })
  expect([cage1, cage2, cage4].map(({ updateUnix }) => updateUnix)).toEqual([9, null, 9])
})

test('a queue has the waiting fights that are in no cage, by position, even without a row of its cage', () => {
  const cages = [cageRow({ number: 1, status: 'assigned', ...at('cup', 'W-1') })]
  const cageQueue = ['W-3', 'W-2', 'W-1', 'W-4', 'W-0'].map((gameId, index) => ({
    cage: 7,
    position: 5 - index,
    ...at('cup', gameId),
  }))
  const { cage7 } = buildCages(datasetOf('active'), { cages, cageQueue })
  expect(cage7?.queue.map(({ id }) => id)).toEqual(['W-2', 'W-3'])
})

test('cages are sorted by number, with and without a row or a queue', () => {
  const cages = [10, 3].map((number) => cageRow({ number }))
  const cageQueue = [{ cage: 7, position: 0, ...at('cup', 'W-1') }]
  const numbers = Object.values(buildCages(datasetOf('active'), { cages, cageQueue })).map(
    ({ number }) => number,
  )
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 10])
})

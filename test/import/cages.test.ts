import { describe, expect, test } from 'bun:test'
import { readCage } from '../../scripts/import/api/cages.ts'
import { buildCages } from '../../scripts/import/truefinals/cages.ts'
import { hiddenCage } from '../../src/data/source/rows.ts'

const at = 1_770_000_000

describe('cages of the bracket software', () => {
  const tournament = (id: string, location: object, ...games: readonly object[]) => ({
    id,
    games,
    locations: [{ name: 'Cage 2', ...location }],
  })
  const rowOf = (...tournaments: readonly object[]) =>
    buildCages(tournaments.map((each) => ({ ...each })))[0]?.row

  test.each([
    ['active', 'active'],
    ['called', 'assigned'],
    ['done', 'completed'],
    ['hold', 'idle'],
  ] as const)('the cage of a game that is %s is %s', (state, status) => {
    const game = { id: 'W-1', state, calledSince: at }
    expect(rowOf(tournament('a', { activeGameID: 'W-1' }, game))).toEqual({
      number: 2,
      status,
      tournamentId: 'a',
      gameId: 'W-1',
      pausedSince: null,
      updateTime: at,
    })
  })

  test.each(['activeSince', 'availableSince', 'calledSince', 'heldSince', 'endTime'])(
    'a cage of the bracket software has the last time of its game, such as %s',
    (name) => {
      const before = { activeSince: 1, availableSince: 1, calledSince: 1, heldSince: 1, endTime: 1 }
      const game = { id: 'W-1', state: 'done', ...before, [name]: at }
      expect(rowOf(tournament('a', { lastCompletedGameID: 'W-1' }, game))?.updateTime).toBe(at)
    },
  )

  test('a cage of the bracket software has the active game, else the last known one, else none', () => {
    const [one, two] = ['W-1', 'W-2'].map((id) => ({ id, state: 'done' }))
    const of = (location: object) => rowOf(tournament('a', location, { ...one }, { ...two }))
    expect(of({ activeGameID: 'W-1', lastCompletedGameID: 'W-2' })?.gameId).toBe('W-1')
    expect(of({ activeGameID: 'W-9', lastCompletedGameID: 'W-2' })?.gameId).toBe('W-2')
    const none = { number: 2, ...hiddenCage, updateTime: 0 }
    expect(of({ activeGameID: 'W-9' })).toEqual(none)
    expect(rowOf(tournament('a', {}, { state: 'active' }))).toEqual(none)
  })

  test('the queue of a shared cage has ready games, then the others, of all its tournaments', () => {
    const games = ['W-1', 'W-2', 'W-3'].map((id) => ({ id, state: 'active' }))
    const location = {
      activeGameID: 'W-1',
      queue: ['W-1', 'W-2', 'W-9'],
      unavailableQueue: ['W-3'],
    }
    const [cage] = buildCages([
      tournament('a', location, ...games),
      tournament('b', { queue: ['W-2'] }, ...games),
    ])
    const entries = [
      ['a', 'W-2'],
      ['a', 'W-3'],
      ['b', 'W-2'],
    ] as const
    expect(cage?.queue).toEqual(
      entries.map(([tournamentId, gameId], position) => ({
        cage: 2,
        position,
        tournamentId,
        gameId,
      })),
    )
  })

  test('a shared cage shows the most advanced fight, then the newest', () => {
    const of = (id: string, state: string, time = at) =>
      tournament(id, { activeGameID: 'W-1' }, { id: 'W-1', state, calledSince: time })
    const order = ['hold', 'done', 'called', 'active']
    for (const [index, state] of order.entries())
      for (const less of order.slice(0, index)) {
        expect(rowOf(of('a', less, at + 9), of('b', state))?.tournamentId).toBe('b')
        expect(rowOf(of('b', state), of('a', less, at + 9))?.tournamentId).toBe('b')
      }
    expect(rowOf(of('a', 'done'), of('b', 'done', at + 1))?.tournamentId).toBe('b')
  })
})

describe('cages of an API', () => {
  const match = { tournamentID: 'a', gameID: 'W-1' }
  test.each([
    [
      { cageNumber: 7, updatedTime: at },
      { number: 7, ...hiddenCage, updateTime: at },
    ],
    [{ cage: 'Cage 7' }, { number: 7, ...hiddenCage, updateTime: 0 }],
    // Every server shows cage 1, with or without a row.
    [{ cageNumber: 1 }, undefined],
    [
      { cageNumber: 1, updatedTime: at },
      { number: 1, ...hiddenCage, updateTime: at },
    ],
    [
      { cageNumber: 1, status: 'paused', match, pausedSince: at, updatedTime: at },
      {
        number: 1,
        status: 'paused',
        tournamentId: 'a',
        gameId: 'W-1',
        pausedSince: at,
        updateTime: at,
      },
    ],
    [
      { cageNumber: 1, status: 'burning', match },
      {
        number: 1,
        status: 'idle',
        tournamentId: 'a',
        gameId: 'W-1',
        pausedSince: null,
        updateTime: 0,
      },
    ],
  ] as const)('a cage of an API is read: %p', (cage, row) => {
    expect(readCage(cage)?.row).toEqual(row)
  })

  test('a cage of an API has a number of up to four digits, and its queue from position 0', () => {
    const queue = [match, { ...match, gameID: 'W-2' }]
    expect(readCage({ cageNumber: 9999, queue })?.queue).toEqual([
      { cage: 9999, position: 0, tournamentId: 'a', gameId: 'W-1' },
      { cage: 9999, position: 1, tournamentId: 'a', gameId: 'W-2' },
    ])
  })

  test.each([0, -1, 10_000, 'x'])('the cage number %p is refused', (cageNumber) => {
    expect(readCage({ cageNumber })).toBeUndefined()
  })
})

import { describe, expect, test } from 'bun:test'
import {
  countBadRows,
  loadTournament,
  logBadRows,
  maxBadRowsKept,
} from '../../../src/data/archive/load.ts'
import { createRecentBadRows } from '../../../src/data/archive/recentBadRows.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

describe('recent bad rows', () => {
  test('recent bad rows have tournament, table, key and reason', () => {
    const rows = tournamentOf({}, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')])
    const bad = countBadRows()
    const [player] = rows.players
    loadTournament({ ...rows, players: [player, { ...player, id: 'p2', seed: 'x' }] }, bad.onBadRow)
    const recent = createRecentBadRows()
    recent.add(bad.last, 7)
    expect(recent.list()).toMatchObject([
      { at: 7, tournament: rows.tournament.id, table: 'players', key: 'p2' },
    ])
    expect(recent.list()[0]?.problem).toStartWith('/seed: ')
  })

  test('recent bad rows are listed newest first, each once, up to a limit', () => {
    const recent = createRecentBadRows()
    for (let n = 0; n < 2 * maxBadRowsKept; n += 1) {
      recent.add([{ table: 'cages', problem: 'always' }], n)
      recent.add([{ table: 'games', problem: `problem ${n}` }], n)
    }
    const list = recent.list()
    expect(list).toHaveLength(maxBadRowsKept)
    expect(list[0]).toEqual({ at: 99, table: 'games', problem: 'problem 99' })
    expect(list.filter(({ table }) => table === 'cages')).toEqual([
      { at: 99, table: 'cages', problem: 'always' },
    ])
  })

  test('a reading keeps its last bad rows, but counts all', () => {
    const bad = countBadRows()
    for (let n = 1; n <= 120; n += 1) bad.onBadRow({ table: 'games', problem: `${n}` })
    expect([bad.count(), bad.last.length, bad.last.at(-1)?.problem]).toEqual([
      120,
      maxBadRowsKept,
      '120',
    ])
  })

  test('the keys of bad rows are cut to 200 characters', () => {
    const rows = tournamentOf({}, [{ id: 'p1' }], [])
    const bad = countBadRows()
    const id = 'x'.repeat(100_000)
    loadTournament({ ...rows, players: [{ ...rows.players[0], id }] }, bad.onBadRow)
    expect(bad.last[0]?.key?.length).toBeLessThanOrEqual(200)
  })
})

test('bad rows are logged in one line, with the last five as examples, if there are any', () => {
  const lines: unknown[] = []
  const bad = countBadRows()
  const log = () => logBadRows((...line) => void lines.push(line), bad)
  log()
  for (let n = 0; n < 60; n += 1) bad.onBadRow({ table: 'games', problem: `${n}` })
  log()
  const examples = [55, 56, 57, 58, 59].map((n) => ({ table: 'games', problem: `${n}` }))
  expect(lines).toEqual([['warn', 'rows left out', { badRows: 60, examples }]])
})

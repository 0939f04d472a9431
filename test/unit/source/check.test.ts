import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BadRow, checkCages, checkTournament } from '../../../src/source/check.ts'
import { proxyAddress, standardProxyUrl } from '../../../src/source/proxies.ts'
import { tournamentOf } from '../../rows.ts'

test('of rows with one key the first is kept and the others are reported, in any order', () => {
  const few = fc.integer({ min: 0, max: 3 })
  fc.assert(
    fc.property(fc.array(fc.tuple(few, few), { maxLength: 6 }), (keys) => {
      const cageQueue = keys.map(([cage, position], at) => ({
        cage: cage + 1,
        position,
        tournamentId: 'a',
        gameId: `W-${at}`,
      }))
      const bad: BadRow[] = []
      const kept = checkCages({ cages: [], cageQueue }, (row) => bad.push(row)).cageQueue
      const keyOf = ({ cage, position }: { cage: number; position: number }) =>
        `${cage} ${position}`
      const first = new Map(cageQueue.toReversed().map((row) => [keyOf(row), row]))
      expect(kept).toEqual(cageQueue.filter((row) => first.get(keyOf(row)) === row))
      const others = cageQueue.filter((row) => first.get(keyOf(row)) !== row)
      expect(bad.map(({ key }) => key)).toEqual(others.map(keyOf))
    }),
    { numRuns: 300 },
  )
})

test('a table that is missing is reported', () => {
  const { games: _, ...rows } = tournamentOf({ id: 'a' }, [], [])
  const bad: BadRow[] = []
  expect(checkTournament(rows, (row) => bad.push(row))?.games).toEqual([])
  expect(bad).toEqual([{ table: 'games', problem: 'the table is missing', tournament: 'a' }])
})

test.each([
  ['https://a.example/b/c.mp4', 'https://a.example/b/c_720p.mp4'],
  ['https://a.example/b', 'https://a.example/b_720p'],
  ['https://a.example/b.c/d', 'https://a.example/b.c/d_720p'],
])('the standard proxy of %s is %s', (film, proxy) => {
  expect(standardProxyUrl(film, 720)).toBe(proxy)
  expect(proxyAddress(film, 720, proxy)).toBe(true)
  expect(proxyAddress(film, 360, proxy)).toBe(proxy)
})

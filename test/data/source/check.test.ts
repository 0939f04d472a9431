import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type BadRow,
  checkCages,
  checkPacked,
  checkTournament,
} from '../../../src/data/source/check.ts'
import { packRecordings, unpackRecordings } from '../../../src/data/source/recordingTable.ts'
import { cageRow, recordingRow, tournamentOf } from '../../rows.ts'

test('the first of rows with the same key is kept and the others are reported, in any order', () => {
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

test('cages have the numbers 1 to 9999', () => {
  const bad: BadRow[] = []
  const cages = [0, 1, 9999, 10_000].map((number) => cageRow({ number }))
  const kept = checkCages({ cages, cageQueue: [] }, (row) => bad.push(row)).cages
  expect(kept.map(({ number }) => number)).toEqual([1, 9999])
  expect(bad.map(({ key }) => key)).toEqual(['0', '10000'])
})

test('a missing table is reported', () => {
  const { games: _, ...rows } = tournamentOf({ id: 'a' }, [], [])
  const bad: BadRow[] = []
  expect(checkTournament(rows, (row) => bad.push(row))?.games).toEqual([])
  expect(bad).toEqual([{ table: 'games', problem: 'the table is missing', tournament: 'a' }])
})

test('packed recordings with an invalid row keep the others', () => {
  const recordings = packRecordings([
    recordingRow({ id: 1, httpStatus: 7 }),
    recordingRow({ id: 2 }),
  ])
  const bad: BadRow[] = []
  const rows = checkPacked({ ...tournamentOf({}, [], []), recordings }, (row) => bad.push(row))
  expect(rows && unpackRecordings(rows.recordings).map(({ id }) => id)).toEqual([2])
  expect(bad).toMatchObject([{ table: 'recordings', key: '1' }])
})

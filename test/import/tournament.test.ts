import { expect, test } from 'bun:test'
import { buildImport, usableId } from '../../scripts/import/api/tournament.ts'

/** The rows of responses that are mostly empty. */
const rowsOf = (tournament: object, game: object = {}, fight: object = {}) =>
  buildImport(
    {
      tournament: { tournamentID: 'cup', ...tournament },
      brackets: { brackets: [{ bracketID: 'W', games: [{ id: 'W-1', ...game }] }] },
      fights: new Map([['W-1', { summary: { id: 'W-1' }, ...fight }]]),
      clips: undefined,
      stills: undefined,
      curatedStills: undefined,
    },
    'api',
  )

const [first, second, third, fourth] = ['01', '02', '03', '04'].map((day) => ({
  text: `2026-01-${day}T00:00:00Z`,
  unix: Date.UTC(2026, 0, Number(day)) / 1000,
}))
test.each([
  [{ createTime: first, updateTime: fourth, startTime: second, endTime: third }, first, fourth],
  [{ scheduledStartTime: first, startTime: second, endTime: third }, first, third],
  [{ startTime: second, endTime: third }, second, third],
  [{ startTime: second }, second, second],
  [{ createTime: first }, first, first],
])('a tournament of %j has the times of a server that lacks some', (times, created, updated) => {
  const given = Object.entries(times).map(([name, time]) => [name, time?.text])
  expect(rowsOf(Object.fromEntries(given)).tournament).toMatchObject({
    createTime: created?.unix,
    updateTime: updated?.unix,
  })
})

test('byes named only by slots are players', () => {
  const slots = [
    { slotIdx: 0, playerID: 'a' },
    { slotIdx: 1, playerID: 'bye-7' },
  ]
  expect(rowsOf({}, { slots }).players).toEqual([{ id: 'bye-7', name: '(Bye)', isBye: true }])
})

test.each([
  ['active', [9, 0], [9, null]],
  ['active', [0, 9], [0, 9]],
  ['done', [9, 0], [9, 0]],
])('a fight that is %s with pauses of %j s has pauses of %j s', (state, seconds, lasting) => {
  const pauses = seconds.map((each, index) => ({ startTime: 1000 * (index + 1), seconds: each }))
  const rows = rowsOf({}, { state }, { stats: { pauses } }).pauses
  expect(
    rows?.map(({ startTime, stopTime }) => (stopTime === null ? null : stopTime - startTime)),
  ).toEqual(lasting)
})

test.each([
  ['100', 100],
  [599, 599],
  ['99', null],
  [600, null],
  ['', null],
])('the status %j of a file is %p', (s3http, httpStatus) => {
  const recordings = [{ recordingID: 5, s3http, camera: 'Top', s3path: 'https://v.example/a.mp4' }]
  expect(rowsOf({}, {}, { details: { recordings } }).recordings).toMatchObject([{ httpStatus }])
})

test.each([
  [{ privacy: 'unlisted' }, { privacy: 'unlisted' }],
  [{ privacy: '' }, { privacy: 'public' }],
  [{}, { privacy: 'public', weightGrams: undefined, weightClassName: undefined }],
  [{ privacy: 'secret' }, { privacy: 'private' }],
  [{ WeightClass: '3' }, { weightClass: 3 }],
  [{ weightClass: 12 }, { weightClass: 12 }],
  [
    { weightGrams: 150, weightClassName: '' },
    { weightGrams: 150, weightClassName: null },
  ],
])('a tournament of %j has %j', (given, row) => {
  expect(rowsOf(given).tournament).toMatchObject(row)
})

test.each<[readonly number[], object, readonly (number | null)[]]>([
  [[2, 1, 0, 0], {}, [2, 1, null, null]],
  [[0, 1, 0], {}, [0, 1, null]],
  [[1, 0, 0], { player1: { playerID: 'p1', seed: 0 } }, [1, 0, null]],
  [[1, 0], { player1: { playerID: 'p1', seed: 7 } }, [1, 7]],
])('the seeds %j in the list and %j in a fight give players %j', (listed, details, seeds) => {
  const responses = {
    tournament: { tournamentID: 'cup' },
    brackets: {
      players: listed.map((seed, index) => ({ playerID: `p${index}`, name: `${index}`, seed })),
    },
    fights: new Map([['W-1', { summary: { id: 'W-1' }, details: { ...details } }]]),
    ...{ clips: undefined, stills: undefined, curatedStills: undefined },
  }
  const { players = [] } = buildImport(responses, 'api')
  expect(players.slice(0, listed.length).map(({ seed }) => seed)).toEqual([...seeds])
})

test('a bye that a fight names keeps that name', () => {
  const slots = [{ slotIdx: 0, playerID: 'bye-1' }]
  const details = { player1: { playerID: 'bye-1', name: 'BYE 1', isBye: 1 } }
  expect(rowsOf({}, { slots }, { details }).players).toMatchObject([{ id: 'bye-1', name: 'BYE 1' }])
})

test.each([
  ['cup', 'cup'],
  [7, '7'],
  ['x'.repeat(128), 'x'.repeat(128)],
  ['x'.repeat(129), undefined],
  ['', undefined],
  ['.', undefined],
  ['..', undefined],
  [null, undefined],
])('the id %j is used in URLs as %p', (given, id) => {
  expect(usableId(given)).toBe(id)
})

import { expect, test } from 'bun:test'
import { buildImport } from '../../../scripts/import/api/tournament.ts'

/** The rows of responses of which most say nothing. */
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

test('byes that slots alone name are players', () => {
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
])('in a fight that is %s, pauses of %j s last %j s', (state, seconds, lasting) => {
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

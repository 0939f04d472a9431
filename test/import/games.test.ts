import { expect, test } from 'bun:test'
import { gameRows } from '../../scripts/import/api/games.ts'
import type { FightResponses } from '../../scripts/import/api/responses.ts'

/** Rows of a game, its element in the list of fights, and other responses. */
const rowsOf = (game: object, summary: object = {}, others: FightResponses = {}) =>
  gameRows(
    {
      tournament: { tournamentID: 'cup' },
      brackets: {},
      fights: new Map([['W-1', { summary: { ...summary }, ...others }]]),
      clips: undefined,
      stills: undefined,
      curatedStills: undefined,
    },
    { id: 'W-1', bracketId: 'W', roundIdx: 0, position: 0, game: { ...game } },
    new Map(),
  )
/** States of the corners of a game from a server that does not send them. */
const statesOf = (game: object) => rowsOf(game).slots.map(({ state }) => state)
const slots = (red: object, blue: object) => [
  { slotIdx: 0, playerID: 'a', ...red },
  { slotIdx: 1, playerID: 'b', ...blue },
]

test.each([
  ['done', { isWinner: 1 }, {}, ['winner', 'loser']],
  ['done', {}, { isWinner: 1 }, ['loser', 'winner']],
  ['done', {}, {}, ['pending', 'pending']],
  ['active', { isWinner: 1 }, {}, ['pending', 'pending']],
  ['done', { slotState: 'tie' }, { slotState: 'tie' }, ['tie', 'tie']],
])('a game that is %s with the corners %j and %j has the states %j', (state, red, blue, states) => {
  expect<unknown>(statesOf({ state, slots: slots(red, blue) })).toEqual(states)
})

test.each([
  [{ name: 'W:1-1' }, { name: 'Opening' }, 'W:1-1'],
  [{}, { name: 'Opening' }, 'Opening'],
])('a game is named by its bracket %j, else by the list of fights %j', (game, summary, name) => {
  expect(rowsOf(game, summary).row.name).toBe(name)
})

const [both, one] = [slots({}, {}), slots({}, { playerID: '' })]
test.each<[object, FightResponses, string]>([
  [{ slots: both }, {}, 'available'],
  [{ slots: one }, {}, 'unavailable'],
  [{ slots: both }, { legacyRow: { calledSince: 1_770_000_000 } }, 'called'],
  [{ slots: both }, { match: { calledSince: 1_770_000_000 } }, 'called'],
  [{ slots: one }, { match: { status: 'Called' } }, 'called'],
  [{ slots: one }, { match: { status: 'Delayed', expectedStart: 1_770_000_000 } }, 'available'],
  [{ slots: both }, { match: { status: 'Delayed', expectedStart: 0 } }, 'hold'],
  [{ slots: both }, { match: { status: 'Load In' } }, 'available'],
  [
    { slots: both },
    { match: { status: 'Load In' }, legacyRow: { calledSince: 1_770_000_000 } },
    'called',
  ],
  [{ slots: one }, { match: { status: 'Upcoming' } }, 'available'],
])('a game with %j that waits with %j is %s', (game, others, state) => {
  for (const waiting of ['unavailable', 'available', 'called', 'hold', 'pending'])
    expect<unknown>(
      rowsOf({ state: waiting, ...game }, { startTime: 1_770_000_000 }, others).row.state,
    ).toBe(state)
})

test.each([
  [{ player2wins: 1 }, 'done'],
  [{ winAnnotation: 'JD' }, 'done'],
  [{ startTime: 1_770_000_000, stopTime: 1_770_000_090 }, 'done'],
  [{ startTime: 1_770_000_000 }, 'active'],
  [{}, 'unavailable'],
] as const)('a listed fight without a state that says %j is %s', (summary, state) => {
  expect(rowsOf({}, summary).row.state).toBe(state)
})

test.each<[FightResponses, object]>([
  [{ match: { calledSince: 7 }, legacyRow: { calledSince: 9 } }, { calledSince: 7 }],
  [{ legacyRow: { calledSince: 9, availableSince: 8 } }, { calledSince: 9, availableSince: 8 }],
  [{ details: { player1: { loserPlacement: 4 } } }, { loserPlacement: 4 }],
  [{ details: { notice: 'late' } }, { notice: 'late' }],
  [
    {},
    { notice: undefined, countdown: undefined, scheduledTime: undefined, calledSince: undefined },
  ],
])('the responses %j give a game %j, and missing values stay', (others, row) => {
  expect(rowsOf({ state: 'done' }, {}, others).row).toMatchObject(row)
})

test.each([
  ['done', 1_770_000_090, 1_770_000_100],
  ['active', null, null],
  ['pending', null, null],
])('a fight that is %s stops at %p and ends at %p', (state, stopTime, endTime) => {
  const times = { startTime: 1_770_000_000, stopTime: 1_770_000_090, endTime: 1_770_000_100 }
  expect(rowsOf({ state }, times).row).toMatchObject({ stopTime, endTime })
})

test('corners are ready and tapped as their cage says, or stay as before', () => {
  const cornersOf = (others: FightResponses) =>
    rowsOf({ slots: both }, {}, others).slots.map(({ isReady, tapped }) => [isReady, tapped])
  const cage = { player1: { isReady: 1, tapped: 0 }, player2: { isReady: 0, tapped: 1 } }
  expect(cornersOf({ cage })).toEqual([
    [true, false],
    [false, true],
  ])
  expect(cornersOf({ details: { player1: { isReady: 1 } } })[0]).toEqual([true, undefined])
  expect(cornersOf({})[0]).toEqual([undefined, undefined])
})

test('a pause without a length is over in a fight that has not begun', () => {
  const stats = { pauses: [{ startTime: 1_770_000_000 }] }
  expect(rowsOf({ state: 'pending' }, {}, { stats }).pauses).toMatchObject([
    { stopTime: 1_770_000_000 },
  ])
})

const start = 1_770_000_000
test.each([
  // Each row has the start of the recording in milliseconds, and the seconds from it to the fight.
  [(start - 60) * 1000 + 250, 60.5, start + 0.75],
  [(start - 60) * 1000, 30, start],
  [start * 1000 + 250, undefined, start],
  [0, 60, start],
])(
  'a fight starts as a recording from %p has it after %p s, if within the same second: at %p',
  (startTime, fightStartOffset, found) => {
    const details = { recordings: [{ startTime, fightStartOffset }] }
    const { row } = rowsOf({ state: 'done' }, { startTime: start }, { details })
    expect(row.startTime).toBe(found)
  },
)

test('a recording without a file has the URL of its page', () => {
  const page = 'https://v.example/watch'
  const details = { recordings: [{ recordingID: 5, s3path: '', page }] }
  expect(rowsOf({}, {}, { details }).recordings).toMatchObject([{ id: 5, videoUrl: page }])
})

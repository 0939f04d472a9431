import { expect, test } from 'bun:test'
import { gameRows } from '../../../scripts/import/api/games.ts'

/** Rows of a game, with the element of the list of fights. */
const rowsOf = (game: object, summary: object = {}) =>
  gameRows(
    {
      tournament: { tournamentID: 'cup' },
      brackets: {},
      fights: new Map([['W-1', { summary: { ...summary } }]]),
      clips: undefined,
      stills: undefined,
      curatedStills: undefined,
    },
    { id: 'W-1', bracketId: 'W', roundIdx: 0, position: 0, game: { ...game } },
    new Map(),
  )
/** States of the corners of a game of a server that does not send them. */
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
])(
  'of a game that is %s with the corners %j and %j the states are %j',
  (state, red, blue, states) => {
    expect<unknown>(statesOf({ state, slots: slots(red, blue) })).toEqual(states)
  },
)

test.each([
  [{ name: 'W:1-1' }, { name: 'Opening' }, 'W:1-1'],
  [{}, { name: 'Opening' }, 'Opening'],
])('a game is named by its bracket %j, else by the list of fights %j', (game, summary, name) => {
  expect(rowsOf(game, summary).row.name).toBe(name)
})

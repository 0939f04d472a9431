import { describe, expect, test } from 'bun:test'
import { cageState } from '../../../src/api/live/view.ts'
import {
  expectedNote,
  nextNote,
  queueTime,
  waitingRows,
} from '../../../src/companions/pages/expected.ts'
import type { Part } from '../../../src/companions/pages/html.ts'
import { createViewings } from '../../../src/companions/pages/site.ts'
import { buildTournament } from '../../../src/data/league/build.ts'
import type { Fight } from '../../../src/data/league/types.ts'
import type { Expected } from '../../../src/derived/live/expected.ts'
import type { NextGame } from '../../../src/derived/live/rounds.ts'
import type { Scheduled } from '../../../src/derived/live/schedule.ts'
import { bracketOf, doubleOfFour } from '../../brackets.ts'
import { archiveWithCages } from '../../fixtures.ts'
import { present } from '../../present.ts'
import { openFight, playersNamed, tournamentOf } from '../../rows.ts'

const viewing = createViewings({ linkPath: '', timeZone: 'UTC' })(undefined)
const now = 1_770_003_600
const fightAt = (scheduledTime: number | null): Fight =>
  present(
    buildTournament(
      tournamentOf({}, playersNamed('Axe', 'Bolt'), [openFight({ scheduledTime }, 'p0', 'p1')]),
    ).fights[0],
  )
const textOf = (part: Part): string => String(part ?? '').replace(/<[^>]*>/g, '')

const at = (inSeconds: number): Expected['at'] => {
  const start = now + inSeconds
  return { start, from: start - 300, to: start + 600, inSeconds }
}
const expectedIn = (inSeconds: number, over: Partial<Expected> = {}): Expected => {
  return { at: at(inSeconds), cage: 2, ahead: 1, isPaused: false, ...over }
}
const waiting = (over: Partial<Scheduled> = {}): Scheduled => ({
  ...{ fight: fightAt(null), status: 'Available', cage: null, isPaused: false },
  ...{ expected: expectedIn(0), validUntil: Infinity, ...over },
})

describe('the note on an expected start', () => {
  test.each([
    [0, 'any moment'],
    [89, 'any moment'],
    [90, 'in about 2 min'],
    [9 * 60, 'in about 9 min'],
    [10 * 60, 'in about 10 min'],
    [12 * 60, 'in about 10 min'],
    [13 * 60, 'in about 15 min'],
    [87 * 60, 'in about 85 min'],
    [88 * 60, 'in about 2 hours'],
    [200 * 60, 'in about 3 hours'],
  ])('the note %d seconds before an expected start begins with "%s"', (seconds, words) => {
    expect(textOf(expectedNote(viewing, waiting({ expected: expectedIn(seconds) })))).toStartWith(
      `${words}, `,
    )
  })

  test.each<[Partial<Expected>, string]>([
    [{}, 'any moment, 03:35 to 03:50 UTC, 1 fight before it'],
    [{ ahead: 0 }, 'any moment, 03:35 to 03:50 UTC, next in its cage'],
    [{ cage: null }, 'any moment, 03:35 to 03:50 UTC'],
    [{ isPaused: true }, 'its cage has a break'],
    [{ isPaused: true, cage: null }, 'all cages have a break'],
  ])('the note on an expected start with %p is "%s"', (over, said) => {
    expect(textOf(expectedNote(viewing, waiting({ expected: expectedIn(0, over) })))).toBe(said)
  })

  test.each<[number | null, Scheduled['status'], boolean]>([
    [null, 'Available', true],
    [null, 'Called', true],
    [now + 60, 'Starting Soon', false],
    [now - 60, 'Delayed', true],
  ])('the note on a fight planned at %p, %s, has no estimate: %p', (plan, status, is) => {
    const fight = fightAt(plan)
    const note = expectedNote(
      viewing,
      waiting({ fight, status, expected: expectedIn(0, { at: null }) }),
    )
    expect(textOf(note || '')).toBe(is ? 'no start can be estimated yet' : '')
  })
})

test.each<[Scheduled['status'], boolean]>([
  ['Available', false],
  ['Starting Soon', false],
  ['Called', true],
  ['Load In', true],
  ['Delayed', true],
])('the time of a fight that is %s is marked as planned: %p', (status, isMarked) => {
  const fight = fightAt(now)
  const rows = waitingRows(viewing, [waiting({ fight, status, expected: undefined })])
  expect(textOf(rows).includes('planned')).toBe(isMarked)
})

describe('the note on the next game', () => {
  const tournament = buildTournament(bracketOf(6, doubleOfFour))
  const gameOf = (id: string) => present(tournament.games.get(id))
  const players = tournament.players.map(({ player }) => player)
  const feed = { source: gameOf('W-1'), target: gameOf('W-2'), corner: 1, takes: 'winner' } as const
  const noteOf = (over: Partial<NextGame>) =>
    textOf(
      nextNote(viewing, {
        ...{ game: gameOf('W-2'), after: null, opponents: [], opponentFeed: feed },
        ...{ notBefore: null, ...over },
      }),
    )
  const from = 'Waits in Round 2, fight 2 v the winner of Round 1, fight 1'
  test.each<[string, Partial<NextGame>, string]>([
    ['nobody', {}, from],
    ['one', { opponents: players.slice(0, 1) }, 'Waits in Round 2, fight 2 v Bot 0'],
    ['four', { opponents: players.slice(0, 4) }, `${from} (Bot 0 or Bot 1 or Bot 2 or Bot 3)`],
    ['five', { opponents: players.slice(0, 5) }, from],
    ['unknown ones', { opponents: undefined }, from],
    [
      'one of two finalists',
      { opponentFeed: { ...feed, takes: 'either' } },
      'Waits in Round 2, fight 2 v one of Round 1, fight 1',
    ],
    ['nobody, at a time', { notBefore: now }, `${from}, not before 03:40`],
  ])('the note on the next game names %s as possible opponents', (_, over, said) => {
    expect(noteOf(over)).toBe(said)
  })
})

test('a fight in a queue has its own time, not the time of the same game of another tournament', () => {
  const rowsOf = (id: string) =>
    tournamentOf({ id, active: true }, playersNamed('Axe', 'Bolt'), [openFight({}, 'p0', 'p1')])
  const cageQueue = ['one', 'two', 'three'].map((tournamentId, position) => {
    return { cage: 1, position, tournamentId, gameId: 'W-0' }
  })
  const { cages } = archiveWithCages({ cageQueue }, ...['one', 'two', 'three'].map(rowsOf))
  const cage = present(cages.cage1)
  const [first, second, third] = cage.queue
  const fights = new Map([
    [present(first), expectedIn(0)],
    [present(second), expectedIn(600)],
    [present(third), expectedIn(0, { at: null, isPaused: true })],
  ])
  const state = cageState(cage, cages, now, { fights, validUntil: Infinity })
  expect(cage.queue.map((fight) => textOf(queueTime(viewing, state, fight)))).toEqual([
    '≈03:40',
    '≈03:50',
    'break',
  ])
})

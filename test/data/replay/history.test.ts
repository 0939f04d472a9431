import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { historyOf } from '../../../src/data/replay/history.ts'
import { checkTournament } from '../../../src/data/source/check.ts'
import type { GameRow, SlotRow, TournamentRows } from '../../../src/data/source/rows.ts'
import { readSnapshot } from '../../../src/data/source/snapshot.ts'
import { deepFreeze } from '../../fixtures.ts'
import { projectFolder } from '../../process.ts'
import { clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../../rows.ts'
import { capturedAt, hostileRows } from './hostileRows.ts'

const start = 1_770_000_000
/** Rows of a tournament that was created a day before and is over. */
const over = { createTime: start - 86_400, updateTime: start + 90_000 }
const players = ['a', 'b', 'c', 'd'].map((id) => ({ id }))

/** A fight that is called, begins and ends at these seconds after the start. */
const timedFight = (
  game: Partial<GameRow> & { id: string },
  corners: readonly [string | null, string | null],
  [called, begins, stops]: readonly [number, number, number],
) =>
  fightRows(
    {
      availableSince: start + called - 100,
      calledSince: start + called,
      startTime: start + begins,
      stopTime: start + stops,
      endTime: start + stops + 20,
      ...game,
    },
    ...corners,
  )

const fedBy = (rows: ReturnType<typeof fightRows>, idx: 0 | 1, prevGameId: string) => ({
  ...rows,
  slots: rows.slots.map((slot) => (slot.idx === idx ? { ...slot, prevGameId } : slot)) as [
    SlotRow,
    SlotRow,
  ],
})

const at = (rows: TournamentRows, seconds: number): TournamentRows => {
  const found = historyOf(deepFreeze(rows), capturedAt).rowsAt(start + seconds)
  if (!found) throw new Error('the tournament is not there')
  return found
}
const gameAt = (rows: TournamentRows, seconds: number, id = 'W-0') =>
  at(rows, seconds).games.find((game) => game.id === id)
const slotsAt = (rows: TournamentRows, seconds: number, id = 'W-0') =>
  at(rows, seconds).slots.filter(({ gameId }) => gameId === id)

describe('a fight', () => {
  const fight = timedFight({ id: 'W-0', notice: 'Rematch' }, ['a', 'b'], [200, 400, 490])
  const rows = tournamentOf(over, players, [fight], {
    pauses: [{ gameId: 'W-0', idx: 0, startTime: start + 420, stopTime: start + 440 }],
    judgeLines: [{ gameId: 'W-0', idx: 0, line: 'Ann: Damage 3-2' }],
    recordings: [recordingRow({ id: 1, startMs: (start + 330) * 1000 })],
  })

  test('a fight is unavailable, available, called, active and done in its time', () => {
    const states = [0, 99, 100, 199, 200, 399, 400, 489, 490].map((s) => gameAt(rows, s)?.state)
    expect(states.join(' ')).toBe(
      'unavailable unavailable available available called called active active done',
    )
  })

  test('a fight has no time, cage or result before they exist', () => {
    expect(gameAt(rows, 0)).toMatchObject({
      cage: null,
      availableSince: null,
      calledSince: null,
      startTime: null,
      stopTime: null,
      endTime: null,
      winAnnotation: null,
      timerDuration: null,
      notice: '',
    })
    expect(gameAt(rows, 200)).toMatchObject({ cage: 'Cage 2', calledSince: start + 200 })
    expect(gameAt(rows, 489)).toMatchObject({
      startTime: start + 400,
      stopTime: null,
      endTime: null,
      winAnnotation: null,
      timerDuration: null,
      notice: '',
    })
    expect(slotsAt(rows, 489)).toMatchObject([
      { playerId: 'a', state: 'pending', score: null },
      { playerId: 'b', state: 'pending', score: null },
    ])
    expect(gameAt(rows, 490)).toMatchObject({
      stopTime: start + 490,
      endTime: null,
      winAnnotation: 'KO',
      notice: 'Rematch',
    })
    expect(gameAt(rows, 510)).toEqual(fight.games[0])
    expect(slotsAt(rows, 490)).toEqual(fight.slots)
  })

  test('a fight has ready lights from its start, and the actions of its corners once it is over', () => {
    const done = {
      isReady: true,
      tapped: true,
      unstickTime: start + 450,
      showMotionTime: start + 460,
      score: 3,
    }
    const [red, blue] = fight.slots
    const slots: [SlotRow, SlotRow] = [
      { ...red, ...done },
      { ...blue, ...done },
    ]
    const lit = tournamentOf(over, players, [{ ...fight, slots }])
    const before = { tapped: false, unstickTime: null, showMotionTime: null, score: null }
    for (const [seconds, isReady] of [
      [0, false],
      [250, false],
      [399, false],
      [400, true],
      [489, true],
    ] as const) {
      const expected = { ...before, isReady }
      expect([seconds, ...slotsAt(lit, seconds)]).toMatchObject([seconds, expected, expected])
    }
    expect(slotsAt(lit, 490)).toEqual(slots)
  })

  test('a round appears with its first game, and one without games is always there', () => {
    const later = timedFight({ id: 'W-1', roundIdx: 1 }, ['a', 'b'], [600, 700, 790])
    const round = (idx: number) => ({ bracketId: 'W', idx, name: `Round ${idx}`, scoreToWin: 1 })
    const rounds = tournamentOf(over, players, [fight, fedBy(later, 0, 'W-0')], {
      rounds: [0, 1, 2].map(round),
    })
    expect(at(rounds, 0).rounds.map(({ idx }) => idx)).toContain(2)
    expect(at(rounds, 800).rounds.map(({ idx }) => idx)).toEqual([0, 1, 2])
  })

  test('a fight has its pauses as they happen, and its judges and recordings once it is over', () => {
    expect(at(rows, 419).pauses).toEqual([])
    expect(at(rows, 420).pauses).toMatchObject([{ startTime: start + 420, stopTime: null }])
    expect(at(rows, 440).pauses).toEqual(rows.pauses)
    expect(at(rows, 489)).toMatchObject({ judgeLines: [], recordings: [] })
    expect(at(rows, 490)).toMatchObject({
      judgeLines: rows.judgeLines,
      recordings: rows.recordings,
    })
  })

  test('a recording that began after its fight appears when it began', () => {
    const late = tournamentOf(over, players, [fight], {
      recordings: [recordingRow({ id: 1, startMs: (start + 600) * 1000 - 1 })],
    })
    expect([490, 599, 600].map((seconds) => at(late, seconds).recordings.length)).toEqual([0, 0, 1])
  })

  test('a fight that stops before it starts is over when it starts', () => {
    const odd = tournamentOf(over, players, [timedFight({ id: 'W-0' }, ['a', 'b'], [1, 500, 400])])
    expect(gameAt(odd, 450)?.state).toBe('called')
    expect(gameAt(odd, 500)).toMatchObject({ state: 'done', stopTime: start + 400 })
  })

  test('a fight without a stop is over when its clock was', () => {
    const fight = timedFight(
      { id: 'W-0', stopTime: null, endTime: null, timerDuration: 77 },
      ['a', 'b'],
      [1, 100, 0],
    )
    const pausedFor = (...seconds: readonly number[]) =>
      tournamentOf(over, players, [fight], {
        pauses: seconds.map((each, idx) => ({
          ...{ gameId: 'W-0', idx, startTime: start + 110 },
          stopTime: start + 110 + each,
        })),
      })
    for (const [odd, end] of [
      [pausedFor(), 177],
      [pausedFor(20, 10), 207],
      // The clock did not run faster if a pause ends before it begins.
      [pausedFor(20, -5), 197],
    ] as const) {
      expect(gameAt(odd, end - 1)?.state).toBe('active')
      expect(gameAt(odd, end)?.state).toBe('done')
    }
  })

  test('a fight without any time is over when a later game shows it', () => {
    const untimed = {
      availableSince: null,
      calledSince: null,
      startTime: null,
      stopTime: null,
      endTime: null,
    }
    const first = timedFight({ id: 'W-0' }, ['a', 'b'], [110, 200, 290])
    const unknown = fedBy(fightRows({ id: 'W-1', ...untimed }, 'a', 'c'), 0, 'W-0')
    const next = fedBy(timedFight({ id: 'W-2' }, ['a', 'd'], [600, 700, 790]), 0, 'W-1')
    const known = tournamentOf(over, players, [first, unknown, next])
    expect(gameAt(known, 499, 'W-1')).toMatchObject({ winAnnotation: null })
    expect(gameAt(known, 500, 'W-1')?.state).toBe('done')
    // A game that was ready when the one before it ended shows nothing.
    const atOnce = timedFight({ id: 'W-3' }, ['c', 'd'], [410, 820, 890])
    const both = tournamentOf(over, players, [first, unknown, next, atOnce])
    expect([499, 500].map((seconds) => gameAt(both, seconds, 'W-1')?.state === 'done')).toEqual([
      false,
      true,
    ])
    const alone = tournamentOf(over, players, [first, unknown])
    expect(gameAt(alone, 309, 'W-1')?.state).not.toBe('done')
    expect(gameAt(alone, 310, 'W-1')?.state).toBe('done')
  })

  test('a fight that is open in the snapshot stays open', () => {
    const called = fightRows(
      { state: 'called', calledSince: start + 50, startTime: null, stopTime: null, endTime: null },
      'a',
      'b',
      null,
    )
    const open = tournamentOf({ ...over, active: true }, players, [called])
    expect(gameAt(open, 49)?.state).toBe('available')
    expect(gameAt(open, 99_999)?.state).toBe('called')
  })

  test('a fight with times after the capture is over at the capture', () => {
    const late = tournamentOf(over, players, [
      timedFight({ id: 'W-0' }, ['a', 'b'], [1, 2, 999_999_999]),
    ])
    expect(gameAt(late, 99_999)?.state).toBe('active')
    expect(gameAt(late, 100_000)?.state).toBe('done')
  })
})

test.each([
  ['stopTime', start + 3e8],
  ['startTime', 86_400],
  ['calledSince', 86_400],
])('a fight with a mistyped year of %s keeps its other times', (field, far) => {
  const times = ['W-0', 'W-1', 'W-2'].map((id) =>
    timedFight({ id, ...(id === 'W-1' && { [field]: far }) }, ['a', 'b'], [200, 400, 490]),
  )
  const rows = tournamentOf(over, players, times)
  const states = [0, 399, 450, 510].map((second) => gameAt(rows, second, 'W-1')?.state)
  expect([states[0], states.at(-1)]).toEqual(['unavailable', 'done'])
  expect(states).not.toContain(undefined)
  expect(states.slice(0, 3)).not.toContain('done')
  expect(at(rows, 510).games.find(({ id }) => id === 'W-1')).toEqual(times[1]?.games[0])
})

describe('a corner', () => {
  const first = timedFight({ id: 'W-0' }, ['a', 'b'], [10, 100, 190])
  const second = fedBy(timedFight({ id: 'W-1' }, ['a', 'c'], [300, 400, 490]), 0, 'W-0')

  test('a corner that a game feeds is empty until that game is over', () => {
    const rows = tournamentOf(over, players, [first, second])
    expect(slotsAt(rows, 189, 'W-1')).toMatchObject([{ playerId: null }, { playerId: 'c' }])
    expect(slotsAt(rows, 190, 'W-1')).toMatchObject([{ playerId: 'a' }, { playerId: 'c' }])
  })

  test('a corner fed by an open game is filled as soon as its own game is available', () => {
    const open = fightRows(
      { id: 'W-0', state: 'active', startTime: start + 400, stopTime: null, endTime: null },
      'a',
      'b',
      null,
    )
    const rows = tournamentOf(over, players, [open, second])
    expect(slotsAt(rows, 199, 'W-1')).toMatchObject([{ playerId: null }, { playerId: 'c' }])
    expect(slotsAt(rows, 200, 'W-1')).toMatchObject([{ playerId: 'a' }, { playerId: 'c' }])
  })

  test('a corner is not filled early by a game that claims to have begun before', () => {
    const early = fedBy(timedFight({ id: 'W-1' }, ['a', 'c'], [10, 50, 90]), 0, 'W-0')
    const rows = tournamentOf(over, players, [first, early])
    expect(gameAt(rows, 189, 'W-1')?.state).toBe('unavailable')
    expect(slotsAt(rows, 189, 'W-1')).toMatchObject([{ playerId: null }, { state: 'pending' }])
    expect(gameAt(rows, 190, 'W-1')?.state).toBe('done')
  })

  test('a game with a bye is decided when the other player arrives', () => {
    const untimed = { startTime: null, stopTime: null, endTime: null }
    const bye = fedBy(fightRows({ id: 'W-1', ...untimed }, 'a', 'bye-1'), 0, 'W-0')
    const entered = [...players, { id: 'bye-1', name: '(Bye)', isBye: true }]
    const fed = tournamentOf(over, entered, [first, bye])
    expect(gameAt(fed, 189, 'W-1')?.state).toBe('unavailable')
    expect(gameAt(fed, 190, 'W-1')?.state).toBe('done')
    // The bye is listed once its own corner is filled.
    const turned = fedBy(fightRows({ id: 'W-1', ...untimed }, 'bye-1', 'a'), 1, 'W-0')
    const fedBye = fedBy(fightRows({ id: 'W-1', ...untimed }, 'bye-1', 'a'), 0, 'W-0')
    const entrants = [fed, tournamentOf(over, entered, [first, turned])]
    for (const rows of entrants) expect(at(rows, 189).players).toHaveLength(5)
    const late = [fedBye, fedBy(fightRows({ id: 'W-1', ...untimed }, 'a', 'bye-1'), 1, 'W-0')]
    for (const game of late) {
      const rows = tournamentOf(over, entered, [first, game])
      expect([189, 190].map((seconds) => at(rows, seconds).players.length)).toEqual([4, 5])
    }
    const known = tournamentOf(over, entered, [fightRows({ id: 'W-1', ...untimed }, 'a', 'bye-1')])
    expect(gameAt(known, -80_000, 'W-1')?.state).toBe('done')
  })

  test('a corner that qualifying decides is empty until the seeding, and so are the seeds', () => {
    const qualifying = timedFight({ id: 'EX-0', bracketId: 'EX' }, ['a', 'b'], [10, 100, 190])
    const again = timedFight({ id: 'EX-1', bracketId: 'EX' }, ['a', 'd'], [200, 220, 290])
    const seeded = timedFight({ id: 'W-0', name: 'W:1-1' }, ['a', 'c'], [400, 500, 590])
    const untimed = { startTime: null, stopTime: null, endTime: null }
    const bye = fightRows({ id: 'W-1', position: 1, ...untimed }, 'b', 'bye-1')
    const entered = [...players, { id: 'bye-1', name: '(Bye)', isBye: true }].map(
      (each, index) => ({ ...each, seed: index + 1 }),
    )
    const rows = tournamentOf(over, entered, [qualifying, again, seeded, bye], {
      brackets: [
        { id: 'EX', position: 0, name: 'Qualifying', isExhibition: true, formatType: null },
        { id: 'W', position: 1, name: 'Winners', isExhibition: false, formatType: null },
      ],
    })
    expect(slotsAt(rows, 0, 'EX-0')).toMatchObject([{ playerId: 'a' }, { playerId: 'b' }])
    for (const id of ['W-0', 'W-1']) {
      expect(slotsAt(rows, 299, id)[0]).toMatchObject({ playerId: null })
      expect(slotsAt(rows, 300, id)[0]).toMatchObject({ playerId: id === 'W-0' ? 'a' : 'b' })
    }
    expect(gameAt(rows, 299, 'W-1')?.state).toBe('unavailable')
    expect(gameAt(rows, 300, 'W-1')?.state).toBe('done')
    expect(at(rows, 299).players.map(({ seed }) => seed)).toEqual([null, null, null, null])
    expect(at(rows, 300).players.map(({ seed }) => seed)).toEqual([1, 2, 3, 4, 5])
  })

  test('a corner of a round robin is known from the draw', () => {
    const second = timedFight({ id: 'W-1' }, ['a', 'c'], [300, 400, 490])
    const rows = tournamentOf({ ...over, formatType: 'round_robin' }, players, [first, second])
    expect(slotsAt(rows, 0, 'W-1')).toMatchObject([{ playerId: 'a' }, { playerId: 'c' }])
  })
})

test('a second final appears once the first one makes it needed, without any hint before', () => {
  const final = timedFight({ id: 'W-0', loserPlacement: null }, ['a', 'b'], [10, 100, 190])
  const reset = timedFight(
    { id: 'W-1', roundIdx: 1, loserPlacement: 2 },
    ['a', 'b'],
    [300, 400, 490],
  )
  const rows = tournamentOf(over, players, [final, fedBy(fedBy(reset, 0, 'W-0'), 1, 'W-0')], {
    rounds: [
      { bracketId: 'W', idx: 0, name: 'Grand Final', scoreToWin: 1 },
      { bracketId: 'W', idx: 1, name: 'Grand Final Reset', scoreToWin: 1 },
    ],
  })
  const before = at(rows, 189)
  expect(before.games).toMatchObject([{ id: 'W-0', loserPlacement: 2 }])
  expect(before.slots).toHaveLength(2)
  expect(before.rounds).toHaveLength(1)
  expect(at(rows, 190).games).toMatchObject([{ id: 'W-0', loserPlacement: null }, { id: 'W-1' }])
  expect(at(rows, 190).rounds).toHaveLength(2)
})

test('a loser has the place of the next game only if both go on to it', () => {
  const first = timedFight({ id: 'V-0', loserPlacement: null }, ['a', 'b'], [10, 100, 190])
  const next = timedFight({ id: 'W-0', loserPlacement: 2 }, ['a', 'c'], [300, 400, 490])
  const rows = tournamentOf(over, players, [first, fedBy(next, 0, 'V-0')])
  expect(gameAt(rows, 50, 'V-0')).toMatchObject({ loserPlacement: null })
})

describe('a tournament', () => {
  const fights = [
    timedFight({ id: 'W-0' }, ['a', 'b'], [100, 200, 290]),
    timedFight({ id: 'W-1', winAnnotation: 'DQ' }, ['c', 'd'], [300, 400, 490]),
  ]
  const rows = tournamentOf(
    { ...over, startTime: start, endTime: start + 510 },
    players.map((each) => ({ ...each, isDisqualified: each.id === 'd', placement: 3 })),
    fights,
  )
  const rowAt = (seconds: number) => at(rows, seconds).tournament

  test('a tournament does not exist before it is created', () => {
    const { rowsAt } = historyOf(rows, capturedAt)
    expect(rowsAt(start - 86_401)).toBeUndefined()
    expect(rowsAt(start - 86_400)).toBeDefined()
  })

  test('a tournament is active from its opening to its end, and its end is not known before', () => {
    expect(rowAt(-1)).toMatchObject({ active: false, startTime: null, endTime: null })
    expect(rowAt(0)).toMatchObject({ active: true, startTime: start, endTime: null })
    expect(rowAt(509)).toMatchObject({ active: true, endTime: null })
    expect(rowAt(510)).toMatchObject({ active: false, endTime: start + 510 })
  })

  test('a tournament was updated when something last changed', () => {
    expect(rowAt(-5)).toMatchObject({ updateTime: start - 86_400 })
    expect(rowAt(450)).toMatchObject({ updateTime: start + 400 })
    expect(rowAt(90_000)).toMatchObject({ updateTime: start + 90_000 })
  })

  test('a player is disqualified in the fight that says so', () => {
    const isOut = (seconds: number) =>
      at(rows, seconds).players.map(({ isDisqualified }) => isDisqualified)
    expect(isOut(489)).toEqual([false, false, false, false])
    expect(isOut(490)).toEqual([false, false, false, true])
  })

  test('a player is not disqualified in a fight that the opponent lost by disqualification', () => {
    const twice = [
      timedFight({ id: 'W-0', winAnnotation: 'DQ' }, ['d', 'c'], [100, 200, 290]),
      timedFight({ id: 'W-1', winAnnotation: 'DQ' }, ['a', 'd'], [300, 400, 490]),
    ]
    const later = tournamentOf(over, rows.players, twice)
    const isOut = (seconds: number) =>
      at(later, seconds).players.find(({ id }) => id === 'd')?.isDisqualified
    expect([489, 490].map(isOut)).toEqual([false, true])
  })

  test('a player without such a fight is disqualified in its last one', () => {
    const plain = [
      timedFight({ id: 'W-0' }, ['a', 'd'], [100, 200, 290]),
      timedFight({ id: 'W-1' }, ['c', 'd'], [300, 400, 490]),
    ]
    const found = tournamentOf(over, rows.players, plain)
    const isOut = (seconds: number) =>
      at(found, seconds).players.map(({ isDisqualified }) => isDisqualified)
    expect(isOut(489)).toEqual([false, false, false, false])
    expect(isOut(490)).toEqual([false, false, false, true])
  })

  test('a tournament has no end while a fight is to come, even if its row says so', () => {
    const early = { ...rows, tournament: { ...rows.tournament, endTime: start + 300 } }
    const endAt = (seconds: number) => at(early, seconds).tournament.endTime
    expect([400, 489, 490].map(endAt)).toEqual([null, null, start + 300])
  })

  test('a tournament gives places at its end', () => {
    const placesAt = (seconds: number) =>
      at(rows, seconds).players.map(({ placement }) => placement)
    expect(placesAt(-1)).toEqual([null, null, null, null])
    expect(placesAt(509)).toEqual([null, null, null, null])
    expect(placesAt(510)).toEqual([3, 3, 3, 3])
  })

  test('clips and stills appear when they were made, but a clip not before its fight is over', () => {
    const filmed = {
      ...rows,
      clips: [
        clipRow({ token: 'early', createdTime: start + 10 }),
        clipRow({ token: 'late', createdTime: start + 700 }),
      ],
      stills: [stillRow({ id: 1, takenTime: start + 250 })],
      stillTags: [{ stillId: 1, tag: 'Action' }],
    }
    const made = (seconds: number) => {
      const { clips, stills, stillTags } = at(filmed, seconds)
      return [...clips.map(({ token }) => token), stills.length, stillTags.length]
    }
    expect(made(249)).toEqual([0, 0])
    expect(made(250)).toEqual([1, 1])
    expect(made(289)).toEqual([1, 1])
    expect(made(290)).toEqual(['early', 1, 1])
    expect(made(700)).toEqual(['early', 'late', 1, 1])
  })
})

/** Invariants of the rows at a moment and at a later one. */
const checkMoment = (rows: TournamentRows, now: TournamentRows, later: TournamentRows): void => {
  const states = new Map(now.games.map(({ id, state }) => [id, state]))
  const laterStates = new Map(later.games.map(({ id, state }) => [id, state]))
  const all = new Set(rows.games.map(({ id }) => id))
  for (const game of now.games) {
    if (game.state === 'done') {
      expect(laterStates.get(game.id)).toBe('done')
      continue
    }
    const { winAnnotation, stopTime, endTime, timerDuration } = game
    if (rows.games.some((row) => row === game)) continue
    expect([winAnnotation, stopTime, endTime, timerDuration]).toEqual([null, null, null, null])
  }
  for (const slot of now.slots) {
    const row = rows.games.find(({ id }) => id === slot.gameId)
    if (row?.state === 'done' && states.get(slot.gameId) !== 'done') {
      expect(slot).toMatchObject({ state: 'pending', score: null, tapped: false })
    }
    if (slot.prevGameId === null || !all.has(slot.prevGameId) || slot.playerId === null) continue
    const feeder = rows.games.find(({ id }) => id === slot.prevGameId)
    // A feeder that stays open decides nothing.
    if (feeder?.state === 'done') expect(states.get(slot.prevGameId)).toBe('done')
  }
}

const checkHistory = (rows: TournamentRows, captured: number, moments: readonly number[]) => {
  const { instants, rowsAt } = historyOf(rows, captured)
  for (const unix of moments) {
    const now = rowsAt(unix)
    const instant = instants.findLast((each) => each <= unix)
    // Nothing changes between two instants.
    if (instant !== undefined) expect(rowsAt(instant)).toEqual(now)
    const later = rowsAt(unix + 97)
    if (now && later) checkMoment(rows, now, later)
    if (now) expect(later).toBeDefined()
  }
  expect(rowsAt(instants.at(-1) ?? captured)).toEqual(rows)
  expect(rowsAt(captured)).toEqual(rows)
}

describe('any rows', () => {
  test('hostile rows tell nothing early and end unchanged', () => {
    fc.assert(
      fc.property(
        hostileRows,
        fc.array(fc.integer({ min: start - 1100, max: capturedAt }), { maxLength: 6 }),
        (rows, moments) => checkHistory(deepFreeze(rows), capturedAt, moments),
      ),
      { numRuns: 400 },
    )
  })

  test('rows of the sample tell nothing early and end unchanged', async () => {
    const snapshot = await readSnapshot(join(projectFolder, 'snapshot/sample.cageside'))
    for (const unchecked of snapshot.tournaments()) {
      const rows = checkTournament(unchecked, () => undefined)
      if (!rows) continue
      const { instants } = historyOf(rows, snapshot.capturedAt)
      const moments = instants.filter((_, index) => index % 37 === 0)
      checkHistory(rows, snapshot.capturedAt, [...moments, ...moments.map((unix) => unix - 1)])
    }
  })

  test('a chain of games of any length is handled', () => {
    const fights = Array.from({ length: 20_000 }, (_, index) =>
      fedBy(
        fightRows(
          { id: `W-${index}`, startTime: null, stopTime: null, endTime: null },
          `red-${index}`,
          `blue-${index}`,
        ),
        0,
        `W-${index + 1}`,
      ),
    )
    const rows = tournamentOf(over, [], fights)
    expect(historyOf(rows, capturedAt).rowsAt(capturedAt)).toEqual(rows)
  })
})

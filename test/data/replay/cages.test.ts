import { describe, expect, test } from 'bun:test'
import { cageHistory, visitsOf } from '../../../src/data/replay/cages.ts'
import { busiestHour, eventsOf } from '../../../src/data/replay/events.ts'
import { gameTimes } from '../../../src/data/replay/gameTimes.ts'
import type { CageRows } from '../../../src/data/source/rows.ts'
import { present } from '../../present.ts'
import { cageRow, fightRows, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
const capturedAt = start + 10_000

const timed = (id: string, [called, begins, stops]: readonly [number, number, number]) =>
  fightRows(
    {
      id,
      availableSince: start + called - 100,
      calledSince: start + called,
      startTime: start + begins,
      stopTime: start + stops,
      endTime: start + stops + 10,
    },
    `red of ${id}`,
    `blue of ${id}`,
  )
const waiting = fightRows(
  {
    id: 'W-2',
    state: 'available',
    cage: null,
    availableSince: start + 9000,
    startTime: null,
    stopTime: null,
    endTime: null,
  },
  'c',
  'd',
  null,
)
const rows = tournamentOf(
  { active: true },
  [],
  [timed('W-0', [200, 400, 500]), timed('W-1', [450, 800, 900]), waiting],
  { pauses: [{ gameId: 'W-1', idx: 0, startTime: start + 820, stopTime: start + 840 }] },
)
const snapshot: CageRows = {
  cages: [
    cageRow({
      number: 2,
      status: 'idle',
      tournamentId: rows.tournament.id,
      gameId: 'W-1',
      updateTime: start + 2000,
    }),
    cageRow({ number: 3, updateTime: start - 5000 }),
  ],
  cageQueue: [{ cage: 2, position: 0, tournamentId: rows.tournament.id, gameId: 'W-2' }],
}
const times = gameTimes(rows, capturedAt)
const history = cageHistory(snapshot, visitsOf(rows, times, capturedAt), {
  waitsSince: ({ gameId }) => times.get(gameId)?.availableAt,
  capturedAt,
})
const at = (seconds: number) => {
  const { cages, cageQueue } = history.cagesAt(start + seconds)
  const cage = cages.find(({ number }) => number === 2)
  return [cage?.status, cage?.gameId, ...cageQueue.map(({ gameId }) => gameId)]
}

describe('a cage', () => {
  test('a cage follows its fights', () => {
    const moments = [99, 100, 199, 200, 400, 500, 559, 570, 800, 819, 820, 840, 900, 999, 1000]
    expect(moments.map(at)).toEqual([
      ['idle', null],
      ['idle', null, 'W-0'],
      ['idle', null, 'W-0'],
      ['assigned', 'W-0'],
      ['active', 'W-0', 'W-1'],
      ['completed', 'W-0', 'W-1'],
      ['completed', 'W-0', 'W-1'],
      ['assigned', 'W-1'],
      ['active', 'W-1'],
      ['active', 'W-1'],
      ['paused', 'W-1'],
      ['active', 'W-1'],
      ['completed', 'W-1'],
      ['completed', 'W-1'],
      ['idle', null],
    ])
  })

  test('a cage is as in the snapshot from the time of its row, with its queue', () => {
    expect(at(2000)).toEqual(['idle', 'W-1'])
    expect(at(9000)).toEqual(['idle', 'W-1', 'W-2'])
    expect(history.cagesAt(capturedAt)).toBe(snapshot)
  })

  test('a cage was updated when its state last changed', () => {
    const rowAt = (unix: number) =>
      present(history.cagesAt(unix).cages.find(({ number }) => number === 2))
    let { updateTime: updated, ...before } = rowAt(start)
    for (let unix = start + 1; unix < start + 9500; unix += 1) {
      const { updateTime, ...now } = rowAt(unix)
      if (!Bun.deepEquals(before, now)) updated = unix
      expect(updateTime).toBe(updated)
      before = now
    }
  })

  test('a cage changes only at the announced moments', () => {
    const named = new Set(history.instants)
    for (let unix = start; unix < start + 9500; unix += 1) {
      if (!named.has(unix)) expect(history.cagesAt(unix)).toEqual(history.cagesAt(unix - 1))
    }
  })
})

describe('events', () => {
  const day = 86_400
  const game = (begins: number) => ({
    appearsAt: 0,
    filledAt: [0, 0] as const,
    availableAt: begins,
    calledAt: begins,
    beginsAt: begins,
    finishesAt: begins + 100,
    settledAt: begins + 100,
  })

  test('events are separated by more than a night', () => {
    const events = eventsOf([0, 1000, day, 20 * day, 20 * day + 50].map(game))
    expect(events.map(({ from, to }) => [from, to])).toEqual([
      [0, day + 100],
      [20 * day, 20 * day + 150],
    ])
    expect(
      eventsOf([{ ...game(0), calledAt: Infinity, beginsAt: Infinity, finishesAt: -Infinity }]),
    ).toEqual([])
  })

  test('events are separated by more than 36 hours from the end of the last fight', () => {
    const eventsAfter = (seconds: number) => eventsOf([0, 30_000, 30_100 + seconds].map(game))
    expect(eventsAfter(36 * 3600)).toHaveLength(1)
    expect(eventsAfter(36 * 3600 + 1)).toHaveLength(2)
    expect(eventsOf([0, 100_000, 200_000].map(game))).toHaveLength(1)
  })

  test('an event has a busiest hour', () => {
    const [event] = eventsOf([0, 4000, 5000, 7500, 7700, 9000].map(game))
    expect(event && busiestHour(event)).toBe(4000)
    // A start exactly an hour later is in the next hour.
    const [other] = eventsOf([0, 5000, 8600, 9000].map(game))
    expect(other && busiestHour(other)).toBe(8600)
  })

  test('a forfeit, which begins and finishes in one moment, is one start', () => {
    const forfeit = (begins: number) => ({ ...game(begins), finishesAt: begins })
    const [event] = eventsOf([...[0, 10, 20].map(game), ...[9000, 9010].map(forfeit)])
    expect(event?.starts).toEqual([0, 10, 20, 9000, 9010])
    expect(event && busiestHour(event)).toBe(0)
  })
})

const historyWith = (
  own: typeof rows,
  cageQueue: CageRows['cageQueue'],
  cages: CageRows['cages'] = snapshot.cages,
) => {
  const ownTimes = gameTimes(own, capturedAt)
  return cageHistory({ cages, cageQueue }, visitsOf(own, ownTimes, capturedAt), {
    waitsSince: ({ gameId }) => ownTimes.get(gameId)?.availableAt,
    capturedAt,
  })
}

test('a pause without an end lasts until its fight is over', () => {
  const pauses = rows.pauses.map((row) => ({ ...row, stopTime: null }))
  const { cagesAt } = historyWith({ ...rows, pauses }, [])
  const statusAt = (seconds: number) =>
    cagesAt(start + seconds).cages.find(({ number }) => number === 2)
  expect(statusAt(819)).toMatchObject({ status: 'active', pausedSince: null })
  for (const seconds of [820, 899])
    expect(statusAt(seconds)).toMatchObject({ status: 'paused', pausedSince: start + 820 })
  expect(statusAt(900)).toMatchObject({ status: 'completed', pausedSince: null })
})

test('a queue is as long as in the snapshot', () => {
  const many = Array.from({ length: 6 }, (_, index) => ({
    games: waiting.games.map((row) => ({ ...row, id: `Q-${index}` })),
    position: index,
  }))
  const own = { ...rows, games: [...rows.games, ...many.flatMap(({ games }) => games)] }
  const queue = many.map(({ position }) => ({
    cage: 2,
    position,
    tournamentId: rows.tournament.id,
    gameId: `Q-${position}`,
  }))
  expect(historyWith(own, queue).cagesAt(start + 9500).cageQueue).toEqual(queue)
})

test('the row of the snapshot holds once no fight in its cage changes, however old it is', () => {
  const cages = [cageRow({ number: 2, status: 'idle', updateTime: start - 5000 })]
  const { cagesAt } = historyWith(rows, [], cages)
  const statusAt = (seconds: number) => cagesAt(start + seconds).cages[0]?.status
  const followed = ['idle', 'assigned', 'active', 'completed', 'active', 'idle'] as const
  expect([99, 200, 400, 500, 899, 900].map(statusAt)).toEqual([...followed])
  expect(cagesAt(start + 900).cages).toEqual(cages)
})

test('byes and untimed fights before the first timed one do not occupy a cage', () => {
  const untimed = { startTime: null, stopTime: null, endTime: null }
  const byes = ['B-0', 'B-1'].map((id) => fightRows({ id, ...untimed }, 'a', 'bye'))
  const own = tournamentOf({ active: true }, [{ id: 'bye', isBye: true }], byes)
  expect(visitsOf(own, gameTimes(own, capturedAt), capturedAt)).toEqual([])
})

import { describe, expect, test } from 'bun:test'
import type { Archive } from '../../src/data/archive/archive.ts'
import type { CageQueueRow, CageRow, GameRow } from '../../src/data/source/rows.ts'
import { periodEnd } from '../../src/derived/live/expected.ts'
import { buildSchedule, compareWaiting } from '../../src/derived/live/schedule.ts'
import { appOf, archiveWithCages, get, serviceOf } from '../fixtures.ts'
import { cageRow, fightRows, openFight, tournamentOf } from '../rows.ts'
import { lateSample } from '../smallLeague.ts'

const now = 1_770_003_600
const players = [
  { id: 'a', name: 'Wynk' },
  { id: 'b', name: 'Blåde' },
  { id: 'bye', name: '(Bye)', isBye: true },
]
const pending = (over: Partial<GameRow>, red = 'a', blue = 'b') =>
  openFight({ cage: null, ...over }, red, blue)
const active = (over: Partial<GameRow> = {}) =>
  pending({ state: 'active', cage: 'Cage 1', startTime: now - 100, ...over })
const done = (over: Partial<GameRow> = {}) =>
  fightRows({ cage: 'Cage 1', startTime: now - 400, stopTime: now - 200, ...over }, 'a', 'b')

const of = { tournamentId: 'spring_30lb' }
const inCage = (over: Partial<CageRow> = {}): CageRow =>
  cageRow({ number: 1, status: 'active', ...of, gameId: 'W-0', updateTime: now - 3, ...over })
const waiting = (cage: number, position: number, gameId: string): CageQueueRow => ({
  cage,
  position,
  gameId,
  tournamentId: 'spring_30lb',
})

const archiveOfCage = (
  row: CageRow,
  fights: readonly ReturnType<typeof pending>[],
  {
    queue = [],
    pauses = [],
    tournament = {},
  }: {
    queue?: readonly CageQueueRow[]
    pauses?: readonly { gameId: string; idx: number; startTime: number; stopTime: number | null }[]
    tournament?: Parameters<typeof tournamentOf>[0]
  } = {},
): Archive =>
  archiveWithCages(
    { cages: [row], cageQueue: queue },
    tournamentOf({ active: true, ...tournament }, players, fights, { pauses }),
  )
const cageAt = async (archive: Archive, time = now) =>
  (await get(appOf(serviceOf(archive, time)), '/cages/1')).body.cage

const idleCage = {
  status: 'idle',
  match: null,
  player1: null,
  player2: null,
  startTime: 0,
  stopTime: 0,
  matchTime: 0,
  pausedSince: 0,
  queue: [],
}

describe('GET /cages', () => {
  test('/cages has the five cages, idle if nothing is known', async () => {
    const { body } = await get(appOf(archiveWithCages({})), '/cages')
    expect(Object.keys(body.cages)).toEqual(['cage1', 'cage2', 'cage4', 'cage5', 'cage6'])
    for (const number of [1, 2, 4, 5, 6]) {
      expect(body.cages[`cage${number}`]).toEqual({
        ...idleCage,
        cage: `Cage ${number}`,
        cageNumber: number,
        updatedTime: 0,
      })
    }
  })

  test('/cages lists all cages by number, even without a row of a standard one', async () => {
    const archive = archiveOfCage(inCage({ number: 7 }), [active()], {
      queue: [waiting(11, 0, 'W-0')],
    })
    const { body } = await get(appOf(archive), '/cages')
    expect(Object.keys(body.cages)).toEqual([1, 2, 4, 5, 6, 7, 11].map((number) => `cage${number}`))
  })

  test('a queue of a tournament that is not public makes no cage', async () => {
    const tournament = { privacy: 'private' } as const
    const queue = [waiting(11, 0, 'W-0')]
    const archive = archiveOfCage(inCage(), [pending({})], { tournament, queue })
    const { body } = await get(appOf(archive), '/cages')
    expect(Object.keys(body.cages)).toEqual(['cage1', 'cage2', 'cage4', 'cage5', 'cage6'])
  })

  test('each cage by its number equals its entry in the list of all', async () => {
    const app = appOf(serviceOf(archiveOfCage(inCage(), [active()]), now))
    const { cages } = (await get(app, '/cages')).body
    for (const number of [1, 2, 4, 5, 6]) {
      expect((await get(app, `/cages/${number}`)).body.cage).toEqual(cages[`cage${number}`])
    }
  })

  test.each([
    '0',
    '3',
    '7',
    '01',
    '1.0',
    '1e0',
    '%201',
    '1%20',
    '+1',
    '-1',
    'abc',
    'cage1',
    '%00',
    '１',
    '__proto__',
    '99999999999999999999',
    '1'.repeat(8000),
  ])('%s is no cage number', async (number) => {
    const { status, body } = await get(appOf(archiveWithCages({})), `/cages/${number}`)
    expect(status).toBe(400)
    expect(body).toEqual({ error: 'the cage number must be one of 1, 2, 4, 5, 6' })
  })

  test('a cage has the corners of its active fight, and the seconds fought', async () => {
    const archive = archiveOfCage(inCage(), [active()])
    expect(await cageAt(archive)).toEqual({
      cage: 'Cage 1',
      cageNumber: 1,
      status: 'active',
      match: expect.objectContaining({
        tournamentID: 'spring_30lb',
        id: 'W-0',
        gameID: 'W-0',
        player1: 'Wynk',
        player2clean: 'blade',
        state: 'active',
        stopTime: 0,
        matchLength: 0,
      }),
      player1: { name: 'Wynk', cleanName: 'wynk', isReady: 0, tapped: 0 },
      player2: { name: 'Blåde', cleanName: 'blade', isReady: 0, tapped: 0 },
      startTime: now - 100,
      stopTime: 0,
      matchTime: 100,
      pausedSince: 0,
      queue: [],
      updatedTime: now - 3,
    })
  })

  test('the clock of a cage runs while nothing else changes, and stops with the countdown', async () => {
    let time = now
    const archive = archiveOfCage(inCage(), [active()])
    const app = appOf({ ...serviceOf(archive), now: () => time })
    const seconds = async () => [
      (await get(app, '/cages')).body.cages.cage1.matchTime,
      (await get(app, '/cages/1')).body.cage.matchTime,
    ]
    expect(await seconds()).toEqual([100, 100])
    expect(await seconds()).toEqual([100, 100])
    time += 1
    expect(await seconds()).toEqual([101, 101])
    time += 78
    expect(await seconds()).toEqual([179, 179])
    time += 1000
    expect(await seconds()).toEqual([180, 180])
  })

  test('the clock of a cage does not count pauses, and an open pause stops it', async () => {
    const over = { gameId: 'W-0', idx: 0, startTime: now - 90, stopTime: now - 60 }
    const open = { gameId: 'W-0', idx: 1, startTime: now - 20, stopTime: null }
    expect(await cageAt(archiveOfCage(inCage(), [active()], { pauses: [over] }))).toMatchObject({
      status: 'active',
      matchTime: 70,
      pausedSince: 0,
    })
    const paused = { status: 'paused', matchTime: 50, pausedSince: now - 20 }
    expect(
      await cageAt(archiveOfCage(inCage(), [active()], { pauses: [over, open] }), now + 500),
    ).toMatchObject(paused)
    const row = inCage({ status: 'paused', pausedSince: now - 20 })
    expect(await cageAt(archiveOfCage(row, [active()], { pauses: [over] }))).toMatchObject(paused)
    const unclosed = { ...over, stopTime: null }
    expect(
      await cageAt(archiveOfCage(inCage(), [active()], { pauses: [unclosed, open] })),
    ).toMatchObject({ status: 'paused', matchTime: 80, pausedSince: now - 20 })
  })

  test.each([
    [now - 320, null],
    [now - 320, now - 100],
    [now - 150, null],
  ])('a pause from %i to %p ends with its fight', async (startTime, stopTime) => {
    const fight = done({ timerDuration: null, startTime: now - 380, stopTime: now - 200 })
    const pauses = [{ gameId: 'W-0', idx: 0, startTime, stopTime }]
    const seconds = Math.max(0, now - 200 - startTime)
    const archive = archiveOfCage(inCage({ status: 'completed' }), [fight], { pauses })
    expect(await cageAt(archive)).toMatchObject({ matchTime: 180 - seconds })
    const { fightStats } = (await get(appOf(archive), '/stats/fight/spring_30lb/W-0')).body
    expect(fightStats).toMatchObject({ pausedSeconds: seconds, pauses: [{ startTime, seconds }] })
  })

  test('a cage that is paused without a time is paused since its last update', async () => {
    const row = inCage({ status: 'paused', pausedSince: null, updateTime: now - 20 })
    expect(await cageAt(archiveOfCage(row, [active()]), now + 500)).toMatchObject({
      status: 'paused',
      matchTime: 80,
      pausedSince: now - 20,
    })
  })

  test.each([
    ['active', done(), { status: 'completed', matchTime: 90, stopTime: now - 200 }],
    ['paused', done(), { status: 'completed', matchTime: 90, pausedSince: 0 }],
    ['completed', done({ timerDuration: null }), { status: 'completed', matchTime: 180 }],
    ['completed', done({ timerDuration: null, countdown: null }), { matchTime: 200 }],
    ['completed', done({ timerDuration: null, stopTime: null }), { matchTime: 0 }],
    ['idle', done(), { status: 'idle', match: { state: 'done' }, player1: { name: 'Wynk' } }],
    ['assigned', active(), { status: 'active', matchTime: 100 }],
    ['active', pending({ cage: 'Cage 1' }), { status: 'assigned', match: { state: 'pending' } }],
    ['assigned', pending({ cage: 'Cage 1' }), { status: 'assigned', matchTime: 0 }],
    ['completed', pending({}), idleCage],
    ['idle', pending({}), idleCage],
    ['active', active({ stopTime: now - 40 }), { status: 'active', matchTime: 100, stopTime: 0 }],
    ['active', active({ stopTime: now + 180 }), { status: 'active', matchTime: 100, stopTime: 0 }],
    ['active', active({ startTime: now + 40 }), { status: 'active', matchTime: 0 }],
    ['active', active({ startTime: null }), { status: 'active', matchTime: 0, startTime: 0 }],
  ] as const)(
    'a cage that says %s never contradicts its fight (%#)',
    async (status, fight, shown) => {
      expect(await cageAt(archiveOfCage(inCage({ status }), [fight]))).toMatchObject(shown)
    },
  )

  test.each([
    ['of a private tournament', {}, { privacy: 'private' }],
    ['of an unlisted tournament', {}, { privacy: 'unlisted' }],
    ['of a test', {}, { isTest: true }],
    ['of no known tournament', { tournamentId: 'nowhere' }, {}],
    ['that is not there', { gameId: 'W-9' }, {}],
    ['against a bye', { gameId: 'W-1' }, {}],
    ['that is no game', { tournamentId: null, gameId: null }, {}],
  ] as const)('/cages shows nothing of a fight %s', async (_, row, tournament) => {
    const archive = archiveOfCage(
      inCage({ status: 'paused', pausedSince: now - 5, ...row }),
      [active(), pending({ id: 'W-1', state: 'active' }, 'a', 'bye')],
      { tournament },
    )
    expect(await cageAt(archive)).toMatchObject(idleCage)
  })

  test('a queue holds the fights that are yet to begin, the next one first', async () => {
    const archive = archiveOfCage(
      inCage(),
      [
        active(),
        pending({ id: 'W-1', state: 'called', name: 'W:1-2' }),
        pending({ id: 'W-2' }),
        done({ id: 'W-3' }),
        pending({ id: 'W-4' }, 'a', 'bye'),
        active({ id: 'W-5' }),
      ],
      {
        queue: [
          waiting(1, 7, 'W-2'),
          waiting(1, 3, 'W-1'),
          waiting(1, 0, 'W-0'),
          waiting(1, 4, 'W-3'),
          waiting(1, 5, 'W-4'),
          waiting(1, 6, 'W-5'),
          waiting(1, 8, 'W-9'),
          waiting(2, 0, 'W-2'),
        ],
      },
    )
    expect((await cageAt(archive)).queue).toEqual([
      {
        tournamentID: 'spring_30lb',
        gameID: 'W-1',
        name: 'W:1-2',
        player1: 'Wynk',
        player2: 'Blåde',
        status: 'Called',
        expectedStart: 0,
        expectedFrom: 0,
        expectedTo: 0,
        paused: 0,
      },
      expect.objectContaining({ gameID: 'W-2', status: 'Available' }),
    ])
  })
})

test('a fight that waits in a cage has an expected start even if no fight is queued', async () => {
  const { tournaments, cages, cageQueue, capturedAt } = lateSample
  const next = cageQueue.find(({ cage, position }) => cage === 1 && position === 1)
  const rows = cages.map((row) =>
    row.number === 1 ? ({ ...row, ...next, status: 'assigned' } as const) : row,
  )
  const [alone, followed] = await Promise.all(
    [[], cageQueue].map(async (queue) => {
      const archive = archiveWithCages({ cages: rows, cageQueue: queue }, ...tournaments)
      return (await cageAt(archive, capturedAt)).match
    }),
  )
  expect(alone.expectedStart).toBeGreaterThan(capturedAt)
  expect(alone).toEqual(followed)
})

describe('a cage shared with hidden tournaments', () => {
  test('a fight that waits in a cage stands in no queue', async () => {
    const archive = archiveOfCage(
      inCage({ status: 'assigned', gameId: 'W-1' }),
      [pending({ id: 'W-1' }), pending({ id: 'W-2' })],
      { queue: [waiting(2, 0, 'W-1'), waiting(2, 1, 'W-2')] },
    )
    const { cage } = (await get(appOf(serviceOf(archive, now)), '/cages/2')).body
    expect(cage.queue.map(({ gameID }: { gameID: string }) => gameID)).toEqual(['W-2'])
  })

  test('a cage does not publish the time of a change by a hidden fight', async () => {
    const tournament = { privacy: 'private' } as const
    const hidden = await cageAt(archiveOfCage(inCage(), [active()], { tournament }))
    expect(hidden).toMatchObject({ status: 'idle', match: null, updatedTime: 0 })
    const shown = await cageAt(archiveOfCage(inCage(), [active()]))
    expect(shown).toMatchObject({ status: 'active', updatedTime: now - 3 })
  })
})

describe('GET /bots/:bot/upcoming of a tournament that is not active', () => {
  test('a called fight leaves the list once its scheduled time is over', async () => {
    let time = now
    const archive = archiveOfCage(
      cageRow({ number: 1 }),
      [pending({ state: 'called', scheduledTime: now + 10 })],
      { tournament: { active: false } },
    )
    const newApp = () => appOf({ ...serviceOf(archive), now: () => time })
    const app = newApp()
    // The same holds with a cached answer and a new one.
    const counts = async () => [
      (await get(app, '/bots/wynk/upcoming')).body.count,
      (await get(newApp(), '/bots/wynk/upcoming')).body.count,
    ]
    expect(await counts()).toEqual([1, 1])
    time = now + 10
    expect(await counts()).toEqual([1, 1])
    time = now + 11
    expect(await counts()).toEqual([0, 0])
  })
})

describe('GET /bots/:bot/upcoming', () => {
  test('upcoming fights begin with the one in the cage, then the one on its way, then the called one', async () => {
    const archive = archiveWithCages(
      {
        cages: [
          inCage({ number: 2, gameId: 'W-3' }),
          inCage({ number: 1, status: 'assigned', gameId: 'W-2' }),
        ],
        cageQueue: [],
      },
      tournamentOf({ active: true }, players, [
        pending({ id: 'W-0', scheduledTime: now - 90 }),
        pending({ id: 'W-1', state: 'called', scheduledTime: now - 60 }),
        pending({ id: 'W-2', state: 'called', scheduledTime: now - 30 }),
        active({ id: 'W-3', cage: 'Cage 2' }),
      ]),
    )
    const { matches } = (await get(appOf(serviceOf(archive, now)), '/bots/wynk/upcoming')).body
    expect(
      matches.map(
        ({ gameID, status }: { gameID: string; status: string }) => `${gameID} ${status}`,
      ),
    ).toEqual(['W-3 In Cage', 'W-2 Load In', 'W-1 Called', 'W-0 Delayed'])
  })
})

describe('GET /schedule', () => {
  const scheduleAt = async (archive: Archive, time = now) => {
    const { body } = await get(appOf(serviceOf(archive, time)), '/schedule')
    expect(body.count).toBe(body.matches.length)
    return body.matches
  }
  const statusAt = async (
    fight: ReturnType<typeof pending>,
    time = now,
    row = cageRow({ number: 1 }),
  ) =>
    (await scheduleAt(archiveOfCage(row, [fight]), time)).map(
      ({ status }: { status: string }) => status,
    )

  test.each([
    ['In Cage', active()],
    ['Called', pending({ state: 'called', scheduledTime: now - 9 })],
    ['Delayed', pending({ state: 'hold', scheduledTime: now + 9 })],
    ['Delayed', pending({ state: 'hold' })],
    ['Delayed', pending({ scheduledTime: now - 1 })],
    ['Delayed', pending({ state: 'unavailable', scheduledTime: now - 1 })],
    ['Starting Soon', pending({ scheduledTime: now })],
    ['Starting Soon', pending({ state: 'unavailable', scheduledTime: now + 1800 })],
    ['Available', pending({ scheduledTime: now + 1801 })],
    ['Available', pending({ availableSince: now - 5000 })],
    ['Available', pending({ state: 'unavailable' })],
  ])('a fight is %s (%#)', async (status, fight) => {
    expect(await statusAt(fight)).toEqual([status])
  })

  test('a fight assigned to a cage is loaded in', async () => {
    const called = pending({ state: 'called', cage: 'Cage 1', scheduledTime: now - 9 })
    const row = inCage({ status: 'assigned' })
    expect(await statusAt(called, now, row)).toEqual(['Load In'])
    // Fights in the queue of the cage are not loaded in.
    const queue = [waiting(1, 0, 'W-1')]
    const archive = archiveOfCage(row, [called, pending({ id: 'W-1' })], { queue })
    const statuses = buildSchedule(archive, now).map(({ fight, status }) => [fight.id, status])
    expect(Object.fromEntries(statuses)).toEqual({ 'W-0': 'Load In', 'W-1': 'Available' })
  })

  test('the clock of a fight is stopped in its cage, and fights in the queue have none', () => {
    const archive = archiveOfCage(
      inCage({ status: 'paused', pausedSince: now - 5 }),
      [active(), pending({ id: 'W-1' })],
      { queue: [waiting(1, 0, 'W-1')] },
    )
    const paused = buildSchedule(archive, now).map(({ fight, isPaused }) => [fight.id, isPaused])
    expect(Object.fromEntries(paused)).toEqual({ 'W-0': true, 'W-1': false })
  })

  test('a status follows the time while nothing changes', async () => {
    let time = now
    const archive = archiveOfCage(
      cageRow({ number: 1 }),
      [pending({ scheduledTime: now + 2000 })],
      {
        queue: [waiting(1, 0, 'W-0')],
      },
    )
    const app = appOf({ ...serviceOf(archive), now: () => time })
    const statuses = async () => [
      (await get(app, '/schedule')).body.matches[0].status,
      (await get(app, '/cages')).body.cages.cage1.queue[0].status,
    ]
    for (const [at, status] of [
      [now, 'Available'],
      [now + 199, 'Available'],
      [now + 200, 'Starting Soon'],
      [now + 2000, 'Starting Soon'],
      [now + 2001, 'Delayed'],
    ] as const) {
      time = at
      expect(await statuses()).toEqual([status, status])
    }
  })

  test('/schedule is valid until the next forecast, or until a status changes before it', () => {
    const archive = archiveOfCage(cageRow({ number: 1 }), [
      active({ id: 'W-0' }),
      pending({ id: 'W-1' }),
      pending({ id: 'W-2', scheduledTime: now + 9 }),
    ])
    const found = buildSchedule(archive, now)
    const ends = new Map(found.map(({ fight, validUntil }) => [fight.id, validUntil]))
    expect([...ends].toSorted()).toEqual([
      ['W-0', Number.POSITIVE_INFINITY],
      ['W-1', periodEnd(now)],
      ['W-2', now + 10],
    ])
  })

  test('/schedule is ordered by time, cage and game, unscheduled fights last', async () => {
    const archive = archiveOfCage(cageRow({ number: 1 }), [
      pending({ id: 'W-5', scheduledTime: now + 20, cage: 'Cage 2' }),
      pending({ id: 'W-4', scheduledTime: now + 20, cage: 'Cage 1' }),
      pending({ id: 'W-3', scheduledTime: now + 20, cage: 'Cage 1' }),
      pending({ id: 'W-6', scheduledTime: now + 10, cage: 'Cage 6' }),
      pending({ id: 'W-7' }),
    ])
    const matches = await scheduleAt(archive)
    expect(matches.map(({ gameID }: { gameID: string }) => gameID)).toEqual(
      'W-6 W-3 W-4 W-5 W-7'.split(' '),
    )
  })

  test('/schedule is ordered by game before tournament', () => {
    const fights = ['x', 'y'].map(
      (id) =>
        [
          { id, active: true },
          [pending({ id: id === 'x' ? 'W-1' : 'W-0', scheduledTime: now })],
        ] as const,
    )
    for (const order of [fights, fights.toReversed()]) {
      const rows = order.map(([info, games], index) =>
        tournamentOf({ ...info, startTime: now + index }, players, games),
      )
      const found = buildSchedule(archiveWithCages({}, ...rows), now)
      expect(found.map(({ fight }) => fight.id)).toEqual(['W-0', 'W-1'])
    }
  })

  test('the cage of a fight falls back to the cage in whose queue it waits', async () => {
    const queue = ['W-0', 'W-1'].map((id, position) => waiting(5, position, id))
    const fights = [pending({ cage: 'Cage 2' }), pending({ id: 'W-1' }), pending({ id: 'W-2' })]
    const app = appOf(archiveOfCage(cageRow({ number: 1 }), fights, { queue }))
    for (const path of ['/schedule', '/bots/wynk/upcoming', '/legacy/scheduledMatches']) {
      const { matches } = (await get(app, path)).body
      const cages = matches.map(({ id, cage }: { id: string; cage: string }) => [id, cage])
      expect([path, cages.sort()]).toEqual([
        path,
        [
          ['W-0', 'Cage 2'],
          ['W-1', 'Cage 5'],
          ['W-2', ''],
        ],
      ])
    }
    const { body } = await get(app, '/schedule')
    expect(body.matches.map(({ id }: { id: string }) => id)).toEqual(['W-2', 'W-0', 'W-1'])
  })

  test('/schedule lists the waiting fight that is expected first before planned ones', () => {
    const plans = [now + 100, now + 200, now + 300, null]
    const fights = plans.map((scheduledTime, index) => pending({ id: `W-${index}`, scheduledTime }))
    const found = buildSchedule(archiveOfCage(cageRow({ number: 1 }), fights), now)
    const starts = [now + 250, null, now + 150, null]
    const expected = found.map((each, index) => {
      const start = starts[index] ?? null
      const at = start === null ? null : { start, from: start, to: start, inSeconds: start - now }
      return { ...each, expected: { at, cage: null, ahead: 0, isPaused: false } }
    })
    const order = expected.sort(compareWaiting).map(({ fight }) => fight.id)
    expect(order).toEqual(['W-2', 'W-1', 'W-0', 'W-3'])
  })

  test('/schedule shows times, 0 if unknown', async () => {
    const times = { scheduledTime: now + 5, calledSince: now - 10, availableSince: now - 99 }
    const [match] = await scheduleAt(archiveOfCage(cageRow({ number: 1 }), [pending(times)]))
    expect(match).toMatchObject({ id: 'W-0', tournamentName: 'Spring 30lb', ...times })
    const [bare] = await scheduleAt(archiveOfCage(cageRow({ number: 1 }), [pending({})]))
    expect(bare).toMatchObject({ scheduledTime: 0, calledSince: 0, availableSince: 0 })
  })

  test('/schedule has no fight that is over, half empty, or of an inactive tournament', async () => {
    const row = cageRow({ number: 1 })
    expect(await scheduleAt(archiveOfCage(row, [done()]))).toEqual([])
    expect(await scheduleAt(archiveOfCage(row, [pending({}, 'a', 'bye')]))).toEqual([])
    for (const tournament of [
      { active: false },
      { privacy: 'private' },
      { privacy: 'unlisted' },
      { isTest: true },
    ] as const) {
      expect(await scheduleAt(archiveOfCage(row, [active()], { tournament }))).toEqual([])
    }
  })
})

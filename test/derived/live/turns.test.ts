import { describe, expect, test } from 'bun:test'
import { buildTournament } from '../../../src/data/league/build.ts'
import type { GameRow } from '../../../src/data/source/rows.ts'
import { dayFrom, type Pace, spansOf } from '../../../src/derived/live/pace.ts'
import { turnsOf } from '../../../src/derived/live/turns.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
const sorted = (...values: readonly number[]) => Float64Array.from(values)

/** Fights of 100 s, each 200 s after the one before: a turn of a cage takes 300 s, and a break is one of 900 s. */
const pace: Pace = {
  durations: sorted(80, 100, 120),
  length: 100,
  gaps: sorted(150, 200, 250),
  gap: 200,
  spread: 50,
  priorGaps: 1,
  rests: sorted(1000, 1100, 1200),
  leads: sorted(40, 60, 80),
  delays: sorted(),
}

const cageOf = (cage: number) => (cage === 0 ? null : `Cage ${cage}`)
/** A fight of two bots that began at a second; without a stop it is under way. */
const fought = (bots: string, cage: number, begin: number, stop?: number) =>
  fightRows(
    {
      ...{ id: bots, cage: cageOf(cage), endTime: null, startTime: start + begin },
      ...(stop === undefined
        ? { state: 'active', stopTime: null }
        : { state: 'done', stopTime: start + stop }),
    },
    bots.charAt(0),
    bots.charAt(1),
    stop === undefined ? null : 0,
  )
/** A fight that waits for a cage, or for any with 0. */
const waits = (bots: string, cage: number, row: Partial<GameRow> = {}) =>
  openFight({ id: bots, cage: cageOf(cage), ...row }, bots.charAt(0), bots.charAt(1))
const called = (bots: string, cage: number, at: number) =>
  waits(bots, cage, { state: 'called', calledSince: start + at })

/** Start, cage and fights ahead of each placed fight; tournaments have their queues in the given order. */
const turnsAt = (now: number, ...tournaments: readonly ReturnType<typeof fightRows>[][]) => {
  const fights = tournaments.flatMap((given, index) => {
    const players = [...'abcdefghijklmnopqrst'].map((id) => ({ id }))
    const built = buildTournament(tournamentOf({ id: `t${index}`, active: true }, players, given))
    return given.flatMap(
      ({ games: [{ id }] }) => built.fights.find((fight) => fight.id === id) ?? [],
    )
  })
  const numberOf = (cage: string | null): number => Number(cage?.slice('Cage '.length) ?? 0)
  const byCage = Map.groupBy(fights, ({ cage }) => numberOf(cage))
  const waiting = [...byCage].map(
    ([cage, own]) => [cage, own.filter(({ state }) => state === 'pending')] as const,
  )
  const state = {
    day: dayFrom(spansOf(fights).sort((a, b) => a.start - b.start)),
    queues: new Map(waiting.filter(([cage]) => cage !== 0)),
    others: waiting.flatMap(([cage, own]) => (cage === 0 ? own : [])),
    isCalled: ({ waitsAs }: (typeof fights)[number]) => waitsAs === 'called',
  }
  const { turns, isPaused } = turnsOf(state, pace, start + now)
  const places = [...turns].map(([{ id }, turn]) => [
    id,
    turn.isPaused ? 'break' : [turn.start - start, turn.cage, turn.ahead],
  ])
  return { isPaused, ...Object.fromEntries(places) }
}

describe('a cage', () => {
  test('the next fight of a cage begins when the usual gap is over, and the others a turn later each', () => {
    // 50 of 200 s have passed, and no gap of the day changes the turn of 100 and 200 s.
    expect(turnsAt(150, [fought('ab', 1, 0, 100), waits('cd', 1), waits('ef', 1)])).toEqual({
      isPaused: false,
      cd: [300, 1, 0],
      ef: [600, 1, 1],
    })
  })

  test('the next fight of a busy cage begins a gap after the expected end', () => {
    // The fight has lasted 90 s, and the median is the upper one of 100 and 120 s.
    expect(turnsAt(90, [fought('ab', 1, 0), waits('cd', 1)])).toMatchObject({ cd: [320, 1, 0] })
  })

  test('the pace of a cage combines its own gaps of the day with the gaps of the event and the league', () => {
    const day = [
      ...[fought('ab', 1, 0, 100), fought('cd', 1, 200, 300), fought('ef', 1, 400, 500)],
      ...[fought('gh', 2, 0, 100), fought('ij', 2, 400, 500)],
    ]
    const queues = [waits('kl', 1), waits('mn', 1), waits('op', 2), waits('qr', 2)]
    // The gap of the event is (100 + 100 + 300 + 200) / 4 = 175 s; the gaps of the cages are (200 + 175) / 3 = 125 s
    // and (300 + 175) / 2 = 237.5 s.
    expect(turnsAt(500, [...day, ...queues])).toMatchObject({
      kl: [625, 1, 0],
      mn: [850, 1, 1],
      op: [737.5, 2, 0],
      qr: [1075, 2, 1],
    })
  })

  test('a cage has a break after three turns without a start, unless its next bots were called since', () => {
    const after = (now: number, ...next: Parameters<typeof turnsAt>[1]) =>
      turnsAt(now, [fought('ab', 1, 0, 100), ...next])
    expect(after(1000, waits('cd', 1))).toMatchObject({ isPaused: false, cd: [1200, 1, 0] })
    expect(after(1001, waits('cd', 1))).toMatchObject({ isPaused: true, cd: 'break' })
    expect(after(1001, called('cd', 1, 101))).toMatchObject({ isPaused: false })
    expect(after(1001, called('cd', 1, 100))).toMatchObject({ isPaused: true, cd: 'break' })
    // Bots called to a later fight do not show that the cage is open.
    expect(after(1001, waits('cd', 1), called('ef', 1, 1000))).toMatchObject({ isPaused: true })
  })

  test('a cage has no break after a break of the whole event', () => {
    const first = [fought('ab', 1, 0, 100), waits('cd', 1)]
    // The event went on 200 s ago; the only longer gap is 250 s.
    expect(turnsAt(2200, [...first, fought('ef', 2, 2000, 2100)])).toMatchObject({
      isPaused: false,
      cd: [2250, 1, 0],
    })
    const { isPaused, cd, gh } = turnsAt(1050, [
      ...[...first, fought('ef', 2, 800, 900)],
      waits('gh', 2),
    ])
    expect([isPaused, cd, gh]).toEqual([false, 'break', [1150, 2, 0]])
  })
})

describe('a fight', () => {
  test('a called fight begins half-way between the times of its cage and its call', () => {
    const queue = [called('cd', 1, 120), called('ef', 1, 120)]
    // The cage is free at 300 s. The call gives 30 s more, because half of its median of 60 s is over.
    expect(turnsAt(150, [fought('ab', 1, 0, 100), ...queue])).toMatchObject({
      cd: [240, 1, 0],
      ef: [540, 1, 1],
    })
    expect(turnsAt(90, [fought('ab', 1, 0), called('cd', 1, 60)])).toMatchObject({
      cd: [320, 1, 0],
    })
  })

  test('a fight begins once both bots are repaired, unless they are called', () => {
    const done = fought('ab', 1, 0, 100)
    expect(turnsAt(150, [done, waits('bc', 1)])).toMatchObject({ bc: [1100, 1, 0] })
    expect(turnsAt(150, [done, waits('ca', 1)])).toMatchObject({ ca: [1100, 1, 0] })
    expect(turnsAt(150, [done, called('bc', 1, 120)])).toMatchObject({ bc: [240, 1, 0] })
    // The fight under way since 90 s takes 100 s, and the repair 1,000 s.
    expect(turnsAt(90, [fought('ab', 1, 0), waits('cb', 2)])).toMatchObject({ cb: [1100, 2, 0] })
    const twice = [done, waits('cd', 1), waits('ed', 2)]
    expect(turnsAt(150, twice)).toMatchObject({ cd: [300, 1, 0], ed: [1400, 2, 0] })
  })

  test('a fight on hold takes no place', () => {
    const queue = [waits('cd', 1, { state: 'hold' }), waits('ef', 1)]
    expect(turnsAt(150, [fought('ab', 1, 0, 100), ...queue])).toEqual({
      isPaused: false,
      ef: [300, 1, 0],
    })
  })
})

describe('fights in no queue', () => {
  const since = (seconds: number) => ({ availableSince: start + seconds })

  test('unqueued fights follow the queues, by time of availability or plan', () => {
    const free = [
      waits('ef', 0, since(100)),
      waits('gh', 0, { ...since(50), scheduledTime: start + 5000 }),
      waits('ij', 0, { state: 'unavailable', scheduledTime: start + 80 }),
      waits('kl', 0, { state: 'unavailable' }),
    ]
    expect(turnsAt(150, [fought('ab', 1, 0, 100), ...free, waits('cd', 1)])).toEqual({
      isPaused: false,
      cd: [300, 1, 0],
      gh: [600, 1, 1],
      ij: [900, 1, 2],
      ef: [1200, 1, 3],
    })
  })

  test('unqueued fights begin no earlier than available or planned', () => {
    const planned = waits('ef', 0, { state: 'unavailable', scheduledTime: start + 5000 })
    expect(turnsAt(150, [fought('ab', 1, 0, 100), planned])).toMatchObject({ ef: [5000, 1, 0] })
  })

  test('unqueued fights go to the first free cage that their tournament has used and that has no break', () => {
    const first = [fought('ab', 1, 900, 1000), fought('cd', 2, 950, 1050), fought('ef', 3, 0, 100)]
    expect(turnsAt(1060, [...first, waits('gh', 0, since(10))])).toMatchObject({
      gh: [1200, 1, 0],
    })
    // The gap of 150 s makes the gap of cage 2 (150 + 175) / 2 s.
    const other = [fought('op', 2, 700, 800), waits('qr', 0, since(10))]
    expect(turnsAt(1060, first, other)).toMatchObject({ qr: [1212.5, 2, 0] })
    // A tournament without a fight on this day may use any cage.
    expect(turnsAt(1060, first, [waits('st', 0, since(10))])).toMatchObject({ st: [1200, 1, 0] })
  })
})

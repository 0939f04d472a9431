import { expect, test } from 'bun:test'
import { movedFights } from '../../scripts/import/csv/movedFights.ts'
import { removesRows } from '../../scripts/import/csv/plan.ts'
import { importSummary, summaryOfTournament } from '../../scripts/import/csv/summary.ts'
import { tournamentDifference } from '../../scripts/import/target/difference.ts'
import type { GameRow, RecordingRow, TournamentRows } from '../../src/data/source/rows.ts'
import { fightRows, recordingRow, tournamentOf } from '../rows.ts'

const players = ['Axe', 'Blade', 'Club'].map((id) => ({ id }))
const summary = (before: Parameters<typeof fightRows>, after: Parameters<typeof fightRows>) => {
  const [existing, rows] = [before, after].map((fight) =>
    tournamentOf({ id: 'spring' }, players, [fightRows(...fight)]),
  )
  if (!existing || !rows) throw new Error('no rows')
  const difference = tournamentDifference(existing, rows)
  const options = { timeZone: 'America/New_York', dates: undefined }
  const moved = movedFights(existing, rows)
  return importSummary([summaryOfTournament(existing, rows, { difference, moved }, options)], [])
}

test('changed cells of a fight are listed with their old and new text', () => {
  const start = Date.UTC(2026, 2, 14, 14, 5) / 1000
  expect(
    summary(
      [{ id: 'a', startTime: start, timerDuration: 65, notice: '' }, 'Axe', 'Blade'],
      [{ id: 'a', startTime: start + 60, timerDuration: null, notice: 'late' }, 'Axe', 'Blade'],
    ),
  ).toEqual([
    'Changed: spring, fight Axe - Blade (a): start 2026-03-14 10:05 → 2026-03-14 10:06, ' +
      'length 1:05 → (empty), notice (empty) → late',
  ])
})

test('changed cells of a bot are listed', () => {
  const before = { name: 'Axe', seed: 1, placement: 2, team: 'X', driver: 'Ann' }
  const after = { name: 'Axe', seed: 2, placement: 1, team: 'Y', driver: 'Bo' }
  const [existing, rows] = [before, { ...after, isDisqualified: true }].map((player) =>
    tournamentOf({ id: 'spring' }, [{ id: 'axe', ...player }], []),
  )
  if (!rows) throw new Error('no rows')
  const changed = { difference: tournamentDifference(existing, rows), moved: new Map() }
  const options = { timeZone: 'UTC', dates: undefined }
  expect(importSummary([summaryOfTournament(existing, rows, changed, options)], [])).toEqual([
    'Changed: spring, bot Axe: seed 1 → 2, disqualified no → yes, place 2 → 1, team X → Y, ' +
      'driver Ann → Bo',
  ])
})

test('a fight with another id and one of the bots is the same in its round, and another one elsewhere', () => {
  expect(summary([{ id: 'a' }, 'Axe', 'Blade'], [{ id: 'b' }, 'Axe', 'Club'])).toEqual([
    'Changed: spring, fight Axe - Blade (a): blue Blade → Club',
    "Changed: spring: 1 fight with another id and address, such as a → b: fill in 'fight' to keep them",
  ])
  expect(summary([{ id: 'a' }, 'Axe', 'Blade'], [{ id: 'b', roundIdx: 1 }, 'Axe', 'Club'])).toEqual(
    ['Removed: 1 fight: spring, Axe - Blade (a)', 'Added: 1 fight'],
  )
})

test('open corners are shown as TBD, and byes are no bots', () => {
  const bye = { id: 'bye-1', name: '(Bye)', isBye: true }
  const rows = (corner: string | null) =>
    tournamentOf(
      { id: 'spring' },
      [...players, bye],
      [fightRows({ id: 'a', winAnnotation: null }, corner, null, null)],
    )
  const summaryOf = (before: ReturnType<typeof rows> | undefined, after: ReturnType<typeof rows>) =>
    importSummary(
      [
        summaryOfTournament(
          before,
          after,
          { difference: tournamentDifference(before, after), moved: new Map() },
          { timeZone: 'UTC', dates: undefined },
        ),
      ],
      [],
    )
  expect(summaryOf(undefined, rows(null))).toEqual(['Added: 1 event, 1 fight, 3 bots'])
  expect(summaryOf(rows(null), rows('Axe'))).toEqual([
    'Changed: spring, fight TBD - TBD (a): red (empty) → Axe',
  ])
})

test('a video with another URL is the same one if fight and camera are the same', () => {
  const rows = (...videos: readonly (readonly [id: number, gameId: string, camera: string])[]) =>
    tournamentOf(
      { id: 'spring' },
      players,
      ['a', 'b'].map((id) => fightRows({ id }, 'Axe', 'Blade')),
      {
        recordings: videos.map(([id, gameId, camera]) => recordingRow({ id, gameId, camera })),
      },
    )
  const before = rows([1, 'a', 'Top'], [2, 'a', 'Sky'])
  const after = rows([3, 'b', 'Top'], [4, 'a', 'Sky'])
  const difference = tournamentDifference(before, after)
  const options = { timeZone: 'UTC', dates: undefined }
  const part = summaryOfTournament(before, after, { difference, moved: new Map() }, options)
  const address = (id: number): string => `https://media.example/film-${id}.mp4`
  expect(importSummary([part], [])).toEqual([
    `Removed: 1 video: spring, Top ${address(1)}`,
    `Changed: spring, video Sky ${address(2)}: address ${address(2)} → ${address(4)}`,
    'Added: 1 video',
  ])
})

/** Summary of a change of the rows of an event. */
const changeOf = (...both: readonly [TournamentRows, TournamentRows]) => {
  const [existing, rows] = both
  const changed = { difference: tournamentDifference(existing, rows), moved: new Map() }
  const options = { timeZone: 'UTC', dates: undefined }
  return importSummary([summaryOfTournament(existing, rows, changed, options)], [])
}
const noon = Date.UTC(2026, 2, 14, 12) / 1000

test.each<[Partial<GameRow>, Partial<GameRow>, string]>([
  [{ winAnnotation: 'KO' }, { winAnnotation: null }, 'method KO → (empty)'],
  [{ bracketId: 'W' }, { bracketId: 'L' }, 'bracket W → L, round Finals → Losers 1'],
  [{ roundIdx: 0 }, { roundIdx: 1 }, 'round Finals → Reset'],
  [{ name: 'A' }, { name: 'B' }, 'label A → B'],
  [{ name: 'W:1' }, { name: 'Final' }, 'label (empty) → Final'],
  [{ cage: null }, { cage: 'Cage 1' }, 'cage (empty) → Cage 1'],
  [{ startTime: noon }, { startTime: noon + 5 }, 'start 2026-03-14 12:00 → 2026-03-14 12:00:05'],
  [{ timerDuration: 65 }, { timerDuration: 180 }, 'length 1:05 → 3:00'],
  [{ scheduledTime: null }, { scheduledTime: noon }, 'scheduled (empty) → 2026-03-14 12:00'],
  [{ notice: 'late' }, { notice: '' }, 'notice late → (empty)'],
])('a fight with %j, then %j, is listed as: %s', (before, after, change) => {
  const [old, now] = [before, after].map((game) =>
    tournamentOf({ id: 'spring' }, players, [fightRows({ id: 'a', ...game }, 'Axe', 'Blade')], {
      brackets: ['W', 'L'].map((id, position) => {
        return { id, position, name: id, isExhibition: false, formatType: null }
      }),
      rounds: [
        { bracketId: 'W', idx: 0, name: 'Finals', scoreToWin: 1 },
        { bracketId: 'W', idx: 1, name: 'Reset', scoreToWin: 1 },
        { bracketId: 'L', idx: 0, name: 'Losers 1', scoreToWin: 1 },
      ],
    }),
  )
  if (!old || !now) throw new Error('no rows')
  expect(changeOf(old, now)).toEqual([`Changed: spring, fight Axe - Blade (a): ${change}`])
})

test('the winner of a fight is a name or draw, and its judges are listed', () => {
  const rows = (winner: 0 | null, ...lines: readonly string[]) => {
    const found = tournamentOf(
      { id: 'spring' },
      players,
      [fightRows({ id: 'a' }, 'Axe', 'Blade', winner)],
      { judgeLines: lines.map((line, idx) => ({ gameId: 'a', idx, line })) },
    )
    const slots =
      winner === 0 ? found.slots : found.slots.map((slot) => ({ ...slot, state: 'tie' as const }))
    return { ...found, slots }
  }
  const start = 'Changed: spring, fight Axe - Blade (a): '
  expect(changeOf(rows(0), rows(null))).toEqual([`${start}winner Axe → draw`])
  expect(changeOf(rows(0, 'Ann: 3-2'), rows(0, 'Ann: 3-2', 'Ben: 4-1'))).toEqual([
    `${start}judges Ann: 3-2 → Ann: 3-2 | Ben: 4-1`,
  ])
})

test('changes of a video are listed, with its start', () => {
  const rows = (over: Partial<RecordingRow>) =>
    tournamentOf({ id: 'spring' }, players, [fightRows({ id: 'a' }, 'Axe', 'Blade')], {
      recordings: [recordingRow({ id: 1, gameId: 'a', camera: 'Top', ...over })],
    })
  const address = 'https://media.example/film-1.mp4'
  expect(
    changeOf(
      rows({ cage: 'Cage 1', startMs: noon * 1000 }),
      rows({ cage: 'Cage 2', startMs: (noon + 65) * 1000, camera: 'Sky' }),
    ),
  ).toEqual([
    `Changed: spring, video Top ${address}: cage Cage 1 → Cage 2, ` +
      'start 2026-03-14 12:00 → 2026-03-14 12:01:05, camera Top → Sky',
  ])
})

test('changes of the event are listed', () => {
  const before = tournamentOf({ id: 'spring', name: 'Spring', weightClass: 3 }, [], [])
  const tournament = {
    ...before.tournament,
    name: 'Spring Bash',
    weightClassName: 'Beetleweight',
    scheduledStartTime: noon,
    endTime: noon + 3600,
    active: true,
    isFreestyle: true,
    formatType: 'round_robin' as const,
    privacy: 'private' as const,
  }
  expect(changeOf(before, { ...before, tournament })).toEqual([
    'Changed: spring: name Spring → Spring Bash, weight 3 → Beetleweight, ' +
      'start (empty) → 2026-03-14 12:00, end (empty) → 2026-03-14 13:00, active no → yes, ' +
      'freestyle no → yes, format single_elimination → round_robin, privacy public → private',
  ])
})

test('ten removed names and 50 changes are listed, and the number of the others', () => {
  const named = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({ id: `p${index}`, name: `${name} ${index}` }))
  const of = (bots: readonly { id: string; name: string }[]) =>
    tournamentOf({ id: 'spring' }, bots, [])
  const removedOf = (count: number) => changeOf(of(named(count, 'Axe')), of([]))[0]
  expect(removedOf(10)).toEndWith('; spring, Axe 9')
  expect(removedOf(11)).toEndWith('; spring, Axe 9; and 1 more')
  const changedOf = (count: number) => changeOf(of(named(count, 'Axe')), of(named(count, 'Bolt')))
  expect([changedOf(50).length, changedOf(51).length]).toEqual([50, 51])
  expect(changedOf(52).at(-1)).toBe('Changed: and 2 more')
})

test('existing events and bots are not counted as added', () => {
  const before = tournamentOf({ id: 'spring' }, [{ id: 'axe' }], [])
  const after = tournamentOf({ id: 'spring' }, [{ id: 'axe' }, { id: 'bolt' }], [])
  expect(changeOf(before, after)).toEqual(['Added: 1 bot'])
  expect(importSummary([], [{ id: 'old', name: 'Old', fights: 0 }])).toEqual([
    'Removed: 1 event: Old (old, 0 fights)',
  ])
})

test('a video moves with its fight, and one with another URL replaces one', () => {
  const rows = (fight: string, ...ids: readonly number[]) =>
    tournamentOf({ id: 'spring' }, players, [fightRows({ id: fight }, 'Axe', 'Blade')], {
      recordings: ids.map((id) => recordingRow({ id, gameId: fight, camera: 'Top' })),
    })
  const [before, after] = [rows('a', 1), rows('b', 1)]
  const difference = tournamentDifference(before, after)
  const moved = movedFights(before, after)
  const options = { timeZone: 'UTC', dates: undefined }
  const part = summaryOfTournament(before, after, { difference, moved }, options)
  expect(part.changed.filter((line) => line.includes('video'))).toEqual([])
  const [one = '', ...others] = changeOf(rows('a', 1, 2), rows('a', 3))
  expect(one).toBe('Removed: 1 video: spring, Top https://media.example/film-2.mp4')
  expect(others).toEqual([expect.stringContaining('film-1.mp4 → https://media.example/film-3.mp4')])
})

test('a missing fight is removed even if another one has its id', () => {
  const bots = ['Axe', 'Blade', 'Club', 'Dart'].map((id) => ({ id }))
  const before = tournamentOf({ id: 'spring' }, bots, [
    fightRows({ id: 'W-1' }, 'Axe', 'Blade'),
    fightRows({ id: 'W-2', position: 1 }, 'Club', 'Dart'),
  ])
  const after = tournamentOf({ id: 'spring' }, bots, [fightRows({ id: 'W-1' }, 'Club', 'Dart')])
  const difference = tournamentDifference(before, after)
  const moved = movedFights(before, after)
  const options = { timeZone: 'UTC', dates: undefined }
  const { removed, changed } = summaryOfTournament(before, after, { difference, moved }, options)
  expect(removed.fight).toEqual(['Axe - Blade (W-1)'])
  expect(changed).toEqual([expect.stringContaining('such as W-2 → W-1')])
})

test('a bye that comes or goes is no bot', () => {
  const bye = { id: 'bye-1', name: '(Bye)', isBye: true }
  const [without, withBye] = [players, [...players, bye]].map((bots) =>
    tournamentOf({ id: 'spring' }, bots, []),
  )
  if (!without || !withBye) throw new Error('no rows')
  expect([changeOf(without, withBye), changeOf(withBye, without)]).toEqual([[], []])
})

test('only a missing event or row is a removal, not a change', () => {
  const of = (...bots: readonly string[]) =>
    tournamentOf(
      { id: 'spring' },
      bots.map((id) => ({ id })),
      [],
    )
  const partOf = (before: TournamentRows, after: TournamentRows) => {
    const changed = { difference: tournamentDifference(before, after), moved: new Map() }
    return summaryOfTournament(before, after, changed, { timeZone: 'UTC', dates: undefined })
  }
  const event = { id: 'old', name: 'Old', fights: 0 }
  expect(removesRows({ parts: [], removed: [event] })).toBe(true)
  expect(removesRows({ parts: [partOf(of('axe', 'bolt'), of('axe'))], removed: [] })).toBe(true)
  expect(removesRows({ parts: [partOf(of('axe'), of('axe', 'bolt'))], removed: [] })).toBe(false)
})

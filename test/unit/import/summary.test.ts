import { expect, test } from 'bun:test'
import { movedFights } from '../../../scripts/import/csv/movedFights.ts'
import { importSummary, summaryOfTournament } from '../../../scripts/import/csv/summary.ts'
import { tournamentDifference } from '../../../scripts/import/target/difference.ts'
import { fightRows, recordingRow, tournamentOf } from '../../rows.ts'

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

test('cells that change are listed with their old and new text', () => {
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

test('cells of a bot that change are listed', () => {
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

test('a fight of another id with one of the bots is the same in its round, and another one elsewhere', () => {
  expect(summary([{ id: 'a' }, 'Axe', 'Blade'], [{ id: 'b' }, 'Axe', 'Club'])).toEqual([
    'Changed: spring, fight Axe - Blade (a): blue Blade → Club',
    "Changed: spring: 1 fight with another id and address, such as a → b: fill in 'fight' to keep them",
  ])
  expect(summary([{ id: 'a' }, 'Axe', 'Blade'], [{ id: 'b', roundIdx: 1 }, 'Axe', 'Club'])).toEqual(
    ['Removed: 1 fight: spring, Axe - Blade (a)', 'Added: 1 fight'],
  )
})

test('open corners are said to be that, and byes are no bots', () => {
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

test('a video with another address is that of the same fight and camera', () => {
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

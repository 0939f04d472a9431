import { expect, test } from 'bun:test'
import { assignRecordings, readFootageFile } from '../../../scripts/import/recordings/recordings.ts'
import { createRun } from '../../../scripts/import/run.ts'
import { silentProgress } from '../../../scripts/progress.ts'
import { newFile } from '../../imports.ts'

const at = Date.UTC(2026, 2, 14, 10) / 1000
/** A fight of 100 s, one that has an end alone, 30 minutes later, and one without, 30 minutes after that. */
const games = [
  { id: 'W-1', startTime: at, stopTime: at + 100, endTime: at + 130 },
  { id: 'W-2', startTime: at + 1800, stopTime: null, endTime: at + 1860 },
  { id: 'W-3', startTime: at + 3600, stopTime: null, endTime: null },
].map((game, position) => ({ ...game, bracketId: 'W', roundIdx: 0, position, cage: 'Cage 1' }))

/** Fights to which the recordings of a cage that begin at these times are assigned, and what is reported. */
const assigned = async (...lines: readonly string[]) => {
  const reasons: string[] = []
  const report = ({ reason }: { reason: string }): void => void reasons.push(reason)
  const bytes = Buffer.from(['cage,start,camera,address', ...lines, ''].join('\n'))
  const options = { timeZone: 'UTC', dates: undefined }
  const footage = readFootageFile('films.csv', bytes, options, { report, ignore: report })
  const target = await (await newFile()).toFile()
  const run = createRun({ target, prune: false, progress: silentProgress })
  const rows = await assignRecordings(run, footage, new Map([['spring', games]]), report)
  return { games: rows.get('spring')?.map(({ gameId }) => gameId) ?? [], reasons }
}

test.each([
  ['2026-03-14 10:00:00', 'W-1'],
  ['2026-03-14 10:01:39.999', 'W-1'],
  ['2026-03-14 10:01:40', undefined],
  ['2026-03-14 10:19:59.999', undefined],
  ['2026-03-14 10:20:00', 'W-2'],
  ['2026-03-14 10:30:59.5', 'W-2'],
  ['2026-03-14 10:31:00', undefined],
  ['2026-03-14 11:02:59.999', 'W-3'],
  ['2026-03-14 11:03:00', undefined],
])('a recording that begins at %s is of %p', async (start, game) => {
  const found = await assigned(`1,${start},Top,https://v.example/a.mp4`)
  expect(found.games).toEqual(game === undefined ? [] : [game])
  expect(found.reasons).toEqual(game === undefined ? ['no fight ran in Cage 1 at that time'] : [])
})

test('a camera and address are those of one recording', async () => {
  const line = '1,2026-03-14 10:00,Top,https://v.example/a.mp4'
  expect(await assigned(line, line.replace('Top', 'Sky'), line)).toEqual({
    games: ['W-1', 'W-1'],
    reasons: ['this camera and address were there before'],
  })
})

import { expect, test } from 'bun:test'
import type { MediaFolder } from '../../scripts/import/csv/media.ts'
import { assignRecordings, readFootageFile } from '../../scripts/import/recordings/recordings.ts'
import { createRun } from '../../scripts/import/run.ts'
import type { ImportedTournament } from '../../scripts/import/target/imported.ts'
import { silentProgress } from '../../scripts/progress.ts'
import { newFile } from './imports.ts'

const at = Date.UTC(2026, 2, 14, 10) / 1000
/** A fight of 100 s, one 30 minutes later with only an end, and another 30 minutes later without an end. */
const games = [
  { id: 'W-1', startTime: at, stopTime: at + 100, endTime: at + 130 },
  { id: 'W-2', startTime: at + 1800, stopTime: null, endTime: at + 1860 },
  { id: 'W-3', startTime: at + 3600, stopTime: null, endTime: null },
].map((game, position) => ({ ...game, bracketId: 'W', roundIdx: 0, position, cage: 'Cage 1' }))

type Game = NonNullable<ImportedTournament['games']>[number]

const options = { timeZone: 'UTC', dates: undefined }
/** Rows and reports of a file. */
const footageOf = (text: string, media?: MediaFolder) => {
  const reasons: string[] = []
  const report = ({ where, reason }: { where: string; reason: string }): void =>
    void reasons.push(`${where} ${reason}`)
  const read = readFootageFile(
    'films.csv',
    Buffer.from(text),
    { ...options, media },
    {
      report,
      ignore: () => undefined,
    },
  )
  return { rows: read.map(({ row }) => row), reasons }
}

/** Fights to which the recordings of a cage with these starts are assigned, and the reports. */
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

test.each(['spring,..', '..,W-1'])(
  'a line with the ids %s, one of them invalid, is refused',
  (ids) => {
    const text = `tournament,fight,camera,address\n${ids},Top,https://media.example/a.mp4\n`
    expect(footageOf(text)).toEqual({
      rows: [],
      reasons: ["films.csv:2 '..' cannot be an id"],
    })
  },
)

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

test('only one recording has a given camera and URL', async () => {
  const line = '1,2026-03-14 10:00,Top,https://v.example/a.mp4'
  expect(await assigned(line, line.replace('Top', 'Sky'), line)).toEqual({
    games: ['W-1', 'W-1'],
    reasons: ['this camera and address were there before'],
  })
})

test.each([
  ['10:00:00', 0],
  ['10:00:00.5', 500],
  ['10:00:00.25', 250],
  ['10:00:00.125', 125],
  ['10:00:00.1259', 125],
])('a recording begins at %s: %i ms', (time, ms) => {
  const line = `1,2026-03-14 ${time},Top,https://v.example/a.mp4`
  const { rows, reasons } = footageOf(`cage,start,camera,address\n${line}\n`)
  expect([rows[0]?.startMs, reasons]).toEqual([at * 1000 + ms, []])
})

test.each([
  ['1,,,', false],
  [',2026-03-14 10:00,,', false],
  [',,spring,', false],
  [',,,W-1', false],
  [',,spring,W-1', true],
  ['1,2026-03-14 10:00,,', true],
  ['1,2026-03-14 10:00,spring,', true],
])('cage, start, tournament and fight %j identify a fight: %p', (cells, isEnough) => {
  const head = 'cage,start,tournament,fight,camera,address'
  const { reasons } = footageOf(`${head}\n${cells},Top,https://v.example/a.mp4\n`)
  expect(reasons).toEqual(
    isEnough ? [] : ['films.csv:2 either tournament and fight are needed, or cage and start'],
  )
})

test('smaller files come from the line, else from next to the film', () => {
  const head = 'tournament,fight,camera,address,proxy720,proxy360,proxy72'
  const [one, two, three] = ['720', '360', '72'].map((name) => `https://v.example/${name}.mp4`)
  const given = footageOf(
    `${head}\nspring,W-1,Top,https://v.example/a.mp4,${one},${two},${three}\n`,
  )
  expect(given.rows).toMatchObject([{ proxy720Url: one, proxy360Url: two, proxy72Url: three }])
  const media = {
    folder: '/films',
    names: new Set(['a.mp4', 'a_360p.mp4', 'b.mp4']),
    base: 'https://league.example/media/',
  }
  const beside = footageOf(`${head}\nspring,W-1,Top,a.mp4,b.mp4,,\n`, media)
  expect(beside).toMatchObject({
    rows: [{ proxy720Url: 'https://league.example/media/b.mp4', proxy72Url: null }],
    reasons: [],
  })
  expect(beside.rows[0]?.proxy360Url).not.toBeNull()
})

test('lines of JSON are read after empty ones, and unreadable ones are left out', () => {
  const line = (camera: string) =>
    JSON.stringify({
      tournament: 'spring',
      fight: 'W-1',
      camera,
      address: 'https://v.example/a.mp4',
    })
  const { rows, reasons } = footageOf(
    `\n ${line('Top')}\n\n${line('S\0ky').replace('\\u0000', '\0')}\n`,
  )
  expect(rows.map(({ camera }) => camera)).toEqual(['Top'])
  expect(reasons).toEqual([expect.stringMatching(/^films.csv:4:\d+ a NUL character$/)])
})

/** Fights of some events, and the recordings assigned to them. */
const assignedIn = async (
  events: Readonly<Record<string, readonly (Partial<Game> & { id: string })[]>>,
  ...lines: readonly string[]
) => {
  const reasons: string[] = []
  const report = ({ reason }: { reason: string }): void => void reasons.push(reason)
  const bytes = Buffer.from(['cage,start,tournament,camera,address', ...lines, ''].join('\n'))
  const footage = readFootageFile('films.csv', bytes, options, { report, ignore: report })
  const target = await (await newFile()).toFile()
  const run = createRun({ target, prune: false, progress: silentProgress })
  const pending = new Map(
    Object.entries(events).map(([id, own]) => [
      id,
      own.map((game, position) => ({ bracketId: 'W', roundIdx: 0, position, ...game })),
    ]),
  )
  const rows = await assignRecordings(run, footage, pending, report)
  const found = [...rows].flatMap(([id, own]) => own.map((row) => ({ event: id, ...row })))
  return { found, reasons }
}

test('a recording belongs to its named event if two have fights at one time in one cage', async () => {
  const game = { id: 'W-1', cage: 'Cage 1', startTime: at, stopTime: at + 100 }
  const line = (event: string) => `1,2026-03-14 10:00:30,${event},Top,https://v.example/a.mp4`
  const { found } = await assignedIn({ a: [game], b: [game] }, line('a'), line('b'))
  expect(found.map(({ event }) => event)).toEqual(['a', 'b'])
  // The same film in two events is two recordings.
  expect(new Set(found.map(({ id }) => id)).size).toBe(2)
})

test('a recording belongs to the last fight that began before it, in any order', async () => {
  const games = [
    { id: 'W-2', cage: 'Cage 1', startTime: at + 60, stopTime: at + 300 },
    { id: 'W-1', cage: 'Cage 1', startTime: at, stopTime: at + 300 },
    { id: 'W-3', cage: null, startTime: at + 90, stopTime: at + 300 },
  ]
  const { found } = await assignedIn(
    { a: games },
    '1,2026-03-14 10:02,,Top,https://v.example/a.mp4',
  )
  expect(found.map(({ gameId }) => gameId)).toEqual(['W-2'])
  const before = await assignedIn({ a: games }, '1,2026-03-14 09:55,,Top,https://v.example/a.mp4')
  expect(before.found.map(({ gameId }) => gameId)).toEqual(['W-1'])
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { recordingsByGame, recordingsOf } from '../../../src/league/recordings.ts'
import { checkTournament } from '../../../src/source/check.ts'
import { proxyUrl } from '../../../src/source/proxies.ts'
import {
  isSound,
  type PackedRecordings,
  packRecordings,
  restoreRecordings,
  storeRecordings,
  unpackRecordings,
} from '../../../src/source/recordingTable.ts'
import type { RecordingRow } from '../../../src/source/rows.ts'
import { recordingRow, tournamentOf } from '../../rows.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const proxy = fc.oneof(fc.constant(true as const), fc.constant(null), text)
const row: fc.Arbitrary<RecordingRow> = fc
  .record({
    id: fc.integer({ min: 1, max: 2 ** 53 - 1 }),
    cage: fc.constantFrom('Cage 1', 'Cage 2', ''),
    camera: fc.oneof(fc.constantFrom('SkyCam-A', 'Ängström', ''), text),
    httpStatus: fc.option(fc.integer({ min: 100, max: 599 })),
    startMs: fc.option(fc.nat({ max: 253_402_300_799_999 })),
    proxy720Url: proxy,
    proxy360Url: proxy,
    proxy72Url: proxy,
    gameId: fc.constantFrom('W-0', 'W-1', 'L-0'),
    folder: fc.constantFrom('', 'https://media.example/', 'https://media.example/a/', 'https://ö/'),
    name: text,
    kind: fc.constantFrom('none', 'named after its camera', 'other'),
  })
  .map(({ folder, name, kind, ...rest }) => ({
    ...rest,
    videoUrl:
      kind === 'none' ? null : folder + (kind === 'other' ? name : `${rest.camera}-${name}.mp4`),
  }))

test('what is packed comes out by game and id, as it went in', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const { byGame } = recordingsByGame(rows)
      const unpacked = [...byGame].map(([gameId, recordings]) => [gameId, recordingsOf(recordings)])
      const ordered = rows.toSorted((a, b) => a.id - b.id)
      const expected = [...Map.groupBy(ordered, ({ gameId }) => gameId)].map(([gameId, own]) => [
        gameId,
        own.map(({ gameId: _, ...recording }) => ({
          ...recording,
          proxy720Url: proxyUrl(recording.videoUrl, 720, recording.proxy720Url),
          proxy360Url: proxyUrl(recording.videoUrl, 360, recording.proxy360Url),
          proxy72Url: proxyUrl(recording.videoUrl, 72, recording.proxy72Url),
        })),
      ])
      expect(unpacked).toEqual(expected)
    }),
    { numRuns: 1000 },
  )
})

const stored = (rows: readonly RecordingRow[]) => storeRecordings(packRecordings(rows))

test('stored columns give the rows back, by id', () => {
  fc.assert(
    fc.property(fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 12 }), (rows) => {
      const restored = unpackRecordings(restoreRecordings(stored(rows)))
      expect(restored).toEqual(rows.toSorted((a, b) => a.id - b.id))
    }),
    { numRuns: 1000 },
  )
})

/** Rows left out of a tournament with these recordings, and the ids of those that are kept. */
const checked = (recordings: readonly RecordingRow[] | PackedRecordings) => {
  const bad: string[] = []
  const rows = checkTournament({ ...tournamentOf({}, [], []), recordings }, ({ problem }) => {
    bad.push(problem)
  })
  return { bad, ids: rows?.recordings.map(({ id }) => id) }
}

test('columns that are called sound have valid rows only', () => {
  let sound = 0
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), fc.nat(), fc.nat(255), (rows, at, byte) => {
      const columns = stored(rows)
      for (const column of [columns.ids, columns.startMs, columns.statuses, columns.nameEnds]) {
        if (at % 3 === 0 && column.length > 0) column[at % column.length] = byte
      }
      const packed = restoreRecordings(columns)
      if (!isSound(packed)) return
      sound += 1
      expect(checked(unpackRecordings(packed)).bad).toEqual([])
    }),
    { numRuns: 2000 },
  )
  expect(sound).toBeGreaterThan(100)
})

test('of columns with an invalid row, all others are kept', () => {
  const rows = [1, 2, 3].map((id) => recordingRow({ id, gameId: 'W-0' }))
  const { statuses, ...columns } = stored(rows)
  const invalid = new Uint8Array(Uint16Array.of(200, 999, 0).buffer)
  const restored = restoreRecordings({ ...columns, statuses: invalid })
  expect(checked(restored)).toMatchObject({
    ids: [1, 3],
    bad: [expect.stringContaining('/httpStatus')],
  })
  expect(checked(restoreRecordings({ ...columns, statuses })).bad).toEqual([])
})

test.each([
  ['no columns', []],
  ['a column missing', { ...stored([]), flags: undefined }],
  ['uneven columns', { ...stored([recordingRow({ id: 1 })]), cages: new Uint8Array() }],
  ['other counts', { ...stored([recordingRow({ id: 1 })]), counts: [2] }],
  ['half a number', { ...stored([]), ids: new Uint8Array(7) }],
])('%s: no table', (_, columns) => {
  expect(() => restoreRecordings(columns)).toThrow()
})

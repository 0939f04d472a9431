import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { packRecordings, recordingsOf } from '../../../src/league/recordings.ts'
import { proxyUrl } from '../../../src/source/proxies.ts'
import type { RecordingRow } from '../../../src/source/rows.ts'

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

test('what is packed comes out by game, as it went in', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const { byGame } = packRecordings(rows)
      const unpacked = [...byGame].map(([gameId, recordings]) => [gameId, recordingsOf(recordings)])
      const expected = [...Map.groupBy(rows, ({ gameId }) => gameId)].map(([gameId, own]) => [
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

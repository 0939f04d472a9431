import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildTournament } from '../../../src/data/league/build.ts'
import {
  findIndexed,
  recordingsByGame,
  recordingsOf,
  sameRecordings,
  sameTable,
} from '../../../src/data/league/recordings.ts'
import { checkTournament } from '../../../src/data/source/check.ts'
import { proxyUrl } from '../../../src/data/source/proxies.ts'
import {
  isSound,
  PackedRecordings,
  packRecordings,
  type RecordingTable,
  restoreRecordings,
  storeRecordings,
  unpackRecordings,
} from '../../../src/data/source/recordingTable.ts'
import type { RecordingRow } from '../../../src/data/source/rows.ts'
import { fightRows, recordingRow, tournamentOf } from '../../rows.ts'

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

test('packed recordings come out unchanged, sorted by game and id', () => {
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

test('stored columns give the recordings back, by id', () => {
  fc.assert(
    fc.property(fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 12 }), (rows) => {
      const restored = unpackRecordings(restoreRecordings(stored(rows)))
      expect(restored).toEqual(rows.toSorted((a, b) => a.id - b.id))
    }),
    { numRuns: 1000 },
  )
})

/** Problems of the recordings left out of a tournament, and the ids of the kept ones. */
const checked = (recordings: readonly RecordingRow[] | PackedRecordings) => {
  const bad: string[] = []
  const rows = checkTournament({ ...tournamentOf({}, [], []), recordings }, ({ problem }) => {
    bad.push(problem)
  })
  return { bad, ids: rows?.recordings.map(({ id }) => id) }
}

test('columns of recordings that count as sound have only valid rows', () => {
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

const two = packRecordings(
  ['W-0', 'W-1'].map((gameId, at) =>
    recordingRow({ id: at + 1, gameId, camera: 'Cam', videoUrl: `https://x/Cam-${at}.mp4` }),
  ),
)
/** Columns and games at a bound of validity, and one step beyond it. */
const bounds: Readonly<
  Record<string, (more: 0 | 1) => Partial<RecordingTable> & { readonly games?: readonly string[] }>
> = {
  'the lowest id': (more) => ({ ids: Float64Array.of(1 - more, 2) }),
  'the highest id': (more) => ({ ids: Float64Array.of(1, 2 ** 53 - 1 + more) }),
  'a whole id': (more) => ({ ids: Float64Array.of(1, 2 + more / 2) }),
  'another id': (more) => ({ ids: Float64Array.of(2, 1 + more) }),
  'no start': (more) => ({ startMs: Float64Array.of(0, -1 - more) }),
  'the last start': (more) => ({ startMs: Float64Array.of(0, 253_402_300_799_999 + more) }),
  'a whole start': (more) => ({ startMs: Float64Array.of(0, more / 2) }),
  'the lowest status': (more) => ({ statuses: Uint16Array.of(0, 100 - more) }),
  'the highest status': (more) => ({ statuses: Uint16Array.of(0, 599 + more) }),
  'the last cage': (more) => ({ cages: Uint32Array.of(0, two.table.labels.length - 1 + more) }),
  'the last camera': (more) => ({ cameras: Uint32Array.of(0, two.table.labels.length - 1 + more) }),
  'the longest label': (more) => ({
    ...{ labels: two.table.labels.with(0, 'x'.repeat(4096 + more)), folder: '', names: '' },
    ...{ flags: Uint8Array.of(0, 0), nameEnds: Uint32Array.of(0, 0) },
  }),
  'the longest address': (more) => {
    const labels = ['Cam', 'y'.repeat(9)]
    const folder = `https://${'x'.repeat(4096 - 9 - 9 - 6 + more)}/`
    return { labels, folder, cages: Uint32Array.of(0, 0), cameras: Uint32Array.of(1, 1) }
  },
  'an address of http(s)': (more) => ({ folder: more === 0 ? 'HTTP://x/' : 'ftp://x/' }),
  'all names': (more) => ({ names: two.table.names.padEnd(12 + more) }),
  'an empty name': (more) => ({ nameEnds: Uint32Array.of(12 + more, 12) }),
  'an address of http(s) beside it': (more) => ({
    customProxies: new Map([[3, more === 0 ? 'https://y/' : 'ftp://y/']]),
  }),
  'the longest address beside it': (more) => ({
    customProxies: new Map([[3, 'https://y/'.padEnd(4096 + more)]]),
  }),
  'another game': (more) => ({ games: ['W-0', `W-${1 - more}`] }),
  'the shortest game': (more) => ({ games: ['W-0', 'W'.slice(more)] }),
  'the longest game': (more) => ({ games: ['W-0', 'W'.repeat(128 + more)] }),
}

test.each(Object.entries(bounds))(
  'recordings with %s are sound, but not one step further',
  (_, change) => {
    const [at, beyond] = ([0, 1] as const).map((more) => {
      const { games = two.games, ...columns } = change(more)
      return new PackedRecordings({ ...two.table, ...columns }, games, two.counts)
    })
    expect([at && isSound(at), beyond && isSound(beyond)]).toEqual([true, false])
  },
)

test('only the invalid row of stored columns is dropped', () => {
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
])('stored columns are refused: %s', (_, columns) => {
  expect(() => restoreRecordings(columns)).toThrow()
})

/** Few values of each column, so that rows are often alike. */
const alike = fc
  .record({
    id: fc.integer({ min: 1, max: 9 }),
    gameId: fc.constantFrom('W-0', 'W-1'),
    cage: fc.constantFrom('Cage 1', 'Cage 2'),
    camera: fc.constantFrom('SkyCam-A', 'SkyCam-B'),
    httpStatus: fc.constantFrom(200, null),
    startMs: fc.constantFrom(1, null),
    videoUrl: fc.constantFrom('https://media.example/a.mp4', 'https://media.example/bc.mp4', null),
    proxy720Url: fc.constantFrom(
      true as const,
      'https://else.example/a',
      'https://else.example/b',
      null,
    ),
  })
  .map((row) => recordingRow(row))
const someAlike = fc.uniqueArray(alike, { selector: ({ id }) => id, maxLength: 4 })

/** Two lists of rows; in the second at most one column of one row differs. */
const pairOfLists = fc
  .tuple(
    someAlike,
    fc.nat(9),
    fc.option(alike),
    fc.constantFrom('cage', 'camera', 'httpStatus', 'startMs', 'videoUrl', 'proxy720Url'),
  )
  .map(([rows, at, other, column]) => {
    const changed = rows.map((row, index) =>
      other && index === at % rows.length ? { ...row, [column]: other[column] } : row,
    )
    return [rows, changed] as const
  })

test('recordings and tables are equal exactly if their unpacked rows are', () => {
  let [same, different] = [0, 0]
  fc.assert(
    fc.property(pairOfLists, fc.boolean(), ([rows, changed], isShifted) => {
      const film = { gameId: 'L-0', videoUrl: 'https://media.example/first.mp4' }
      // More rows before them move their part of the table, and renumber its labels.
      const first = ['Cage 8', ...(isShifted ? ['Cage 9'] : [])].map((cage, index) =>
        recordingRow({ id: index + 1, cage, ...film, proxy72Url: 'https://else.example/x' }),
      )
      const moved = (list: readonly RecordingRow[]) =>
        list.map((row) => ({ ...row, id: row.id + 9 }))
      const [before, after] = [
        [...first.slice(0, 1), ...moved(rows)],
        [...first, ...moved(changed)],
      ]
      const [one, other] = [recordingsByGame(before), recordingsByGame(after)]
      for (const [game, recordings] of one.byGame) {
        const others = other.byGame.get(game)
        if (!others) continue
        const [own, theirs] = [before, after].map((rows) =>
          rows.filter(({ gameId }) => gameId === game),
        )
        const isSame = Bun.deepEquals(own, theirs)
        expect(sameRecordings(recordings, others)).toBe(isSame)
        if (isSame) same += 1
        else different += 1
      }
      expect(sameTable(one.table, other.table)).toBe(Bun.deepEquals(before, after))
    }),
    { numRuns: 2000 },
  )
  expect(same).toBeGreaterThan(200)
  expect(different).toBeGreaterThan(200)
})

test('recordings that moved to another host are different', () => {
  const on = (host: string) =>
    recordingsByGame(
      [1, 2].map((id) => recordingRow({ id, videoUrl: `https://${host}/${id}.mp4` })),
    )
  const [one, same, other] = [on('a.example'), on('a.example'), on('b.example')]
  const [own, alike, moved] = [one, same, other].map(({ byGame }) => byGame.get('W-0'))
  if (!own || !alike || !moved) throw new Error('no recordings')
  expect([sameRecordings(own, alike), sameRecordings(own, moved)]).toEqual([true, false])
  expect([sameTable(one.table, same.table), sameTable(one.table, other.table)]).toEqual([
    true,
    false,
  ])
})

test('a recording is found by its id, with its fight, in any order of ids', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 40 }), game: fc.nat(4) }), {
        selector: ({ id }) => id,
        maxLength: 12,
      }),
      (chosen) => {
        const fights = [0, 1, 2, 3].map((number) =>
          fightRows({ id: `W-${number}`, position: number }, 'a', 'b'),
        )
        const recordings = chosen
          .map(({ id, game }) => recordingRow({ id, gameId: `W-${game}` }))
          .sort((a, b) => a.id - b.id)
        const { recordings: index } = buildTournament(
          tournamentOf({}, [{ id: 'a' }, { id: 'b' }], fights, { recordings }),
        )
        for (let id = 0; id <= 41; id += 1) {
          const found = findIndexed(index, id)
          // W-4 is not a game of the tournament.
          const row = recordings.find((each) => each.id === id && each.gameId !== 'W-4')
          expect(found && [found.recording.id, found.fight.id]).toEqual(row && [id, row.gameId])
        }
      },
    ),
  )
})

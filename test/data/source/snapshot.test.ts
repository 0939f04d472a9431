import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BadRow, checkCages, checkTournament } from '../../../src/data/source/check.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import {
  packTournament,
  readSnapshot,
  SnapshotError,
  writeSnapshot,
} from '../../../src/data/source/snapshot.ts'
import {
  ownLayout,
  type SnapshotLayout,
  unpackFrame,
} from '../../../src/data/source/snapshotLayout.ts'
import { projectFolder } from '../../process.ts'
import { clipRow, fightRows, recordingRow, tournamentOf } from '../../rows.ts'

const fail = ({ table, problem }: BadRow): never => {
  throw new Error(`${table}: ${problem}`)
}

const tournaments = [
  tournamentOf(
    { id: 'a' },
    [{ id: 'p1', name: 'Äxe "<b>' }, { id: 'p2' }],
    [fightRows({}, 'p1', 'p2')],
    {
      recordings: [recordingRow({ id: 2 ** 40 })],
    },
  ),
  tournamentOf({ id: 'b', privacy: 'private' }, [], []),
]
const contents = {
  capturedAt: 1_770_000_000,
  cages: [
    {
      number: 2,
      status: 'active' as const,
      tournamentId: 'a',
      gameId: 'W-0',
      pausedSince: null,
      updateTime: 1_770_000_000,
    },
  ],
  cageQueue: [{ cage: 2, position: 0, tournamentId: 'a', gameId: 'W-0' }],
  tournaments,
}

let folder = ''
let path = ''
let bytes: Buffer<ArrayBuffer> = Buffer.alloc(0)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cageside-snapshot-'))
  path = join(folder, 'league.cageside')
  await writeSnapshot(path, contents)
  bytes = Buffer.from(await Bun.file(path).arrayBuffer())
})
afterAll(() => rm(folder, { recursive: true }))

/** Reason for refusing a file with these bytes. */
const refusal = async (changed: Uint8Array<ArrayBuffer>): Promise<string> => {
  const damaged = join(folder, 'damaged.cageside')
  await Bun.write(damaged, changed)
  try {
    await readSnapshot(damaged)
  } catch (error) {
    expect(error).toBeInstanceOf(SnapshotError)
    const message = error instanceof Error ? error.message : ''
    expect(message).toStartWith(`snapshot ${damaged} `)
    expect(message).not.toContain('\n')
    return message.slice(`snapshot ${damaged} `.length)
  }
  throw new Error('the file was read')
}

describe('a snapshot', () => {
  test('a snapshot gives back the written rows', async () => {
    const snapshot = await readSnapshot(path)
    expect(snapshot.capturedAt).toBe(contents.capturedAt)
    expect(snapshot.tournamentCount).toBe(2)
    expect(snapshot.cages).toEqual({ cages: contents.cages, cageQueue: contents.cageQueue })
    expect([...snapshot.tournaments()].map((rows) => checkTournament(rows, fail))).toEqual(
      tournaments,
    )
  })

  test('a snapshot names the place in the database that it was read from, if any', async () => {
    const other = join(folder, 'origin.cageside')
    const origin = {
      databaseIdentity: 'one',
      systemIdentifier: '7',
      mark: '12',
      seen: [['a', '3', 'x'] satisfies [string, string, string]],
    }
    await writeSnapshot(other, { ...contents, origin })
    expect((await readSnapshot(other)).origin).toEqual(origin)
    expect((await readSnapshot(path)).origin).toBeUndefined()
  })

  test('a snapshot is the same file for equal rows, and another one for others', async () => {
    const again = join(folder, 'again.cageside')
    const { digest } = await writeSnapshot(again, {
      ...contents,
      tournaments: tournaments.toReversed(),
    })
    expect((await stat(again)).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(Buffer.from(await Bun.file(again).arrayBuffer()).equals(bytes)).toBe(true)
    expect(digest).toBe((await readSnapshot(path)).digest)
    const other = await writeSnapshot(again, { ...contents, capturedAt: 1_770_000_001 })
    expect(other.digest).not.toBe(digest)
  })

  test.each([
    '',
    'x',
    'Äxe 𝄞',
    ...[31, 32, 64, 65, 255, 256, 65_535, 65_536].flatMap((length) => [
      'x'.repeat(length),
      'ß'.repeat(Math.floor(length / 2)),
    ]),
  ])('a snapshot gives back a text of any length', (name) => {
    const { packed } = packTournament(tournamentOf({ id: 'a', name }, [], []))
    expect(unpackFrame(packed)).toMatchObject({ tournament: { name } })
    for (const length of [0, 1, 5, packed.length - 1])
      expect(() => unpackFrame(packed.slice(0, length))).toThrow()
  })

  test('a snapshot is loaded with rows that other threads unpack, each once and in order', async () => {
    const large = join(folder, 'large.cageside')
    const many = Array.from({ length: 30 }, (_, n) => tournamentOf({ id: `t${n + 10}` }, [], []))
    await writeSnapshot(large, { ...contents, tournaments: many })
    const { loaded, entries } = await readSnapshot(large)
    const found = await Array.fromAsync(loaded(({ stored }) => stored.name[0] !== 't12'))
    expect(found.map(({ rows }) => rows)).toEqual(
      entries.map((entry) => entry.rows()).toSpliced(2, 1),
    )
    expect(found.map(({ entry }) => entry)).toEqual(entries.toSpliced(2, 1))
  })

  test('a snapshot may be empty, and captured until the end of the year 9999', async () => {
    const empty = join(folder, 'empty.cageside')
    const write = (capturedAt: number) =>
      writeSnapshot(empty, { capturedAt, cages: [], cageQueue: [], tournaments: [] })
    const last = Date.UTC(10_000, 0) / 1000 - 1
    for (const capturedAt of [0, last]) {
      await write(capturedAt)
      const snapshot = await readSnapshot(empty)
      expect([snapshot.capturedAt, ...snapshot.tournaments()]).toEqual([capturedAt])
    }
    await write(last + 1)
    expect(readSnapshot(empty)).rejects.toThrow('invalid capture time')
  })
})

const sha256 = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), new Bun.CryptoHasher('sha256')).digest()

/** The file with a changed preface and a recomputed checksum. */
const withPreface = (changed: object): Uint8Array<ArrayBuffer> => {
  const header = 60
  const length = bytes.readUInt32LE(header)
  const start = header + 4
  const preface = JSON.parse(bytes.toString('utf8', start, start + length))
  const frame = Buffer.from(JSON.stringify({ ...preface, ...changed }))
  const lengthOfFrame = Buffer.alloc(4)
  lengthOfFrame.writeUInt32LE(frame.length)
  const rest = bytes.subarray(start + length)
  const head = Buffer.from(bytes.subarray(0, 28))
  head.writeBigUInt64LE(BigInt(4 + frame.length + rest.length), 20)
  const cages = rest.subarray(0, 4 + rest.readUInt32LE(0))
  return Buffer.concat([
    head,
    sha256(head, lengthOfFrame, frame, cages),
    lengthOfFrame,
    frame,
    rest,
  ])
}
const withLayout = (columns: unknown): Uint8Array<ArrayBuffer> => withPreface({ columns })

describe('the columns of a snapshot', () => {
  const change = (
    table: string,
    edit: (columns: readonly string[]) => readonly string[],
  ): SnapshotLayout =>
    ownLayout.map(([name, columns]) => [name, name === table ? [...edit(columns)] : columns])
  const rename = (from: string, to: string) => (columns: readonly string[]) =>
    columns.map((column) => (column === from ? to : column))
  const read = async (layout: unknown) => {
    const other = join(folder, 'other.cageside')
    await Bun.write(other, withLayout(layout))
    const snapshot = await readSnapshot(other)
    return { ...snapshot, rows: [...snapshot.tournaments()] }
  }

  test('columns of a snapshot are found by name, in any order', async () => {
    const swapped = change('games', (columns) =>
      columns.map((column) =>
        column === 'startTime' ? 'stopTime' : column === 'stopTime' ? 'startTime' : column,
      ),
    )
    const { rows, entries } = await read(swapped)
    const [before] = tournaments[0]?.games ?? []
    expect(rows[0]?.games).toEqual([
      { ...before, startTime: before?.stopTime, stopTime: before?.startTime },
    ])
    expect(entries[0]?.frame).toBeUndefined()
  })

  test('missing columns of a snapshot are null if allowed, and unknown ones are ignored', async () => {
    const { rows } = await read(change('players', rename('seed', 'shoeSize')))
    expect(rows[0]?.players).toEqual(tournaments[0]?.players.map((row) => ({ ...row, seed: null })))
    // Recordings are stored as columns, with no others.
    const { recordings } = checkTournament(rows[0] ?? {}, fail) ?? {}
    expect(recordings).toEqual([...(tournaments[0]?.recordings ?? [])])
  })

  test.each([
    ['lacks the column name of players', change('players', rename('name', 'nick'))],
    ['lacks the columns of clips', ownLayout.filter(([table]) => table !== 'clips')],
    ['lacks the table stills', change('tournamentRows', rename('stills', 'pictures'))],
    ['lacks the table tournament', ownLayout.filter(([table]) => table !== 'tournamentRows')],
    ['does not name its columns and frames', [['games', ['__proto__']]]],
    ['does not name its columns and frames', 'games'],
    ['does not name its columns and frames', Array.from({ length: 100 }, () => ['games', ['id']])],
  ])('a snapshot with these columns is refused: %s', async (reason, layout) => {
    expect(await refusal(withLayout(layout))).toBe(reason)
  })

  test('a snapshot of format 4 is read', async () => {
    const old = join(projectFolder, 'test/snapshots/version4.cageside')
    const snapshot = await readSnapshot(old)
    const [first, second] = [...snapshot.tournaments()].map((rows) => checkTournament(rows, fail))
    expect(snapshot.tournamentCount).toBe(2)
    expect(first?.recordings.map(({ id, gameId: _, cage: __, camera, ...rest }) => rest)).toEqual([
      {
        videoUrl: 'https://media.example/film-101.mp4',
        httpStatus: 200,
        startMs: 1_770_000_040_250,
        proxy720Url: true,
        proxy360Url: true,
        proxy72Url: true,
      },
      {
        videoUrl: 'https://media.example/film-102.mp4',
        httpStatus: 200,
        startMs: 1_770_000_040_250,
        proxy720Url: true,
        proxy360Url: null,
        proxy72Url: true,
      },
      {
        videoUrl: null,
        httpStatus: null,
        startMs: null,
        proxy720Url: null,
        proxy360Url: null,
        proxy72Url: null,
      },
    ])
    expect(second?.tournament).toMatchObject({ id: 'b_private', privacy: 'private' })
    expect(checkCages(snapshot.cages, fail).cages).toMatchObject([{ number: 2 }, { number: 4 }])
  })
})

describe('the digest of a tournament', () => {
  const [shown = tournamentOf({}, [], [])] = tournaments
  const digest = (over: Partial<TournamentRows>) => packTournament({ ...shown, ...over }).digest

  test('the digest of a tournament covers the shown rows', () => {
    const clips = [clipRow({ token: 'a' })]
    const hidden = clipRow({ token: 'b', isPublic: false })
    expect(digest({ clips: [...clips, hidden] })).toBe(digest({ clips }))
    expect(digest({ clips })).not.toBe(digest({}))
    expect(digest({ tournament: { ...shown.tournament, source: 'folder' } })).toBe(digest({}))
    expect(digest({ tournament: { ...shown.tournament, id: 'z' } })).not.toBe(digest({}))
  })

  test('the digest of a tournament does not depend on the order of properties', () => {
    const reversed = <Value>(value: Value): Value =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(value).toReversed())))
        : value
    const turned = reversed({
      ...shown,
      tournament: reversed(shown.tournament),
      players: shown.players.map(reversed),
      games: shown.games.map((row, index) => (index === 0 ? reversed(row) : row)),
    })
    expect(packTournament(turned)).toEqual(packTournament(shown))
  })

  test('the digest of a tournament does not depend on the order of recordings', () => {
    const recordings = [1, 2, 3].map((id) => recordingRow({ id, gameId: `W-${id % 2}` }))
    expect(digest({ recordings: recordings.toReversed() })).toBe(digest({ recordings }))
  })

  test('the digest of a tournament is stored in the file', async () => {
    const { entries } = await readSnapshot(path)
    expect(entries.map(({ frame }) => frame?.digest)).toEqual(
      tournaments.map((rows) => packTournament(rows).digest),
    )
  })
})

describe('a damaged snapshot is refused', () => {
  test.each([
    ['does not name its columns and frames', { frames: undefined }],
    ['is damaged: its frames do not fill it', { frames: [] }],
    ['does not name its columns and frames', { frames: [['a', 'x', 3]] }],
    ['does not name its columns and frames', { frames: [['a', 'x'.repeat(43), -1]] }],
  ])('a snapshot whose head %s is refused', async (reason, changed) => {
    expect(await refusal(withPreface(changed))).toBe(reason)
  })

  test('a snapshot with any one bit flipped is refused', async () => {
    for (let bit = 0; bit < bytes.length * 8; bit += bit < 60 * 8 ? 1 : 7) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(await refusal(flipped)).toMatch(
        /^(is not a Cageside|has (an older|a newer) format|should hold|is damaged)/,
      )
    }
  })

  test('a snapshot cut off at any byte is refused', async () => {
    for (let length = 0; length < bytes.length; length += 1) {
      expect(await refusal(bytes.subarray(0, length))).toMatch(
        /^(is not a Cageside|is cut off|should hold)/,
      )
    }
  })

  test.each([
    [
      'with a byte too many',
      () => Buffer.concat([bytes, Buffer.from([0])]),
      /^should hold \d+ bytes/,
    ],
    ['of another kind', () => Buffer.from('PK\u0003\u0004 some other file'), /^is not a Cageside/],
    ['that is empty', () => Buffer.alloc(0), /^is not a Cageside/],
    [
      'of a newer format',
      () => {
        const newer = Buffer.from(bytes)
        newer.writeUInt32LE(6, 8)
        return newer
      },
      /^has a newer format, 6; this program reads 4 to 5$/,
    ],
    [
      'of an older format',
      () => {
        const older = Buffer.from(bytes)
        older.writeUInt32LE(3, 8)
        return older
      },
      /^has an older format, 3; this program reads 4 to 5$/,
    ],
  ])('a snapshot %s is refused', async (_, damage, reason) => {
    expect(await refusal(damage())).toMatch(reason)
  })

  test('a bad file of 4 GB is refused by its first bytes', async () => {
    const large = join(folder, 'large')
    for (const [start, reason] of [
      [Buffer.alloc(0), 'is not a Cageside snapshot'],
      [bytes, 'should hold'],
    ] as const) {
      await Bun.write(large, start)
      await truncate(large, 2 ** 32)
      await expect(readSnapshot(large)).rejects.toThrow(reason)
    }
    await rm(large)
  })

  test('a missing snapshot, or a folder, is refused', async () => {
    expect(readSnapshot(join(folder, 'none'))).rejects.toThrow(
      /cannot be read: there is no such file or folder \(ENOENT\)$/,
    )
    expect(readSnapshot(folder)).rejects.toThrow(/cannot be read: it is a folder \(EISDIR\)$/)
  })
})

describe('a write that fails', () => {
  test('a failed write leaves the old file and nothing else', async () => {
    const own = join(folder, 'own')
    await mkdir(own)
    const target = join(own, 'league.cageside')
    await Bun.write(target, bytes)
    const failing = (function* (): Generator<TournamentRows> {
      yield* tournaments
      throw new Error('the source broke off')
    })()
    expect(writeSnapshot(target, { ...contents, tournaments: failing })).rejects.toThrow(
      'broke off',
    )
    expect(await readdir(own)).toEqual(['league.cageside'])
    expect((await readSnapshot(target)).tournamentCount).toBe(2)
  })

  test('a write into a missing folder says so', async () => {
    expect(writeSnapshot(join(folder, 'none', 'x'), contents)).rejects.toThrow('ENOENT')
  })
})

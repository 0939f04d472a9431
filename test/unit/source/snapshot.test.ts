import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TournamentRows } from '../../../src/source/rows.ts'
import { readSnapshot, SnapshotError, writeSnapshot } from '../../../src/source/snapshot.ts'
import { fightRows, recordingRow, tournamentOf } from '../../rows.ts'

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

/** The reason for which a file of these bytes is refused. */
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
  test('gives back what was written', async () => {
    const snapshot = await readSnapshot(path)
    expect(snapshot.capturedAt).toBe(contents.capturedAt)
    expect(snapshot.tournamentCount).toBe(2)
    expect(snapshot.cages).toEqual({ cages: contents.cages, cageQueue: contents.cageQueue })
    expect([...snapshot.tournaments()]).toEqual(tournaments)
  })

  test('of equal rows is the same file, of other rows another', async () => {
    const again = join(folder, 'again.cageside')
    const { digest } = await writeSnapshot(again, contents)
    expect(Buffer.from(await Bun.file(again).arrayBuffer()).equals(bytes)).toBe(true)
    expect(digest).toBe((await readSnapshot(path)).digest)
    const other = await writeSnapshot(again, { ...contents, capturedAt: 1_770_000_001 })
    expect(other.digest).not.toBe(digest)
  })

  test('may hold no tournament', async () => {
    const empty = join(folder, 'empty.cageside')
    await writeSnapshot(empty, { capturedAt: 0, cages: [], cageQueue: [], tournaments: [] })
    expect([...(await readSnapshot(empty)).tournaments()]).toEqual([])
  })
})

describe('a damaged snapshot is refused', () => {
  test('with any one bit flipped', async () => {
    for (let bit = 0; bit < bytes.length * 8; bit += bit < 60 * 8 ? 1 : 7) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(await refusal(flipped)).toMatch(
        /^(is not a Cageside|has (an older|a newer) format|should hold|is damaged)/,
      )
    }
  })

  test('cut off at any byte', async () => {
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
        newer.writeUInt32LE(3, 8)
        return newer
      },
      /^has a newer format, 3; this program reads 2$/,
    ],
    [
      'of an older format',
      () => {
        const older = Buffer.from(bytes)
        older.writeUInt32LE(1, 8)
        return older
      },
      /^has an older format, 1; this program reads 2$/,
    ],
  ])('%s', async (_, damage, reason) => {
    expect(await refusal(damage())).toMatch(reason)
  })

  test('that is not there, or a folder', async () => {
    expect(readSnapshot(join(folder, 'none'))).rejects.toThrow(/cannot be read \(ENOENT\)$/)
    expect(readSnapshot(folder)).rejects.toThrow(/cannot be read \(EISDIR\)$/)
  })
})

describe('a write that fails', () => {
  test('leaves the old file and nothing else', async () => {
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

  test('into a folder that is not there says so', async () => {
    expect(writeSnapshot(join(folder, 'none', 'x'), contents)).rejects.toThrow('ENOENT')
  })
})

import { expect, test } from 'bun:test'
import { buildSnapshotFile, createSnapshotFiles } from '../../../src/api/snapshot/snapshotFile.ts'
import { noCages } from '../../../src/data/archive/archive.ts'
import { archiveOf, archiveWithCages } from '../../fixtures.ts'
import { cageRow, fightRows, playersNamed, tournamentOf } from '../../rows.ts'

test('the time of a file is the newest in the data that is not in the future', async () => {
  const times = { createTime: 1000, updateTime: 2000 }
  const archive = archiveOf(
    tournamentOf({ id: 'a', ...times }, [], []),
    tournamentOf({ id: 'b', ...times, updateTime: 3000 }, [], []),
  )
  const tags = [1999, 2000, 2999, 3000, 9999].map(async (now) => {
    const { etag } = await buildSnapshotFile({ archive, cages: noCages, frames: [] }, now)
    return etag
  })
  const [first, second, third, fourth, fifth] = await Promise.all(tags)
  expect([second, fourth]).toEqual([third, fifth])
  expect(new Set([first, second, fourth]).size).toBe(3)
})

test.each([
  ['the end of a fight', { stopTime: 5090, endTime: null }, 1000, 5090],
  ['the start of one under way', { state: 'active', stopTime: null, endTime: null }, 1000, 5000],
  ['the update of a cage', { stopTime: 5090, endTime: null }, 6000, 6000],
] as const)('the capture time can be %s', async (_, game, updateTime, newest) => {
  const fight = fightRows({ startTime: 5000, ...game }, 'p0', 'p1')
  const row = { createTime: 1000, updateTime: 1000, active: true }
  const archive = archiveWithCages(
    { cages: [cageRow({ number: 2, updateTime })] },
    tournamentOf(row, playersNamed('Axe', 'Bolt'), [fight]),
  )
  const tagAt = async (now: number) =>
    (await buildSnapshotFile({ archive, cages: noCages, frames: [] }, now)).etag
  expect(await tagAt(newest)).toBe(await tagAt(9999))
  expect(await tagAt(newest - 1)).not.toBe(await tagAt(9999))
})

test('a file that could not be read is made again', async () => {
  const archive = archiveOf()
  const fileOf = createSnapshotFiles()
  const unreadable = {
    id: 'a',
    digest: 0n,
    get bytes(): Uint8Array {
      throw new Error('changed')
    },
  }
  const made = fileOf({ archive, cages: noCages, frames: [unreadable] }, 0)
  await expect(made).rejects.toThrow('changed')
  const file = await fileOf({ archive, cages: noCages, frames: [] }, 0)
  expect(file).toMatchObject({ version: archive.version })
  expect(await fileOf({ archive, cages: noCages, frames: [unreadable] }, 0)).toBe(file)
})

import { expect, test } from 'bun:test'
import { noCages } from '../../../src/archive/archive.ts'
import { buildSnapshotFile, createSnapshotFiles } from '../../../src/bulk/snapshotFile.ts'
import { archiveOf } from '../../fixtures.ts'
import { tournamentOf } from '../../rows.ts'

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

test('a file that could not be read is made again', async () => {
  const archive = archiveOf()
  const fileOf = createSnapshotFiles()
  const unreadable = {
    id: 'a',
    name: () => Promise.reject(new Error('changed')),
    read: () => Promise.reject(new Error('changed')),
  }
  const made = fileOf({ archive, cages: noCages, frames: [unreadable] }, 0)
  await expect(made).rejects.toThrow('changed')
  const file = await fileOf({ archive, cages: noCages, frames: [] }, 0)
  expect(file).toMatchObject({ version: archive.version })
  expect(await fileOf({ archive, cages: noCages, frames: [unreadable] }, 0)).toBe(file)
})

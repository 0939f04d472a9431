import { expect, test } from 'bun:test'
import { readdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readWhole, replaceFile, whyOf } from '../../src/runtime/files.ts'
import { temporaryFolder } from '../process.ts'

test.each([
  ['ENOSPC', 'the disk is full (ENOSPC)'],
  ['SQLITE_FULL', 'the disk is full (SQLITE_FULL)'],
  ['SQLITE_READONLY_DIRECTORY', 'the file system is read-only (SQLITE_READONLY_DIRECTORY)'],
  ['EWHATEVER', 'EWHATEVER'],
])('the reason of %s is readable', (code, reason) => {
  expect(whyOf(Object.assign(new Error('x'), { code }))).toBe(reason)
})

test('a file is read up to its limit, and not beyond', async () => {
  const path = join(await temporaryFolder(), 'file')
  await Bun.write(path, '12345')
  expect((await readWhole(path, { maxBytes: 5 })).toString()).toBe('12345')
  await expect(readWhole(path, { maxBytes: 4 })).rejects.toThrow('larger than 4 bytes')
})

test('a file that is replaced while it is read is one of the two', async () => {
  const folder = await temporaryFolder()
  const [path, next] = [join(folder, 'file'), join(folder, 'next')]
  const versions = ['a'.repeat(10), 'b'.repeat(20)]
  await Bun.write(path, 'a'.repeat(10))
  let isOver = false
  const replaced = (async () => {
    for (let at = 0; !isOver; at += 1) {
      await Bun.write(next, versions[at % 2] ?? '')
      await rename(next, path)
    }
  })()
  for (let each = 0; each < 300; each += 1) {
    const check = (start: Buffer, size: number) => expect(start.length).toBe(size)
    expect(versions).toContain((await readWhole(path, { check })).toString())
  }
  isOver = true
  await replaced
})

test('a link in place of the temporary file is removed, and not written through', async () => {
  const folder = await temporaryFolder()
  const [path, other] = [join(folder, 'file'), join(folder, 'other')]
  const temporary = `${path}.tmp`
  await Bun.write(other, 'mine')
  await symlink(other, temporary)
  await replaceFile(path, { temporary, mode: 0o600 }, (file) => file.write(Buffer.from('new'), 0))
  expect([await Bun.file(path).text(), await Bun.file(other).text()]).toEqual(['new', 'mine'])
  expect((await readdir(folder)).toSorted()).toEqual(['file', 'other'])
})

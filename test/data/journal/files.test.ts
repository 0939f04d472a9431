import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { appendDurably, replaceDurably } from '../../../src/data/journal/files.ts'
import { observeSyncs } from '../../crashes.ts'
import { temporaryFolder } from '../../process.ts'

const lines = new TextEncoder().encode('line\n')

test.each([
  ['a new file is synced, and so is its folder', 0, 2],
  ['a file with lines is synced', 5, 1],
])('an append to %s', async (_, length, syncs) => {
  const folder = await temporaryFolder()
  const path = join(folder, 'log')
  if (length > 0) await appendDurably(path, 0, lines)
  const texts: Promise<string>[] = []
  {
    using _observed = await observeSyncs(folder, (copy) =>
      texts.push(Bun.file(join(copy, 'log')).text()),
    )
    expect(await appendDurably(path, length, lines)).toBe(length)
  }
  // `observeSyncs` makes two copies for each sync.
  expect(await Promise.all(texts)).toEqual(Array(2 * syncs).fill('line\n'.repeat(length / 5 + 1)))
})

test('an append overwrites the remains of a failed one', async () => {
  const path = join(await temporaryFolder(), 'log')
  await Bun.write(path, 'line\nlonger than the line to come')
  expect(await appendDurably(path, 5, lines)).toBe(5)
  expect(await Bun.file(path).text()).toBe('line\nline\n')
})

test('an append that cannot be synced is cut off again', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'log')
  await appendDurably(path, 0, lines)
  {
    using _observed = await observeSyncs(
      folder,
      () => undefined,
      () => true,
    )
    await expect(appendDurably(path, 5, lines)).rejects.toThrow('input/output error')
  }
  expect(await Bun.file(path).text()).toBe('line\n')
})

test('a file is synced before it replaces another, and the folder after', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'file')
  await replaceDurably(path, 'old')
  const texts: Promise<string>[] = []
  {
    using _observed = await observeSyncs(folder, (copy) =>
      texts.push(Bun.file(join(copy, 'file')).text()),
    )
    await replaceDurably(path, 'new')
  }
  expect(await Promise.all(texts)).toEqual(['old', 'old', 'new', 'new'])
})

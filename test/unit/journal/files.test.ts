import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { appendDurably, replaceDurably } from '../../../src/journal/files.ts'
import { observeSyncs } from '../../crashes.ts'
import { temporaryFolder } from '../../process.ts'

const lines = new TextEncoder().encode('line\n')

test.each([
  ['of a new file is synced, and its folder', 0, 2],
  ['of a file with lines is synced', 5, 1],
])('an append %s', async (_, length, syncs) => {
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
  // Two copies for each sync.
  expect(await Promise.all(texts)).toEqual(Array(2 * syncs).fill('line\n'.repeat(length / 5 + 1)))
})

test('a file is synced before it takes the place of another, and the folder after', async () => {
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

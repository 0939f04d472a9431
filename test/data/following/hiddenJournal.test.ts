import { expect, test } from 'bun:test'
import { mkdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openHiddenJournal } from '../../../src/data/following/hiddenJournal.ts'
import { observeSyncs } from '../../crashes.ts'
import { temporaryFolder } from '../../process.ts'

const open = (path: string) =>
  openHiddenJournal(path, (reason) => {
    throw new Error(reason)
  })

test('hidden entries survive any overlap of adding and removing', async () => {
  const folder = await temporaryFolder()
  for (let round = 0; round < 20; round += 1) {
    const path = join(folder, `${round}`)
    const journal = await open(path)
    await journal.add(['old'])
    const removing = journal.removeUntil(journal.mark())
    for (let turn = 0; turn < round; turn += 1) await Promise.resolve()
    expect(await Promise.all([journal.add(['new']), journal.add(['newer'])])).toEqual([true, true])
    await removing
    const again = await open(path)
    expect(['old', 'new', 'newer'].map(again.has)).toEqual([false, true, true])
  }
})

test('a hidden entry that is added again has the newer mark', async () => {
  const path = join(await temporaryFolder(), 'journal')
  const journal = await open(path)
  await journal.add(['a', 'b'])
  const mark = journal.mark()
  await journal.add(['a'])
  await journal.removeUntil(mark)
  for (const each of [journal, await open(path)])
    expect(['a', 'b'].map(each.has)).toEqual([true, false])
})

test('hidden entries of another process stay', async () => {
  const path = join(await temporaryFolder(), 'journal')
  const [one, other] = [await open(path), await open(path)]
  await one.add(['a'])
  await other.add(['b'])
  await one.removeUntil(one.mark())
  const again = await open(path)
  expect(['a', 'b'].map(again.has)).toEqual([false, true])
})

test('a full journal accepts no entry until it is emptied', async () => {
  const path = join(await temporaryFolder(), 'journal')
  const journal = await openHiddenJournal(path, () => undefined)
  expect(await journal.add(Array.from({ length: 4095 }, (_, n) => `${n}`))).toBe(true)
  expect(await journal.add(['two', 'more'])).toBe(false)
  expect(await journal.add(['last'])).toBe(true)
  expect(await journal.add(['more'])).toBe(false)
  await journal.removeUntil(journal.mark())
  expect([journal.isEmpty(), journal.isDamaged()]).toEqual([true, false])
  expect(await journal.add(['more'])).toBe(true)
})

test('hidden entries that cannot be removed stay until the next attempt', async () => {
  const path = join(await temporaryFolder(), 'journal')
  const journal = await openHiddenJournal(path, () => undefined)
  await journal.add(['a'])
  await rename(path, `${path}.moved`)
  await mkdir(path)
  await journal.removeUntil(journal.mark())
  expect([journal.isEmpty(), journal.has('a')]).toEqual([false, true])
  await rmdir(path)
  await rename(`${path}.moved`, path)
  await journal.removeUntil(journal.mark())
  expect([journal.isEmpty(), (await open(path)).has('a')]).toEqual([true, false])
})

test('a damaged journal is neither empty nor used until it is emptied', async () => {
  const path = join(await temporaryFolder(), 'journal')
  await (await open(path)).add(['a'])
  const bytes = await Bun.file(path).bytes()
  bytes[0] = (bytes[0] ?? 0) ^ 1
  await Bun.write(path, bytes)
  const journal = await open(path)
  expect([journal.isEmpty(), journal.isDamaged()]).toEqual([false, true])
  await journal.removeUntil(journal.mark())
  for (const each of [journal, await open(path)])
    expect([each.isEmpty(), each.isDamaged()]).toEqual([true, false])
})

test('a journal reserves its space at the start, and syncs an entry before it counts as written', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'journal')
  const journal = await open(path)
  expect([journal.isEmpty(), journal.isDamaged()]).toEqual([true, false])
  expect(Bun.file(path).size).toBe(64 * 1024)
  const synced: Promise<boolean>[] = []
  {
    using _observed = await observeSyncs(folder, (copy) =>
      synced.push(open(join(copy, 'journal')).then(({ has }) => has('a'))),
    )
    await journal.add(['a'])
  }
  expect(await Promise.all(synced)).toContain(true)
})

test('a journal that cannot be read counts as damaged', async () => {
  const path = join(await temporaryFolder(), 'journal')
  await mkdir(path)
  const journal = await openHiddenJournal(path, () => undefined)
  expect([journal.isEmpty(), journal.isDamaged()]).toEqual([false, true])
})

import { expect, test } from 'bun:test'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../../src/archive/archive.ts'
import { nothingHidden } from '../../../src/archive/hidden.ts'
import { emptyLeague, type LoadedLeague } from '../../../src/archive/loadedLeague.ts'
import { leagueWith } from '../../../src/archive/updateLeague.ts'
import { openLastGood } from '../../../src/following/lastGood.ts'
import { createLog } from '../../../src/log.ts'
import { temporaryFolder } from '../../process.ts'
import { smallLeague } from '../../smallLeague.ts'

const tournaments = [...smallLeague.tournaments].slice(0, 3)
const ids = tournaments.map(({ tournament }) => tournament.id)
const noCages = { cages: [], cageQueue: [] }

/** The league without its first tournaments, which are hidden. */
const without = async (
  count: number,
  before = emptyLeague,
): Promise<LoadedLeague & { readonly archive: Archive }> => {
  const updates = tournaments.map((rows, index) => ({
    id: rows.tournament.id,
    rows: index < count ? undefined : rows,
  }))
  const { league } = await leagueWith(before, updates, noCages)
  if (!league.archive) throw new Error('no archive')
  return { ...league, archive: league.archive }
}

test('old temporary files are removed at the start, and nothing else', async () => {
  const folder = await temporaryFolder()
  const names = ['last-good.cageside', 'last-good.1.tmp', 'other.tmp', 'last-good.2.tmp']
  for (const name of names) {
    await Bun.write(join(folder, name), '')
    if (name !== 'last-good.2.tmp') await utimes(join(folder, name), 0, 0)
  }
  await openLastGood(folder, createLog('silent')).read(Promise.resolve(nothingHidden))
  expect((await readdir(folder)).toSorted()).toEqual([
    'last-good.2.tmp',
    'last-good.cageside',
    'last-good.hidden',
    'other.tmp',
  ])
})

test('what is hidden while a league that has it is saved is not read back', async () => {
  const folder = await temporaryFolder()
  const lastGood = openLastGood(folder, createLog('silent'))
  const whole = await without(0)
  const first = await without(1, whole)
  const second = await without(2, first)
  await lastGood.recordHidden(whole.archive, first.archive)
  const saving = lastGood.save(first, 1)
  await lastGood.recordHidden(first.archive, second.archive)
  expect(await saving).toBe(true)
  const saved = await openLastGood(folder, createLog('silent')).read(Promise.resolve(nothingHidden))
  expect([...(saved?.league.entries.keys() ?? [])]).toEqual(ids.slice(2))
  expect([...(saved?.withheld ?? [])]).toEqual(ids.slice(1, 2))
})

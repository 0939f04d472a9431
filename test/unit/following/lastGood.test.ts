import { expect, test } from 'bun:test'
import { mkdir, readdir, rm, rmdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../../src/archive/archive.ts'
import { nothingHidden } from '../../../src/archive/hidden.ts'
import { emptyLeague, type LoadedLeague } from '../../../src/archive/loadedLeague.ts'
import { leagueWith } from '../../../src/archive/updateLeague.ts'
import { createChanges } from '../../../src/changes/changes.ts'
import { openLastGood } from '../../../src/following/lastGood.ts'
import { createSaving } from '../../../src/following/saving.ts'
import { createLog } from '../../../src/log.ts'
import { observeSyncs } from '../../crashes.ts'
import { temporaryFolder } from '../../process.ts'
import { smallLeague } from '../../smallLeague.ts'
import { until } from '../../until.ts'

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

test('after a kill at any sync of a save, neither file shows what is hidden', async () => {
  const folder = await temporaryFolder()
  const lastGood = openLastGood(folder, createLog('silent'))
  const whole = await without(0)
  const hidden = await without(1, whole)
  for (const capturedAt of [1, 2]) expect(await lastGood.save(whole, capturedAt)).toBe(true)
  await lastGood.recordHidden(whole.archive, hidden.archive)
  const copies: string[] = []
  const observing = await observeSyncs(folder, (copy) => copies.push(copy))
  expect(await lastGood.save(hidden, 3)).toBe(true)
  observing[Symbol.dispose]()
  expect(copies.length).toBeGreaterThan(4)
  for (const copy of copies) {
    for (const isDamaged of [false, true]) {
      if (isDamaged) await rm(join(copy, 'last-good.cageside'), { force: true })
      const found = await openLastGood(copy, createLog('silent')).read(
        Promise.resolve(nothingHidden),
      )
      expect(found?.league.entries.has(ids[0] ?? '')).not.toBe(true)
    }
  }
})

test('a league is saved at most once in a time, what changes meanwhile at the next, a failed one again', async () => {
  const folder = await temporaryFolder()
  const whole = await without(0)
  let league = whole
  let ms = 0
  let duringSave = () => {}
  const saved: boolean[] = []
  const lastGood = openLastGood(folder, createLog('silent'))
  const saving = createSaving({
    lastGood,
    changes: { ...createChanges().feed, beforeSave: async () => duringSave() },
    served: () => ({ league, currentAt: ms, currentUnix: ms }),
    onSaved: (isSaved) => saved.push(isSaved),
    clockMs: () => ms,
    saveEveryMs: 10,
  })
  const savedAt = async (atMs: number) => {
    ms = atMs
    saving.saveIfDue()
    await until(async () => {
      const found = await lastGood.read(Promise.resolve(nothingHidden))
      return found?.capturedAt === atMs && found.league.entries.size === league.entries.size
    })
  }
  const one = await without(1, whole)
  duringSave = () => {
    league = one
    saving.changed(false)
    duringSave = () => {}
  }
  saving.changed(false)
  saving.saveIfDue()
  await until(() => saved.length === 1)
  ms = 9
  saving.saveIfDue()
  await savedAt(10)

  league = await without(2, one)
  saving.changed(true)
  await savedAt(11)

  const path = join(folder, 'last-good.cageside')
  await rm(path)
  await mkdir(path)
  league = whole
  saving.changed(false)
  ms = 21
  saving.saveIfDue()
  await until(() => saved.length === 4)
  await rmdir(path)
  await savedAt(31)
  ms = 41
  saving.saveIfDue()
  await saving.finish()
  expect(saved).toEqual([true, true, true, false, true, true])
  await saving.finish()
  expect(saved).toHaveLength(6)
})

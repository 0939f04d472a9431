import { expect, spyOn, test } from 'bun:test'
import { watch } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { createChanges } from '../../../src/companions/changes/changes.ts'
import type { Archive } from '../../../src/data/archive/archive.ts'
import { nothingHidden } from '../../../src/data/archive/hidden.ts'
import { emptyLeague, type LoadedLeague } from '../../../src/data/archive/loadedLeague.ts'
import { leagueWith } from '../../../src/data/archive/updateLeague.ts'
import { openLastGood } from '../../../src/data/following/lastGood.ts'
import { createSaving } from '../../../src/data/following/saving.ts'
import { readSnapshot } from '../../../src/data/source/snapshot.ts'
import { disk } from '../../../src/runtime/disk.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { observeSyncs } from '../../crashes.ts'
import { present } from '../../present.ts'
import { temporaryFolder } from '../../process.ts'
import { clipRow, fightRows, tournamentOf } from '../../rows.ts'
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

test('a start removes old temporary files, and nothing else', async () => {
  const folder = await temporaryFolder()
  const names = ['last-good.cageside', 'last-good.1.tmp', 'other.tmp', 'last-good.2.tmp']
  for (const name of names) {
    await Bun.write(join(folder, name), '')
    const at = Date.now() / 1000 - (name === 'last-good.2.tmp' ? 40 : 70)
    await utimes(join(folder, name), at, at)
  }
  await openLastGood(folder, createLog('silent')).read(Promise.resolve(nothingHidden))
  expect((await readdir(folder)).toSorted()).toEqual([
    'last-good.2.tmp',
    'last-good.cageside',
    'last-good.hidden',
    'other.tmp',
  ])
})

test('tournaments hidden while earlier ones are still being listed are not read back', async () => {
  const folder = await temporaryFolder()
  const lastGood = openLastGood(folder, createLog('silent'))
  const whole = await without(0)
  const first = await without(1, whole)
  const second = await without(2, first)
  // A slow disk delays a refresh by at most 2 s, and the next one begins.
  await Promise.all([
    lastGood.recordHidden(whole.archive, first.archive),
    lastGood.recordHidden(first.archive, second.archive),
  ])
  expect(await lastGood.save(first, 1)).toBe(true)
  const saved = await openLastGood(folder, createLog('silent')).read(Promise.resolve(nothingHidden))
  expect([...(saved?.league.entries.keys() ?? [])]).toEqual(ids.slice(2))
})

test('a tournament hidden during a save that contains it is not read back', async () => {
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
  const recorded = async (): Promise<boolean> =>
    (await Bun.file(join(folder, 'last-good.hidden')).bytes()).some((byte) => byte !== 0)
  expect(await recorded()).toBe(true)
  expect(await lastGood.save(second, 2)).toBe(true)
  expect(await recorded()).toBe(false)
})

test('clips hidden during a save are not read back, even if the list cannot hold them', async () => {
  const rowsWith = (count: number) =>
    tournamentOf({ id: 'a' }, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')], {
      clips: Array.from({ length: count }, (_, n) => clipRow({ token: `clip-${n}` })),
    })
  const leagueOf = async (count: number, before: LoadedLeague) => {
    const { league } = await leagueWith(before, [{ id: 'a', rows: rowsWith(count) }], noCages)
    return { ...league, archive: present(league.archive) }
  }
  const all = await leagueOf(5000, emptyLeague)
  const one = await leagueOf(1, all)
  for (const delayMs of [undefined, 0, 1, 2, 4, 8, 16, 32]) {
    const folder = await temporaryFolder()
    const lastGood = openLastGood(folder, createLog('silent'))
    expect(await lastGood.save(all, 1)).toBe(true)
    const saving = lastGood.save(all, 2)
    if (delayMs !== undefined) await Bun.sleep(delayMs)
    await lastGood.recordHidden(all.archive, one.archive)
    await Promise.all([saving, lastGood.save(all, 3)])
    const read = () =>
      openLastGood(folder, createLog('silent')).read(Promise.resolve(nothingHidden))
    expect(await read()).toBeUndefined()
    expect(await lastGood.save(one, 4)).toBe(true)
    expect((await read())?.league.archive?.clips.newestFirst).toHaveLength(1)
  }
})

test('a tournament that the database hides by now is not read back', async () => {
  const folder = await temporaryFolder()
  const lastGood = openLastGood(folder, createLog('silent'))
  expect(await lastGood.save(await without(0), 1)).toBe(true)
  const hidden = { ...nothingHidden, tournaments: new Set(ids.slice(0, 1)) }
  const saved = await lastGood.read(Promise.resolve(hidden))
  expect([...(saved?.league.entries.keys() ?? [])]).toEqual(ids.slice(1))
})

test('a save removes entries hidden before its process started, and nothing later', async () => {
  const folder = await temporaryFolder()
  const whole = await without(0)
  const first = await without(1, whole)
  const second = await without(2, first)
  const before = openLastGood(folder, createLog('silent'))
  expect(await before.recordHidden(whole.archive, first.archive)).toBe(true)
  const lastGood = openLastGood(folder, createLog('silent'))
  await lastGood.read(Promise.resolve(nothingHidden))
  expect(await lastGood.recordHidden(first.archive, second.archive)).toBe(true)
  expect(await lastGood.recordHidden(second.archive, second.archive)).toBe(false)
  expect(await lastGood.save(first, 1)).toBe(true)
  const saved = await openLastGood(folder, createLog('silent')).read(Promise.resolve(nothingHidden))
  expect([...(saved?.league.entries.keys() ?? [])]).toEqual(ids.slice(2))
  const list = await Bun.file(join(folder, 'last-good.hidden')).bytes()
  const entries = Array.from({ length: list.length / 16 }, (_, n) =>
    list.subarray(16 * n, 16 * n + 16),
  )
  expect(entries.filter((entry) => entry.some((byte) => byte !== 0))).toHaveLength(1)
})

test('both generations are removed if hidden entries cannot be recorded, and return with the next save', async () => {
  const folder = await temporaryFolder()
  const whole = await without(0)
  const first = await without(1, whole)
  const lastGood = openLastGood(folder, createLog('silent'))
  for (const capturedAt of [1, 2]) expect(await lastGood.save(whole, capturedAt)).toBe(true)
  await rm(join(folder, 'last-good.hidden'))
  await mkdir(join(folder, 'last-good.hidden'))
  expect(await lastGood.recordHidden(whole.archive, first.archive)).toBe(true)
  expect(await readdir(folder)).toEqual(['last-good.hidden'])
  await rm(folder, { recursive: true })
  expect(await lastGood.save(first, 3)).toBe(true)
  const saved = await lastGood.read(Promise.resolve(nothingHidden))
  expect([...(saved?.league.entries.keys() ?? [])]).toEqual(ids.slice(1))
})

test('files with hidden entries that cannot be removed are removed at the next change', async () => {
  const folder = await temporaryFolder()
  const whole = await without(0)
  const first = await without(1, whole)
  const lastGood = openLastGood(folder, createLog('silent'))
  expect(await lastGood.save(whole, 1)).toBe(true)
  const [current, hidden] = ['last-good.cageside', 'last-good.hidden'].map((name) =>
    join(folder, name),
  )
  if (!current || !hidden) throw new Error('no paths')
  await rm(hidden)
  await mkdir(hidden)
  await rename(current, `${current}.kept`)
  await mkdir(join(current, 'full'), { recursive: true })
  expect(await lastGood.recordHidden(whole.archive, first.archive)).toBe(true)
  expect(await lastGood.save(first, 2)).toBe(false)
  await rm(current, { recursive: true })
  await rename(`${current}.kept`, current)
  expect(await lastGood.recordHidden(first.archive, first.archive)).toBe(true)
  expect(await readdir(folder)).toEqual(['last-good.hidden'])
})

test('a newer league is saved in place of one that was never published', async () => {
  const folder = await temporaryFolder()
  const lastGood = openLastGood(folder, createLog('silent'))
  let league = await without(0)
  const newer = await without(1, league)
  const saving = createSaving({
    lastGood,
    changes: {
      ...createChanges().feed,
      beforeSave: async (version) => {
        league = newer
        return version === newer.archive.version
      },
    },
    served: () => ({ league, currentAt: 0, currentUnix: 0 }),
    onSaved: () => undefined,
    clockMs: () => 0,
  })
  saving.changed(false)
  await saving.finish()
  const saved = await lastGood.read(Promise.resolve(nothingHidden))
  expect([...(saved?.league.entries.keys() ?? [])]).toEqual(ids.slice(1))
})

test('neither file shows hidden entries after a kill at any sync of a save', async () => {
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

test('a save that fails leaves both generations', async () => {
  const folder = await temporaryFolder()
  const lines: string[] = []
  const lastGood = openLastGood(folder, (_, message) => void lines.push(message))
  const whole = await without(0)
  for (const capturedAt of [1, 2]) expect(await lastGood.save(whole, capturedAt)).toBe(true)
  const files = async () =>
    Promise.all(
      ['last-good.cageside', 'last-good.previous.cageside'].map(
        async (name) => (await readSnapshot(join(folder, name))).capturedAt,
      ),
    )
  expect(await files()).toEqual([2, 1])
  const isFull = await observeSyncs(
    folder,
    () => undefined,
    () => true,
  )
  expect(await lastGood.save(whole, 3)).toBe(false)
  isFull[Symbol.dispose]()
  expect(await files()).toEqual([2, 1])
  expect((await readdir(folder)).sort()).toEqual([
    'last-good.cageside',
    'last-good.hidden',
    'last-good.previous.cageside',
  ])
  expect(await lastGood.save(whole, 4)).toBe(true)
  expect(await files()).toEqual([4, 2])
  // Neither file can be replaced while a folder has its name.
  for (const name of ['last-good.previous.cageside', 'last-good.cageside']) {
    const names = await readdir(folder)
    await rm(join(folder, name))
    await mkdir(join(folder, name))
    expect(await lastGood.save(whole, 5)).toBe(false)
    expect((await readdir(folder)).sort()).toEqual(names.sort())
  }
  // The failure is logged once until a save succeeds.
  expect(lines).toEqual(Array(2).fill('last good archive not saved'))
})

test('a damaged file does not replace the one before it', async () => {
  const folder = await temporaryFolder()
  const whole = await without(0)
  const path = join(folder, 'last-good.cageside')
  const read = () => openLastGood(folder, createLog('silent')).read(Promise.resolve(nothingHidden))
  for (const capturedAt of [1, 2]) {
    expect(await openLastGood(folder, createLog('silent')).save(whole, capturedAt)).toBe(true)
  }
  await Bun.write(path, 'damaged')
  const lastGood = openLastGood(folder, createLog('silent'))
  expect((await lastGood.read(Promise.resolve(nothingHidden)))?.capturedAt).toBe(1)
  expect(await lastGood.save(whole, 3)).toBe(true)
  expect((await read())?.capturedAt).toBe(3)
  const saved = await Bun.file(path).bytes()
  await Bun.write(path, 'damaged')
  expect((await read())?.capturedAt).toBe(1)
  // The file in its place is kept like any other.
  await Bun.write(path, saved)
  expect(await lastGood.save(whole, 4)).toBe(true)
  await Bun.write(path, 'damaged')
  expect((await read())?.capturedAt).toBe(3)
})

test('two generations are kept on a file system without hard links', async () => {
  const folder = await temporaryFolder()
  const whole = await without(0)
  const lastGood = openLastGood(folder, createLog('silent'))
  using _ = spyOn(disk, 'link').mockImplementation(() => Promise.reject(new Error('EPERM')))
  for (const capturedAt of [1, 2, 3]) expect(await lastGood.save(whole, capturedAt)).toBe(true)
  const capturedAt = async (name: string) => (await readSnapshot(join(folder, name))).capturedAt
  expect(await capturedAt('last-good.cageside')).toBe(3)
  expect(await capturedAt('last-good.previous.cageside')).toBe(2)
})

test('a save replaces the file in one step', async () => {
  const folder = await temporaryFolder()
  const lastGood = openLastGood(folder, createLog('silent'))
  const whole = await without(0)
  expect(await lastGood.save(whole, 1)).toBe(true)
  const changed: (string | null)[] = []
  const watcher = watch(folder, (_, name) => changed.push(name))
  expect(await lastGood.save(whole, 2)).toBe(true)
  await Bun.write(join(folder, 'end'), '')
  await until(() => changed.includes('end'))
  watcher.close()
  expect(changed.filter((name) => name === 'last-good.cageside')).toHaveLength(1)
})

test('a league is saved once per interval, with later changes at the next, and again after a failure', async () => {
  const folder = await temporaryFolder()
  const whole = await without(0)
  let league = whole
  let ms = 0
  let duringSave = () => {}
  const saved: boolean[] = []
  const lastGood = openLastGood(folder, createLog('silent'))
  const saving = createSaving({
    lastGood,
    changes: {
      ...createChanges().feed,
      beforeSave: async () => {
        duringSave()
        return true
      },
    },
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

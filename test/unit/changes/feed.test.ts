import { describe, expect, test } from 'bun:test'
import { appendFile, chmod, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../../src/archive/archive.ts'
import type { SavedArchive } from '../../../src/archive/changeSink.ts'
import { cursorOf, type Filter } from '../../../src/changes/entry.ts'
import { createFeed } from '../../../src/changes/feed.ts'
import { openChangeLog } from '../../../src/changes/log.ts'
import { createLog } from '../../../src/log.ts'
import { dateOf, dayOf } from '../../../src/usage/event.ts'
import { archiveOf } from '../../fixtures.ts'
import { temporaryFolder } from '../../process.ts'
import { fightRows, tournamentOf } from '../../rows.ts'
import { until } from '../../until.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 2, 14, 12)
const all: Filter = { types: undefined, bot: undefined, tournament: undefined }
const players = ['Axe', 'Bolt'].map((name, index) => ({ id: `p${index}`, name }))

/** The archive after so many changes; with the tournament `secret` or without. */
const archiveAt = (step: number, hasSecret = false): Archive => {
  const cup = (id: string) =>
    tournamentOf({ id, name: id }, players, [
      fightRows({ id: 'W-0', notice: `notice ${step}` }, 'p0', 'p1'),
    ])
  return {
    ...archiveOf(cup('cup'), ...(hasSecret ? [cup('secret')] : [])),
    version: `version-${step}${hasSecret ? '-secret' : ''}`,
  }
}

const open = (folder: string, clock = { ms: noon }, maxBytes = 100_000_000) => {
  let monotonicMs = 0
  const changeLog = openChangeLog({
    folder,
    maxBytes,
    now: () => clock.ms,
    monotonicNow: () => {
      monotonicMs += 10 * dayMs
      return monotonicMs
    },
  })
  const feed = createFeed({
    changeLog,
    basePath: '',
    now: () => Math.floor(clock.ms / 1000),
    log: createLog('silent'),
    maxEntries: 50,
  })
  return { feed, changeLog }
}
const savedAt = (archive: Archive): SavedArchive => ({
  archive,
  version: archive.version,
  withheld: new Set(),
})
const textsAfter = async (feed: ReturnType<typeof open>['feed'], cursor: string) => {
  const place = feed.find(cursor)
  const page = place && (await feed.read(place, all, 100_000))
  return page?.entries.map(({ text }) => text)
}
const numbersIn = (texts: readonly string[] | undefined): readonly number[] | undefined =>
  texts?.map((text) => Number(/"after":.*"notice":"notice (\d+)"/.exec(text)?.[1]))
const fileOf = (folder: string, ms = noon): string => join(folder, `${dateOf(dayOf(ms))}.ndjson`)

/** Steps through archives; the mark of a save is written at the first one. */
const run = async (folder: string, from: number, to: number, saved?: SavedArchive) => {
  const opened = open(folder)
  const { feed } = opened
  feed.begin(saved, archiveAt(from))
  await feed.ready
  const start = cursorOf(feed.end())
  await feed.beforeSave(archiveAt(from).version)
  for (let step = from + 1; step <= to; step += 1)
    feed.swapped(archiveAt(step - 1), archiveAt(step))
  await until(() => feed.end().seq >= Number(start.split('-')[1]) + to - from)
  return { ...opened, start }
}

describe('a restart', () => {
  test('continues from the saved archive and the log', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 5)
    await first.feed.stop()
    const { feed } = open(folder)
    // SavedArchive before all of it, and the data went on meanwhile.
    feed.begin(savedAt(archiveAt(0)), archiveAt(7))
    await feed.ready
    expect(numbersIn(await textsAfter(feed, first.start))).toEqual([1, 2, 3, 4, 5, 7])
    await feed.stop()
  })

  test('tells nothing twice where nothing changed', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    const end = cursorOf(first.feed.end())
    await first.feed.stop()
    const { feed } = open(folder)
    feed.begin(savedAt(archiveAt(0)), archiveAt(3))
    await feed.ready
    expect(cursorOf(feed.end())).toBe(end)
    await feed.stop()
  })

  test.each([
    ['without a saved archive', async () => undefined, false],
    ['with an archive that the log does not know', async () => undefined, true],
    [
      'after damage in the middle of the log',
      async (folder: string) => {
        const text = await Bun.file(fileOf(folder)).text()
        await writeFile(fileOf(folder), text.replace('"notice 2"', '"notice 2'))
      },
      true,
    ],
  ])('begins an epoch %s', async (name, damage, isSaved) => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    await first.feed.stop()
    await damage(folder)
    const { feed } = open(folder)
    const archive = archiveAt(name.includes('does not know') ? 99 : 0)
    feed.begin(isSaved ? savedAt(archive) : undefined, archiveAt(4))
    await feed.ready
    expect(feed.find(first.start)).toBeUndefined()
    expect(await Bun.file(fileOf(folder)).text()).not.toContain('notice 1')
    await feed.stop()
  })

  test('cuts off a line that was being written', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    await first.feed.stop()
    await appendFile(fileOf(folder), '{"epoch":"half of a li')
    const { feed } = open(folder)
    feed.begin(savedAt(archiveAt(0)), archiveAt(4))
    await feed.ready
    expect(numbersIn(await textsAfter(feed, first.start))).toEqual([1, 2, 3, 4])
    const lines = (await Bun.file(fileOf(folder)).text()).trimEnd().split('\n')
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
    await feed.stop()
  })

  test('finishes a removal that a kill interrupted', async () => {
    const folder = await temporaryFolder()
    const first = open(folder)
    first.feed.begin(undefined, archiveAt(0))
    await first.feed.ready
    await first.feed.beforeSave('version-0')
    first.feed.swapped(archiveAt(0), archiveAt(0, true))
    await until(() => first.feed.end().seq === 1)
    const before = await Bun.file(fileOf(folder)).text()
    expect(before).toContain('secret')
    first.feed.swapped(archiveAt(0, true), archiveAt(0))
    await until(() => first.feed.end().seq === 2)
    await first.feed.stop()
    const [, removal] = (await Bun.file(fileOf(folder)).text()).trimEnd().split('\n').slice(-2)
    // As it was on the disk between the line of the removal and the end of the rewriting.
    await writeFile(fileOf(folder), `${before}${removal}\n`)
    await rm(join(folder, 'purged'), { force: true })
    const { feed } = open(folder)
    feed.begin(savedAt(archiveAt(0)), archiveAt(0))
    await feed.ready
    expect(await Bun.file(fileOf(folder)).text()).not.toContain('"tournament.added"')
    await feed.stop()
  })
})

test('a clock that is set back loses nothing over a restart', async () => {
  const folder = await temporaryFolder()
  const clock = { ms: noon + dayMs }
  const { feed } = open(folder, clock)
  feed.begin(undefined, archiveAt(0))
  await feed.ready
  const start = cursorOf(feed.end())
  await feed.beforeSave('version-0')
  for (const [step, ms] of [
    [1, noon + dayMs],
    [2, noon],
    [3, noon + dayMs],
  ] as const) {
    clock.ms = ms
    feed.swapped(archiveAt(step - 1), archiveAt(step))
    await until(() => feed.end().seq === step)
  }
  await feed.stop()
  const again = open(folder, clock)
  again.feed.begin(savedAt(archiveAt(0)), archiveAt(3))
  await again.feed.ready
  expect(numbersIn(await textsAfter(again.feed, start))).toEqual([1, 2, 3])
  await again.feed.stop()
})

test('what is hidden before it was written is neither written nor published', async () => {
  const folder = await temporaryFolder()
  const { feed } = open(folder)
  feed.begin(undefined, archiveAt(0))
  await feed.ready
  const published: string[] = []
  feed.subscribe((entries) => published.push(...entries.map(({ text }) => text)))
  feed.swapped(archiveAt(0), archiveAt(0, true))
  feed.swapped(archiveAt(0, true), archiveAt(0))
  await until(() => published.some((text) => text.includes('tournament.removed')))
  expect(published.join()).not.toContain('tournament.added')
  await feed.stop()
})

describe('the disk', () => {
  test('whose file was shortened by somebody begins an epoch', async () => {
    const folder = await temporaryFolder()
    const { feed } = await run(folder, 0, 3)
    const { epoch } = feed.end()
    await truncate(fileOf(folder), 100)
    feed.swapped(archiveAt(3), archiveAt(4))
    await until(() => feed.end().seq === 4)
    expect(feed.end().epoch).not.toBe(epoch)
    await feed.stop()
  })

  test('that takes nothing begins an epoch that no other process continues', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 2)
    const told = cursorOf(first.feed.end())
    await rm(fileOf(folder))
    await mkdir(fileOf(folder))
    first.feed.swapped(archiveAt(2), archiveAt(3))
    await until(() => first.feed.end().seq === 3)
    expect(first.feed.problems()).toHaveLength(1)
    // No number of the epoch that ended was given after it.
    expect(first.feed.find(told)).toBeDefined()
    expect(first.feed.find(told.replace(/\d+$/, '3'))).toBeUndefined()
    // Readers go on, in another epoch.
    expect(numbersIn(await textsAfter(first.feed, told))).toEqual([3])
    expect(first.feed.end().epoch).not.toBe(told.split('-')[0])
    await rm(fileOf(folder), { recursive: true })
    // The first line finds the file gone, the second one makes another.
    for (const step of [4, 5]) first.feed.swapped(archiveAt(step - 1), archiveAt(step))
    await until(() => first.feed.end().seq === 5)
    expect(first.feed.problems()).toEqual([])
    expect(numbersIn(await textsAfter(first.feed, told))).toEqual([3, 4, 5])
    await first.feed.stop()
  })

  test('has files that the owner alone reads, and no links are followed', async () => {
    const folder = await temporaryFolder()
    await chmod(folder, 0o700)
    const { feed } = await run(folder, 0, 1)
    const { mode } = await Bun.file(fileOf(folder)).stat()
    expect(mode & 0o777).toBe(0o600)
    await feed.stop()
  })
})

describe('older changes', () => {
  test('come from the log where memory has them no more', async () => {
    const folder = await temporaryFolder()
    const { feed, start } = await run(folder, 0, 300)
    expect(numbersIn(await textsAfter(feed, start))).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 1),
    )
    await feed.stop()
  })

  test.each([
    ['for seven days', 1_000_000, 8],
    ['within a size', 3000, 3],
  ])('are kept %s', async (_, maxBytes, most) => {
    const folder = await temporaryFolder()
    const clock = { ms: noon }
    const { feed, changeLog } = open(folder, clock, maxBytes)
    feed.begin(undefined, archiveAt(0))
    await feed.ready
    for (let step = 1; step <= 12; step += 1) {
      clock.ms += dayMs
      feed.swapped(archiveAt(step - 1), archiveAt(step))
      await until(() => feed.end().seq === step)
    }
    const count = async () =>
      (await readdir(folder)).filter((name) => name.endsWith('.ndjson')).length
    expect(await count()).toBe(13)
    await changeLog.tidy()
    expect(await count()).toBe(most)
    expect(changeLog.keptAfter()).toBeGreaterThan(0)
    await feed.stop()
  })
})

import { describe, expect, spyOn, test } from 'bun:test'
import { chmod, mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { cursorOf, type Filter } from '../../../src/companions/changes/entry.ts'
import { createFeed } from '../../../src/companions/changes/feed.ts'
import { openChangeLog } from '../../../src/companions/changes/log.ts'
import { createStreams } from '../../../src/companions/changes/streams.ts'
import type { Archive } from '../../../src/data/archive/archive.ts'
import type { SavedArchive } from '../../../src/data/archive/changeSink.ts'
import { dateOf, dayOf } from '../../../src/data/journal/day.ts'
import type { LateResponse } from '../../../src/http/requestContext.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { archiveOf } from '../../fixtures.ts'
import { present } from '../../present.ts'
import { temporaryFolder } from '../../process.ts'
import { clipRow, fightRows, playersNamed, tournamentOf } from '../../rows.ts'
import { until } from '../../until.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 2, 14, 12)
const all: Filter = { types: undefined, bots: undefined, tournament: undefined }
const players = playersNamed('Axe', 'Bolt')

const archives = new Map<string, Archive>()
/** The archive after `step` changes, with the tournament `secret` or without. Built once: it is immutable. */
const archiveAt = (step: number, hasSecret = false): Archive => {
  const version = `version-${step}${hasSecret ? '-secret' : ''}`
  const built = archives.get(version)
  if (built) return built
  const cup = (id: string) =>
    tournamentOf({ id, name: id }, players, [
      fightRows({ id: 'W-0', notice: `notice ${step}` }, 'p0', 'p1'),
    ])
  const archive = { ...archiveOf(cup('cup'), ...(hasSecret ? [cup('secret')] : [])), version }
  archives.set(version, archive)
  return archive
}

const open = (
  folder: string,
  clock = { ms: noon },
  maxBytes = 100_000_000,
  onAppend = (): void => undefined,
  log = createLog('silent'),
  write = (append: () => Promise<void>) => append(),
) => {
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
  const append: typeof changeLog.append = (line) => {
    const appended = write(() => changeLog.append(line))
    onAppend()
    return appended
  }
  let loads = 0
  const load: typeof changeLog.load = (...listeners) => {
    loads += 1
    return changeLog.load(...listeners)
  }
  const feed = createFeed({
    changeLog: { ...changeLog, append, load },
    site: { linkPath: '', hasPages: true },
    now: () => Math.floor(clock.ms / 1000),
    log,
    maxEntries: 50,
  })
  return { feed, changeLog, loads: () => loads }
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
/** Begins with an archive, and waits until missed changes are written. */
const begin = async (
  feed: ReturnType<typeof open>['feed'],
  archive: Archive,
  saved?: SavedArchive,
): Promise<void> => {
  if (saved) feed.found(saved)
  feed.begin(archive)
  await feed.beforeSave(archive.version)
  await feed.ready
}
const fileOf = (folder: string, ms = noon): string => join(folder, `${dateOf(dayOf(ms))}.ndjson`)
const filesIn = async (folder: string): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'))
  return (await Promise.all(names.map((name) => Bun.file(join(folder, name)).text()))).join('')
}

/** Steps through archives; the first step writes the mark of a save. */
const run = async (folder: string, from: number, to: number, saved?: SavedArchive) => {
  const opened = open(folder)
  const { feed } = opened
  await begin(feed, archiveAt(from), saved)
  const start = cursorOf(feed.end())
  await feed.beforeSave(archiveAt(from).version)
  for (let step = from + 1; step <= to; step += 1) {
    const [before, after] = [archiveAt(step - 1), archiveAt(step)]
    // Some versions are compared before they are served.
    if (step % 2 === 0) await feed.compare(before, after)
    feed.swapped(before, after)
  }
  await until(() => feed.end().seq >= Number(start.split('-')[1]) + to - from)
  return { ...opened, start }
}

test('versions compared before they are served give the same changes, also if a removal replaces some', async () => {
  const versions = [archiveAt(0, true), archiveAt(1, true), archiveAt(2, true), archiveAt(3)]
  // No slice ever ends: nothing is published while versions are compared, and then all are in one removal.
  const clock = spyOn(performance, 'now').mockReturnValue(0)
  const texts = await Promise.all(
    [false, true].map(async (isCompared) => {
      const { feed } = open(await temporaryFolder())
      const [first] = versions
      if (!first) throw new Error('unreachable')
      await begin(feed, first)
      const start = cursorOf(feed.end())
      for (const [index, after] of versions.entries()) {
        const before = versions[index - 1]
        if (!before) continue
        if (isCompared) await feed.compare(before, after)
        feed.swapped(before, after)
      }
      await feed.stop()
      const place = { ...feed.end(), seq: 0 }
      const page = await feed.read(feed.find(start) ?? place, all, 100)
      return [feed.end().seq, page?.entries.map(({ text }) => text.replace(/^\{"id":"[^-]*/, ''))]
    }),
  )
  clock.mockRestore()
  expect(texts[1]).toEqual(texts[0])
  expect(texts[0]?.[0]).toBeGreaterThan(1)
})

describe('a restart', () => {
  test('a restart continues from the saved archive and the log', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 5)
    await first.feed.stop()
    const { feed } = open(folder)
    // The saved archive is older than all changes, and the data is newer.
    await begin(feed, archiveAt(7), savedAt(archiveAt(0)))
    expect(numbersIn(await textsAfter(feed, first.start))).toEqual([1, 2, 3, 4, 5, 7])
    await feed.stop()
  })

  test('a restart has the newest data saved if the feed never published the earlier served version', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    await first.feed.stop()
    const second = open(folder).feed
    second.found(savedAt(archiveAt(0)))
    second.begin(archiveAt(5))
    const saving = second.beforeSave(archiveAt(5).version)
    second.swapped(archiveAt(5), archiveAt(6))
    expect(await saving).toBe(false)
    expect(await second.beforeSave(archiveAt(6).version)).toBe(true)
    await second.stop()
    expect(numbersIn(await textsAfter(second, first.start))).toEqual([1, 2, 3, 6])
    const { feed } = open(folder)
    await begin(feed, archiveAt(5), savedAt(archiveAt(6)))
    expect(numbersIn(await textsAfter(feed, first.start))).toEqual([1, 2, 3, 6, 5])
    await feed.stop()
  })

  test('a restart continues from a saved version that changed nothing', async () => {
    const folder = await temporaryFolder()
    const { feed } = await run(folder, 0, 2)
    const same = { ...archiveAt(2), version: 'version-same' }
    feed.swapped(archiveAt(2), same)
    await feed.beforeSave(same.version)
    const end = feed.end()
    await feed.stop()
    const { feed: next } = open(folder)
    await begin(next, archiveAt(3), savedAt(same))
    expect(next.end()).toEqual({ ...end, seq: end.seq + 1 })
    await next.stop()
  })

  test('readers learn that the data begins again, as in a replay', async () => {
    const { feed } = await run(await temporaryFolder(), 0, 2)
    const { promise: told, resolve } = Promise.withResolvers<void>()
    feed.onRestart(resolve)
    feed.begin(archiveAt(5))
    await told
    await feed.stop()
  })

  test('a restart publishes nothing twice if nothing changed', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    const end = cursorOf(first.feed.end())
    await first.feed.stop()
    const { feed } = open(folder)
    await begin(feed, archiveAt(3), savedAt(archiveAt(0)))
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
  ])('a restart begins an epoch %s', async (name, damage, isSaved) => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    await first.feed.stop()
    await damage(folder)
    const { feed } = open(folder)
    const archive = archiveAt(name.includes('does not know') ? 99 : 0)
    await begin(feed, archiveAt(4), isSaved ? savedAt(archive) : undefined)
    expect(feed.find(first.start)).toBeUndefined()
    expect(await Bun.file(fileOf(folder)).text()).not.toContain('notice 1')
    await feed.stop()
  })

  test.each([
    ['old lines of two days', (before: string) => [before, before]],
    ['old lines of the newest day', (before: string) => [undefined, before]],
    ['nothing', () => [undefined, undefined]],
  ])('hidden text is gone after a kill during a removal that left %s', async (_, leave) => {
    const folder = await temporaryFolder()
    const clock = { ms: noon }
    const first = open(folder, clock)
    await begin(first.feed, archiveAt(0))
    const told = cursorOf(first.feed.end())
    const files = [fileOf(folder), fileOf(folder, noon + dayMs)]
    first.feed.swapped(archiveAt(0), archiveAt(0, true))
    await until(() => first.feed.end().seq === 1)
    clock.ms += dayMs
    first.feed.swapped(archiveAt(0, true), archiveAt(1, true))
    await until(() => first.feed.end().seq === 3)
    await first.feed.stop()
    const texts = await Promise.all(files.map((path) => Bun.file(path).text()))
    expect(texts.join()).toContain('secret')
    for (const [index, text] of leave('kept').entries()) {
      if (text === undefined) await rm(files[index] ?? '')
    }
    const { feed } = open(folder, clock)
    await begin(feed, archiveAt(1), savedAt(archiveAt(0)))
    expect(feed.find(told)).toBeUndefined()
    expect(await filesIn(folder)).not.toContain('"tournament.added"')
    await feed.stop()
  })

  test('a restart that finds something withheld begins an epoch before it can be read', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    await first.feed.stop()
    const { feed } = open(folder)
    feed.found({ ...savedAt(archiveAt(0)), withheld: new Set(['secret']) })
    await feed.ready
    expect(feed.find(first.start)).toBeUndefined()
    expect(await filesIn(folder)).not.toContain('notice')
    await feed.stop()
  })

  test('a restart without its source gives what the log has, and continues with the source', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 3)
    await first.feed.stop()
    const { feed } = open(folder)
    feed.found(savedAt(archiveAt(0)))
    expect(['axe', 'nobody'].map(feed.isBot)).toEqual([true, false])
    await feed.ready
    expect(numbersIn(await textsAfter(feed, first.start))).toEqual([1, 2, 3])
    await begin(feed, archiveAt(4))
    expect(numbersIn(await textsAfter(feed, first.start))).toEqual([1, 2, 3, 4])
    await feed.stop()
  })

  test('a restart without its source and a fitting log begins an epoch, and continues with the source', async () => {
    const { feed } = open(await temporaryFolder())
    feed.found(savedAt(archiveAt(0)))
    await feed.ready
    const start = cursorOf(feed.end())
    await begin(feed, archiveAt(1))
    expect(numbersIn(await textsAfter(feed, start))).toEqual([1])
    await feed.stop()
  })
})

describe('a removal', () => {
  test('a removal cuts the history before it, in memory and on disk', async () => {
    const folder = await temporaryFolder()
    const { feed, start } = await run(folder, 0, 100)
    feed.swapped(archiveAt(100), archiveAt(100, true))
    await until(() => feed.end().seq === 101)
    const [away, live] = [cursorOf(feed.end()), feed.end()]
    feed.swapped(archiveAt(100, true), archiveAt(101))
    // The check comes at once, before anything is written.
    for (const cursor of [start, away.replace(/\d+$/, '100')]) {
      expect(feed.find(cursor)).toBeUndefined()
    }
    await until(() => feed.end().seq === 103)
    const texts = await textsAfter(feed, away)
    expect(texts).toHaveLength(2)
    expect(texts?.[0]).toContain('"tournament.removed"')
    expect(await feed.read(live, all, 10)).toMatchObject({ more: false })
    const logged = await filesIn(folder)
    expect(logged.trimEnd().split('\n')).toHaveLength(1)
    expect(logged).not.toContain('"tournament.added"')
    // The log continues.
    feed.swapped(archiveAt(101), archiveAt(102))
    await until(() => feed.end().seq === 104)
    expect(numbersIn(await textsAfter(feed, away))).toEqual([Number.NaN, 101, 102])
    await feed.stop()
  })

  test('a removal leaves nothing for readers that wait for their turn', async () => {
    const { feed } = open(await temporaryFolder())
    await begin(feed, archiveAt(0, true))
    const streams = createStreams(feed, { maxStreams: 100, maxStreamsPerClient: 100 })
    const since = cursorOf(feed.end())
    const { signal } = new AbortController()
    let isHidden = false
    const answeredAfter: string[] = []
    const options = { since, filter: all, limit: 100, waitMs: 25_000, client: undefined, signal }
    const polls = Array.from({ length: 100 }, async () => {
      const { promise, resolve: respond } = Promise.withResolvers<LateResponse>()
      streams.poll({ ...options, waiter: { charge: () => undefined, respond } })
      const { bytes } = await promise
      if (isHidden) answeredAfter.push(new TextDecoder().decode(bytes))
      // Two of them take longer than a time slice.
      const untilMs = performance.now() + 1
      while (performance.now() < untilMs);
    })
    const published = Promise.withResolvers<unknown>()
    const unsubscribe = feed.subscribe(published.resolve)
    feed.swapped(archiveAt(0, true), archiveAt(1, true))
    await published.promise
    unsubscribe()
    // The first of many slices of time.
    await setImmediate()
    feed.swapped(archiveAt(1, true), archiveAt(1))
    isHidden = true
    await Promise.all(polls)
    expect(answeredAfter.length).toBeGreaterThan(0)
    expect(answeredAfter.filter((text) => text.includes('secret'))).toEqual([])
    await feed.stop()
  })

  test('a removal voids a page that is being read from the log', async () => {
    const folder = await temporaryFolder()
    const { feed, start } = await run(folder, 0, 300)
    const place = feed.find(start)
    if (!place) throw new Error('no place')
    const reading = feed.read(place, all, 1000)
    feed.swapped(archiveAt(300, true), archiveAt(300))
    expect(await reading).toBeUndefined()
    await feed.stop()
  })

  test.each([
    ['waiting', 0],
    ['on its way to the disk', 1],
  ])('a removal replaces the change before it that is still %s', async (_, appends) => {
    const folder = await temporaryFolder()
    const appending = Promise.withResolvers<void>()
    let appended = 0
    const { feed } = open(folder, { ms: noon }, 1_000_000, () => {
      appended += 1
      // The first line is written by the start.
      if (appended === 2) appending.resolve()
    })
    await begin(feed, archiveAt(0))
    const start = cursorOf(feed.end())
    const published: string[] = []
    feed.subscribe((entries) => published.push(...entries.map(({ text }) => text)))
    appended = 1
    feed.swapped(archiveAt(0), archiveAt(1, true))
    if (appends > 0) await appending.promise
    feed.swapped(archiveAt(1, true), archiveAt(1))
    await feed.beforeSave(archiveAt(1).version)
    // Readers that loaded the data in between get the removal, too; others get the replaced change.
    expect(published[0]).toContain('"tournament.removed"')
    expect(numbersIn(published.slice(1))).toEqual([1])
    expect(await textsAfter(feed, start)).toEqual(published)
    expect(await filesIn(folder)).not.toContain('"tournament.added"')
    await feed.stop()
  })

  test('a removal removes previous values from the changes before it, but not the previous tournament of a row', async () => {
    const { feed } = open(await temporaryFolder())
    /** The clip is of a fight in the tournament `home`; `secret` is there or not. */
    const leagueAt = (step: number, home: string, hasSecret = false): Archive => ({
      ...archiveOf(
        ...['cup', 'open', ...(hasSecret ? ['secret'] : [])].map((id) =>
          tournamentOf(
            { id, name: id },
            players,
            [fightRows({ id: 'W-0', notice: `${id} ${step}` }, 'p0', 'p1')],
            {
              clips:
                id === home
                  ? [clipRow({ token: 'clip', gameId: 'W-0', name: `clip ${step}` })]
                  : [],
            },
          ),
        ),
      ),
      version: `league-${step}`,
    })
    const [first, second, third] = [
      leagueAt(0, 'cup'),
      leagueAt(1, 'cup', true),
      leagueAt(2, 'open'),
    ]
    await begin(feed, first)
    const published: string[] = []
    feed.subscribe((entries) => published.push(...entries.map(({ text }) => text)))
    feed.swapped(first, second)
    feed.swapped(second, third)
    await feed.beforeSave(third.version)
    const changes = published.map((text) => JSON.parse(text))
    expect(changes.map(({ type, tournamentID }) => `${type} ${tournamentID}`).toSorted()).toEqual([
      'clip.changed open',
      'fight.corrected cup',
      'fight.corrected open',
      'tournament.removed secret',
    ])
    for (const { type, before } of changes)
      if (before)
        expect([type, before]).toEqual([
          type,
          type === 'clip.changed' ? { tournamentID: 'cup' } : {},
        ])
    await feed.stop()
  })

  test('a removal that the disk refuses leaves no hidden text there', async () => {
    const folder = await temporaryFolder()
    const { feed } = await run(folder, 0, 1)
    feed.swapped(archiveAt(1), archiveAt(1, true))
    await until(() => feed.end().seq === 2)
    // A folder takes the place of the temporary file.
    await mkdir(`${fileOf(folder)}.tmp/full`, { recursive: true })
    feed.swapped(archiveAt(1, true), archiveAt(1))
    await until(() => feed.end().seq === 3)
    expect(feed.problems()).toHaveLength(1)
    expect(await filesIn(folder)).not.toContain('secret')
    await feed.stop()
  })

  test.each(['before the next change is written', 'each minute'])(
    'a removal that the disk refuses is repeated %s',
    async (when) => {
      const folder = await temporaryFolder()
      const begun = spyOn(globalThis, 'setInterval')
      const { feed } = await run(folder, 0, 1)
      const [tidy] = begun.mock.calls.find(([, ms]) => ms === 60_000) ?? []
      begun.mockRestore()
      feed.swapped(archiveAt(1), archiveAt(1, true))
      await until(() => feed.end().seq === 2)
      const immutable = fileOf(folder)
      await rename(immutable, `${immutable}.kept`)
      await mkdir(join(immutable, 'full'), { recursive: true })
      feed.swapped(archiveAt(1, true), archiveAt(2))
      await until(() => feed.end().seq === 4)
      feed.swapped(archiveAt(2), archiveAt(3))
      await until(() => feed.end().seq === 5)
      expect(feed.problems()).toHaveLength(1)
      await rm(immutable, { recursive: true })
      await rename(`${immutable}.kept`, immutable)
      expect(await filesIn(folder)).toContain('secret')
      if (when === 'each minute') tidy?.()
      else feed.swapped(archiveAt(3), archiveAt(4))
      await until(async () => !(await filesIn(folder)).includes('secret'))
      await feed.stop()
    },
  )
})

test('the log is kept within its limit while the feed runs; a failure is logged', async () => {
  const folder = await temporaryFolder()
  const clock = { ms: noon }
  const [begun, ended] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')]
  const messages: string[] = []
  const { feed } = open(folder, clock, 1, undefined, (_, message) => void messages.push(message))
  await begin(feed, archiveAt(0))
  clock.ms += dayMs
  feed.swapped(archiveAt(0), archiveAt(1))
  await until(() => feed.end().seq === 1)
  const [tidy] = begun.mock.calls.find(([, ms]) => ms === 60_000) ?? []
  const tidied = async (): Promise<void> => {
    tidy?.()
    await feed.beforeSave(archiveAt(1).version)
  }
  const old = fileOf(folder)
  const text = await Bun.file(old).text()
  await rm(old)
  await mkdir(old)
  await tidied()
  expect(messages).toEqual(['the log of changes cannot be tidied'])
  await rm(old, { recursive: true })
  await writeFile(old, text)
  await tidied()
  expect([await Bun.file(old).exists(), messages.length]).toEqual([false, 1])
  await feed.stop()
  const timers = begun.mock.results.map(({ value }) => value)
  expect(timers.filter((each) => !ended.mock.calls.some(([timer]) => timer === each))).toEqual([])
  for (const spy of [begun, ended]) spy.mockRestore()
})

test('a feed that stops tries no more to get a log that another process has', async () => {
  const folder = await temporaryFolder()
  const other = open(folder).feed
  await begin(other, archiveAt(0))
  const { feed, loads } = open(folder)
  await feed.stop()
  expect(loads()).toBe(1)
  await other.stop()
})

test('an epoch that begins continues the numbers of the one before', async () => {
  const { feed } = await run(await temporaryFolder(), 0, 3)
  const { epoch, seq } = feed.end()
  feed.begin(archiveAt(0))
  await until(() => feed.end().epoch !== epoch)
  expect(feed.end().seq).toBe(seq)
  await feed.stop()
})

describe('the disk', () => {
  test('a log file that somebody shortened begins an epoch', async () => {
    const folder = await temporaryFolder()
    const { feed } = await run(folder, 0, 3)
    const { epoch } = feed.end()
    await truncate(fileOf(folder), 100)
    feed.swapped(archiveAt(3), archiveAt(4))
    await until(() => feed.end().seq === 4)
    expect(feed.end().epoch).not.toBe(epoch)
    await feed.stop()
  })

  test('a disk that takes nothing begins an epoch that no other process continues', async () => {
    const folder = await temporaryFolder()
    const first = await run(folder, 0, 2)
    const told = cursorOf(first.feed.end())
    await rm(fileOf(folder))
    await mkdir(fileOf(folder))
    first.feed.swapped(archiveAt(2), archiveAt(3))
    await until(() => first.feed.end().seq === 3)
    expect(first.feed.problems()).toHaveLength(1)
    // Numbers after the last one of an ended epoch are unknown.
    expect(first.feed.find(told)).toBeDefined()
    expect(first.feed.find(told.replace(/\d+$/, '3'))).toBeUndefined()
    // Streams continue in another epoch.
    expect(numbersIn(await textsAfter(first.feed, told))).toEqual([3])
    const { epoch } = first.feed.end()
    expect(epoch).not.toBe(told.split('-')[0])
    await rm(fileOf(folder), { recursive: true })
    // The first write fails because the file is gone; the second one creates it.
    for (const step of [4, 5]) first.feed.swapped(archiveAt(step - 1), archiveAt(step))
    await until(() => first.feed.end().seq === 5)
    expect(first.feed.problems()).toEqual([])
    expect(numbersIn(await textsAfter(first.feed, told))).toEqual([3, 4, 5])
    expect(first.feed.end().epoch).toBe(epoch)
    await first.feed.stop()
  })

  test('a hung disk keeps no archives in memory, and later gets all changes', async () => {
    const hanging = Promise.withResolvers<void>()
    let disk = Promise.resolve()
    const folder = await temporaryFolder()
    const { feed, changeLog } = open(folder, undefined, undefined, undefined, undefined, (append) =>
      disk.then(append),
    )
    await begin(feed, archiveAt(0))
    disk = hanging.promise
    feed.useClock(() => 0)
    const place = feed.end()
    let before = archiveAt(0)
    const seen: WeakRef<Archive>[] = []
    for (let step = 1; step <= 100; step += 1) {
      const next = { ...archiveAt(step), bots: [...archiveAt(step).bots] }
      await feed.compare(before, next)
      feed.swapped(before, next)
      seen.push(new WeakRef(next))
      before = next
    }
    await Bun.sleep(10)
    Bun.gc(true)
    expect(seen.filter((each) => each.deref()).length).toBeLessThan(20)
    expect(feed.end()).toEqual(place)
    hanging.resolve()
    await until(() => feed.end().seq === 100)
    const texts = await textsAfter(feed, cursorOf(place))
    expect(numbersIn(texts)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    expect(changeLog.keptAfter()).toBe(0)
    await feed.stop()
  })

  test('a disk that takes nothing is logged once per cause, and so is its recovery', async () => {
    const folder = await temporaryFolder()
    const messages: string[] = []
    const { feed } = open(folder, undefined, undefined, undefined, (_, message) => {
      messages.push(message.replace(/:.*/, ''))
    })
    const swap = async (step: number): Promise<void> => {
      feed.swapped(archiveAt(step - 1), archiveAt(step))
      await until(() => feed.end().seq === step)
    }
    await begin(feed, archiveAt(0))
    await swap(1)
    await rm(fileOf(folder))
    await mkdir(fileOf(folder))
    for (const step of [2, 3]) await swap(step)
    await rm(fileOf(folder), { recursive: true })
    for (const step of [4, 5, 6]) await swap(step)
    // There are two causes: a folder in its place, and then the missing file.
    expect(messages).toEqual([
      'the log of changes cannot be written',
      'the log of changes cannot be written',
      'the log of changes is written again',
    ])
    await feed.stop()
  })

  test('a disk that refuses one line loses no change of a reader that is behind', async () => {
    const folder = await temporaryFolder()
    const clock = { ms: noon }
    const { feed } = open(folder, clock)
    await begin(feed, archiveAt(0))
    const place = feed.end()
    const step = async (to: number): Promise<void> => {
      feed.swapped(archiveAt(to - 1), archiveAt(to))
      await until(() => feed.end().seq === to)
    }
    await step(1)
    // A folder takes the place of the next day's file.
    clock.ms += dayMs
    await mkdir(fileOf(folder, clock.ms))
    await step(2)
    expect(feed.problems()).toHaveLength(1)
    clock.ms -= dayMs
    for (let next = 3; next <= 80; next += 1) await step(next)
    expect(feed.problems()).toEqual([])
    // Memory has the last 50; the log has all but one of the earlier ones.
    expect(await feed.read(place, all, 1000)).toBeUndefined()
    await feed.stop()
  })

  test('the files of the log are readable only by the owner, and no links are followed', async () => {
    const folder = await temporaryFolder()
    await chmod(folder, 0o700)
    const { feed } = await run(folder, 0, 1)
    const { mode } = await Bun.file(fileOf(folder)).stat()
    expect(mode & 0o777).toBe(0o600)
    await feed.stop()
  })
})

describe('older changes', () => {
  test('old changes are parsed once for all readers, and other work runs in between', async () => {
    const opened = await run(await temporaryFolder(), 0, 300)
    const { feed, start } = opened
    const [epoch = ''] = start.split('-')
    const places = Array.from({ length: 40 }, (_, index) => ({ epoch, seq: index * 5 }))
    const unknown = { ...all, tournament: 'none' }
    const parse = spyOn(JSON, 'parse')
    let turns = 0
    let isRead = false
    const counting = (async () => {
      for (; !isRead; turns += 1) await setImmediate()
    })()
    const charges: number[] = []
    const pages = await Promise.all(
      places.map((place) => feed.read(place, unknown, 100, (bytes) => charges.push(bytes))),
    )
    isRead = true
    await counting
    expect(pages.map((page) => [page?.entries, page?.more])).toEqual(places.map(() => [[], false]))
    // Heads of lines and their changes; the last 50 changes are in memory.
    expect(parse.mock.calls.length).toBeLessThan(2.5 * 300)
    parse.mockRestore()
    expect(turns).toBeGreaterThan(1)
    expect(charges).toHaveLength(40)
    expect(Math.max(...charges)).toBeGreaterThan(250 * 1024)
    // Readers with different filters get different changes.
    const read = await Promise.all(places.map((place) => feed.read(place, all, 7)))
    expect(read.map((page) => page?.entries.map(({ seq }) => seq))).toEqual(
      places.map(({ seq }) => Array.from({ length: 7 }, (_, index) => seq + 1 + index)),
    )
    await feed.stop()
  })

  test('a reader that filters older changes gets the next one that matches', async () => {
    const { feed, start } = await run(await temporaryFolder(), 0, 300)
    const { promise, resolve: respond } = Promise.withResolvers<LateResponse>()
    const reading = Promise.withResolvers<unknown>()
    const read: typeof feed.read = (...place) => {
      const page = feed.read(...place)
      void Promise.resolve(page).then(reading.resolve)
      return page
    }
    const polled = createStreams({ ...feed, read }, { maxStreams: 1, maxStreamsPerClient: 1 })
    polled.poll({
      since: start,
      filter: { ...all, types: new Set(['tournament.added']) },
      limit: 100,
      waitMs: 25_000,
      client: undefined,
      signal: new AbortController().signal,
      waiter: { charge: () => undefined, respond },
    })
    expect(await reading.promise).toMatchObject({ entries: [] })
    await setImmediate()
    feed.swapped(archiveAt(300), archiveAt(300, true))
    const { bytes } = await promise
    expect(new TextDecoder().decode(bytes)).toContain('"tournamentID":"secret"')
    await feed.stop()
  })

  test('older changes of one version come from the log in pages that end between them', async () => {
    const { feed } = open(await temporaryFolder())
    await begin(feed, archiveAt(0))
    let place = feed.end()
    // Each version has two changes.
    for (let step = 1; step <= 60; step += 1)
      feed.swapped(archiveAt(step - 1, step > 1), archiveAt(step, true))
    await until(() => feed.end().seq === 120)
    const found: number[] = []
    for (let more = true; more; ) {
      const page = present(await feed.read(place, all, 7))
      found.push(...page.entries.map(({ seq }) => seq))
      ;({ place, more } = page)
    }
    expect(found).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
    await feed.stop()
  })

  test('older changes come from the log if memory no longer has them', async () => {
    const folder = await temporaryFolder()
    const { feed, start } = await run(folder, 0, 300)
    expect(numbersIn(await textsAfter(feed, start))).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 1),
    )
    await feed.stop()
  })
})

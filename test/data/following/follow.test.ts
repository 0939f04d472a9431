import { expect, test } from 'bun:test'
import { cp, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createChanges, openChanges } from '../../../src/companions/changes/changes.ts'
import { nothingHidden } from '../../../src/data/archive/hidden.ts'
import { emptyLeague } from '../../../src/data/archive/loadedLeague.ts'
import { saveLeague } from '../../../src/data/archive/savedLeague.ts'
import { leagueWith } from '../../../src/data/archive/updateLeague.ts'
import {
  type FollowedSource,
  type FollowOptions,
  follow,
} from '../../../src/data/following/follow.ts'
import { openLastGood } from '../../../src/data/following/lastGood.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { temporaryFolder } from '../../process.ts'
import { cageRow, playerRow } from '../../rows.ts'
import { smallLeague } from '../../smallLeague.ts'
import { until } from '../../until.ts'

const tournaments = [...smallLeague.tournaments].slice(0, 2)
const ids = tournaments.map(({ tournament }) => tournament.id)

/** Follows a source that has these tournaments, and counts its reads. */
const followed = async (
  tournamentsAt: (read: number) => readonly TournamentRows[],
  onRead: (read: number, isAwaited: boolean) => unknown = () => undefined,
  options: Partial<FollowOptions> = {},
  over: Partial<FollowedSource> = {},
) => {
  let reads = 0
  const source: FollowedSource = {
    kind: 'postgres',
    name: 'database',
    read: async (before, _, isAwaited) => {
      reads += 1
      await onRead(reads, isAwaited)
      const shown = new Map(tournamentsAt(reads).map((rows) => [rows.tournament.id, rows]))
      const updates = ids.map((id) => ({ id, rows: shown.get(id) }))
      const { league, bad } = await leagueWith(before, updates, { cages: [], cageQueue: [] })
      return { league, bad, changedRows: 0, currentAt: performance.now() }
    },
    failureOf: () => undefined,
    hidden: async () => nothingHidden,
    isOwn: () => true,
    follows: () => 'notifications',
    close: async () => undefined,
    wallMs: Date.now,
    clockMs: () => performance.now(),
    ...over,
  }
  const service = follow(source, {
    refreshMs: 3_600_000,
    dataDir: await temporaryFolder(),
    log: createLog('silent'),
    ...options,
  })
  return { service, reads: () => reads }
}

test('a tournament hidden during the first load is never served', async () => {
  const { service } = await followed((read) => (read === 1 ? tournaments : tournaments.slice(1)))
  await service.firstLoad
  expect(service.archive()?.dataset.tournaments.map(({ info }) => info.id)).toEqual(ids.slice(1))
  await service.stop()
})

test('a notification causes one read, one more if it comes during a read, and none after a stop', async () => {
  const awaited: boolean[] = []
  const { service, reads } = await followed(
    () => tournaments,
    (read, isAwaited) => {
      awaited.push(isAwaited)
      if (read === 4) service.notified()
    },
    {},
    {
      // A due read would begin within this time.
      close: () => {
        service.notified()
        return Bun.sleep(20)
      },
    },
  )
  await service.firstLoad
  expect(reads()).toBe(2)
  for (let n = 0; n < 10; n += 1) service.notified()
  await until(() => reads() === 3)
  // A read every 100 ms would be noticed.
  await Bun.sleep(350)
  expect(reads()).toBe(3)
  service.notified()
  await until(() => reads() === 5)
  await Bun.sleep(350)
  expect(reads()).toBe(5)
  service.notified()
  await service.stop()
  expect(awaited).toEqual([false, false, true, true, true])
})

test('a failed read is not repeated at once for a commit that came during it', async () => {
  const { service, reads } = await followed(
    () => tournaments,
    (read) => {
      if (read < 3) return
      service.notified()
      throw new Error('down')
    },
  )
  await service.firstLoad
  service.notified()
  await until(() => reads() === 3)
  // A repetition would come every 100 ms.
  await Bun.sleep(350)
  expect(reads()).toBe(3)
  await service.stop()
})

test('a notified read after one of several seconds begins at once', async () => {
  let ms = 0
  const takeLong = () => {
    ms += 100_000
  }
  const { service, reads } = await followed(() => tournaments, takeLong, {}, { clockMs: () => ms })
  await service.firstLoad
  service.notified()
  await until(() => reads() === 3)
  await service.stop()
})

test.each([
  ['waits for twice its duration', 20, 40],
  ['is at most 100 ms after the last one began', 60, 40],
])('a notified read %s', async (_, tookMs, delayMs) => {
  let ms = 0
  const take = (read: number) => {
    if (read > 2) ms += tookMs
  }
  const { service, reads } = await followed(() => tournaments, take, {}, { clockMs: () => ms })
  await service.firstLoad
  service.notified()
  await until(() => service.status().refreshes?.complete === 3)
  service.notified()
  // Timers run in the order of their times, even if late.
  await Bun.sleep(delayMs - 10)
  expect(reads()).toBe(3)
  await Bun.sleep(20)
  expect(reads()).toBe(4)
  await until(() => service.status().refreshes?.complete === 4)
  expect(service.status().refreshes?.ms).toBe(2 * tookMs)
  await service.stop()
})

test('a notification before the start has read its file begins no second read', async () => {
  const hidden = Promise.withResolvers<typeof nothingHidden>()
  const { service, reads } = await followed(
    () => tournaments,
    undefined,
    {},
    { hidden: () => hidden.promise },
  )
  service.notified()
  await Bun.sleep(10)
  expect(reads()).toBe(0)
  hidden.resolve(nothingHidden)
  await service.firstLoad
  expect(reads()).toBe(2)
  await service.stop()
})

test('a stop waits for the source to close, reads no more, and logs no failure', async () => {
  const lines: string[] = []
  const reading = Promise.withResolvers<void>()
  let isClosed = false
  const { service, reads } = await followed(
    () => tournaments,
    (read) => (read === 4 ? reading.promise : undefined),
    { refreshMs: 1, log: (level, message) => void lines.push(`${level} ${message}`) },
    {
      close: async () => {
        reading.reject(new Error('closed'))
        // A due read would begin within this time.
        await Bun.sleep(20)
        isClosed = true
      },
    },
  )
  await until(() => reads() === 4)
  await service.stop()
  expect([isClosed, reads()]).toEqual([true, 4])
  expect(lines.filter((line) => line.startsWith('error'))).toEqual([])
  const later = await followed(
    () => tournaments,
    undefined,
    { refreshMs: 10 },
    { close: () => Bun.sleep(30) },
  )
  await until(() => later.service.status().refreshes?.complete === 3)
  await later.service.stop()
  expect(later.reads()).toBe(3)
})

test('a stop while the last good archive is read serves nothing and logs nothing', async () => {
  const dataDir = await temporaryFolder()
  const first = await followed(() => tournaments, undefined, { dataDir })
  await first.service.firstLoad
  await first.service.stop()
  const lines: string[] = []
  const { service } = await followed(
    () => tournaments,
    () => Promise.reject(new Error('closed')),
    { dataDir, log: (_, message) => void lines.push(message) },
  )
  await service.stop()
  expect([service.archive(), lines]).toEqual([undefined, []])
})

test('bad rows of the saved league are counted, and an unexpected error is only logged', async () => {
  const dataDir = await temporaryFolder()
  const updates = tournaments.map((rows) => ({ id: rows.tournament.id, rows }))
  const { league } = await leagueWith(emptyLeague, updates, { cages: [], cageQueue: [] })
  const cages = { cages: [cageRow({ number: 0 })], cageQueue: [] }
  await saveLeague(join(dataDir, 'last-good.cageside'), { ...league, cages }, 1_770_000_000)
  const lines: unknown[] = []
  const { service } = await followed(
    () => tournaments,
    () => Promise.reject(new Error('secret')),
    { dataDir, maxStartWaitMs: 1, log: (_, message, fields) => void lines.push([message, fields]) },
  )
  await service.firstLoad
  await until(() => service.status().refreshes?.failed === 1)
  expect(service.status()).toMatchObject({ badRows: 1, lastRefresh: { error: 'internal error' } })
  expect(lines).toContainEqual(['refresh failed unexpectedly', { cause: 'Error: secret' }])
  await service.stop()
})

test('bad rows are listed even if nothing else changed, and logged with a new version', async () => {
  const withBad = (name?: string) =>
    tournaments.map((rows) => ({
      ...rows,
      tournament: { ...rows.tournament, name: name ?? rows.tournament.name },
      players: [...rows.players, playerRow({ id: 'new', seed: -1 })],
    }))
  const lines: string[] = []
  const { service, reads } = await followed(
    (read) => (read < 3 ? tournaments : withBad(read < 4 ? undefined : 'Renamed')),
    undefined,
    { log: (_, message) => void lines.push(message) },
  )
  await service.firstLoad
  const { version } = service.archive() ?? {}
  for (const [read, logged] of [
    [3, 0],
    [4, 1],
  ] as const) {
    service.notified()
    await until(() => service.status().refreshes?.complete === read)
    expect(reads()).toBe(read)
    expect(service.archive()?.version === version).toBe(logged === 0)
    expect(service.recentBadRows?.().map(({ table, key }) => [table, key])).toEqual(
      ids.map(() => ['players', 'new']),
    )
    expect(lines.filter((line) => line === 'rows left out')).toHaveLength(logged)
  }
  await service.stop()
})

test('the saved league is not saved again if nothing was read', async () => {
  const dataDir = await temporaryFolder()
  const first = await followed(() => tournaments, undefined, { dataDir })
  await first.service.firstLoad
  await first.service.stop()
  const path = join(dataDir, 'last-good.cageside')
  const { ino } = await stat(path)
  const isDown = () => Promise.reject(new Error('down'))
  const { service } = await followed(() => [], isDown, { dataDir, maxStartWaitMs: 1 })
  await service.firstLoad
  await service.stop()
  expect((await stat(path)).ino).toBe(ino)
})

test('the status has the first 100 held-back tournaments, the age of the reading and how changes are followed', async () => {
  let [ms, isNotifying] = [Date.now(), true]
  const held = Array.from({ length: 101 }, (_, at) => ({
    tournamentID: `cup ${at}`,
    fights: at,
    reason: 'fights are missing',
  }))
  const heldBack = new Map(held.map(({ tournamentID, ...each }) => [tournamentID, each]))
  const { service } = await followed(
    () => tournaments,
    undefined,
    {},
    {
      follows: () => (isNotifying ? 'notifications' : 'timer'),
      wallMs: () => ms,
      clockMs: () => 60_000,
      read: async (before) => {
        const updates = tournaments.map((rows) => ({ id: rows.tournament.id, rows }))
        const { league, bad } = await leagueWith(before, updates, { cages: [], cageQueue: [] })
        return { league: { ...league, heldBack }, bad, changedRows: 0, currentAt: 0 }
      },
    },
  )
  await service.firstLoad
  const currentAt = Math.floor(ms / 1000) - 60
  expect(service.status()).toMatchObject({ currentAt, follows: 'notifications' })
  expect(service.status().heldBack).toEqual(held.slice(0, 100))
  ms += 1000
  isNotifying = false
  expect(service.status().follows).toBe('timer')
  await service.stop()
})

test('a saved league is served with its age, but not if it comes from another source', async () => {
  const dataDir = await temporaryFolder()
  const first = await followed(() => tournaments, undefined, { dataDir })
  await first.service.firstLoad
  await first.service.stop()
  const savedAt = Date.now() / 1000
  for (const [isOwn, hours] of [
    [true, 1],
    [false, 1],
    [true, -1],
  ] as const) {
    const wallMs = () => Date.now() + hours * 3_600_000
    const { service } = await followed(
      () => [],
      () => Promise.reject(new Error('down')),
      { dataDir, maxStartWaitMs: 1 },
      { isOwn: () => isOwn, wallMs },
    )
    await until(() => service.status().refreshes?.failed === 1)
    const { currentAt } = service.status()
    expect([isOwn, service.archive() !== undefined]).toEqual([isOwn, isOwn])
    // Data from the future counts as new.
    const expected = hours < 0 ? wallMs() / 1000 : savedAt
    if (isOwn) expect(Math.abs(Number(currentAt) - expected)).toBeLessThan(600)
    await service.stop()
  }
})

test('a failing source is read again, and its failure ends with a success', async () => {
  const lines: string[] = []
  const { service, reads } = await followed(
    () => tournaments,
    (read) => {
      if (read === 1 || (read > 3 && read < 7)) throw new Error('down')
    },
    { refreshMs: 1, log: (_, message) => void lines.push(message) },
    // The failure lasts after the start, so it is reported at once.
    { failureOf: () => ({ reason: 'down', isLasting: service.archive() !== undefined }) },
  )
  await service.firstLoad
  expect(service.archive()).toBeDefined()
  await until(() => reads() > 12)
  await service.stop()
  expect(lines.filter((line) => line === 'the database can be read again')).toHaveLength(2)
  expect(lines.filter((line) => line === 'refresh failed')).toHaveLength(1)
  expect(service.status().refreshes).toMatchObject({ failed: 4, incomplete: 0 })
})

test('a stop during a change saves that change', async () => {
  const dataDir = await temporaryFolder()
  let stopping: Promise<void> | undefined
  const changes = {
    ...createChanges().feed,
    compare: () => {
      stopping ??= service.stop()
      return Bun.sleep(20)
    },
  }
  const { service } = await followed(
    (read) => (read < 3 ? tournaments : tournaments.slice(1)),
    undefined,
    { dataDir, changes, saveEveryMs: 3_600_000 },
  )
  await service.firstLoad
  service.notified()
  await until(() => stopping !== undefined)
  await stopping
  const saved = await openLastGood(dataDir, createLog('silent')).read(
    Promise.resolve(nothingHidden),
  )
  expect([...(saved?.league.entries.keys() ?? [])]).toEqual(ids.slice(1))
})

const feedIn = (dataDir: string) => {
  const limits = { maxStreams: 1, maxStreamsPerClient: 1, changeLogBytes: 1_000_000 }
  const settings = { ...limits, basePath: '', publicUrl: undefined, pages: true, dataDir }
  return openChanges(settings, { log: createLog('silent') }).feed
}

test.each([
  ['waits for the source if more was published than saved', true],
  ['serves the saved league if nothing was published since', false],
])('a start after a kill %s', async (_, hasMore) => {
  const renamed = tournaments.map((rows) => ({
    ...rows,
    tournament: { ...rows.tournament, name: 'Renamed' },
  }))
  const [dataDir, killed] = [await temporaryFolder(), await temporaryFolder()]
  const changes = feedIn(dataDir)
  const { service } = await followed(
    (read) => (read < 3 ? tournaments : renamed),
    () => undefined,
    { dataDir, changes, saveEveryMs: 3_600_000 },
  )
  await service.firstLoad
  await until(() => Bun.file(join(dataDir, 'last-good.cageside')).exists())
  await cp(dataDir, killed, { recursive: true })
  if (hasMore) {
    const { seq } = changes.end()
    service.notified()
    await until(() => changes.end().seq > seq)
    await cp(join(dataDir, 'changes'), join(killed, 'changes'), { recursive: true })
  }
  await service.stop()
  await changes.stop()

  const reading = Promise.withResolvers<void>()
  const feed = feedIn(killed)
  const again = await followed(
    () => renamed,
    () => reading.promise,
    { dataDir: killed, changes: feed, maxStartWaitMs: 1 },
  )
  await feed.ready
  if (hasMore) {
    await Bun.sleep(100)
    expect([again.service.archive(), again.service.rows()]).toEqual([undefined, undefined])
  } else {
    await again.service.firstLoad
    expect(again.service.archive()?.dataset.tournaments[0]?.info.name).not.toBe('Renamed')
  }
  reading.resolve()
  await until(() => again.service.archive()?.dataset.tournaments[0]?.info.name === 'Renamed')
  await again.service.stop()
  await feed.stop()
})

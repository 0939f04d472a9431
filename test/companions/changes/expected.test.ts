import { describe, expect, jest, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createChanges } from '../../../src/companions/changes/changes.ts'
import { expectedChanges, type SentStarts } from '../../../src/companions/changes/expected.ts'
import { createFeed } from '../../../src/companions/changes/feed.ts'
import { openChangeLog } from '../../../src/companions/changes/log.ts'
import type { ChangeEvent } from '../../../src/companions/changes/schema.ts'
import { buildDataset, buildTournament } from '../../../src/data/league/build.ts'
import { buildCages } from '../../../src/data/league/cages.ts'
import type { Tournament } from '../../../src/data/league/types.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { eventDay } from '../../eventDay.ts'
import { archiveWithCages } from '../../fixtures.ts'
import { temporaryFolder } from '../../process.ts'
import { sampleLeague } from '../../smallLeague.ts'
import { until } from '../../until.ts'

const { capturedAt, tournaments, ...cages } = sampleLeague
const all = [...tournaments]
const newest = all.slice(-12)
const archive = archiveWithCages(cages, ...newest)

/** Changes sent while only time passes, in steps. */
const sentWithin = (seconds: number, step: number) => {
  let sent: SentStarts = expectedChanges(archive, new Map(), capturedAt).sent
  const found = []
  for (let now = capturedAt + step; now <= capturedAt + seconds; now += step) {
    const next = expectedChanges(archive, sent, now)
    sent = next.sent
    for (const change of next.changes) {
      if (change.type !== 'schedule.changed') throw new Error(`not expected: ${change.type}`)
      found.push({ now, before: change.before ?? {}, after: change.after, bots: change.bots })
    }
  }
  return found
}

/** The archives of an event at each change and each half minute. */
function* replayed(from: number, to: number) {
  const { own, cagesAt, instants, ...past } = eventDay(newest, { from, to, capturedAt })
  const over = past.over.map(buildTournament)
  const changes = own.flatMap(({ history }) => history.instants)
  const ticks = Array.from({ length: (to - from) / 30 }, (_, index) => from + 30 * index)
  const moments = [...new Set([...changes, ...instants, ...ticks])]
    .filter((at) => at >= from && at <= to)
    .sort((a, b) => a - b)
  const current = new Map<unknown, Tournament>()
  let dataset = archive.dataset
  let last = Number.NEGATIVE_INFINITY
  for (const now of moments) {
    const due = own.filter(({ history }) => history.instants.some((at) => at > last && at <= now))
    for (const each of due) {
      const rows = each.history.rowsAt(now)
      if (rows) current.set(each, buildTournament(rows))
    }
    last = now
    if (due.length > 0) dataset = buildDataset([...current.values(), ...over])
    yield { now, archive: { ...archive, dataset, cages: buildCages(dataset, cagesAt(now)) } }
  }
}

test('a start is published during an event when it moved by two minutes, at most once a minute', () => {
  let sent: SentStarts = new Map()
  /** The start that readers know of each fight, and when it was sent. */
  const known = new Map<string, { readonly start: number; readonly now: number }>()
  const counts = { later: 0, earlier: 0, unsaid: 0 }
  const from = Date.parse('2026-02-14T15:00:00Z') / 1000
  for (const { archive, now } of replayed(from, from + 6 * 3600)) {
    const next = expectedChanges(archive, sent, now)
    sent = next.sent
    for (const change of next.changes) {
      if (change.type !== 'schedule.changed') throw new Error(`not expected: ${change.type}`)
      const { expectedStart = 0, expectedFrom = 0, expectedTo = 0 } = change.after
      const key = `${change.tournamentID} ${change.gameID}`
      const before = known.get(key)
      known.set(key, { start: expectedStart, now })
      expect(change.before?.expectedStart ?? 0).toBe(before?.start ?? 0)
      if (before) expect(now - before.now).toBeGreaterThanOrEqual(60)
      counts.unsaid += Number(expectedStart === 0)
      if (expectedStart === 0) continue
      expect(expectedFrom).toBeGreaterThanOrEqual(now)
      expect(expectedStart).toBeGreaterThanOrEqual(expectedFrom)
      expect(expectedTo).toBeGreaterThan(expectedStart)
      if (!before?.start) continue
      const by = expectedStart - before.start
      expect(Math.abs(by)).toBeGreaterThan(120)
      if (by < 0) expect(-by).toBeGreaterThanOrEqual(expectedTo - expectedFrom)
      counts[by > 0 ? 'later' : 'earlier'] += 1
    }
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10)
})

test('a moved start is published at once after the clock went back', () => {
  const { changes, sent } = expectedChanges(archive, new Map(), capturedAt)
  const before = new Map(
    [...sent].map(([key, { expected }]) => {
      const at = expected.at && { ...expected.at, start: expected.at.start - 600 }
      return [key, { expected: { ...expected, at }, time: capturedAt + 3600 }] as const
    }),
  )
  expect(changes).not.toEqual([])
  expect(expectedChanges(archive, before, capturedAt).changes).toHaveLength(changes.length)
})

test('a break is sent once', () => {
  const pauses = sentWithin(3600, 30).filter(({ after }) => after.paused === 1)
  expect(pauses.length).toBeGreaterThan(0)
  expect(new Set(pauses.map(({ after }) => after.gameID)).size).toBe(pauses.length)
  expect(pauses.every(({ bots }) => bots.length === 2)).toBe(true)
})

test('moved starts are published with the next version, the first set is not', async () => {
  let now = capturedAt
  const { feed } = createChanges({ now: () => now })
  feed.useClock(() => now)
  feed.begin(archive)
  await feed.ready
  const sent: string[] = []
  feed.subscribe((entries) => sent.push(...entries.map(({ type }) => type)))
  const swapAgain = async (): Promise<void> => {
    feed.swapped(archive, { ...archive })
    await setImmediate()
  }
  await swapAgain()
  expect(sent).toEqual([])
  now += 1200
  await swapAgain()
  expect(new Set(sent)).toEqual(new Set(['schedule.changed']))
  // The replay begins again.
  sent.length = 0
  now = capturedAt
  feed.begin(archive)
  await swapAgain()
  expect(sent).toEqual([])
  await feed.stop()
})

test('a moved planned time and the expected start that follows are one change', async () => {
  let now = capturedAt
  const { feed } = createChanges({ now: () => now })
  feed.useClock(() => now)
  feed.begin(archive)
  await feed.ready
  const texts: string[] = []
  feed.subscribe((entries) => texts.push(...entries.map(({ text }) => text)))
  feed.swapped(archive, { ...archive })
  now += 61
  const [waiting] = expectedChanges(archive, new Map(), capturedAt).changes
  if (waiting?.type !== 'schedule.changed') throw new Error('no fight waits')
  const later = newest.map((rows) => ({
    ...rows,
    games: rows.games.map((game) =>
      game.id === waiting.gameID ? { ...game, scheduledTime: capturedAt + 7200 } : game,
    ),
  }))
  feed.swapped(archive, archiveWithCages(cages, ...later))
  await until(() => texts.length > 0)
  const changes: ChangeEvent[] = texts.map((text) => JSON.parse(text))
  const own = changes.filter(
    (change) => change.type === 'schedule.changed' && change.gameID === waiting.gameID,
  )
  expect(own).toMatchObject([
    {
      before: { scheduledTime: waiting.after.scheduledTime, expectedStart: expect.any(Number) },
      after: { scheduledTime: capturedAt + 7200, expectedStart: expect.any(Number) },
    },
  ])
})

test('moved starts are published while only time passes, until the feed stops', async () => {
  let now = capturedAt
  jest.useFakeTimers()
  const { feed } = createChanges({ now: () => now })
  feed.useClock(() => now)
  void feed.found({ archive, version: archive.version, withheld: new Set() })
  await feed.ready
  let sent = 0
  feed.subscribe(({ length }) => {
    sent += length
  })
  const pass = async (seconds: number): Promise<void> => {
    now += seconds
    jest.advanceTimersByTime(30_000)
    for (let turn = 0; turn < 20; turn += 1) await undefined
  }
  await pass(0)
  // Starts of the saved data no longer move.
  await pass(1200)
  now = capturedAt
  feed.begin(archive)
  await feed.beforeSave(archive.version)
  await pass(0)
  expect(sent).toBe(0)
  await pass(1200)
  expect(sent).toBeGreaterThan(0)
  await feed.stop()
  sent = 0
  await pass(1200)
  expect([sent, jest.getTimerCount()]).toEqual([0, 0])
  jest.useRealTimers()
})

describe('a feed with a log', () => {
  /** Follows the archive; calls back when a line of expected starts is on its way to the disk. */
  const follow = async (onSending: () => void) => {
    let now = capturedAt
    const folder = await temporaryFolder()
    const changeLog = openChangeLog({
      folder,
      maxBytes: 1e9,
      now: () => now * 1000,
      monotonicNow: () => performance.now(),
    })
    const append: typeof changeLog.append = (line) => {
      const appending = changeLog.append(line)
      if (line.changes.some(([, { type }]) => type === 'schedule.changed')) onSending()
      return appending
    }
    const feed = createFeed({
      changeLog: { ...changeLog, append },
      site: { linkPath: '', hasPages: true },
      now: () => now,
      log: createLog('silent'),
    })
    feed.useClock(() => now)
    feed.begin(archive)
    await feed.ready
    const sent: string[] = []
    feed.subscribe((entries) => sent.push(...entries.map(({ type }) => type)))
    feed.swapped(archive, archive)
    await feed.beforeSave(archive.version)
    now += 1200
    const lines = async (): Promise<number> => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'))
      const texts = await Promise.all(names.map((name) => Bun.file(join(folder, name)).text()))
      return texts.join('').split('\n').length - 1
    }
    return { feed, sent, lines }
  }

  test('a feed with a log publishes starts that moved again if a removal replaced them', async () => {
    const without = archiveWithCages(cages, ...all.slice(-11))
    let isRemoved = false
    const { feed, sent } = await follow(() => {
      if (!isRemoved) feed.swapped(archive, without)
      isRemoved = true
    })
    feed.swapped(archive, archive)
    await until(() => sent.includes('tournament.removed'))
    expect(sent).not.toContain('schedule.changed')
    feed.swapped(without, without)
    await feed.stop()
    expect(sent).toContain('schedule.changed')
  })

  test('a feed with a log publishes no starts of fights that are removed before their turn', async () => {
    const isOver = newest.filter(({ tournament }) => !tournament.active)
    const { feed, sent } = await follow(() => undefined)
    feed.swapped(archive, archive)
    feed.swapped(archive, archiveWithCages({ cages: [], cageQueue: [] }, ...isOver))
    await feed.stop()
    expect(sent).toContain('tournament.removed')
    expect(sent).not.toContain('schedule.changed')
  })

  test('a stopped feed has written what it published', async () => {
    const { feed, sent, lines } = await follow(() => undefined)
    const before = await lines()
    feed.swapped(archive, archive)
    await feed.stop()
    expect([sent.length > 0, await lines()]).toEqual([true, before + 1])
  })
})

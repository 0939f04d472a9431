import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import {
  appendFile,
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { dateOf, dayOf } from '../../../src/data/journal/day.ts'
import { decodeAggregate } from '../../../src/http/usage/aggregate.ts'
import { createUsage, type Usage } from '../../../src/http/usage/usage.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { fileHandlePrototype } from '../../crashes.ts'
import { temporaryFolder } from '../../process.ts'
import { until } from '../../until.ts'
import { answered, openTestUsage, type TestClock } from '../../usage.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const noon = Date.UTC(2026, 2, 14, 12)
const keyOfZeros = `always\n${'0'.repeat(64)}\n`

const open: Usage[] = []
let folder: string
let clock: TestClock
beforeEach(async () => {
  folder = await temporaryFolder()
  clock = { ms: noon }
})
/** Opens the usage log of the test, or of another folder. */
const start = async (
  at = folder,
  rotation: 'day' | 'month' | 'never' = 'never',
  maxBytes = 1e9,
): Promise<Usage> => {
  const usage = await openTestUsage(at, clock, rotation, maxBytes)
  open.push(usage)
  return usage
}
const stop = async (usage: Usage): Promise<void> => {
  await usage.stop()
  open.splice(open.indexOf(usage), 1)
}
afterEach(async () => {
  for (const usage of open.splice(0)) await usage.stop()
})

const total = async (usage: Usage, days = 365): Promise<number> =>
  (await usage.report(days, undefined)).totals.requests
const logOf = (folder: string, timeMs = noon): string =>
  join(folder, 'usage', `${dateOf(dayOf(timeMs))}.jsonl`)
const aggregateOf = (folder: string, timeMs = noon): string =>
  logOf(folder, timeMs).replace('.jsonl', '.aggregate')

test('each response is written by itself, without a further one or a report', async () => {
  const usage = await start()
  for (const lines of [1, 2]) {
    usage.record(answered({ openMs: 5 }))
    await until(
      async () =>
        (
          await Bun.file(logOf(folder))
            .text()
            .catch(() => '')
        ).split('\n').length > lines,
    )
  }
  await usage.flush()
  for (const line of await linesOf(logOf(folder))) expect(JSON.parse(line).open).toBe(5)
  // The stop writes the aggregate.
  expect(await Bun.file(aggregateOf(folder)).exists()).toBe(false)
})
const linesOf = async (path: string): Promise<readonly string[]> =>
  (await Bun.file(path).text()).split('\n').slice(0, -1)
/** Lets 500 days go by on the steady clock, and stops. */
const runLong = async (usage: Usage, clock: TestClock): Promise<void> => {
  clock.monotonicMs = (clock.monotonicMs ?? performance.now()) + 500 * dayMs
  await stop(usage)
}
const visit = (usage: Usage, times: number, over: Parameters<typeof answered>[0] = {}) => {
  for (let each = 0; each < times; each += 1) usage.record(answered(over))
}

describe('a restart', () => {
  test('a restart gives the same report, from the log or from the aggregate', async () => {
    const first = await start()
    for (let each = 0; each < 1000; each += 1) {
      visit(first, 1, {
        // The clients are as many as a closed day lists.
        sender: `10.0.0.${each % 20}`,
        route: `/route${each % 9}`,
        status: [200, 304, 404, 405, 500][each % 5] ?? 200,
        durationUs: each * each,
        bytes: each * 3,
        key: each % 4 ? null : `caller ${each % 6}`,
      })
      if (each % 100 === 0) clock.ms -= 7 * hourMs
    }
    clock.ms = noon
    await first.flush()
    const before = await first.report(30, undefined)
    expect(before.totals.requests).toBe(1000)
    await stop(first)
    const second = await start()
    expect(await second.report(30, undefined)).toEqual(before)
    expect(second.routes()).toEqual(first.routes())
    await stop(second)
    for (const name of await readdir(join(folder, 'usage'))) {
      if (name.endsWith('.aggregate')) await rm(join(folder, 'usage', name))
    }
    const third = await start()
    expect(await third.report(30, undefined)).toEqual(before)
    expect(third.logCounts().badLines).toBe(0)
  })

  test('a restart knows every client of today, from the log or from the aggregate', async () => {
    const first = await start()
    for (let each = 0; each < 60; each += 1)
      visit(first, each < 20 ? 2 : 1, { sender: `10.0.1.${each}` })
    await stop(first)
    for (const [isFromLog, requests] of [
      [false, 5],
      [true, 9],
    ] as const) {
      if (isFromLog) await rm(aggregateOf(folder))
      const next = await start()
      // A known client that is not among the busiest.
      visit(next, 4, { sender: '10.0.1.59' })
      const { topClients, uniqueClients } = await next.report(1, undefined)
      expect([topClients[0]?.requests, uniqueClients]).toEqual([requests, 60])
      await stop(next)
    }
  })

  test('a restart removes a torn last line, and skips and counts invalid lines', async () => {
    const first = await start()
    visit(first, 3)
    await stop(first)
    const path = logOf(folder)
    const [line = ''] = await linesOf(path)
    await rm(aggregateOf(folder))
    const bad = ['{"time":1', '', '\0\0\0', 'x'.repeat(100_000), line.replace('200', '"200"')]
    const elsewhere = line.replace(/"time":\d+/, `"time":${noon - dayMs}`)
    await appendFile(path, [...bad, elsewhere, line, line.slice(0, 40)].join('\n'))
    const second = await start()
    expect(await total(second)).toBe(4)
    expect(second.logCounts().badLines).toBe(5)
    expect(await Bun.file(path).text()).toEndWith(`${line}\n`)
    visit(second, 2)
    await stop(second)
    expect((await linesOf(path)).slice(-3)).toEqual([line, line, line])
    const third = await start()
    expect(await total(third)).toBe(6)
  })

  test('a restart removes a log that is one line of 3 MB without an end', async () => {
    await stop(await start())
    await writeFile(logOf(folder), `${'y'.repeat(3_000_000)}`)
    const usage = await start()
    expect(await total(usage)).toBe(0)
    expect((await stat(logOf(folder))).size).toBe(0)
    visit(usage, 1)
    await usage.flush()
    expect(await linesOf(logOf(folder))).toHaveLength(1)
  })

  test('a restart reads the log if the aggregate is damaged', async () => {
    const first = await start()
    visit(first, 5)
    await stop(first)
    await truncate(aggregateOf(folder), 100)
    const second = await start()
    expect(await total(second)).toBe(5)
    expect(second.logCounts().badLines).toBe(1)
  })

  test('counts that a start could not read from a hung disk are kept', async () => {
    const first = await start()
    visit(first, 5)
    await stop(first)
    const prototype = await fileHandlePrototype()
    const hang = () => Promise.reject(Object.assign(new Error(), { code: 'ETIMEDOUT' }))
    const reads = [spyOn(prototype, 'readFile'), spyOn(prototype, 'read')]
    for (const read of reads) read.mockImplementation(hang)
    const second = await start()
    for (const read of reads) read.mockRestore()
    visit(second, 2)
    await stop(second)
    expect(await total(await start())).toBe(7)
  })

  test('a restart reads the whole log if the aggregate belongs to another one', async () => {
    const first = await start()
    visit(first, 20)
    await stop(first)
    const [line = ''] = await linesOf(logOf(folder))
    const other = line.replace(String(noon), String(noon + 1))
    await writeFile(logOf(folder), `${other}\n`.repeat(3))
    const second = await start()
    expect(await total(second)).toBe(23)
    visit(second, 2)
    await stop(second)
    expect(await total(await start())).toBe(25)
  })

  test('a restart after a kill counts once the lines that were added to a log of one line', async () => {
    const first = await start()
    visit(first, 1)
    await stop(first)
    const second = await start()
    visit(second, 9)
    await second.flush()
    const killed = await temporaryFolder()
    await cp(folder, killed, { recursive: true })
    expect(await total(await start(killed))).toBe(10)
  })

  test('a restart removes temporary files of an interrupted write', async () => {
    await stop(await start())
    await writeFile(`${aggregateOf(folder)}.tmp`, 'half')
    await start()
    expect((await readdir(join(folder, 'usage'))).filter((name) => name.endsWith('.tmp'))).toEqual(
      [],
    )
  })
})

describe('days', () => {
  test('days are aggregated an hour after their end, and later events are added', async () => {
    const first = await start()
    visit(first, 10)
    await stop(first)
    clock.ms = noon + 2 * dayMs
    const second = await start()
    visit(second, 5)
    clock.ms = noon
    visit(second, 2)
    await second.flush()
    clock.ms = noon + 2 * dayMs
    expect((await second.report(3, undefined)).days.map(({ requests }) => requests)).toEqual([
      12, 0, 5,
    ])
    await stop(second)
    // Only the aggregate includes all events.
    await rm(logOf(folder))
    const third = await start()
    expect((await third.report(3, undefined)).days.map(({ requests }) => requests)).toEqual([
      12, 0, 5,
    ])
    clock.ms = noon
    visit(third, 1)
    await third.flush()
    await stop(third)
    clock.ms = noon + 2 * dayMs
    const fourth = await start()
    expect((await fourth.report(3, undefined)).days.map(({ requests }) => requests)).toEqual([
      13, 0, 5,
    ])
  })

  test('days are aggregated once, unless there are later events', async () => {
    const first = await start()
    visit(first, 10)
    await stop(first)
    clock.ms = noon + 2 * dayMs
    const second = await start()
    // A file that is written again has another inode.
    const fileOf = async () => {
      await second.flush()
      return (await stat(aggregateOf(folder))).ino
    }
    const aggregated = await fileOf()
    expect([await fileOf(), await fileOf()]).toEqual([aggregated, aggregated])
    clock.ms = noon
    visit(second, 1)
    await second.flush()
    clock.ms = noon + 2 * dayMs
    clock.monotonicMs = performance.now() + 61_000
    expect(await fileOf()).not.toBe(aggregated)
    await runLong(second, clock)
  })

  test('days are aggregated after 16 MiB of log', async () => {
    const first = await start()
    visit(first, 1, { route: 'x'.repeat(200), key: 'word '.repeat(12).trim() })
    await stop(first)
    const line = await Bun.file(logOf(folder)).text()
    for (const [mib, isAggregated] of [
      [15, false],
      [17, true],
    ] as const) {
      await rm(aggregateOf(folder))
      await writeFile(logOf(folder), line.repeat((mib * 2 ** 20) / line.length))
      const usage = await start()
      await usage.flush()
      expect(await Bun.file(aggregateOf(folder)).exists()).toBe(isAggregated)
      await stop(usage)
    }
  })

  test('days are closed an hour after their end, even if requests never end', async () => {
    const first = await start()
    visit(first, 1)
    await stop(first)
    const endMs = noon + dayMs / 2
    let ms = 0
    const pass = (passed: number): void => {
      ms += passed
      Object.assign(clock, { ms: endMs + hourMs - 90_000 + ms, monotonicMs: ms })
    }
    pass(0)
    const second = await start()
    const closed: unknown[] = []
    for (let round = 0; round < 9; round += 1) {
      visit(second, 1)
      await second.flush()
      closed.push(decodeAggregate(await Bun.file(aggregateOf(folder)).text(), String)?.isClosed)
      pass(20_000)
    }
    // The end of a day is checked once a minute.
    expect(closed.indexOf(true)).toBe(6)
  })

  test('days keep their log for 35 days and their counts for 400', async () => {
    const first = await start()
    visit(first, 1)
    await stop(first)
    clock.monotonicMs = performance.now()
    const daysLater = async (days: number) => {
      clock.ms = noon + days * dayMs
      await runLong(await start(), clock)
      return (await readdir(join(folder, 'usage')))
        .filter((name) => name.startsWith('2026-03-14'))
        .toSorted()
    }
    expect(await daysLater(35)).toEqual(['2026-03-14.aggregate', '2026-03-14.jsonl'])
    expect(await daysLater(36)).toEqual(['2026-03-14.aggregate'])
    const later = await start()
    expect(await total(later, 37)).toBe(1)
    await runLong(later, clock)
    expect(await daysLater(400)).toEqual(['2026-03-14.aggregate'])
    expect(await daysLater(401)).toEqual([])
  })

  test('days age by the monotonic clock of the process', async () => {
    await stop(await start())
    const usage = createUsage({
      now: () => clock.ms,
      kept: { dataDir: folder, usageLogBytes: 1e9, log: createLog('silent') },
    })
    open.push(usage)
    visit(usage, 1)
    await usage.flush()
    clock.ms += 1000 * dayMs
    await usage.flush()
    expect(await linesOf(logOf(folder))).toHaveLength(1)
  })

  test('days are kept while the system clock is ahead, at a start or later', async () => {
    clock.monotonicMs = 0
    for (let each = 0; each < 3; each += 1) {
      const usage = await start()
      visit(usage, 10)
      await stop(usage)
      clock.ms += dayMs
    }
    clock.ms -= dayMs
    const before = (await readdir(join(folder, 'usage'))).filter((name) => /^2026/.test(name))
    expect(before).toHaveLength(6)
    const usage = await start()
    const rightMs = clock.ms
    for (const isAhead of [true, false, true]) {
      clock.ms = isAhead ? Date.UTC(2030, 5, 1) : rightMs
      for (let minute = 0; minute < 3; minute += 1) {
        clock.monotonicMs = (clock.monotonicMs ?? 0) + 61_000
        visit(usage, 1)
        await usage.flush()
      }
    }
    await stop(usage)
    const second = await start()
    clock.monotonicMs = (clock.monotonicMs ?? 0) + 61_000
    visit(second, 1)
    await second.flush()
    clock.ms = rightMs
    expect((await second.report(3, undefined)).days.map(({ requests }) => requests)).toEqual([
      10, 10, 13,
    ])
    await stop(second)
    expect(await readdir(join(folder, 'usage'))).toEqual(expect.arrayContaining(before))
  })

  test('days lose their logs, the oldest first, while all exceed the limit', async () => {
    const first = await start(folder, 'never', 9000)
    for (let each = 0; each < 3; each += 1) {
      visit(first, 30)
      await first.flush()
      clock.ms += dayMs
    }
    clock.ms -= dayMs
    const kept = async () =>
      (await readdir(join(folder, 'usage'))).filter((name) => name.endsWith('.jsonl')).toSorted()
    // The aggregates of all days are written before the first log is removed.
    while (first.logCounts().removedBytes === 0) await first.flush()
    const { bytes, removedBytes } = first.logCounts()
    expect(await kept()).toEqual(['2026-03-15.jsonl', '2026-03-16.jsonl'])
    expect([bytes, bytes + removedBytes]).toEqual([
      (removedBytes / 30) * 60,
      (removedBytes / 30) * 90,
    ])
    // The lines of today are removed too.
    visit(first, 90)
    while (first.logCounts().bytes > 0) await first.flush()
    expect(await kept()).toEqual([])
    expect(first.logCounts().removedBytes).toBe(6 * removedBytes)
    visit(first, 7)
    await first.flush()
    expect(await total(first)).toBe(187)
    await stop(first)
    const second = await start(folder, 'never', 9000)
    expect((await second.report(3, undefined)).days.map(({ requests }) => requests)).toEqual([
      30, 30, 127,
    ])
    expect(await kept()).toEqual(['2026-03-16.jsonl'])
  })

  test('days count every event when the clock is set back and forth', async () => {
    clock.ms = noon - 11.5 * hourMs
    const first = await start()
    let visits = 0
    for (const hours of [0, -1, 0, 24, 24, 23, 0, -1, 47]) {
      clock.ms = noon - 11.5 * hourMs + hours * hourMs
      visit(first, 10)
      visits += 10
      const seen = await first.report(30, undefined)
      if (hours < 47) expect(seen.totals.requests).toBe(visits)
      await first.flush()
    }
    clock.ms = noon + dayMs
    expect(await total(first)).toBe(visits)
    await stop(first)
    const second = await start()
    expect(await total(second)).toBe(visits)
    expect(second.logCounts().badLines).toBe(0)
  })
})

describe('the folder', () => {
  test('the usage folder is recreated after its removal, with all counts', async () => {
    folder = join(folder, 'deep', 'data')
    clock.ms = noon - dayMs
    const first = await start()
    visit(first, 3)
    clock.ms = noon
    visit(first, 10)
    await first.flush()
    const key = await Bun.file(join(folder, 'client.key')).text()
    await rm(folder, { recursive: true })
    visit(first, 5)
    await first.flush()
    expect(first.logCounts()).toMatchObject({ written: 18, dropped: 0, badLines: 0 })
    expect(await Bun.file(join(folder, 'client.key')).text()).toBe(key)
    await stop(first)
    const second = await start()
    expect(await total(second)).toBe(18)
  })

  test('the usage folder keeps the log if it was moved away and back', async () => {
    const first = await start()
    visit(first, 10)
    await first.flush()
    await rename(join(folder, 'usage'), join(folder, 'away'))
    visit(first, 1)
    await first.flush()
    await rm(join(folder, 'usage'), { recursive: true })
    await rename(join(folder, 'away'), join(folder, 'usage'))
    visit(first, 1)
    await first.flush()
    expect(await linesOf(logOf(folder))).toHaveLength(11)
    expect(first.logCounts().bytes).toBe(Bun.file(logOf(folder)).size)
    await stop(first)
    const second = await start()
    expect(await total(second)).toBe(12)
  })

  test.each(['client.key', 'client.key.tmp', 'usage/lock', 'usage/clock.tmp', 'usage'])(
    'the usage log does not follow a symbolic link at %s',
    async (name) => {
      const target = join(await temporaryFolder(), 'target')
      if (name === 'usage') await mkdir(target)
      else {
        await mkdir(join(folder, 'usage'), { mode: 0o700 })
        await writeFile(target, keyOfZeros, { mode: 0o644 })
      }
      await symlink(target, join(folder, name))
      const usage = await start()
      visit(usage, 3)
      await usage.flush()
      await stop(usage)
      if (name === 'usage') expect(await readdir(target)).toEqual([])
      else {
        expect(await Bun.file(target).text()).toBe(keyOfZeros)
        expect((await lstat(join(folder, 'client.key'))).isFile()).toBe(true)
        expect(usage.logCounts().dropped).toBe(0)
      }
      for (const each of await readdir(folder, { recursive: true })) {
        const { mode } = await lstat(join(folder, each))
        if (each !== name && each !== 'usage/lock') expect(mode & 0o077).toBe(0)
      }
    },
  )

  test.each(['jsonl', 'aggregate'])(
    'the usage log reads no %s through a symbolic link',
    async (extension) => {
      const first = await start()
      visit(first, 3)
      await stop(first)
      const [path, other] =
        extension === 'jsonl'
          ? [logOf(folder), aggregateOf(folder)]
          : [aggregateOf(folder), logOf(folder)]
      await rename(path, join(folder, 'moved'))
      await symlink(join(folder, 'moved'), path)
      await rm(other)
      const second = await start()
      expect(await total(second)).toBe(0)
      expect(second.logCounts().badLines).toBe(1)
      visit(second, 2)
      // Lines are dropped once they could not be written twice.
      for (let round = 0; round < 2; round += 1) await second.flush()
      expect(second.logCounts().dropped).toBe(extension === 'jsonl' ? 2 : 0)
      const moved = await Bun.file(join(folder, 'moved')).text()
      expect(moved.split('\n')).toHaveLength(extension === 'jsonl' ? 4 : 3)
    },
  )

  test('a failed write of the usage log loses no events', async () => {
    const usage = await start()
    await mkdir(logOf(folder))
    visit(usage, 10)
    await usage.flush()
    expect(usage.logCounts().problems).toHaveLength(1)
    await rmdir(logOf(folder))
    await usage.flush()
    expect(usage.logCounts()).toMatchObject({ written: 10, dropped: 0, problems: [] })
    await stop(usage)
    expect(await total(await start())).toBe(10)
  })

  test('the usage log holds 65,536 events while it cannot be written, and drops later ones', async () => {
    const blocked = join(folder, 'data')
    await writeFile(blocked, 'a file')
    const usage = await start(blocked)
    const waiting = () => usage.logCounts().dropped
    visit(usage, 65_536)
    expect(waiting()).toBe(0)
    visit(usage, 3)
    expect(waiting()).toBe(3)
  })

  test('the usage log counts events that are being written as held', async () => {
    const usage = await start()
    const datasync = spyOn(await fileHandlePrototype(), 'datasync').mockImplementationOnce(
      async () => {
        visit(usage, 65_534)
        // Reading the counts also counts the queued events.
        usage.logCounts()
      },
    )
    // These events are written soon by themselves.
    visit(usage, 5)
    await usage.flush()
    datasync.mockRestore()
    expect(usage.logCounts()).toMatchObject({ written: 5, dropped: 3 })
    await usage.flush()
    // No write is under way.
    visit(usage, 10)
    expect(usage.logCounts().dropped).toBe(3)
  })

  test('the usage log writes events that arrive during a write, even if it stops meanwhile', async () => {
    const usage = await start()
    const stopping = Promise.withResolvers<unknown>()
    const datasync = spyOn(await fileHandlePrototype(), 'datasync').mockImplementationOnce(
      async () => {
        visit(usage, 2)
        stopping.resolve(stop(usage))
      },
    )
    visit(usage, 1)
    await usage.flush()
    await stopping.promise
    datasync.mockRestore()
    expect(await linesOf(logOf(folder))).toHaveLength(3)
  })

  test('the usage log writes events by itself, one or more than a batch', async () => {
    const usage = await start()
    let events = 0
    for (const more of [1, 1, 5000]) {
      visit(usage, more)
      events += more
      // Reading the counts also counts the queued events.
      usage.logCounts()
      await until(() => usage.logCounts().written === events)
    }
    expect(await linesOf(logOf(folder))).toHaveLength(events)
    const datasync = spyOn(await fileHandlePrototype(), 'datasync').mockImplementationOnce(
      async () => {
        visit(usage, 1)
        usage.logCounts()
      },
    )
    visit(usage, 1)
    usage.logCounts()
    await until(() => usage.logCounts().written === events + 2, 20_000)
    datasync.mockRestore()
  })

  test('the usage log reports once that it fails, waits or recovers, and which log is removed', async () => {
    const lines: string[] = []
    const startSaying = async (maxBytes: number): Promise<Usage> => {
      const usage = await openTestUsage(folder, clock, 'never', maxBytes, (level, message) => {
        lines.push(`${level}: ${message}`)
      })
      open.push(usage)
      return usage
    }
    const first = await startSaying(1e9)
    await mkdir(logOf(folder))
    visit(first, 1)
    for (let round = 0; round < 3; round += 1) await first.flush()
    await rmdir(logOf(folder))
    await first.flush()
    const second = await startSaying(1)
    await second.flush()
    visit(second, 1)
    await stop(first)
    // The second process takes over by itself, and writes the aggregate that the removal waits for.
    await until(() => second.logCounts().removedBytes > 0, 20_000)
    expect(lines).toEqual([
      'warn: the usage log cannot be written',
      'info: the usage log can be written again',
      'warn: another process writes the usage log in DATA_DIR; this one counts in memory',
      'info: usage log read',
      'info: this process writes the usage log now',
      'warn: a usage log was removed to stay within USAGE_LOG_BYTES',
    ])
  })

  test('the usage log drops and counts events while its folder cannot be created', async () => {
    const blocked = join(folder, 'data')
    await writeFile(blocked, 'a file')
    const usage = await start(blocked)
    visit(usage, 100)
    await usage.flush()
    await usage.flush()
    expect(usage.logCounts()).toMatchObject({ written: 0, dropped: 100, badLines: 0 })
    expect(usage.logCounts().problems).toEqual([
      expect.stringMatching(/^the usage log cannot be written: .*\(E/),
      'usage events were dropped',
    ])
    expect(await total(usage)).toBe(100)
    await rm(blocked)
    await usage.flush()
    const crashed = await temporaryFolder()
    await cp(blocked, crashed, { recursive: true })
    expect(await total(await start(crashed))).toBe(100)
    visit(usage, 10)
    await usage.flush()
    expect(usage.logCounts().written).toBe(10)
    expect(usage.logCounts().problems).toEqual(['usage events were dropped'])
    const nowMs = performance.now()
    const later = (ms: number) => spyOn(performance, 'now').mockReturnValue(nowMs + ms)
    const shown = [540_000, 660_000].map((ms) => {
      using _now = later(ms)
      return usage.logCounts().problems.length
    })
    expect(shown).toEqual([1, 0])
    await stop(usage)
    // The aggregate counts the visits that the log lacks.
    const second = await start(blocked)
    expect(await total(second)).toBe(110)
  })

  test('the usage folder belongs to one process, and a second one waits and takes over', async () => {
    const first = await start()
    const second = await start()
    visit(first, 10)
    visit(second, 5)
    await first.flush()
    await second.flush()
    expect(second.logCounts().written).toBe(0)
    expect(second.logCounts().problems).toEqual([
      'another process writes the usage log in DATA_DIR',
    ])
    expect(first.logCounts().problems).toEqual([])
    expect(await linesOf(logOf(folder))).toHaveLength(10)
    await stop(first)
    await second.flush()
    expect(second.logCounts()).toMatchObject({ written: 5, dropped: 0, badLines: 0 })
    expect(second.logCounts().problems).toEqual([])
    expect(await total(second)).toBe(15)
    expect((await second.report(1, undefined)).uniqueClients).toBe(1)
    await stop(second)
    const third = await start()
    expect(await total(third)).toBe(15)
  })
})

describe('data on the disk', () => {
  test('usage lines are synced before they count as written', async () => {
    const usage = await start()
    const datasync = spyOn(await fileHandlePrototype(), 'datasync')
    try {
      for (let batch = 1; batch <= 3; batch += 1) {
        visit(usage, 5)
        await usage.flush()
        expect(datasync).toHaveBeenCalledTimes(batch)
      }
    } finally {
      datasync.mockRestore()
    }
  })

  test('an append that fails while an aggregate is due counts no line twice', async () => {
    // A log that is too large is removed as soon as its aggregate is written, which is due at once.
    const usage = await start(folder, 'never', 1)
    visit(usage, 3)
    await usage.flush()
    const copy = await temporaryFolder()
    let calls = 0
    const datasync = spyOn(await fileHandlePrototype(), 'datasync').mockImplementation(async () => {
      calls += 1
      if (calls === 1) throw Object.assign(new Error('input/output error'), { code: 'EIO' })
      // State left by a process that is killed after the second attempt.
      if (calls === 2) await cp(folder, copy, { recursive: true })
    })
    try {
      visit(usage, 2)
      for (let round = 0; round < 2; round += 1) await usage.flush()
      expect(calls).toBeGreaterThanOrEqual(2)
    } finally {
      datasync.mockRestore()
    }
    expect(await total(await start(copy))).toBe(5)
  })

  test('an aggregate that could not be written is written as soon as possible', async () => {
    clock.monotonicMs = 0
    const first = await start()
    visit(first, 5)
    await stop(first)
    const path = aggregateOf(folder)
    await rm(path)
    clock.ms = noon + 2 * dayMs
    // The aggregate can be neither read nor replaced.
    await mkdir(path)
    const second = await start()
    await second.flush()
    await rmdir(path)
    await second.flush()
    expect(decodeAggregate(await Bun.file(path).text(), String)).toMatchObject({
      coveredBytes: (await stat(logOf(folder))).size,
      isClosed: true,
    })
  })

  test('a log is not removed before its counts are in an aggregate', async () => {
    clock.monotonicMs = 0
    const first = await start()
    visit(first, 5)
    await stop(first)
    await rm(aggregateOf(folder))
    // The log can be neither read nor covered.
    await rename(logOf(folder), join(folder, 'moved'))
    await symlink(join(folder, 'moved'), logOf(folder))
    clock.ms = noon + 50 * dayMs
    await runLong(await start(), clock)
    expect((await lstat(logOf(folder))).isSymbolicLink()).toBe(true)
    // Once the log can be read, it is covered, and then removed.
    await rm(logOf(folder))
    await rename(join(folder, 'moved'), logOf(folder))
    const second = await start()
    await runLong(second, clock)
    expect(await Bun.file(logOf(folder)).exists()).toBe(false)
    const third = await start()
    expect(await total(third)).toBe(5)
  })

  test('a log that follows a longer, removed one is not removed before its counts are in an aggregate', async () => {
    const usage = await start(folder, 'never', 5000)
    const isGone = async () => !(await Bun.file(logOf(folder)).exists())
    for (const [events, sum] of [
      [90, 90],
      [60, 150],
    ] as const) {
      visit(usage, events)
      await usage.flush()
      while (!(await isGone())) await usage.flush()
      const crashed = await temporaryFolder()
      await cp(folder, crashed, { recursive: true })
      expect(await total(await start(crashed))).toBe(sum)
    }
  })

  test.each([
    ['with', true],
    ['without', false],
  ])(
    'new lines count after a crash of a shortened log %s an aggregate',
    async (_, isAggregated) => {
      const first = await start()
      visit(first, 20)
      await first.flush()
      if (isAggregated) await stop(first)
      const second = isAggregated ? await start() : first
      await truncate(logOf(folder), ((await stat(logOf(folder))).size / 20) * 7)
      visit(second, 2)
      await second.flush()
      const isCovered = async () =>
        (
          await Bun.file(aggregateOf(folder))
            .text()
            .catch(() => '')
        ).includes('"requests":22')
      for (let round = 0; round < 3 && !(await isCovered()); round += 1) await second.flush()
      const crashed = await temporaryFolder()
      await cp(folder, crashed, { recursive: true })
      expect(await total(await start(crashed))).toBe(22)
    },
  )
})

describe('the client key', () => {
  const keyOf = async (folder: string): Promise<string> =>
    Bun.file(join(folder, 'client.key')).text()
  const clients = async (usage: Usage) =>
    (await usage.report(365, undefined)).topClients.map(({ client }) => client)

  test('the client key is 32 bytes with mode 0600, outside the folder of the log', async () => {
    await stop(await start())
    const path = join(folder, 'client.key')
    expect(await keyOf(folder)).toMatch(/^always\n[0-9a-f]{64}\n$/)
    for (const mode of [0o640, 0o604]) {
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      await chmod(path, mode)
      await stop(await start())
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['never', 1000 * dayMs, 1],
    ['month', 10 * dayMs, 1],
    ['month', 18 * dayMs, 2],
    ['day', 11 * hourMs, 1],
    ['day', 12 * hourMs, 2],
  ] as const)(
    'a client key replaced every %s gives after %i ms %i clients',
    async (rotation, ms, count) => {
      for (const restart of [false, true]) {
        folder = await temporaryFolder()
        clock.ms = noon
        let usage = await start(folder, rotation)
        visit(usage, 1)
        await usage.flush()
        const key = await keyOf(folder)
        if (restart) await stop(usage)
        clock.ms += ms
        if (restart) usage = await start(folder, rotation)
        await usage.flush()
        expect((await keyOf(folder)) === key).toBe(count === 1)
        visit(usage, 1)
        clock.ms = Math.min(clock.ms, noon + 300 * dayMs)
        if (rotation !== 'never') expect(await clients(usage)).toHaveLength(count)
        await stop(usage)
        if (count === 1) continue
        for (const name of await readdir(folder, { recursive: true })) {
          const file = Bun.file(join(folder, name))
          if ((await file.stat()).isFile())
            expect(await file.text()).not.toContain(key.slice(-65, -1))
        }
      }
    },
  )

  test('a client key that a start could not read from a hung disk is kept', async () => {
    await stop(await start())
    const key = await keyOf(folder)
    const read = spyOn(await fileHandlePrototype(), 'readFile')
    read.mockRejectedValue(Object.assign(new Error(), { code: 'ETIMEDOUT' }))
    const usage = await start()
    read.mockRestore()
    await stop(usage)
    expect(await keyOf(folder)).toBe(key)
  })

  test.each(['xyz', '', '0'.repeat(63), '0'.repeat(65)])(
    'a damaged client key is replaced: %p',
    async (hex) => {
      await writeFile(join(folder, 'client.key'), `always\n${hex}\n`)
      await stop(await start())
      const key = await keyOf(folder)
      expect(key).toMatch(/^always\n[0-9a-f]{64}\n$/)
      expect(key).not.toContain(hex || ' ')
    },
  )
})

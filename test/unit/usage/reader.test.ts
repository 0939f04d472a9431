import { describe, expect, test } from 'bun:test'
import { copyFileSync, rmSync } from 'node:fs'
import {
  appendFile,
  copyFile,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { usageText } from '../../../scripts/usage/text.ts'
import { lookUpUsage } from '../../../src/api/usage/lookup.ts'
import { encodeAggregate } from '../../../src/usage/aggregate.ts'
import { createCalendar } from '../../../src/usage/calendar.ts'
import { dateOf, dayOf, formatEvent, type UsageEvent } from '../../../src/usage/event.ts'
import { findUsageFolders } from '../../../src/usage/folders.ts'
import { openDay } from '../../../src/usage/openDay.ts'
import { readDay } from '../../../src/usage/readDay.ts'
import { createUsageReader } from '../../../src/usage/reader.ts'
import { temporaryFolder } from '../../process.ts'
import { answered, openTestUsage, settled } from '../../usage.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 2, 14, 12)
const today = dayOf(noon)

const readerOf = async (folders: readonly string[], nowMs = noon) =>
  createUsageReader(await findUsageFolders(folders), () => nowMs)

/** The report of all folders, and what was not counted. */
const readAll = async (folders: readonly string[], days = 30, route?: string) => {
  const reader = await readerOf(folders)
  await reader.prepare(days)
  return { report: reader.report(days, route), problems: reader.problems() }
}

const fileOf = (folder: string, extension: string, day = today): string =>
  join(folder, 'usage', `${dateOf(day)}.${extension}`)

/** A `DATA_DIR` with the key of another, so that both give the same ids. */
const folderWithKeyOf = async (other: string): Promise<string> => {
  const folder = await temporaryFolder()
  await copyFile(join(other, 'client.key'), join(folder, 'client.key'))
  return folder
}

interface Visit {
  readonly machine: number
  readonly daysAgo: number
  readonly client: number
  readonly route: number
  readonly status: number
  readonly durationUs: number
  readonly bytes: number
  readonly key: string | null
  readonly restart: boolean
}

const visits = fc.array(
  fc.record<Visit>({
    machine: fc.nat(3),
    daysAgo: fc.nat(12),
    client: fc.nat(20),
    route: fc.nat(4),
    status: fc.constantFrom(200, 304, 404, 503),
    durationUs: fc.integer({ min: 0, max: 3_000_000 }),
    bytes: fc.nat(100_000),
    key: fc.option(fc.constantFrom('my bot', 'R&D overlay')),
    restart: fc.nat(15).map((number) => number === 0),
  }),
  { minLength: 1, maxLength: 150, size: 'max' },
)

/** A service that counts visits; a restart puts what it has into aggregates. */
const machine = async (folder: string) => {
  const clock = { ms: noon }
  let usage = await openTestUsage(folder, clock)
  return {
    report: (days: number, route?: string) => {
      clock.ms = noon
      return usage.report(days, route)
    },
    visit: async (visit: Visit, number: number): Promise<void> => {
      clock.ms = noon - visit.daysAgo * dayMs + number
      usage.record(
        answered({
          ...visit,
          sender: `10.0.0.${visit.client}`,
          route: `/route${visit.route}`,
        }),
      )
      if (!visit.restart) return
      clock.ms = noon
      await usage.stop()
      usage = await openTestUsage(folder, clock)
    },
    stop: async (): Promise<void> => {
      clock.ms = noon
      await usage.stop()
    },
  }
}

describe('the report of several folders', () => {
  test('equals that of one folder which has everything', async () => {
    const origin = await temporaryFolder()
    await (await machine(origin)).stop()
    await fc.assert(
      fc.asyncProperty(visits, async (all) => {
        const folders = await Promise.all(Array.from({ length: 5 }, () => folderWithKeyOf(origin)))
        const [whole, ...parts] = await Promise.all(folders.map(machine))
        if (!whole) throw new Error('no folders')
        for (const [number, visit] of all.entries()) {
          await whole.visit(visit, number)
          await parts[visit.machine]?.visit(visit, number)
        }
        const split = folders.slice(1)
        await Promise.all(parts.map(({ stop }) => stop()))
        // The log of a crashed service: lines without an aggregate, and a torn one.
        for (const folder of split) {
          if (all.length % 2 === 0) await rm(fileOf(folder, 'aggregate'), { force: true })
          await appendFile(fileOf(folder, 'jsonl'), '{"time":17')
        }
        for (const [days, route] of [
          [30, undefined],
          [7, undefined],
          [1, undefined],
          [30, '/route3'],
        ] as const) {
          const { report, problems } = await readAll(split, days, route)
          expect(problems).toEqual([])
          expect(report).toEqual(whole.report(days, route))
        }
        await whole.stop()
      }),
      { numRuns: 12 },
    )
  }, 60_000)

  test('counts a client once for each key', async () => {
    const first = await temporaryFolder()
    const visitAll = async (folder: string) => {
      const usage = await openTestUsage(folder, { ms: noon })
      for (let client = 0; client < 50; client += 1) {
        usage.record(answered({ sender: `10.0.0.${client}`, durationUs: Math.random() * 1e6 }))
      }
      await usage.stop()
    }
    await visitAll(first)
    const [same, other] = [await folderWithKeyOf(first), await temporaryFolder()]
    await Promise.all([same, other].map(visitAll))
    expect((await readAll([first, same])).report.uniqueClients).toBe(50)
    const { report } = await readAll([first, same, other])
    expect([report.totals.requests, report.uniqueClients]).toEqual([150, 100])
  })

  test('is exact in sums and estimates clients beyond the limits of one day', async () => {
    const [first, machines, clients] = [await temporaryFolder(), 3, 6000]
    await (await machine(first)).stop()
    const folders = [first, await folderWithKeyOf(first), await folderWithKeyOf(first)]
    for (const [index, folder] of folders.entries()) {
      const usage = await openTestUsage(folder, { ms: noon })
      // Half of the clients of a machine are those of the next one, too.
      for (let each = 0; each < clients; each += 1) {
        const client = (index * clients) / 2 + each
        usage.record(
          answered({
            sender: `10.1.${client >> 8}.${client & 255}`,
            bytes: each,
            durationUs: each,
          }),
        )
      }
      await usage.stop()
    }
    const { report } = await readAll(folders)
    expect(report.totals).toMatchObject({
      requests: machines * clients,
      bytes: (machines * clients * (clients - 1)) / 2,
    })
    expect(Math.abs(report.uniqueClients / (2 * clients) - 1)).toBeLessThan(0.08)
    expect(Math.abs(report.p50Us / (clients / 2) - 1)).toBeLessThan(0.0102)
  })
})

/** A folder with some requests of today and of yesterday, and nobody who writes it. */
const quietFolder = async (requests = 20, nowMs = noon): Promise<string> => {
  const folder = await temporaryFolder()
  const clock = { ms: nowMs - dayMs }
  const usage = await openTestUsage(folder, clock)
  for (let each = 0; each < requests; each += 1) {
    if (each === requests / 2) clock.ms = nowMs
    usage.record(answered({ durationUs: each }))
  }
  await usage.stop()
  return folder
}

/** Everything of a folder that a program could change. */
const stateOf = async (folder: string): Promise<readonly unknown[]> =>
  Promise.all(
    (await readdir(folder, { recursive: true })).toSorted().map(async (name) => {
      const path = join(folder, name)
      const { ino, size, mode, mtimeMs, ctimeMs, nlink } = await lstat(path)
      const isFile = (await lstat(path)).isFile()
      const text = isFile ? await readFile(path, 'latin1') : ''
      return [name, ino, size, mode, mtimeMs, ctimeMs, nlink, text]
    }),
  )

describe('reading', () => {
  test('changes nothing in a folder, whatever is in it', async () => {
    const folder = await quietFolder()
    await appendFile(fileOf(folder, 'jsonl'), '{"time":17')
    await writeFile(`${fileOf(folder, 'aggregate')}.tmp`, 'half')
    await writeFile(fileOf(folder, 'aggregate', today - 5), 'damaged')
    await writeFile(fileOf(folder, 'jsonl', today - 500), '')
    await symlink(fileOf(folder, 'jsonl'), fileOf(folder, 'jsonl', today - 6))
    const before = await stateOf(folder)
    expect((await readAll([folder])).report.totals.requests).toBe(20)
    expect(await stateOf(folder)).toEqual(before)
  })

  test('needs no lock, and takes none', async () => {
    const folder = await temporaryFolder()
    const clock = { ms: noon }
    const usage = await openTestUsage(folder, clock)
    usage.record(answered())
    await settled(usage, 1)
    const reader = await readerOf([folder])
    await reader.prepare(1)
    expect(reader.report(1, undefined).totals.requests).toBe(1)
    usage.record(answered())
    await settled(usage, 2)
    expect(usage.logCounts()).toMatchObject({ written: 2, problems: [] })
    await reader.prepare(1)
    expect(reader.report(1, undefined).totals.requests).toBe(2)
    await usage.stop()
  })

  test('beside a service that removes its logs counts each event once', async () => {
    const folder = await temporaryFolder()
    const usage = await openTestUsage(folder, { ms: noon }, 'never', 9000)
    let recorded = 0
    const record = (events: number): void => {
      for (let each = 0; each < events; each += 1)
        usage.record(answered({ durationUs: recorded++ }))
    }
    record(100)
    await settled(usage, 100)
    const reader = await readerOf([folder])
    const isDone = Promise.withResolvers<void>()
    let before = 0
    let readings = 0
    const read = async (): Promise<void> => {
      for (let done = false; !done; ) {
        done = await Promise.race([isDone.promise.then(() => true), Bun.sleep(1).then(() => false)])
        const atLeast = usage.logCounts().written
        await reader.prepare(1)
        const { requests } = reader.report(1, undefined).totals
        expect(requests).toBeGreaterThanOrEqual(Math.max(before, atLeast))
        expect(requests).toBeLessThanOrEqual(recorded)
        before = requests
        readings += 1
      }
    }
    const reading = read()
    for (let round = 0; round < 60; round += 1) {
      record(4200)
      await settled(usage, recorded)
    }
    isDone.resolve()
    await reading
    expect(usage.logCounts().dropped).toBe(0)
    expect(before).toBe(recorded)
    expect(readings).toBeGreaterThan(20)
    await usage.stop()
  }, 60_000)

  test('repeats where a log is replaced while its aggregate is read, but not for ever', async () => {
    const [folder, later] = [await quietFolder(), await quietFolder(30)]
    const readWhile = async (replacements: number) => {
      const calendar = createCalendar()
      let replaced = 0
      // Called for every name in an aggregate.
      const intern = (text: string): string => {
        if (text !== '/fights' || replaced === replacements) return text
        replaced += 1
        for (const extension of ['jsonl', 'aggregate']) {
          rmSync(fileOf(folder, extension))
          copyFileSync(fileOf(later, extension), fileOf(folder, extension))
        }
        return text
      }
      await readDay(join(folder, 'usage'), today, calendar, intern)
      return [calendar.read(today)?.all.requests, replaced]
    }
    expect(await readWhile(1)).toEqual([15, 1])
    expect(await readWhile(1000)).toEqual([15, 10])
  })

  test('again finds what changed: a longer log, a new day, a removed one', async () => {
    const [first, second] = [await quietFolder(), await quietFolder(10)]
    const reader = await readerOf([first, second])
    const daily = async (days = 4) => {
      await reader.prepare(days)
      return reader.report(days, undefined).days.map(({ requests }) => requests)
    }
    expect(await daily()).toEqual([0, 0, 15, 15])
    const [line = ''] = (await readFile(fileOf(first, 'jsonl', today - 1), 'utf8')).split('\n')
    await appendFile(fileOf(first, 'jsonl', today - 1), `${line}\n`)
    await rename(fileOf(second, 'aggregate'), fileOf(second, 'aggregate', today - 3))
    expect(await daily()).toEqual([5, 0, 16, 15])
    await rm(fileOf(second, 'aggregate', today - 3))
    await rm(fileOf(second, 'jsonl'))
    expect(await daily()).toEqual([0, 0, 16, 10])
    expect(await daily(1)).toEqual([10])
    expect(await daily(2)).toEqual([16, 10])
  })
})

describe('what cannot be counted', () => {
  const line = (timeMs: number): string =>
    formatEvent({
      timeMs,
      route: '/fights',
      status: 200,
      durationUs: 1,
      bytes: 1,
      client: '0123456789abcdef',
      caller: null,
    })
  const dates = [dateOf(today - 1), dateOf(today)] as const

  test.each<
    [string, (folder: string) => Promise<unknown>, requests: number, problems: readonly string[]]
  >([
    [
      'a torn line',
      (folder) => appendFile(fileOf(folder, 'jsonl'), line(noon).slice(0, 50)),
      20,
      [],
    ],
    [
      'a damaged aggregate beside its log',
      (folder) => truncate(fileOf(folder, 'aggregate'), 100),
      20,
      [`damaged aggregates, only the logs are counted: 1 (${dates[1]})`],
    ],
    [
      'aggregates of 0 bytes, and a log of 0 bytes',
      async (folder) => {
        for (const day of [today - 1, today]) await truncate(fileOf(folder, 'aggregate', day))
        await truncate(fileOf(folder, 'jsonl'))
      },
      10,
      [`damaged aggregates, only the logs are counted: 2 (${dates.join(', ')})`],
    ],
    [
      'a log of 0 bytes',
      (folder) => truncate(fileOf(folder, 'jsonl')),
      20,
      [`logs shorter than their aggregates, which are counted: 1 (${dates[1]})`],
    ],
    [
      'a log shorter than its aggregate says',
      (folder) => truncate(fileOf(folder, 'jsonl'), 300),
      20,
      [`logs shorter than their aggregates, which are counted: 1 (${dates[1]})`],
    ],
    [
      'invalid lines, and one of another day',
      (folder) => appendFile(fileOf(folder, 'jsonl'), `\0\n{}\n${line(noon - dayMs)}${line(noon)}`),
      21,
      [`invalid lines skipped: 3 (${dates[1]})`],
    ],
    [
      'a symbolic link',
      async (folder) => {
        await rename(fileOf(folder, 'jsonl'), join(folder, 'moved'))
        await symlink(join(folder, 'moved'), fileOf(folder, 'jsonl'))
        await rm(fileOf(folder, 'aggregate'))
      },
      10,
      [`logs that cannot be read (ELOOP): 1 (${dates[1]})`],
    ],
    [
      'folders in the place of files',
      async (folder) => {
        await rm(fileOf(folder, 'aggregate'))
        await mkdir(fileOf(folder, 'aggregate'))
        await mkdir(fileOf(folder, 'jsonl', today - 3))
      },
      20,
      [
        `logs that cannot be read (EINVAL): 1 (${dateOf(today - 3)})`,
        `aggregates that cannot be read (EINVAL): 1 (${dates[1]})`,
      ],
    ],
    [
      'days in the future',
      async (folder) => {
        for (const ahead of [1, 3, 100, 1000, 10_000]) {
          await writeFile(fileOf(folder, 'jsonl', today + ahead), line(noon + ahead * dayMs))
        }
      },
      21,
      [
        `days in the future, not counted: 4 (${[3, 100, 1000].map((ahead) => dateOf(today + ahead)).join(', ')}, …)`,
      ],
    ],
  ])('%s', async (_, damage, requests, expected) => {
    const [folder, other] = [await quietFolder(), await quietFolder(4)]
    await damage(folder)
    const { report, problems } = await readAll([folder, other])
    expect(report.totals.requests).toBe(requests + 4)
    expect(problems).toEqual(expected.map((each) => `${folder}/usage: ${each}`))
  })
})

describe('folders', () => {
  test('are given as DATA_DIR, as its usage folder or by a link', async () => {
    const folders = await Promise.all([quietFolder(), quietFolder(), quietFolder()])
    const [first = '', second = '', third = ''] = folders
    const link = join(await temporaryFolder(), 'link')
    await symlink(third, link)
    const { report } = await readAll([first, `${second}/usage/`, link])
    expect(report.totals.requests).toBe(60)
  })

  const elsewhere = async (): Promise<string> => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'notes.txt'), '')
    return folder
  }
  test.each<[string, (folder: string) => Promise<readonly string[]>, RegExp]>([
    ['missing', async (folder) => [folder, `${folder}/none`], /^\S+none does not exist$/],
    ['a file', async (folder) => [fileOf(folder, 'jsonl')], /^\S+jsonl is no folder$/],
    [
      'another folder',
      async (folder) => [folder, await elsewhere()],
      /^\S+ is neither a DATA_DIR with usage nor its usage folder$/,
    ],
    [
      'a DATA_DIR whose usage is a symbolic link',
      async (folder) => {
        const other = await elsewhere()
        await symlink(join(folder, 'usage'), join(other, 'usage'))
        return [other]
      },
      /^\S+ is neither a DATA_DIR/,
    ],
    ['given twice', async (folder) => [folder, folder], /^(\S+) and \1 are the same folder$/],
    [
      'given as DATA_DIR and as usage',
      async (folder) => [folder, `${folder}/./usage`],
      /^(\S+) and \1\/\.\/usage are the same folder$/,
    ],
    [
      'given again by a link',
      async (folder) => {
        const other = await elsewhere()
        await symlink(folder, join(other, 'link'))
        return [folder, join(other, 'link')]
      },
      /^\S+ and \S+link are the same folder$/,
    ],
    [
      'a copy of another that went on',
      async (folder) => {
        const copy = await temporaryFolder()
        await cp(folder, copy, { recursive: true })
        const usage = await openTestUsage(folder, { ms: noon })
        usage.record(answered())
        await usage.stop()
        await rm(fileOf(copy, 'jsonl', today - 1))
        await rm(fileOf(folder, 'aggregate', today - 1))
        return [folder, copy]
      },
      /^\S+ and \S+ have the same 2026-03-14: one is a copy of the other$/,
    ],
    [
      'a copy of the aggregates of another',
      async (folder) => {
        const copy = await temporaryFolder()
        await cp(folder, copy, { recursive: true })
        for (const day of [today - 1, today]) await rm(fileOf(copy, 'jsonl', day))
        return [folder, copy]
      },
      /^\S+ and \S+ have the same 2026-03-13: one is a copy of the other$/,
    ],
  ])('an error is one that is %s', async (_, prepare, message) => {
    const folders = await prepare(await quietFolder())
    const failure = await readAll(folders).catch((error: Error) => error.message)
    expect(failure).toMatch(message)
  })
})

describe('the text of a report', () => {
  test('has no control characters of names, and says that clients are at most so many', async () => {
    const folder = await quietFolder(2)
    const event: UsageEvent = {
      timeMs: noon,
      route: '/\u001b[2J\u202e',
      status: 200,
      durationUs: 1,
      bytes: 1,
      client: '0123456789abcdef',
      caller: '\u001b]0;title\u0007\u009b1m\u2028name',
    }
    const day = openDay()
    day.add(event)
    const counts = day.read()
    const callers = counts.all.callers.map((caller) => ({ ...caller, lastSeen: 1e300 }))
    const hostile = { ...counts, all: { ...counts.all, callers } }
    await writeFile(
      fileOf(folder, 'aggregate', today - 2),
      encodeAggregate({ counts: hostile, coveredBytes: 0, isClosed: true }),
    )
    const folders = [folder, await quietFolder(2)]
    const reader = await readerOf(folders)
    const { usage } = await lookUpUsage(reader, { days: 3, endpoint: undefined, basePath: '' })
    const text = usageText(usage, folders.length)
    expect(text.replaceAll('\n', '')).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u)
    expect(text).toContain('name')
    expect(text).toContain('Usage of 2 services, 2026-03-12 to 2026-03-14\n')
    expect(text).toMatch(/\nRequests {7}5\n/)
    expect(text).toMatch(/\nClients {8}3 at most: /)
    expect(text).toMatch(/\n2026-03-14 +2 +0 +2 +/)
    expect(usageText(usage, 1)).not.toContain('at most')
  })
})

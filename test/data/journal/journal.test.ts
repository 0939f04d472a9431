import { expect, test } from 'bun:test'
import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { openJournal } from '../../../src/data/journal/journal.ts'
import { temporaryFolder } from '../../process.ts'

const dayMs = 86_400_000
const line = new TextEncoder().encode('line\n')
const nothing = async () => undefined

test('a folder that cannot be taken over is left to other processes', async () => {
  const folder = await temporaryFolder()
  const open = () => openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  const [one, other] = [open(), open()]
  const refused = one.acquire(() => Promise.reject(new Error('the disk is full')))
  await expect(refused).rejects.toThrow('the disk is full')
  expect(await other.acquire(nothing)).toBe(true)
  expect(await one.acquire(nothing)).toBe(false)
  await other.close()
})

test('a lock that cannot be made is an error', async () => {
  const folder = await temporaryFolder()
  await Bun.write(join(folder, 'lock'), 'no lock'.repeat(1000))
  const journal = openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  await expect(journal.acquire(nothing)).rejects.toThrow('file is not a database')
})

test('a journal reads whole lines across chunks, and cuts off a torn last one', async () => {
  const folder = await temporaryFolder()
  const journal = openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  const whole = [1, 0, 100, 200_000, 3, 131_071, 7].map((length) => 'x'.repeat(length))
  await Bun.write(journal.pathOf(0), `${whole.join('\n')}\ntorn`)
  const read: [text: string, start: number, end: number][] = []
  await journal.acquire(() =>
    journal.load(0, 2, ({ bytes, start, end }) =>
      read.push([new TextDecoder().decode(bytes), start, end]),
    ),
  )
  let at = 2
  const expected = whole.slice(1).map((text) => {
    const start = at
    at += text.length + 1
    return [text, start, at]
  })
  expect<unknown>(read).toEqual(expected)
  expect([journal.length(0), Bun.file(journal.pathOf(0)).size]).toEqual([at, at])
  await journal.close()
})

test('a folder that was given up is measured again, and nothing in it is removed meanwhile', async () => {
  const folder = await temporaryFolder()
  const [now, monotonicNow] = [() => 40 * dayMs, () => 0]
  const open = () => openJournal({ folder, extension: 'log', now, monotonicNow })
  const [one, other] = [open(), open()]
  const retention = { days: 1, bytes: 0, mayRemove: () => true }
  expect(await one.acquire(nothing)).toBe(true)
  await one.append(40, line)
  await rm(join(folder, 'lock'))
  expect(await other.acquire(nothing)).toBe(true)
  await other.append(39, line)
  expect(await one.acquire(nothing)).toBe(false)
  expect(await one.retain(retention)).toEqual([])
  expect(await Bun.file(one.pathOf(40)).text()).toBe('line\n')
  await rm(other.pathOf(40))
  await other.close()
  expect(await one.acquire(nothing)).toBe(true)
  expect([one.days(), one.bytes()]).toEqual([[39], 5])
  // The file is removed by hand.
  await rm(one.pathOf(39))
  expect(await one.retain(retention)).toEqual([{ day: 39, bytes: 5 }])
  await one.close()
})

test.each([
  ['days that are too old', 100, [], [37, 38, 39, 40], []],
  ['the oldest days while all together are too large', 10, [], [39, 40], [37, 38]],
  ['no day after one that has to stay', 10, [37], [37, 38, 39, 40], []],
  ['the oldest days after an old one that has to stay', 15, [36], [36, 39, 40], [37, 38]],
] as const)(
  'the retention of a journal of five days removes %s',
  async (_, bytes, staying, left, counted) => {
    const folder = await temporaryFolder()
    const now = () => 40 * dayMs
    const journal = openJournal({ folder, extension: 'log', now, monotonicNow: () => 0 })
    for (const day of [38, 36, 40, 37, 39]) await Bun.write(journal.pathOf(day), line)
    await journal.acquire(nothing)
    const stays: ReadonlySet<number> = new Set(staying)
    const removed = await journal.retain({ days: 3, bytes, mayRemove: (day) => !stays.has(day) })
    expect(removed).toEqual(counted.map((day) => ({ day, bytes: 5 })))
    expect(journal.days()).toEqual(left)
    const exist = left.map((day) => Bun.file(journal.pathOf(day)).exists())
    expect(await Promise.all(exist)).toEqual(left.map(() => true))
    await journal.close()
  },
)

test.each([
  ['from the last day of use', undefined, [17, 18, 20], [18, 20]],
  ['from no future day', undefined, [17, 18, 20, 45], [18, 20, 45]],
  ['from the saved time', `${39 * dayMs}\n`, [35, 36], [36]],
  ['from the last day of use if the saved time is invalid', 'x\n', [35, 36], [35, 36]],
] as const)('the age of files found at a start counts %s', async (_, saved, found, left) => {
  const folder = await temporaryFolder()
  const now = () => 40 * dayMs
  const journal = openJournal({ folder, extension: 'log', now, monotonicNow: () => 0 })
  for (const day of found) await Bun.write(journal.pathOf(day), line)
  if (saved !== undefined) await Bun.write(join(folder, 'clock'), saved)
  await journal.acquire(nothing)
  await journal.retain({ days: 3, bytes: 100, mayRemove: () => true })
  expect(journal.days()).toEqual([...left])
  await journal.close()
})

test('leftovers of replaced files are removed, and other files are no days', async () => {
  const folder = await temporaryFolder()
  const journal = openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  const path = journal.pathOf(0)
  for (const name of [`${path}.tmp`, `${path}.gz`]) await Bun.write(name, line)
  await journal.acquire(nothing)
  expect(journal.days()).toEqual([])
  expect((await readdir(folder)).filter((name) => name.startsWith('19'))).toEqual([
    '1970-01-01.log.gz',
  ])
  await journal.close()
})

test('a journal saves its time once a minute, and a day is old once it is past retention', async () => {
  const folder = await temporaryFolder()
  let ms = 0
  const now = () => 40 * dayMs + ms
  const journal = openJournal({ folder, extension: 'log', now, monotonicNow: () => ms })
  const retain = () => journal.retain({ days: 3, bytes: 100, mayRemove: () => true })
  expect(journal.isOlder(0, 3)).toBe(false)
  await journal.acquire(nothing)
  const saved: number[] = []
  for (ms of [0, 59_999, 60_000]) {
    await retain()
    saved.push(Number(await Bun.file(join(folder, 'clock')).text()) - 40 * dayMs)
  }
  expect(saved).toEqual([0, 0, 60_000])
  expect([36, 37].map((day) => journal.isOlder(day, 3))).toEqual([true, false])
  await journal.close()
})

test('a file that somebody shortened is continued at its end', async () => {
  const folder = await temporaryFolder()
  const journal = openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  await journal.acquire(nothing)
  expect([await journal.append(0, line), await journal.append(0, line)]).toEqual([0, 5])
  await truncate(journal.pathOf(0), 5)
  expect([await journal.append(0, line), await journal.append(0, line)]).toEqual([5, 10])
  expect([journal.length(0), Bun.file(journal.pathOf(0)).size]).toEqual([15, 15])
  await journal.close()
})

test('a closed journal takes no folder again, even during an attempt', async () => {
  const folder = await temporaryFolder()
  const open = () => openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  const [closedEarly, closedLate, next] = [open(), open(), open()]
  const acquiring = closedEarly.acquire(async () => closedEarly.close())
  expect(await acquiring).toBe(false)
  expect(await closedLate.acquire(nothing)).toBe(true)
  const holding = closedLate.acquire(nothing)
  await closedLate.close()
  expect(await holding).toBe(false)
  for (const closed of [closedEarly, closedLate]) expect(await closed.acquire(nothing)).toBe(false)
  expect(await next.acquire(nothing)).toBe(true)
  await next.close()
})

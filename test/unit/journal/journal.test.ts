import { expect, test } from 'bun:test'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openJournal } from '../../../src/journal/journal.ts'
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
  const openFiles = async () => (await readdir('/proc/self/fd')).length
  const before = await openFiles()
  for (let time = 0; time < 20; time += 1) expect(await one.acquire(nothing)).toBe(false)
  expect(await openFiles()).toBeLessThan(before + 20)
  other.close()
})

test('a lock that cannot be made is an error', async () => {
  const folder = await temporaryFolder()
  await Bun.write(join(folder, 'lock'), 'no lock'.repeat(1000))
  const journal = openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  await expect(journal.acquire(nothing)).rejects.toThrow('file is not a database')
})

test('lines are whole, however they lie in what is read at once, and a torn last one is cut off', async () => {
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
  journal.close()
})

test('a folder that was given up is measured anew, and nothing in it is removed meanwhile', async () => {
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
  other.close()
  expect(await one.acquire(nothing)).toBe(true)
  expect([one.days(), one.bytes()]).toEqual([[39], 5])
  // As by hand.
  await rm(one.pathOf(39))
  expect(await one.retain(retention)).toEqual([{ day: 39, bytes: 5 }])
  one.close()
})

test('a journal that is closed takes no folder again, also where that was under way', async () => {
  const folder = await temporaryFolder()
  const open = () => openJournal({ folder, extension: 'log', now: () => 0, monotonicNow: () => 0 })
  const [closedEarly, closedLate, next] = [open(), open(), open()]
  const acquiring = closedEarly.acquire(async () => closedEarly.close())
  expect(await acquiring).toBe(false)
  expect(await closedLate.acquire(nothing)).toBe(true)
  const holding = closedLate.acquire(nothing)
  closedLate.close()
  expect(await holding).toBe(false)
  for (const closed of [closedEarly, closedLate]) expect(await closed.acquire(nothing)).toBe(false)
  expect(await next.acquire(nothing)).toBe(true)
  next.close()
})

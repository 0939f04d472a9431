import { describe, expect, test } from 'bun:test'
import { appendFile, mkdir, readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Line } from '../../../src/companions/changes/line.ts'
import { openChangeLog } from '../../../src/companions/changes/log.ts'
import type { Change } from '../../../src/companions/changes/schema.ts'
import { dayMs } from '../../../src/data/journal/day.ts'
import { observeSyncs } from '../../crashes.ts'
import { temporaryFolder } from '../../process.ts'

const noon = Date.UTC(2026, 2, 14, 12)

const lineOf = (seq: number): Line => ({
  epoch: 'epoch0001234',
  version: 'v'.repeat(64),
  after: seq - 1,
  last: seq,
  time: 1,
  changes: [],
})
const open = (folder: string, clock = { ms: noon, monotonicMs: 0 }, maxBytes = 1e9) =>
  openChangeLog({ folder, maxBytes, now: () => clock.ms, monotonicNow: () => clock.monotonicMs })
const load = async (log: ReturnType<typeof open>) => {
  let numbers: number[] = []
  const onStart = (): void => {
    numbers = []
  }
  const loaded = await log.load(({ last }) => numbers.push(last), onStart)
  return { ...loaded, numbers }
}
const numbersAfter = async (log: ReturnType<typeof open>, seq: number) =>
  (await Array.fromAsync(log.linesAfter(seq))).map(({ last }) => last)
const daysIn = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.endsWith('.ndjson')).toSorted()
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('a process that waited for the folder continues the log of the previous one', async () => {
  const folder = await temporaryFolder()
  const [first, second] = [open(folder), open(folder)]
  await load(first)
  await first.append(lineOf(1))
  expect((await load(second)).epoch).toBeUndefined()
  await expect(second.append(lineOf(2))).rejects.toThrow('ELOCKED')
  await first.close()
  expect(await load(second)).toEqual({ epoch: 'epoch0001234', last: 1, numbers: [1] })
  await second.close()
})

test('a log that is closed is neither written nor removed', async () => {
  const folder = await temporaryFolder()
  const first = open(folder)
  await load(first)
  await first.append(lineOf(1))
  await first.close()
  const uses = [() => first.append(lineOf(2)), () => first.cut(lineOf(2)), first.clear]
  for (const use of uses) await expect(use()).rejects.toThrow('ELOCKED')
  const second = open(folder)
  expect(await load(second)).toMatchObject({ last: 1, numbers: [1] })
  await second.close()
})

test('a torn last line is cut off, and the next one takes its place', async () => {
  const folder = await temporaryFolder()
  const first = open(folder)
  await load(first)
  await first.append(lineOf(1))
  await first.close()
  await appendFile(join(folder, '2026-03-14.ndjson'), '{"epoch":"half of a li')
  const second = open(folder)
  expect(await load(second)).toMatchObject({ last: 1, numbers: [1] })
  await second.append(lineOf(2))
  await second.close()
  const third = open(folder)
  expect(await load(third)).toMatchObject({ last: 2, numbers: [1, 2] })
  await third.close()
})

test('a line with a changed byte is rejected, and older lines without a checksum are read', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, '2026-03-14.ndjson')
  const first = open(folder)
  await load(first)
  const url = '/bots/axe'
  const after = { cleanName: 'axe', name: 'Axe', tournamentID: 'cup' }
  const renamed: Change = {
    type: 'bot.renamed',
    tournamentID: 'cup',
    bots: ['axe'],
    url,
    after,
  }
  for (const seq of range(1, 3)) await first.append({ ...lineOf(seq), changes: [[seq, renamed]] })
  const changesOf = async (log: ReturnType<typeof open>) =>
    (await Array.fromAsync(log.linesAfter(0))).flatMap(({ changesAfter }) => [...changesAfter(0)])
  expect(await changesOf(first)).toEqual(range(1, 3).map((seq) => [seq, renamed]))
  await first.close()
  const text = await Bun.file(path).text()
  await Bun.write(path, text.replace('"Axe"', '"Ace"'))
  const second = open(folder)
  expect(await load(second)).toMatchObject({ last: 3, numbers: [2, 3] })
  await second.close()
  const old = text.replace(/"schema":"\w+","sizes":\[\d+\],/g, '').replace(/,"check":"\w+"/g, '')
  await Bun.write(path, old)
  const third = open(folder)
  expect(await load(third)).toMatchObject({ last: 3, numbers: [1, 2, 3] })
  await third.append({ ...lineOf(4), changes: [[4, renamed]] })
  expect(await changesOf(third)).toEqual(range(1, 4).map((seq) => [seq, renamed]))
  await third.close()
})

test('a file that another program empties gives no lines', async () => {
  const folder = await temporaryFolder()
  const log = open(folder)
  await load(log)
  await log.append(lineOf(1))
  await truncate(join(folder, '2026-03-14.ndjson'))
  expect(await numbersAfter(log, 0)).toEqual([])
  await log.close()
})

test('a file that another program shortens is removed, and the next line begins a new one', async () => {
  const folder = await temporaryFolder()
  const log = open(folder)
  await load(log)
  for (const seq of range(1, 3)) await log.append(lineOf(seq))
  await truncate(join(folder, '2026-03-14.ndjson'), 100)
  await expect(log.append(lineOf(4))).rejects.toThrow('ESHORTENED')
  expect([await daysIn(folder), log.keptAfter()]).toEqual([[], undefined])
  await log.append(lineOf(5))
  expect([log.keptAfter(), await numbersAfter(log, 4)]).toEqual([4, [5]])
  await log.close()
})

test('lines before a cut that the disk refuses are read no more', async () => {
  const folder = await temporaryFolder()
  const log = open(folder)
  await load(log)
  for (const seq of range(1, 3)) await log.append(lineOf(seq))
  // A folder takes the place of the temporary file.
  await mkdir(join(folder, '2026-03-14.ndjson.tmp/full'), { recursive: true })
  await expect(log.cut(lineOf(4))).rejects.toThrow()
  expect([log.keptAfter(), await numbersAfter(log, 0)]).toEqual([undefined, []])
  await log.close()
})

describe('readers while files are removed', () => {
  /** 1,200 lines of the first day, more than one read takes, and lines of two more days. */
  const openLong = async () => {
    const clock = { ms: noon, monotonicMs: 0 }
    const log = open(await temporaryFolder(), clock)
    await load(log)
    for (const seq of range(1, 1202)) {
      if (seq > 1200) clock.ms += dayMs
      await log.append(lineOf(seq))
    }
    const removeFirstDay = async (): Promise<void> => {
      clock.ms += 6 * dayMs
      clock.monotonicMs += 100 * dayMs
      await log.tidy()
      expect(log.keptAfter()).toBe(1200)
    }
    return { log, removeFirstDay }
  }

  test('a reader in the middle of a removed file reads it to its end', async () => {
    const { log, removeFirstDay } = await openLong()
    const numbers: number[] = []
    for await (const { last } of log.linesAfter(3)) {
      numbers.push(last)
      if (last === 5) await removeFirstDay()
    }
    expect(numbers).toEqual(range(4, 1202))
    await log.close()
  })

  test('a reader that has not begun a removed file gets none of its lines, and none after a gap', async () => {
    const { log, removeFirstDay } = await openLong()
    const reader = log.linesAfter(3)
    const removing = removeFirstDay()
    const first = await reader.next().catch(() => undefined)
    await removing
    await reader.return(undefined)
    expect([undefined, 4]).toContain(first?.value?.last)
    expect(await numbersAfter(log, 3)).toEqual([])
    expect(await numbersAfter(log, 1200)).toEqual([1201, 1202])
    await log.close()
  })
})

test('lines are kept for 7 days by a clock that does not follow jumps, the newest file always', async () => {
  const folder = await temporaryFolder()
  const clock = { ms: noon, monotonicMs: 0 }
  const log = open(folder, clock)
  await load(log)
  await log.append(lineOf(1))
  clock.ms += dayMs
  await log.append(lineOf(2))
  /** Remaining days after the clocks of the system moved. */
  const after = async (wallDays: number, monotonicDays: number) => {
    clock.ms = noon + wallDays * dayMs
    clock.monotonicMs += monotonicDays * dayMs
    await log.tidy()
    return daysIn(folder)
  }
  expect(await after(7, 7)).toEqual(['2026-03-14.ndjson', '2026-03-15.ndjson'])
  expect(await after(1000, 0.001)).toEqual(['2026-03-14.ndjson', '2026-03-15.ndjson'])
  expect(await after(8, 1)).toEqual(['2026-03-15.ndjson'])
  expect(await after(1000, 1000)).toEqual(['2026-03-15.ndjson'])
  await log.close()
})

test('a file of a quarter of the limit is continued in the next one, so that a part can be removed', async () => {
  const folder = await temporaryFolder()
  const log = open(folder, undefined, 16_000)
  await load(log)
  const kept: number[] = []
  for (const seq of range(1, 200)) {
    await log.append(lineOf(seq))
    await log.tidy()
    kept.push(seq - (log.keptAfter() ?? 0))
  }
  // The log always keeps more than 45 changes, once it has had as many as fit.
  expect(Math.min(...kept.slice(100))).toBeGreaterThan(45)
  const keptAfter = log.keptAfter() ?? 0
  // A line has at least 210 bytes.
  expect(keptAfter).toBeGreaterThan(120)
  expect(keptAfter).toBeLessThan(150)
  expect(await numbersAfter(log, keptAfter)).toEqual(range(keptAfter + 1, 200))
  await log.close()
  const second = open(folder)
  expect(await load(second)).toMatchObject({ last: 200, numbers: range(keptAfter + 1, 200) })
  await second.close()
})

const step = fc.constantFrom('append', 'append', 'append', 'cut', 'day', 'back', 'tidy')

test('the log has all acknowledged lines after a kill at any sync, without a gap, and none before a cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      const folder = await temporaryFolder()
      const clock = { ms: noon, monotonicMs: 0 }
      let [acknowledged, reached, cutAt] = [0, 0, 0]
      let isCutting = false
      const copies: { folder: string; allowed: readonly number[]; most: number; cutAt: number }[] =
        []
      const log = open(folder, clock, 2000)
      await load(log)
      {
        using _observed = await observeSyncs(folder, (copy) =>
          copies.push({
            folder: copy,
            // A kill during a removal may leave nothing.
            allowed: [acknowledged, reached, isCutting ? 0 : reached],
            most: reached,
            cutAt,
          }),
        )
        for (const each of steps) {
          if (each === 'append' || each === 'cut') {
            reached += 1
            isCutting = each === 'cut'
            await log[each](lineOf(reached))
            isCutting = false
            acknowledged = reached
            if (each === 'cut') cutAt = reached
          } else if (each === 'tidy') {
            clock.monotonicMs += 100 * dayMs
            await log.tidy()
          } else clock.ms += each === 'day' ? dayMs : -30 * dayMs
        }
      }
      await log.close()
      for (const { folder: copy, allowed, most, cutAt: from } of copies) {
        const restarted = open(copy, clock, 2000)
        const { last, numbers } = await load(restarted)
        const [first = from] = numbers
        expect(allowed).toContain(last ?? -1)
        if (last && last > 0) expect(numbers).toEqual(range(first, last))
        expect(first).toBeGreaterThanOrEqual(from)
        await restarted.append(lineOf(most + 1))
        expect((await numbersAfter(restarted, most)).at(-1)).toBe(most + 1)
        await restarted.close()
      }
    }),
    { numRuns: 10, seed: 7 },
  )
}, 120_000)

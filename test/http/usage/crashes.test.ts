import { expect, spyOn, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { dateOf, dayMs, dayOf } from '../../../src/data/journal/day.ts'
import { fileHandlePrototype, observeSyncs } from '../../crashes.ts'
import { temporaryFolder } from '../../process.ts'
import { answered, openTestUsage, type TestClock } from '../../usage.ts'

const midnight = Date.UTC(2026, 2, 14)
const minuteMs = 60_000

/** Requests per day, by date. */
type Totals = ReadonlyMap<string, number>
const add = (totals: Map<string, number>, timeMs: number, requests: number): void => {
  const date = dateOf(dayOf(timeMs))
  totals.set(date, (totals.get(date) ?? 0) + requests)
}
/** Requests per day that a start from a folder counts. */
const totalsOf = async (folder: string, nowMs: number, bytes: number): Promise<Totals> => {
  const usage = await openTestUsage(folder, { ms: nowMs }, 'never', bytes)
  const { days } = await usage.report(100, undefined)
  expect(usage.logCounts()).toMatchObject({ badLines: 0, dropped: 0 })
  await usage.stop()
  return new Map(days.flatMap(({ date, requests }) => (requests > 0 ? [[date, requests]] : [])))
}

const step = fc.oneof(
  fc.record({ visits: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ flush: fc.constant(true) }),
  fc.record({ fail: fc.constant(true) }),
  fc.record({ restart: fc.constant(true) }),
  // Steps of the clock: a minute, an hour after midnight, a month back, and the last millisecond of a day.
  fc.record({ toMs: fc.constantFrom(minuteMs, 25 * 60 * minuteMs, -30 * dayMs, dayMs - 1) }),
)

test('a start after a kill at any sync counts each event once, on its day', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 14 }),
      fc.constantFrom(1500, 1e9),
      async (steps, bytes) => {
        const folder = await temporaryFolder()
        const clock: Required<TestClock> = { ms: midnight, monotonicMs: 0 }
        const [written, recorded] = [new Map<string, number>(), new Map<string, number>()]
        const copies: { folder: string; least: Totals; most: Totals }[] = []
        let fails = false
        const failing = (): boolean => {
          const isFailing = fails
          fails = false
          return isFailing
        }
        const onCopy = (copy: string): void => {
          copies.push({ folder: copy, least: new Map(written), most: new Map(recorded) })
        }
        let usage = await openTestUsage(folder, clock, 'never', bytes)
        {
          using _observed = await observeSyncs(folder, onCopy, failing)
          const flush = async (): Promise<void> => {
            await usage.flush()
            if (usage.logCounts().problems.length > 0) await usage.flush()
            for (const [date, requests] of recorded) written.set(date, requests)
          }
          for (const each of steps) {
            // The first line of a log, with its time, identifies it to its aggregate.
            clock.ms += 1
            if ('toMs' in each) {
              const today = dayOf(clock.ms) * dayMs
              clock.ms =
                each.toMs < 0 ? clock.ms + each.toMs : Math.max(clock.ms, today + each.toMs)
              clock.monotonicMs += minuteMs
            } else if ('visits' in each) {
              for (let visit = 0; visit < each.visits; visit += 1) usage.record(answered())
              add(recorded, clock.ms, each.visits)
            } else if ('fail' in each) fails = true
            else {
              await flush()
              if ('flush' in each) continue
              fails = false
              await usage.stop()
              usage = await openTestUsage(folder, clock, 'never', bytes)
            }
          }
          await flush()
          fails = false
          await usage.stop()
        }
        for (const { folder: copy, least, most } of copies) {
          const found = await totalsOf(copy, midnight + 20 * dayMs, bytes)
          for (const [date, requests] of most) {
            expect([least.get(date) ?? 0, requests]).toContain(found.get(date) ?? 0)
          }
          expect(found.size).toBeLessThanOrEqual(most.size)
          expect(await totalsOf(copy, midnight + 20 * dayMs, bytes)).toEqual(found)
        }
        expect(await totalsOf(folder, midnight + 20 * dayMs, bytes)).toEqual(recorded)
      },
    ),
    { numRuns: 8, seed: 7 },
  )
}, 120_000)

test('a report made while its days are removed has the counts from its start', async () => {
  const folder = await temporaryFolder()
  const clock: Required<TestClock> = { ms: midnight, monotonicMs: 0 }
  const usage = await openTestUsage(folder, clock)
  for (let route = 0; route < 200; route += 1) usage.record(answered({ route: `/route${route}` }))
  await usage.flush()
  clock.ms += 364 * dayMs
  const reporting = usage.report(365, undefined)
  clock.ms += 100 * dayMs
  clock.monotonicMs += 500 * dayMs
  await usage.flush()
  expect((await reporting).endpoints).toHaveLength(200)
  expect((await usage.report(365, undefined)).totals.requests).toBe(0)
  clock.ms = midnight
  expect((await usage.report(1, undefined)).totals.requests).toBe(0)
  await usage.stop()
})

test.each([
  // A log that is too large is removed as soon as its aggregate is written.
  ['2026-03-14.aggregate', 1],
  ['clock', 1e9],
])('a file %s that cannot be written loses no events', async (name, bytes) => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'usage', name, 'in the way'), { recursive: true })
  const clock: Required<TestClock> = { ms: midnight, monotonicMs: 0 }
  const usage = await openTestUsage(folder, clock, 'never', bytes)
  const datasync = spyOn(await fileHandlePrototype(), 'datasync')
  // The event is queued after the lines of a round were taken.
  datasync.mockImplementation(async () => {
    usage.record(answered())
    usage.logCounts()
  })
  usage.record(answered())
  for (let round = 0; round < 5; round += 1) {
    // The clock file is written every minute.
    clock.monotonicMs += minuteMs
    await usage.flush()
  }
  datasync.mockRestore()
  clock.monotonicMs += minuteMs
  await usage.flush()
  expect(usage.logCounts()).toMatchObject({ written: 6, dropped: 0 })
  expect(usage.logCounts().problems).toHaveLength(1)
  expect(await Bun.file(join(folder, 'usage', '2026-03-14.jsonl')).exists()).toBe(true)
  await usage.stop()
})

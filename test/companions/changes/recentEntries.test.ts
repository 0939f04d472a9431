import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Entry } from '../../../src/companions/changes/entry.ts'
import { createRecentEntries } from '../../../src/companions/changes/recentEntries.ts'

const maxEntries = 40
const entry = (seq: number, text = ''): Entry => ({
  seq,
  text,
  id: `e-${seq}`,
  type: 'fight.ended',
  bots: [],
  tournaments: [],
})

test('recentEntries keeps the changes after a number, up to a maximum count', () => {
  const step = fc.oneof(
    { weight: 9, arbitrary: fc.record({ added: fc.nat(30) }) },
    { weight: 1, arbitrary: fc.record({ startAfter: fc.nat(1000) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.nat(50), (steps, back) => {
      const recent = createRecentEntries(maxEntries)
      let last = 0
      let known: number[] = []
      for (const each of steps) {
        if ('added' in each) {
          const added = Array.from({ length: each.added }, (_, index) => last + 1 + index)
          last += each.added
          known.push(...added)
          recent.add(added.map((seq) => entry(seq)))
        } else {
          last += each.startAfter
          known = []
          recent.startAfter(last)
        }
        const kept = known.filter((seq) => seq > recent.keptAfter())
        expect(kept.length).toBeLessThanOrEqual(maxEntries)
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(known.length, 0.95 * maxEntries))
        expect(recent.keptAfter()).toBe((kept[0] ?? last + 1) - 1)
        const since = Math.max(recent.keptAfter(), last - back)
        const after = [...recent.after(since)].map(({ seq }) => seq)
        expect(after).toEqual(kept.filter((seq) => seq > since))
      }
    }),
  )
})

test('recentEntries keeps at most 32 Mi characters, not counting changes from before the start', () => {
  const recent = createRecentEntries(100)
  const quarter = 'x'.repeat(8 * 2 ** 20)
  const add = (from: number, to: number) => {
    for (let seq = from; seq <= to; seq += 1) recent.add([entry(seq, quarter)])
  }
  add(1, 4)
  expect(recent.keptAfter()).toBe(0)
  add(5, 7)
  expect(recent.keptAfter()).toBe(4)
  recent.startAfter(7)
  add(8, 11)
  expect([...recent.after(7)]).toHaveLength(4)
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { buildTimeline } from '../../../src/replay/timeline.ts'
import { readSnapshot } from '../../../src/source/snapshot.ts'
import { projectFolder } from '../../process.ts'

const timeline = await buildTimeline(
  await readSnapshot(join(projectFolder, 'snapshot/sample.cageside')),
  'auto',
)
const { startsAt, finalAt, first, move, nextChangeAfter } = timeline
type League = typeof first
const version = ({ archive }: League) => archive?.version
const from = async (at: number) => move(first, startsAt, at)

test.each([0, 0.3, 0.7])(
  'from %p of the event on, everything changes at the moments that are named',
  async (part) => {
    let at = Math.round(startsAt + part * (timeline.endsAt - startsAt))
    let league = await from(at)
    let changes = 0
    for (let step = 0; step < 8; step += 1) {
      const next = nextChangeAfter(at)
      expect(next).toBeGreaterThan(at)
      const before = await move(league, at, next - 1)
      expect([next, version(before)]).toEqual([next, version(league)])
      const after = await move(before, next - 1, next)
      if (version(after) !== version(before)) changes += 1
      expect(version(await from(next))).toBe(version(after))
      ;[at, league] = [next, after]
    }
    expect(changes).toBeGreaterThan(3)
  },
)

test('the league is the same however it came to a moment, also by going back', async () => {
  const last = await from(finalAt)
  expect(version(await move(last, finalAt, startsAt))).toBe(version(first))
  expect(nextChangeAfter(timeline.endsAt)).toBe(timeline.endsAt)
  expect(nextChangeAfter(finalAt + 1)).toBe(timeline.endsAt)
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Fight } from '../../../src/league/types.ts'
import { createLog } from '../../../src/log.ts'
import { openReplay } from '../../../src/replay/openReplay.ts'
import { buildTimeline } from '../../../src/replay/timeline.ts'
import { readSnapshot, writeSnapshot } from '../../../src/source/snapshot.ts'
import { projectFolder, temporaryFolder } from '../../process.ts'
import { fightRows, playersNamed, tournamentOf } from '../../rows.ts'
import { until } from '../../until.ts'

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

test.each([
  ['that fails says so, and shows what it has', true, 'internal error'],
  ['that is over shows the snapshot with its clock', false, null],
])('a replay %s', async (_, isFailing, error) => {
  const path = join(await temporaryFolder(), 'league.cageside')
  const start = 1_770_000_000
  const fights = [
    fightRows({ startTime: start, stopTime: start + 90, endTime: start + 100 }, 'p0', 'p1'),
  ]
  const tournaments = [tournamentOf({}, playersNamed('Axe', 'Bolt'), fights)]
  await writeSnapshot(path, { capturedAt: start + 600, cages: [], cageQueue: [], tournaments })
  const swaps: (Fight['state'] | undefined)[] = []
  const service = openReplay(path, {
    at: start - 60,
    speed: 600,
    loop: false,
    log: createLog('silent'),
    minStepMs: 1,
    changes: {
      begin: () => undefined,
      swapped: (_before, { dataset }) => {
        swaps.push(dataset.fights[0]?.state)
        if (isFailing) throw new Error('full')
      },
    },
  })
  await service.firstLoad
  expect(service.now()).toBeWithin(start - 60, start)
  await until(() =>
    isFailing ? service.status().lastRefresh.error !== null : swaps.includes('done'),
  )
  await until(() => isFailing || service.now() >= start + 600)
  expect(service.status().lastRefresh.error).toBe(error)
  expect(service.archive()?.dataset.fights[0]?.state).toBe(isFailing ? swaps[0] : 'done')
  await service.stop()
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSnapshot } from '../../../src/data/following/fromSnapshot.ts'
import type { Fight } from '../../../src/data/league/types.ts'
import { openReplay } from '../../../src/data/replay/openReplay.ts'
import { buildTimeline } from '../../../src/data/replay/timeline.ts'
import type { CageQueueRow } from '../../../src/data/source/rows.ts'
import { readSnapshot, writeSnapshot } from '../../../src/data/source/snapshot.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { projectFolder, temporaryFolder } from '../../process.ts'
import { fightRows, openFight, playersNamed, tournamentOf } from '../../rows.ts'
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
  'a timeline from %p of the event on changes only at the announced moments',
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

test('a timeline has one league for a moment, reached forwards or backwards', async () => {
  const last = await from(finalAt)
  expect(version(await move(last, finalAt, startsAt))).toBe(version(first))
  expect(nextChangeAfter(timeline.endsAt)).toBe(timeline.endsAt)
  expect(nextChangeAfter(finalAt + 1)).toBe(timeline.endsAt)
})

/** The part of a change sink that a replay does not use. */
const unused = {
  found: async () => false,
  compare: async () => undefined,
  beforeSave: async () => true,
}

const start = 1_770_000_000
const early = start - 900_000
/** A snapshot captured 600 s after the start, with a tournament for each fight with these times. */
const writeFights = async (...times: readonly (readonly [start: number, stop: number])[]) => {
  const path = join(await temporaryFolder(), 'league.cageside')
  const tournaments = times.map(([startTime, stopTime], index) =>
    tournamentOf(
      { id: `t${index}`, createTime: early, updateTime: early },
      playersNamed('Axe', 'Bolt'),
      [fightRows({ startTime, stopTime, endTime: stopTime + 10 }, 'p0', 'p1')],
    ),
  )
  await writeSnapshot(path, { capturedAt: start + 600, cages: [], cageQueue: [], tournaments })
  return path
}

test('a stop that a wrong clock puts after the capture happens at the capture', async () => {
  const path = await writeFights([start, start + 90], [start - 600, start + 9999])
  const replay = await buildTimeline(await readSnapshot(path), start - 60)
  const { archive } = await replay.move(replay.first, replay.startsAt, replay.finalAt)
  expect(archive?.dataset.fights.map(({ state }) => state)).toEqual(['done', 'done'])
})

test.each([
  ['even if the snapshot is later', []],
  ['even if other events follow', [[start + 500, start + 590]]],
] as const)('nothing changes after the end of an event, %s', async (_, later) => {
  const at = later.length > 0 ? start - 864_000 : start
  const path = await writeFights([at, at + 90], ...later)
  const { endsAt, nextChangeAfter } = await buildTimeline(await readSnapshot(path), at - 60)
  expect([endsAt, nextChangeAfter(endsAt)]).toEqual([at + 210, at + 210])
})

test('the end of an event begins the next one, if there is one', async () => {
  const first = start - 864_000
  const snapshot = await readSnapshot(await writeFights([first, first + 90], [start, start + 90]))
  const from = (at: number) => buildTimeline(snapshot, at)
  expect((await from(first + 89)).endsAt).toBe(first + 210)
  expect((await from(first + 90)).endsAt).toBe(start + 210)
  expect(from(start + 90)).rejects.toThrow('before the last fight of the snapshot ended, 2026-')
})

test('a replay of invalid rows ends as the snapshot is served', async () => {
  const path = join(await temporaryFolder(), 'league.cageside')
  const players = [...playersNamed('Axe', 'Bolt'), { id: 'bad', seed: -0.5 }]
  const times = { startTime: start, stopTime: start + 90, endTime: start + 100 }
  const tournaments = [tournamentOf({}, players, [fightRows(times, 'p0', 'p1')])]
  await writeSnapshot(path, { capturedAt: start + 600, cages: [], cageQueue: [], tournaments })
  const plain = openSnapshot(path, createLog('silent'))
  await plain.firstLoad
  const warnings: unknown[] = []
  const served = openReplay(path, {
    ...{ at: start - 60, speed: 1, loop: false },
    log: (level, message) => void (level === 'warn' && warnings.push(message)),
  })
  await served.firstLoad
  expect(warnings).toEqual(['rows left out'])
  expect(served.status().badRows).toBe(1)
  expect(served.recentBadRows?.()).toHaveLength(1)
  await served.stop()
  const replay = await buildTimeline(await readSnapshot(path), start - 60)
  const { archive } = await replay.move(replay.first, replay.startsAt, replay.finalAt)
  expect([archive?.version, replay.badRows.count()]).toEqual([plain.archive()?.version, 1])
  await plain.stop()
})

test.each([
  ['that fails says so, and keeps its archive', true, 'internal error'],
  ['that is over shows the snapshot with its clock', false, null],
])('a replay %s', async (_, isFailing, error) => {
  const path = await writeFights([start, start + 90])
  const swaps: (Fight['state'] | undefined)[] = []
  const messages: string[] = []
  const options = {
    ...{ at: start - 60, speed: 600, loop: false, minStepMs: 1 },
    log: (_: unknown, message: string) => void messages.push(message),
  }
  const service = openReplay(path, {
    ...options,
    changes: {
      ...unused,
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
  const last = isFailing ? 'the replay stopped' : 'the replayed event is over'
  await until(() => messages.includes(last))
  expect(messages).toEqual(['loaded', 'replaying', last])
  await service.stop()
  const stopped = openReplay(path, { ...options, speed: 1 })
  await stopped.firstLoad
  await stopped.stop()
  expect(messages.slice(3)).toEqual(['loaded', 'replaying'])
})

test('past moments show at once, and the clock ends with the snapshot and starts over after a while', async () => {
  const path = await writeFights([start, start + 90])
  let ms = 0
  const epochs: (Fight['state'] | undefined)[][] = []
  const service = openReplay(path, {
    ...{ at: start - 60, speed: 600, loop: true, minStepMs: 1, lingerMs: 200 },
    log: createLog('silent'),
    clockMs: () => ms,
    changes: {
      ...unused,
      begin: ({ dataset }) => void epochs.push([dataset.fights[0]?.state]),
      swapped: (_, { dataset }) => void epochs.at(-1)?.push(dataset.fights[0]?.state),
    },
  })
  const clocks = () => [service.now(), service.status().currentAt]
  await service.firstLoad
  expect(clocks()).toEqual([start - 60, start - 60])
  ms += 3_600_000
  await until(() => service.status().currentAt === start + 600)
  expect(service.now()).toBe(start + 600)
  ms += 3_600_000
  expect(clocks()).toEqual([start + 900, start + 600])
  expect(service.rows()?.archive).toBe(service.archive())
  expect(epochs).toEqual([['pending', 'done', 'done']])
  await until(() => epochs.length === 2)
  expect(clocks()).toEqual([start - 60, start - 60])
  await service.stop()
})

test('a replay shows the prepared snapshot, without ratings if they are off', async () => {
  const [path, other] = [
    await writeFights([start, start + 90]),
    await writeFights([start, start + 90], [start - 600, start - 500]),
  ]
  const archiveOf = async (options: Partial<Parameters<typeof openReplay>[1]>) => {
    const log = createLog('silent')
    const service = openReplay(path, { at: start - 60, speed: 1, loop: false, log, ...options })
    await service.firstLoad
    await service.stop()
    const archive = service.archive()
    return [archive?.version, archive?.ratings]
  }
  const [plain, ratings] = await archiveOf({})
  expect(ratings).toBeDefined()
  expect(await archiveOf({ ratings: false })).toEqual([plain, undefined])
  const [prepared] = await archiveOf({ prepare: () => readSnapshot(other) })
  const service = await buildTimeline(await readSnapshot(other), start - 60)
  expect([prepared === plain, prepared]).toEqual([false, service.first.archive?.version])
})

/** A snapshot of some tournaments, with the queue of a cage. */
const timelineOf = async (
  tournaments: readonly ReturnType<typeof tournamentOf>[],
  {
    at = start - 60,
    after = 600,
    cageQueue = [],
  }: Partial<{
    at: number | 'auto'
    after: number
    cageQueue: CageQueueRow[]
  }> = {},
) => {
  const path = join(await temporaryFolder(), 'league.cageside')
  await writeSnapshot(path, { capturedAt: start + after, cages: [], cageQueue, tournaments })
  return buildTimeline(await readSnapshot(path), at)
}
const fightAt = (at: number, row: Parameters<typeof tournamentOf>[0] = {}) =>
  tournamentOf({ createTime: early, updateTime: early, ...row }, playersNamed('Axe', 'Bolt'), [
    fightRows({ startTime: start + at, stopTime: start + at + 90, endTime: null }, 'p0', 'p1'),
  ])

test('the last event is one of public tournaments', async () => {
  const hidden = fightAt(200_000, { id: 'hidden', privacy: 'private' })
  const { startsAt, endsAt } = await timelineOf([fightAt(0), hidden], {
    at: 'auto',
    after: 300_000,
  })
  expect([startsAt, endsAt]).toEqual([start, start + 210])
})

test('an event ends with the snapshot if that is sooner than two minutes after its last fight', async () => {
  expect((await timelineOf([fightAt(0)], { after: 150 })).endsAt).toBe(start + 150)
})

test('changes after the end of the last event appear at the end', async () => {
  const other = fightAt(-600_000, { id: 'other', updateTime: start + 500 })
  const { first, startsAt, endsAt, finalAt, move } = await timelineOf([fightAt(0), other])
  const updatedAt = async (to: number) => {
    const { archive } = await move(first, startsAt, to)
    return archive?.dataset.tournamentsByID.get('other')?.info.updateUnix
  }
  expect(await updatedAt(endsAt)).toBeLessThan(start)
  expect(await updatedAt(finalAt)).toBe(start + 500)
})

test('a fight in the queue of the snapshot waits there from the time it was available', async () => {
  const players = playersNamed('Axe', 'Bolt', 'Claw', 'Dent')
  const next = openFight({ id: 'W-1', cage: null, availableSince: start + 50 }, 'p2', 'p3')
  const fights = [
    fightRows({ startTime: start, stopTime: start + 90, endTime: null }, 'p0', 'p1'),
    next,
  ]
  const row = { id: 't', active: true, createTime: early, updateTime: early }
  const { first, startsAt, move } = await timelineOf([tournamentOf(row, players, fights)], {
    cageQueue: [{ cage: 4, position: 0, tournamentId: 't', gameId: 'W-1' }],
  })
  const queueAt = async (to: number) => {
    const { archive } = await move(first, startsAt, start + to)
    return archive?.cages.cage4.queue.map(({ id }) => id)
  }
  expect(await Promise.all([49, 50].map(queueAt))).toEqual([[], ['W-1']])
})

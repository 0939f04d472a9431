import { expect, test } from 'bun:test'
import { nothingHidden } from '../../../src/archive/hidden.ts'
import { leagueWith } from '../../../src/archive/updateLeague.ts'
import { type FollowedSource, follow } from '../../../src/following/follow.ts'
import { createLog } from '../../../src/log.ts'
import type { TournamentRows } from '../../../src/source/rows.ts'
import { temporaryFolder } from '../../process.ts'
import { smallLeague } from '../../smallLeague.ts'
import { until } from '../../until.ts'

const tournaments = [...smallLeague.tournaments].slice(0, 2)
const ids = tournaments.map(({ tournament }) => tournament.id)

/** Follows a source that has these tournaments, and counts its reads. */
const followed = async (
  tournamentsAt: (read: number) => readonly TournamentRows[],
  onRead: (read: number) => void = () => undefined,
) => {
  let reads = 0
  const source: FollowedSource = {
    kind: 'postgres',
    name: 'database',
    read: async (before) => {
      reads += 1
      onRead(reads)
      const shown = new Map(tournamentsAt(reads).map((rows) => [rows.tournament.id, rows]))
      const updates = ids.map((id) => ({ id, rows: shown.get(id) }))
      const { league, bad } = await leagueWith(before, updates, { cages: [], cageQueue: [] })
      return { league, bad, changedRows: 0, currentAt: performance.now() }
    },
    failureOf: () => undefined,
    hidden: async () => nothingHidden,
    isOwn: () => true,
    isNotifying: () => true,
    close: async () => undefined,
    wallMs: Date.now,
    clockMs: () => performance.now(),
  }
  const service = follow(source, {
    refreshMs: 3_600_000,
    dataDir: await temporaryFolder(),
    log: createLog('silent'),
  })
  return { service, reads: () => reads }
}

test('what is hidden while the league is first loaded is never served', async () => {
  const { service } = await followed((read) => (read === 1 ? tournaments : tournaments.slice(1)))
  await service.firstLoad
  expect(service.archive()?.dataset.tournaments.map(({ info }) => info.id)).toEqual(ids.slice(1))
  await service.stop()
})

test('a notification is one read, and one more where it comes during a read', async () => {
  const { service, reads } = await followed(
    () => tournaments,
    (read) => {
      if (read === 4) service.notified()
    },
  )
  await service.firstLoad
  expect(reads()).toBe(2)
  for (let n = 0; n < 10; n += 1) service.notified()
  await until(() => reads() === 3)
  // Reads that are not due would come every 100 ms.
  await Bun.sleep(350)
  expect(reads()).toBe(3)
  service.notified()
  await until(() => reads() === 5)
  await Bun.sleep(350)
  expect(reads()).toBe(5)
  await service.stop()
})

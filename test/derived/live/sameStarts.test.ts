import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { updateArchive, updateCages } from '../../../src/data/archive/archive.ts'
import { emptyLeague } from '../../../src/data/archive/loadedLeague.ts'
import { leagueWith } from '../../../src/data/archive/updateLeague.ts'
import { openSnapshot } from '../../../src/data/following/fromSnapshot.ts'
import { buildTournament } from '../../../src/data/league/build.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { writeSnapshot } from '../../../src/data/source/snapshot.ts'
import { expectedAt } from '../../../src/derived/live/expected.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { eventDay } from '../../eventDay.ts'
import { archiveWithCages } from '../../fixtures.ts'
import { temporaryFolder } from '../../process.ts'
import { sampleLeague } from '../../smallLeague.ts'

const { capturedAt, tournaments, cages, cageQueue } = sampleLeague
const all = [...tournaments]
const rows = all.slice(-12)
const load = (queue = cageQueue) => archiveWithCages({ cages, cageQueue: queue }, ...rows)

/** Queues without half of the waiting fights, so that the others begin earlier. */
const shorter = { cages, cageQueue: cageQueue.filter(({ position }) => position % 2 === 0) }

const startsOf = (archive: ReturnType<typeof load>, now = capturedAt) =>
  new Map(
    [...expectedAt(archive, now).fights].map(([{ id, tournament }, { at }]) => [
      `${tournament.id} ${id}`,
      at,
    ]),
  )

test('expected starts depend only on the data, not on earlier answers or other data', async () => {
  const archive = load()
  const active = archive.dataset.tournaments.find(({ info }) => info.active)
  const row = rows.find(({ tournament }) => tournament.id === active?.info.id)
  if (!active || !row) throw new Error('no tournament is active')
  for (const now of [capturedAt - 600, capturedAt - 30, capturedAt]) startsOf(archive, now)
  const changed = new Map([[active.info.id, buildTournament(row)]])
  const fresh = startsOf(load(shorter.cageQueue))
  const before = startsOf(archive)
  const isEarlier = [...fresh].some(
    ([key, at]) => (at?.start ?? Infinity) < (before.get(key)?.start ?? 0),
  )
  expect(isEarlier).toBe(true)
  const followers = [
    updateCages(archive, 'cages', shorter),
    await updateArchive(archive, 'tournament', changed, shorter),
  ]
  for (const follower of followers) expect(startsOf(follower)).toEqual(fresh)
  // The newest fight ended after all of these times.
  for (const now of [capturedAt, capturedAt - 600]) {
    startsOf(archive, capturedAt + 600)
    expect(startsOf(archive, now)).toEqual(startsOf(load(), now))
  }
})

const updatesOf = (tournaments: readonly TournamentRows[]) =>
  tournaments.map((each) => ({ id: each.tournament.id, rows: each }))

test('a service that ran for two hours of an event has the starts of one that just loaded it', async () => {
  const from = Date.parse('2026-02-14T19:00:00Z') / 1000
  const end = from + 7200
  const { own, over, cagesAt } = eventDay(all, { from, to: from + 9 * 3600, capturedAt })
  const at = (now: number) => own.flatMap(({ history }) => history.rowsAt(now) ?? [])
  const [first, ...others] = over.toReversed()
  if (!first) throw new Error('there was no event before')
  // The measured pace of the league changes during the event, too.
  const late = first.games.map((game) => ({
    ...game,
    startTime: game.startTime && game.startTime - 60,
  }))
  const corrected = { ...first, games: late }
  let { league } = await leagueWith(emptyLeague, updatesOf([...over, ...at(from)]), cagesAt(from))
  for (let now = from; now <= end; now += 900) {
    const changed = now === from + 3600 ? [corrected, ...at(now)] : at(now)
    league = (await leagueWith(league, updatesOf(changed), cagesAt(now))).league
    if (league.archive) for (const ahead of [45, 0]) startsOf(league.archive, now + ahead)
  }
  const path = join(await temporaryFolder(), 'league.cageside')
  const contents = {
    capturedAt: end,
    ...cagesAt(end),
    tournaments: [...at(end), ...others, corrected],
  }
  await writeSnapshot(path, contents)
  const service = openSnapshot(path, createLog('silent'))
  await service.firstLoad
  const [followed, loaded] = [league.archive, service.archive()]
  await service.stop()
  if (!followed || !loaded) throw new Error('nothing is served')
  expect(loaded.dataVersion).toBe(followed.dataVersion)
  for (const now of [end, end + 600, end - 31]) {
    const expected = startsOf(followed, now)
    expect([...expected.values()].filter((each) => each).length).toBeGreaterThan(5)
    // The remembered measurements belong to another league.
    startsOf(load(), capturedAt)
    expect(startsOf(loaded, now)).toEqual(expected)
  }
})

import { expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { noCages, updateArchive, updateCages } from '../../../src/archive/archive.ts'
import { buildTournament } from '../../../src/league/build.ts'
import { expectedAt } from '../../../src/live/expected.ts'
import { archiveWithCages } from '../../fixtures.ts'

const { capturedAt, tournaments, cages, cageQueue } = generateLeague({ seed: 1, scale: 'sample' })
const rows = [...tournaments].slice(-12)
const load = () => archiveWithCages({ cages, cageQueue }, ...rows)

/** Without half of the fights that wait for a cage, those that remain begin earlier. */
const shorter = { cages, cageQueue: cageQueue.filter(({ position }) => position % 2 === 0) }

const startsOf = (archive: ReturnType<typeof load>) =>
  new Map(
    [...expectedAt(archive, capturedAt).fights].flatMap(([{ id, tournament }, { at }]) =>
      at ? [[`${tournament.id} ${id}`, at] as const] : [],
    ),
  )

test('starts that were said are held by the archives that follow, and by no others', async () => {
  const archive = load()
  const before = startsOf(archive)
  const fresh = startsOf(archiveWithCages(shorter, ...rows))
  const active = archive.dataset.tournaments.find(({ info }) => info.active)
  if (!active) throw new Error('no tournament is active')
  const row = rows.find(({ tournament }) => tournament.id === active.info.id)
  if (!row) throw new Error('it has no rows')
  const changed = new Map([[active.info.id, buildTournament(row)]])
  const followers = [
    updateCages(archive, 'cages', shorter),
    await updateArchive(archive, 'tournament', changed, shorter),
  ]
  for (const follower of followers) {
    let held = 0
    for (const [key, { start, from, to }] of startsOf(follower)) {
      const earlier = (before.get(key)?.start ?? 0) - start
      if (earlier > 0) expect(earlier).toBeGreaterThanOrEqual(to - from)
      held += Number(start > (fresh.get(key)?.start ?? start))
    }
    expect(held).toBeGreaterThan(0)
  }
  expect([...startsOf(load())]).toEqual([...before])
  expect(startsOf(updateCages(archive, 'none', noCages)).size).toBeGreaterThan(0)
})

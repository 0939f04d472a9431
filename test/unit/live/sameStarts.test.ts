import { expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { updateArchive, updateCages } from '../../../src/archive/archive.ts'
import { buildTournament } from '../../../src/league/build.ts'
import { expectedAt } from '../../../src/live/expected.ts'
import { archiveWithCages } from '../../fixtures.ts'

const { capturedAt, tournaments, cages, cageQueue } = generateLeague({ seed: 1, scale: 'sample' })
const rows = [...tournaments].slice(-12)
const load = (queue = cageQueue) => archiveWithCages({ cages, cageQueue: queue }, ...rows)

/** Without half of the fights that wait for a cage, those that remain begin earlier. */
const shorter = { cages, cageQueue: cageQueue.filter(({ position }) => position % 2 === 0) }

const startsOf = (archive: ReturnType<typeof load>, now = capturedAt) =>
  new Map(
    [...expectedAt(archive, now).fights].map(([{ id, tournament }, { at }]) => [
      `${tournament.id} ${id}`,
      at,
    ]),
  )

test('starts are those of equal data, whatever was said before and of other data', async () => {
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
  startsOf(archive, capturedAt + 600)
  expect(startsOf(archive)).toEqual(startsOf(load()))
})

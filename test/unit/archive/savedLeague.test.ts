import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { noCages } from '../../../src/archive/archive.ts'
import { emptyLeague } from '../../../src/archive/loadedLeague.ts'
import { leagueOfSnapshot, saveLeague } from '../../../src/archive/savedLeague.ts'
import { leagueWith } from '../../../src/archive/updateLeague.ts'
import { readSnapshot } from '../../../src/source/snapshot.ts'
import { projectFolder, temporaryFolder } from '../../process.ts'
import { clipRow, playersAs, stillRow, tournamentOf } from '../../rows.ts'

// The log of changes names it: otherwise an upgrade would begin an epoch.
test('the version of a file of format 4 is the one it was saved as', async () => {
  const path = join(projectFolder, 'test/snapshots/version4.cageside')
  const { version, league } = await leagueOfSnapshot(await readSnapshot(path))
  expect(version).toBe('22gj751ghakz1')
  expect(league.archive?.version).not.toBe(version)
})

test('a tournament with a hidden clip or still, or that is hidden, is named', async () => {
  const path = join(await temporaryFolder(), 'saved')
  const updates = ['clip', 'still', 'hidden', 'open'].map((id, index) => ({
    id,
    rows: tournamentOf({ id }, playersAs({ p1: 'Axe', p2: 'Bolt' }), [], {
      clips: [clipRow({ token: `clip-${id}` })],
      stills: [stillRow({ id: index, token: `still-${id}`, playerId: 'p1' })],
    }),
  }))
  const { league } = await leagueWith(emptyLeague, updates, noCages)
  await saveLeague(path, league, 1_770_000_000)
  const hidden = {
    tournaments: new Set(['hidden']),
    clips: new Set(['clip-clip']),
    stills: new Set(['still-still']),
  }
  const found = await leagueOfSnapshot(await readSnapshot(path), hidden)
  expect(found.withheld).toEqual(new Set(['clip', 'still', 'hidden']))
  expect([...found.league.entries.keys()].sort()).toEqual(['clip', 'open', 'still'])
})

test('tournaments with bad rows are read again after a start, others not', async () => {
  const path = join(await temporaryFolder(), 'saved')
  const position = { databaseIdentity: 'a', systemIdentifier: 'b', mark: '1' }
  const seen = new Map(
    [0, 1].map((badRows) => [`${badRows} bad`, { stamp: '1', stampDigest: '', badRows }]),
  )
  await saveLeague(path, { ...emptyLeague, seen, position }, 1_770_000_000)
  const { origin } = await readSnapshot(path)
  expect(origin?.seen.map(([id]) => id)).toEqual(['0 bad'])
})

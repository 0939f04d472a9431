import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { emptyLeague } from '../../../src/archive/loadedLeague.ts'
import { leagueOfSnapshot, saveLeague } from '../../../src/archive/savedLeague.ts'
import { readSnapshot } from '../../../src/source/snapshot.ts'
import { projectFolder, temporaryFolder } from '../../process.ts'

// The log of changes names it: otherwise an upgrade would begin an epoch.
test('the version of a file of format 4 is the one it was saved as', async () => {
  const path = join(projectFolder, 'test/snapshots/version4.cageside')
  const { version, league } = await leagueOfSnapshot(await readSnapshot(path))
  expect(version).toBe('22gj751ghakz1')
  expect(league.archive?.version).not.toBe(version)
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

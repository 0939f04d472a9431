import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { leagueOfSnapshot } from '../../../src/archive/savedLeague.ts'
import { readSnapshot } from '../../../src/source/snapshot.ts'
import { projectFolder } from '../../process.ts'

// The log of changes names it: otherwise an upgrade would begin an epoch.
test('the version of a file of format 4 is the one it was saved as', async () => {
  const path = join(projectFolder, 'test/snapshots/version4.cageside')
  const { version, league } = await leagueOfSnapshot(await readSnapshot(path))
  expect(version).toBe('22gj751ghakz1')
  expect(league.archive?.version).not.toBe(version)
})

import { expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { noCages } from '../../../src/data/archive/archive.ts'
import { hiddenKey, newlyHiddenKeys } from '../../../src/data/archive/hidden.ts'
import { emptyLeague } from '../../../src/data/archive/loadedLeague.ts'
import { leagueOfSnapshot, saveLeague } from '../../../src/data/archive/savedLeague.ts'
import { leagueWith } from '../../../src/data/archive/updateLeague.ts'
import { versionOf } from '../../../src/data/archive/version.ts'
import { readSnapshot } from '../../../src/data/source/snapshot.ts'
import { present } from '../../present.ts'
import { projectFolder, temporaryFolder } from '../../process.ts'
import { cageRow, clipRow, fightRows, playersAs, stillRow, tournamentOf } from '../../rows.ts'

// The log of changes refers to this version, so another one would begin a new epoch at an upgrade.
test('a file of format 4 keeps the version that it was saved with', async () => {
  const path = join(projectFolder, 'test/snapshots/version4.cageside')
  const { version, league } = await leagueOfSnapshot(await readSnapshot(path))
  expect(version).toBe('22gj751ghakz1')
  expect(league.archive?.version).not.toBe(version)
  expect(versionOf(1n, noCages).dataVersion).toBe('0000000000001')
})

test('a saved tournament is withheld if it, a clip or a still of it is hidden by now', async () => {
  const path = join(await temporaryFolder(), 'saved')
  const ids = ['clip', 'still', 'hidden', 'open']
  const leagueOf = async (hidden: readonly string[]) => {
    const isShown = ({ token }: { readonly token: string }): boolean => !hidden.includes(token)
    const updates = ids.flatMap((id, index) => {
      const stills = [stillRow({ id: index + 1, token: `still-${id}`, playerId: 'p1' })]
      const tags = [{ stillId: index + 1, tag: `of ${id}` }]
      const players = playersAs({ p1: 'Axe', p2: 'Bolt' })
      const rows = tournamentOf({ id }, players, [fightRows({}, 'p1', 'p2')], {
        clips: [clipRow({ token: `clip-${id}` })].filter(isShown),
        stills: stills.filter(isShown),
        stillTags: stills.some(isShown) ? tags : [],
      })
      return hidden.includes(id) ? [] : { id, rows }
    })
    const rows = ids.map((tournamentId, index) => ({ cage: 1, position: index, tournamentId }))
    const cages = {
      cages: ids.map((tournamentId, index) =>
        cageRow({ number: index + 1, status: 'assigned', tournamentId, gameId: 'W-0' }),
      ),
      cageQueue: rows.map((row) => ({ ...row, gameId: 'W-0' })),
    }
    return (await leagueWith(emptyLeague, updates, cages)).league
  }
  const league = await leagueOf([])
  const position = { databaseIdentity: 'a', systemIdentifier: 'b', mark: '1' }
  const seen = new Map(ids.map((id) => [id, { stamp: '1', stampDigest: '', badRows: 0 }]))
  await saveLeague(path, { ...league, position, seen }, 1_770_000_000)
  const hidden = {
    tournaments: new Set(['hidden']),
    clips: new Set(['clip-clip']),
    stills: new Set(['still-still']),
  }
  const found = await leagueOfSnapshot(await readSnapshot(path), hidden)
  expect(found.version).toBe(present(league.archive).version)
  const shown = await leagueOf(['clip-clip', 'still-still', 'hidden'])
  expect(found.league.archive?.version).toBe(present(shown.archive).version)
  expect(newlyHiddenKeys(present(league.archive), present(shown.archive)).toSorted()).toEqual([
    hiddenKey.clips('clip-clip'),
    hiddenKey.stills('still-still'),
    hiddenKey.tournaments('hidden'),
  ])
  expect(found.withheld).toEqual(new Set(['clip', 'still', 'hidden']))
  expect([...found.league.entries.keys()].sort()).toEqual(['clip', 'open', 'still'])
  expect([...found.league.seen.keys()].sort()).toEqual(['clip', 'open', 'still'])
})

test('only tournaments with bad rows, or held back, are read again after a start', async () => {
  const path = join(await temporaryFolder(), 'saved')
  const position = { databaseIdentity: 'a', systemIdentifier: 'b', mark: '1' }
  const seen = new Map(
    [0, 1].map((badRows) => [`${badRows} bad`, { stamp: '1', stampDigest: '', badRows }]),
  )
  const heldBack = new Map([['held', { fights: 1, reason: 'refused' }]])
  seen.set('held', { stamp: '1', stampDigest: '', badRows: 0 })
  await saveLeague(path, { ...emptyLeague, seen, heldBack, position }, 1_770_000_000)
  const { origin } = await readSnapshot(path)
  expect(origin?.seen.map(([id]) => id)).toEqual(['0 bad'])
  // Only the owner can read the file.
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { noCages } from '../../../src/archive/archive.ts'
import { openSnapshot } from '../../../src/archive/fromSnapshot.ts'
import { emptyLeague } from '../../../src/archive/loadedLeague.ts'
import { leagueWith } from '../../../src/archive/updateLeague.ts'
import { createLog } from '../../../src/log.ts'
import { checkTournament } from '../../../src/source/check.ts'
import {
  compressTournament,
  packTournament,
  type TournamentFrame,
  unpackTournament,
  writeSnapshot,
} from '../../../src/source/snapshot.ts'
import { temporaryFolder } from '../../process.ts'
import { clipRow, fightRows, tournamentOf } from '../../rows.ts'

const clip = clipRow({ token: 'shown' })
const hidden = clipRow({ token: 'hidden', isPublic: false })
const league = (...clips: (typeof clip)[]) =>
  ['a', 'b'].map((id) =>
    tournamentOf({ id }, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')], {
      clips: id === 'a' ? clips : [],
    }),
  )

/** What is served of a file of these tournaments, and its version. */
const served = async (tournaments: ReturnType<typeof league>) => {
  const path = join(await temporaryFolder(), 'league.cageside')
  await writeSnapshot(path, { capturedAt: 1_770_000_000, cages: [], cageQueue: [], tournaments })
  const service = openSnapshot(path, createLog('silent'))
  await service.firstLoad
  const frames = service.rows()?.frames ?? []
  const read = await Promise.all(
    frames.map(async (frame) => [await frame.name(), await frame.read()] as const),
  )
  await service.stop()
  return { version: service.archive()?.version, frames: read }
}

const rowsOf = (frame: TournamentFrame) =>
  checkTournament(unpackTournament(frame), () => expect.unreachable())

const imported = (source: string | null) =>
  league(clip).map((rows) => ({ ...rows, tournament: { ...rows.tournament, source } }))

test('no frame that is served has the source of a tournament', async () => {
  const [{ version, frames }, without] = [
    await served(imported('a folder')),
    await served(league(clip)),
  ]
  expect(version).toBe(without.version)
  expect(frames.map(([, frame]) => rowsOf(frame))).toEqual(imported(null))
  const updates = imported('a folder').map((rows) => ({ id: rows.tournament.id, rows }))
  const { entries } = (await leagueWith(emptyLeague, updates, noCages)).league
  expect([...entries.values()].map(({ frame }) => rowsOf(frame))).toEqual(imported(null))
})

test('a frame with hidden clips is made anew without them, with an equal version', async () => {
  const { version, frames } = await served(league(hidden, clip))
  const [[name, frame] = [], [storedName, stored] = []] = frames
  const [shown, other] = league(clip)
  if (!frame || !shown || !other || !stored) throw new Error('nothing is served')
  expect(rowsOf(frame)).toEqual(shown)
  expect([name?.[0], name?.[2]]).toEqual(['a', 8 + frame.bytes.length])
  expect(frame).toEqual(compressTournament(packTournament(shown), 'fast'))
  // A whole one is that of the file.
  expect(stored).toEqual(compressTournament(packTournament(other), 'small'))
  expect(storedName?.[0]).toBe('b')
  expect((await served(league(clip))).version).toBe(version)
})

import { expect, spyOn, test } from 'bun:test'
import { type Archive, noCages, updateArchive } from '../../../src/data/archive/archive.ts'
import { emptyLeague } from '../../../src/data/archive/loadedLeague.ts'
import { leagueWith, withHeldBack } from '../../../src/data/archive/updateLeague.ts'
import { shownCages } from '../../../src/data/archive/version.ts'
import { buildTournament } from '../../../src/data/league/build.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { compressTournament, packTournament } from '../../../src/data/source/snapshot.ts'
import { isPublic } from '../../../src/data/source/visibility.ts'
import { buildArchive } from '../../buildArchive.ts'
import { present } from '../../present.ts'
import { cageRow, playerRow } from '../../rows.ts'
import { smallLeague } from '../../smallLeague.ts'

const shown = smallLeague.tournaments.filter(({ tournament }) => isPublic(tournament))

/** All derived values; names of bots by their index of terms. */
const derived = ({ dataset, bots, clips, stills, botSearch, tournamentSearch }: Archive) => ({
  dataset,
  bots,
  clips,
  stills,
  starts: botSearch.starts.map(({ text, cleanName }) => [text, cleanName]),
  entries: botSearch.entries
    .flatMap((entry) => (entry ? [[entry.bot.cleanName, entry.fame, entry.lastUnix]] : []))
    .toSorted(),
  tournamentSearch,
})

/** Gives each tournament the clips and stills of the next one, and another name. */
const moved = shown.map((rows, index): TournamentRows => {
  const next = shown[(index + 1) % shown.length] ?? rows
  const [game] = rows.games
  return {
    ...rows,
    tournament: { ...rows.tournament, name: `Moved ${index}` },
    players: rows.players.map((player) => ({ ...player, name: `${player.name} II` })),
    clips: next.clips.map((clip) => ({ ...clip, gameId: game?.id ?? '' })),
    stills: next.stills.map((still) => ({ ...still, playerId: null })),
    stillTags: next.stillTags,
  }
})

test.each([
  ['all tournaments, whose clips and stills change places', moved],
  ['all but the first one removed', shown.slice(0, 1)],
])('a change of %s equals a full build', async (_, rows) => {
  const before = buildArchive('before', shown.map(buildTournament))
  const after = rows.map(buildTournament)
  const byID = new Map(after.map((tournament) => [tournament.info.id, tournament]))
  const changed = new Map(
    before.dataset.tournaments.map(({ info }) => [info.id, byID.get(info.id)]),
  )
  const updated = await updateArchive(before, 'after', changed, noCages)
  expect(derived(updated)).toEqual(derived(buildArchive('after', after)))
})

test('stills of a renamed tournament are found by its new name', async () => {
  const [rows] = shown.filter(({ stills }) => stills.length > 0)
  const known = present(rows)
  const tournament = buildTournament(known)
  const before = buildArchive('before', [tournament])
  const { info } = buildTournament({
    ...known,
    tournament: { ...known.tournament, name: 'Renamed' },
  })
  const changed = new Map([[info.id, { ...tournament, info }]])
  const { stills } = await updateArchive(before, 'after', changed, noCages)
  expect(stills.events.map(({ foldedName }) => foldedName)).toEqual(['renamed'])
})

test('a cage with a hidden fight is like an unused one, and the fight leaves the queue', () => {
  const game = { tournamentId: 'secret', gameId: 'W-1' }
  const used = cageRow({ number: 2, status: 'paused', ...game, pausedSince: 7, updateTime: 9 })
  const free = cageRow({ number: 3, updateTime: 5 })
  const cageQueue = [{ cage: 3, position: 0, ...game }]
  expect(shownCages({ cages: [used, free], cageQueue }, () => false)).toEqual({
    cages: [cageRow({ number: 2, updateTime: 0 }), free],
    cageQueue: [],
  })
})

test('a removed tournament no longer counts its bad rows, and removing an unknown one changes nothing', async () => {
  const [first, other] = shown
  if (!first || !other) throw new Error('no tournaments')
  const players = [...first.players, playerRow({ id: 'new', seed: -1 })]
  const { id } = first.tournament
  const updates = [
    { id, rows: { ...first, players }, stamp: '1' },
    { id: other.tournament.id, rows: other, stamp: '1' },
  ]
  const { league } = await leagueWith(emptyLeague, updates, noCages)
  expect(league.badRows).toBe(1)
  const unknown = await leagueWith(league, [{ id: 'unknown', rows: undefined }], noCages)
  expect(unknown.league.archive).toBe(league.archive)
  const removed = await leagueWith(league, [{ id, rows: undefined }], noCages)
  expect([removed.league.badRows, removed.league.seen.has(id)]).toEqual([0, false])
})

test('a cage stays as it was only if its fight is held back', () => {
  const before = ['held', null, 'other'].map((tournamentId, index) =>
    cageRow({ number: index + 1, tournamentId, status: 'active' }),
  )
  const now = [1, 2, 3].map((number) => cageRow({ number, status: 'completed' }))
  const { cages } = withHeldBack(
    { cages: now, cageQueue: [] },
    { cages: before, cageQueue: [] },
    new Map([['held', 0]]),
  )
  expect(cages.map(({ status }) => status)).toEqual(['active', 'completed', 'completed'])
})

test('a change compresses no rows until a save or a mirror reads them', async () => {
  const [rows] = shown
  if (!rows) throw new Error('no tournament')
  const { id } = rows.tournament
  using compress = spyOn(Bun, 'zstdCompressSync')
  using elsewhere = spyOn(Bun, 'zstdCompress')
  const { league } = await leagueWith(emptyLeague, [{ id, rows }], noCages)
  expect([compress.mock.calls.length, elsewhere.mock.calls.length]).toEqual([0, 0])
  const expected = compressTournament(packTournament(rows), 'fast')
  const { bytes, digest } = present(league.entries.get(id)).frame
  expect({ id, digest, bytes }).toEqual(expected)
})

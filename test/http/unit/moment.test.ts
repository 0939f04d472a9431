import { expect, test } from 'bun:test'
import type { Archive } from '../../../src/data/archive/archive.ts'
import { createMoments } from '../../../src/http/moment.ts'
import { archiveOf, serviceOf } from '../../fixtures.ts'
import {
  clipRow,
  fightRows,
  playersNamed,
  recordingRow,
  stillRow,
  tournamentOf,
} from '../../rows.ts'

interface Ids {
  readonly tournament?: string
  readonly bots?: readonly string[]
  readonly games?: readonly string[]
  readonly clips?: readonly string[]
  readonly stills?: readonly number[]
  readonly recordings?: readonly number[]
  readonly name?: string
}

/** A league with these ids; two of each kind unless given. */
const leagueOf = ({
  tournament = 'cup',
  bots = ['p0', 'p1', 'p2'],
  games = ['W-0', 'W-1'],
  clips = ['a', 'b'],
  stills = [1, 2],
  recordings = [1, 2],
  name = 'Cup',
}: Ids = {}): Archive =>
  archiveOf(
    tournamentOf(
      { id: tournament, name },
      playersNamed('Axe', 'Bolt', 'Cog').map((player, at) => ({ ...player, id: bots[at] ?? '' })),
      games.map((id) => fightRows({ id }, 'p0', 'p1')),
      {
        clips: clips.map((token) => clipRow({ token, gameId: games[0] ?? '' })),
        stills: stills.map((id) => stillRow({ id })),
        recordings: recordings.map((id) => recordingRow({ id, gameId: games[0] ?? '' })),
      },
    ),
  )

test.each<[string, Ids | undefined, boolean]>([
  ['no id', {}, false],
  ['a name', { name: 'Open' }, false],
  ['more of each', { games: ['W-0', 'W-1', 'W-2'], clips: ['a', 'b', 'c'] }, false],
  ['the order', { games: ['W-1', 'W-0'], stills: [2, 1] }, false],
  ['a tournament that is replaced', { tournament: 'open' }, true],
  ['a bot that is replaced', { bots: ['p0', 'p1', 'p9'] }, true],
  ['a game that is replaced', { games: ['W-0', 'W-2'] }, true],
  ['a clip that is replaced', { clips: ['a', 'c'] }, true],
  ['a still that is replaced', { stills: [1, 3] }, true],
  ['a recording that is replaced', { recordings: [1, 3] }, true],
  ['a clip that is gone', { clips: ['b'] }, true],
  ['all data that are gone', undefined, true],
])('a change of %s is recognised as a removal or not', (_, next, expected) => {
  let archive: Archive | undefined = leagueOf()
  let removals = 0
  const moment = createMoments({ ...serviceOf(archive), archive: () => archive }, () => {
    removals += 1
  })
  moment()
  archive = next && leagueOf(next)
  moment()
  moment()
  expect(removals).toBe(expected ? 1 : 0)
})

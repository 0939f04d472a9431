import { expect, test } from 'bun:test'
import { noCages } from '../../../src/archive/archive.ts'
import { nothingHidden } from '../../../src/archive/hidden.ts'
import { emptyLeague } from '../../../src/archive/loadedLeague.ts'
import { leagueWith } from '../../../src/archive/updateLeague.ts'
import { holdBack } from '../../../src/following/guard.ts'
import { clipRow, fightRows, tournamentOf } from '../../rows.ts'

test('a tournament that is held back is the same one, or one without the clips that are hidden', async () => {
  const fights = [fightRows({}, 'p1', 'p2')]
  const clips = ['shown', 'hidden'].map((token) => clipRow({ token }))
  const rows = tournamentOf({ id: 'a' }, [{ id: 'p1' }, { id: 'p2' }], fights, { clips })
  const { league } = await leagueWith(emptyLeague, [{ id: 'a', rows }], noCages)
  const cases: readonly (readonly [ReadonlySet<string>, string[] | undefined])[] = [
    [new Set(), undefined],
    [new Set(['hidden']), ['shown']],
  ]
  for (const [hidden, left] of cases) {
    const { changes, heldBack } = await holdBack(league, {
      changes: new Map([['a', undefined]]),
      shown: new Map(),
      badRows: new Map(),
      withdrawn: async () => ({ ...nothingHidden, clips: hidden, deleted: [] }),
    })
    expect([...heldBack.keys()]).toEqual(['a'])
    expect(changes.get('a')?.tournament.clips.map(({ token }) => token)).toEqual(left)
    expect(changes.has('a')).toBe(left !== undefined)
  }
})

test.each([
  ['was deleted', { table: 'games', tournamentID: 'a', key: 'g2' }, []],
  ['was deleted elsewhere', { table: 'games', tournamentID: 'b', key: 'g2' }, ['a']],
  ['is another', { table: 'games', tournamentID: 'a', key: 'g1' }, ['a']],
  ['is a clip', { table: 'clips', tournamentID: 'a', key: 'g2' }, ['a']],
] as const)(
  'a tournament without a fight is held back unless that fight %s',
  async (_, row, held) => {
    const rowsWith = (...ids: readonly string[]) =>
      tournamentOf(
        { id: 'a' },
        [{ id: 'p1' }, { id: 'p2' }],
        ids.map((id) => fightRows({ id }, 'p1', 'p2')),
      )
    const load = (...ids: readonly string[]) =>
      leagueWith(emptyLeague, [{ id: 'a', rows: rowsWith(...ids) }], noCages)
    const { league } = await load('g1', 'g2')
    const after = (await load('g1')).league.entries.get('a')
    const { heldBack } = await holdBack(league, {
      changes: new Map([['a', after]]),
      shown: new Map([['a', '']]),
      badRows: new Map(),
      withdrawn: async () => ({ ...nothingHidden, deleted: [row] }),
    })
    expect([...heldBack.keys()]).toEqual([...held])
  },
)

test.each([
  [0, []],
  [1, ['a']],
])('a fight whose game has nobody any more is a loss where rows are bad: %i', async (bad, held) => {
  const load = (...players: readonly string[]) => {
    const entered = players.map((id) => ({ id }))
    const rows = tournamentOf({ id: 'a' }, entered, [fightRows({}, 'p1', 'p2')])
    return leagueWith(emptyLeague, [{ id: 'a', rows }], noCages)
  }
  const { league } = await load('p1', 'p2')
  const after = (await load('p1')).league.entries.get('a')
  const { heldBack } = await holdBack(league, {
    changes: new Map([['a', after]]),
    shown: new Map([['a', '']]),
    badRows: new Map([['a', bad]]),
    withdrawn: async () => ({ ...nothingHidden, deleted: [] }),
  })
  expect([...heldBack]).toMatchObject(held.map((id) => [id, { fights: 1 }]))
})

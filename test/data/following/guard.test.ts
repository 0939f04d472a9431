import { describe, expect, test } from 'bun:test'
import { noCages } from '../../../src/data/archive/archive.ts'
import { nothingHidden } from '../../../src/data/archive/hidden.ts'
import { emptyLeague } from '../../../src/data/archive/loadedLeague.ts'
import { leagueWith } from '../../../src/data/archive/updateLeague.ts'
import { holdBack, lossProblem } from '../../../src/data/following/guard.ts'
import { clipRow, fightRows, tournamentOf } from '../../rows.ts'

test('a tournament that is held back stays the same, except for hidden clips', async () => {
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
])(
  'a fight that lost its players counts as a loss if there are bad rows: %i',
  async (bad, held) => {
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
  },
)

describe('missing fights', () => {
  const loadEach = (counts: Readonly<Record<string, number>>) =>
    leagueWith(
      emptyLeague,
      Object.entries(counts).map(([id, count]) => {
        const fights = Array.from({ length: count }, (_, n) =>
          fightRows({ id: `g${n}` }, 'p1', 'p2'),
        )
        return { id, rows: tournamentOf({ id }, [{ id: 'p1' }, { id: 'p2' }], fights) }
      }),
      noCages,
    )
  /** Ids that are held back if these fights are left; a tournament without a number is gone. */
  const heldOf = async (
    counts: Readonly<Record<string, number>>,
    left: Readonly<Record<string, number | undefined>>,
    { held = {}, hidden = [] }: { held?: Record<string, number>; hidden?: string[] } = {},
  ) => {
    const { league } = await loadEach(counts)
    const kept = Object.entries(left).filter(([, count]) => count !== undefined)
    const after = (await loadEach(Object.fromEntries(kept.map(([id, n]) => [id, Number(n)]))))
      .league
    const guarded = await holdBack(
      {
        ...league,
        heldBack: new Map(
          Object.entries(held).map(([id, fights]) => [id, { fights, reason: 'before' }]),
        ),
      },
      {
        changes: new Map(Object.keys(left).map((id) => [id, after.entries.get(id)])),
        shown: new Map(kept.map(([id]) => [id, ''])),
        badRows: new Map(kept.map(([id]) => [id, 0])),
        withdrawn: async () => ({ ...nothingHidden, tournaments: new Set(hidden), deleted: [] }),
      },
    )
    return [...guarded.heldBack.keys()].sort()
  }

  test.each([
    ['the loss of a fifth passes', { a: 5 }, { a: 4 }, []],
    ['the loss of more than a fifth does not pass', { a: 9 }, { a: 7 }, ['a']],
    [
      'a tournament without fights is held back with them',
      { a: 1, b: 0 },
      { a: undefined, b: undefined },
      ['a', 'b'],
    ],
    ['the loss of only a tournament without fights passes', { a: 1, b: 0 }, { b: undefined }, []],
  ] as const)('%s', async (_, counts, left, expected) => {
    expect(await heldOf(counts, left)).toEqual([...expected])
  })

  test('fights that are already held back count as missing until their tournament is hidden', async () => {
    const counts = { a: 4, b: 4, c: 4 }
    const held = { a: 2, b: 1 }
    expect(await heldOf(counts, { c: 3 }, { held })).toEqual(['a', 'b', 'c'])
    expect(await heldOf(counts, { c: 2, a: undefined }, { held, hidden: ['a'] })).toEqual([
      'b',
      'c',
    ])
    expect(await heldOf(counts, { a: undefined }, { held, hidden: ['a'] })).toEqual([])
  })

  test('the reason of a refusal has the number of missing fights and of all', async () => {
    const { league } = await loadEach({ a: 4, b: 5 })
    const heldBack = new Map(['a', 'b'].map((id) => [id, { fights: 2, reason: '' }]))
    expect(lossProblem({ ...league, heldBack }, '/data')).toEqual({
      reason: 'refused: 4 of 9 fights would be lost',
      detail: 'repair the rows, or to accept the loss stop, remove /data/last-good.* and start',
    })
    expect(lossProblem(league, '/data')).toBeUndefined()
  })
})

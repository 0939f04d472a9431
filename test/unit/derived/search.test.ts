import { expect, test } from 'bun:test'
import { buildSearch, followBots, searchBots } from '../../../src/derived/search.ts'
import { archiveOf } from '../../fixtures.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const botsOf = (...names: readonly string[]) =>
  archiveOf(
    tournamentOf(
      {},
      names.map((name) => ({ id: name, name })),
      [fightRows({}, names[0] ?? null, names[1] ?? null)],
    ),
  ).bots

test('a bot whose display name changes under the same clean name is indexed anew', () => {
  const [before, after] = [botsOf('Golddigger', 'Bulldozer'), botsOf('Gold Digger', 'Bulldozer')]
  expect(after.map(({ cleanName }) => cleanName)).toEqual(before.map(({ cleanName }) => cleanName))
  const followed = buildSearch(before)
  followBots(followed, after)
  const fresh = buildSearch(after)
  const old = buildSearch(before)
  for (const text of ['digger', 'digge', 'gold digger']) {
    const results = searchBots(fresh, after, text, 5)
    expect(results).toMatchObject([{ bot: { name: 'Gold Digger' } }])
    expect(searchBots(followed, after, text, 5)).toEqual(results)
  }
  const score = (search: typeof old, bots: typeof before) =>
    searchBots(search, bots, 'digger', 5)[0]?.score ?? 0
  expect(score(old, before)).toBeLessThan(score(fresh, after))
})

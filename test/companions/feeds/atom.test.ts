import { expect, test } from 'bun:test'
import { buildAtom } from '../../../src/companions/feeds/atom.ts'
import { archiveOf } from '../../fixtures.ts'
import { present } from '../../present.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const at = 1_770_000_000
const createTime = at - 86_400

/** Times of the only entry of a feed, in Unix seconds, and its text. */
const entryOf = async (
  game: Parameters<typeof fightRows>[0],
  { showsOutcomes = true, updateTime = createTime } = {},
) => {
  const tournament = { name: 'Spring', createTime, updateTime, active: true }
  const rows = tournamentOf(tournament, [{ id: 'a' }, { id: 'b' }], [fightRows(game, 'a', 'b')])
  const { fights } = present(archiveOf(rows).dataset.tournaments[0])
  const telling = { showsOutcomes }
  const feed = { ids: [], title: 'x', base: 'https://x.example', path: '/f', pagePath: '/' }
  const text = await buildAtom({ ...feed, fights, telling })
  const entry = text.slice(text.indexOf('<entry>'))
  const [published, updated] = ['published', 'updated'].map((name) =>
    Math.floor(Date.parse(new RegExp(`<${name}>(.*?)<`).exec(entry)?.[1] ?? '') / 1000),
  )
  return { published, updated, summary: /<summary>(.*?)</.exec(entry)?.[1] }
}

test('an entry is published at the end of its fight and updated when the fight was closed', async () => {
  const game = { startTime: at, stopTime: at + 65, endTime: at + 90, cage: 'Cage 2' }
  expect(await entryOf(game)).toEqual({
    published: at + 65,
    updated: at + 90,
    summary: 'Spring, Finals, fight 1, Cage 2, 1:05',
  })
  expect(await entryOf(game, { updateTime: at + 300 })).toMatchObject({ updated: at + 90 })
  expect(await entryOf(game, { showsOutcomes: false, updateTime: at + 300 })).toEqual({
    published: at,
    updated: at,
    summary: 'Spring, Finals, fight 1, Cage 2',
  })
})

test('a result without times is as old as its event', async () => {
  const game = { startTime: null, stopTime: null, endTime: null, timerDuration: null }
  expect(await entryOf(game)).toMatchObject({ published: createTime, updated: createTime })
})

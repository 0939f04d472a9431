import { describe, expect, test } from 'bun:test'
import { readText, suggestPairs } from '../../../src/derived/search/pairs.ts'
import { limits } from '../../../src/derived/search/tuning.ts'
import { archiveOf } from '../../fixtures.ts'
import { fightRows, playersNamed, tournamentOf } from '../../rows.ts'

const names = ['Wynk', 'Gondola', 'Lazy Bagel', 'X', 'Bolt', 'Axe', 'Zed'] as const
type Name = (typeof names)[number]
const idOf = (name: Name): string => `p${names.indexOf(name)}`
const fought: readonly (readonly [Name, Name])[] = [
  ['Gondola', 'Lazy Bagel'],
  ['X', 'Lazy Bagel'],
  ['Gondola', 'Wynk'],
  ['Axe', 'Zed'],
  ['Axe', 'Bolt'],
]
const { botSearch } = archiveOf(
  tournamentOf(
    {},
    playersNamed(...names),
    fought.map(([red, blue], at) => fightRows({ id: `W-${at}` }, idOf(red), idOf(blue))),
  ),
)

test.each<[text: string, pair: string]>([
  ['x lazy bagel', 'X, Lazy Bagel'],
  // A single letter that is no name begins too many.
  ['g wynk', ''],
  ['lazy bagl gondla', 'Lazy Bagel, Gondola'],
  ['lazy bagl wynk', 'Wynk, Lazy Bagel'],
  ['axe bolt nothing', ''],
])('the text %s names the pair %j', (text, pair) => {
  const pairs = readText(botSearch, text)
  const meeting = pairs.separated() ?? pairs.closest(limits.matchCost)
  expect((meeting?.bots ?? []).map(({ bot }) => bot.name).join(', ')).toBe(pair)
})

describe('suggested pairs', () => {
  test.each<[text: string, limit: number, pairs: readonly string[]]>([
    ['wnyk gondla', 5, ['Wynk Gondola 1']],
    ['gondla wynk', 5, ['Wynk Gondola 1']],
    // Opponents with equally many fights are sorted by name.
    ['axe vs', 5, ['Axe Bolt 1', 'Axe Zed 1']],
    ['axe vs', 1, ['Axe Bolt 1']],
  ])('the text %s suggests at most %d pairs: %j', (text, limit, pairs) => {
    expect(
      suggestPairs(readText(botSearch, text), limit).map(
        ({ one, other, meetings }) => `${one.name} ${other.name} ${meetings}`,
      ),
    ).toEqual([...pairs])
  })
})

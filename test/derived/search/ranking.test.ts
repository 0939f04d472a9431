import { describe, expect, test } from 'bun:test'
import { searchBots } from '../../../src/derived/search/search.ts'
import { costs } from '../../../src/derived/search/tuning.ts'
import { archiveOf } from '../../fixtures.ts'
import { fightRows, playersNamed, tournamentOf } from '../../rows.ts'

/** A search among bots with this many fights each, in events with these names. */
const searchAmong = (
  fightsByName: Readonly<Record<string, number>>,
  ...cups: readonly string[]
) => {
  const names = Object.keys(fightsByName)
  const fights = Object.values(fightsByName).flatMap((count, bot) =>
    Array.from({ length: count }, (_, at) =>
      fightRows({ id: `W-${bot}-${at}` }, `p${bot}`, `p${names.length}`),
    ),
  )
  const { botSearch } = archiveOf(
    tournamentOf({}, playersNamed(...names, 'Zzyzx'), fights),
    ...cups.map((name) => tournamentOf({ id: name, name }, [], [])),
  )
  return (text: string, limit = 10) => searchBots(botSearch, text, limit)
}

const namesOf = (found: ReturnType<ReturnType<typeof searchAmong>>) =>
  found.map(({ bot }) => bot.name)

describe('the order of bots', () => {
  test.each<[what: string, text: string, names: readonly string[], Record<string, number>]>([
    [
      'the exact name, fame aside',
      'waffle',
      ['Waffle', 'The Waffle'],
      { 'The Waffle': 30, Waffle: 0 },
    ],
    [
      'a name without its article, fame aside',
      'waffle',
      ['The Waffle', 'Waffle King'],
      { 'Waffle King': 15, 'The Waffle': 0 },
    ],
    ['equal names by name', 'toast', ['Toast Aa', 'Toast Bb'], { 'Toast Bb': 1, 'Toast Aa': 1 }],
  ])('bots are sorted as expected: %s', (_, text, names, fights) => {
    expect(namesOf(searchAmong(fights)(text))).toEqual([...names])
  })

  test.each<[what: string, text: string, names: readonly string[], others: readonly string[]]>([
    ['an exact name: whole words', 'toast', ['Toast', 'Iron Toast'], ['Big Toasty']],
    ['an exact name: none with an error', 'wynk', ['Wynk'], ['Wymk']],
    ['an error: those one word longer', 'tosat', ['Toast', 'Toast Lantern'], []],
  ])('results next to %s', (_, text, names, others) => {
    const all = [...others, ...names].map((name) => [name, 0] as const)
    expect(namesOf(searchAmong(Object.fromEntries(all))(text))).toEqual([...names])
  })

  test('the order of bots is the same for any limit', () => {
    const find = searchAmong({ Throwtree: 0, Throwtusk: 0, Fireflythrower: 40 })
    const names = namesOf(find('throw', 20))
    expect(names).toEqual(['Fireflythrower', 'Throwtree', 'Throwtusk'])
    for (const limit of [1, 2]) expect(namesOf(find('throw', limit))).toEqual(names.slice(0, limit))
  })

  test('the best known of many names with the same beginning is first, even if late by name', () => {
    const names = Array.from(
      { length: 150 },
      (_, at) => [`Robo ${at}`, at === 98 ? 20 : 1] as const,
    )
    const found = searchAmong(Object.fromEntries(names))('robo', 150)
    expect(namesOf(found)[0]).toBe('Robo 98')
    // The first 40 by name and the 40 best known ones are compared.
    expect(found.length).toBeLessThanOrEqual(80)
  })

  test('scores fall from 1 with the cost and rise with fame', () => {
    const search = searchAmong({ Toast: 0, 'Toast Lantern': 1, 'Toast Pale Lantern': 0 })
    expect(search('toast').map(({ score }) => score)).toEqual([1, 0.539, 0.504])
  })
})

describe('two joined words', () => {
  test('joined words are marked in place, and by their initials', () => {
    const search = searchAmong({ Flipflop: 0, 'Flip Chart': 0, Flop: 0 })
    const marked = (text: string) =>
      search(text)
        .find(({ bot }) => bot.name === 'Flipflop')
        ?.spans()
    expect([marked('flop'), marked('ff')]).toEqual([
      [[4, 8]],
      [
        [0, 1],
        [4, 5],
      ],
    ])
  })

  test('words of events count as words for joined ones', () => {
    const found = searchAmong({ Flipflop: 0, Axe: 0 }, 'Flip Flop Cup')('flop')
    expect(namesOf(found)).toEqual(['Flipflop'])
    expect(found[0]?.cost).toBeCloseTo(costs.wholeLaterWord + costs.untyped, 9)
  })

  test('joined words do not replace a closer match of the same name', () => {
    const [first] = searchAmong({ 'Flipflop Floppy': 0, 'Flip Chart': 0 })('flop')
    expect(first?.spans()).toEqual([[8, 12]])
  })
})

import { expect, test } from 'bun:test'
import { readQuery } from '../../../src/derived/search/query.ts'

/** Words of a text that name no bot by themselves; `cup` is a word of the league. */
const stopWordsOf = (text: string): string | undefined =>
  readQuery(text, new Set(['cup']))
    ?.variants[0].words.flatMap(({ text, isStopWord }) => (isStopWord ? [text] : []))
    .join(' ')

test.each([
  ['a weight', 'toast 3lb', '3lb'],
  ['a weight in two words', 'toast 3 lb', '3 lb'],
  ['the unit of a weight', 'toast lb', 'lb'],
  ['a class', 'beetleweight toast', 'beetleweight'],
  ['a year', 'toast 2026', '2026'],
  ['a month with its year', 'toast march 26', 'march 26'],
  ['a short month with its year', 'may 26 toast', 'may 26'],
  ['a long month after a name', 'toast march', 'march'],
  ['a word for robots', 'robot toast', 'robot'],
  ['an article', 'toast the', 'the'],
  ['the league', 'cup robot', 'cup'],
])('%s is a stop word: %s', (_, text, words) => {
  expect(stopWordsOf(text)).toBe(words)
})

test.each([
  ...'team robot robots bot bots combat battlebot battlebots the a an of mr vs fight'.split(' '),
  ...'fights match class weight weightclass kg lb lbs pound pounds'.split(' '),
  ...[
    '3lb',
    '3lbs',
    '3pound',
    '3pounds',
    '3kg',
    '3g',
    '3 lb',
    '3 lbs',
    '3 pound',
    '3 pounds',
    '3 kg',
  ],
  ...'ant beetle cruiser fairy feather flea heavy hobby light mantis middle plant raptor superheavy'
    .split(' ')
    .flatMap((name) => [`${name}weight`, `${name}weights`]),
])('%s is left out of a name', (words) => {
  expect(stopWordsOf(`toast ${words}`)).toBe(words)
})

test.each([
  ['a number', 'toast 3'],
  ['two digits without a month', 'toast 26'],
  ['a short month', 'toast may'],
  ['a month before a name', 'march toast'],
  ['only a year', '2026'],
  ['only a month', 'march'],
  ['only a class', 'beetleweight'],
  ['only a weight', '3 lb'],
  ['only the league', 'cup'],
])('%s has no stop word: %s', (_, text) => {
  expect(stopWordsOf(text)).toBe('')
})

test.each([
  ['jg', true],
  ['jawglz', true],
  ['jawglaz', false],
  ['j g', false],
])('the text %p may be initials: %p', (text, expected) => {
  expect(readQuery(text, new Set())?.maybeInitials).toBe(expected)
})

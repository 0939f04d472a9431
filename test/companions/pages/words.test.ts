import { expect, test } from 'bun:test'
import { fightWords } from '../../../src/api/fights/words.ts'
import { cageName, languages, wordsOf } from '../../../src/companions/pages/overlay/words.ts'
import { chance } from '../../../src/companions/pages/words.ts'

test.each([
  ['W:7-1', 'Winners Final', 'Winners Final'],
  ['W:9-1', 'Grand Final Reset', 'Grand Final Reset'],
  ['W:5-2', 'Quarterfinals', 'Quarterfinals, fight 2'],
  ['Q1-36', 'Opening', 'Opening, fight 36'],
  ['L:1-3', 'Losers Round 1', 'Losers Round 1, fight 3'],
  ['L:1-3', 'Round 1', 'Losers, Round 1, fight 3'],
  ['L-3', '', 'L-3'],
  ['Rumble', 'Extra', 'Extra'],
  ['W:2-4', '', 'Winners round 2, fight 4'],
  ['Rumble', '', 'Rumble'],
])('the game %s in the round %p is called %p', (name, roundName, words) => {
  expect(fightWords({ name, roundName })).toBe(words)
})

test.each([
  [0, '–'],
  [0.0049, '<\u00a01\u00a0%'],
  [0.005, '1\u00a0%'],
  [0.9949, '99\u00a0%'],
  [0.995, '>\u00a099\u00a0%'],
  [1, '100\u00a0%'],
])('a chance of %d is shown as %s', (probability, text) => {
  expect(chance(probability)).toBe(text)
})

test.each([
  ['Cage 2', 'Käfig 2'],
  ['Cage 12', 'Käfig 12'],
  ['Cage 2b', 'Cage 2b'],
  ['The Cage 2', 'The Cage 2'],
])('a cage named %s is %s in German', (cage, name) => {
  expect(cageName(cage, wordsOf('de'))).toBe(name)
})

test('overlays have every word in every language', () => {
  const all = languages.map(wordsOf)
  for (const words of all) expect(new Set(Object.values(words).filter(Boolean)).size).toBe(8)
  expect(all.map(({ language, next, result, cage }) => [language, next, result, cage])).toEqual([
    ['en', 'Up next', 'Result', 'Cage'],
    ['de', 'Als Nächstes', 'Ergebnis', 'Käfig'],
    ['es', 'A continuación', 'Resultado', 'Jaula'],
    ['fr', 'À suivre', 'Résultat', 'Cage'],
    ['it', 'Prossimo', 'Risultato', 'Gabbia'],
    ['ja', '次の試合', '結果', 'ケージ'],
    ['nl', 'Straks', 'Uitslag', 'Kooi'],
    ['pl', 'Następna walka', 'Wynik', 'Klatka'],
    ['pt', 'A seguir', 'Resultado', 'Gaiola'],
  ])
})

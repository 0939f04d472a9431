import { expect, test } from 'bun:test'
import {
  consonantsOfWords,
  inOneSpelling,
  isArticle,
  phoneticKey,
  unleet,
  withoutUmlauts,
} from '../../../src/derived/search/spelling.ts'

const spellings: Readonly<Record<string, string>> = {
  ...{ 0: 'zero', 1: 'one i', 2: 'two ii', 3: 'three iii', 4: 'four iv', 5: 'five v', 6: 'six vi' },
  ...{ 7: 'seven vii', 8: 'eight viii', 9: 'nine ix', 10: 'ten x', 11: 'eleven xi' },
  ...{ 12: 'twelve xii', 13: 'thirteen xiii', mr: 'mister', mrs: 'missus', dr: 'doctor' },
  ...{ prof: 'professor', jr: 'junior', sr: 'senior', st: 'saint', mt: 'mount', n: 'and' },
  ...{ sgt: 'sergeant sargent sergent', capt: 'captain cpt', lt: 'lieutenant', col: 'colonel' },
  ...{ maj: 'major', mk: 'mark', no: 'number', lil: 'little', ctrl: 'control', del: 'delete' },
}

test.each(Object.entries(spellings))('%s stands for each of: %s', (canonical, others) => {
  for (const word of others.split(' '))
    expect(inOneSpelling(['axe', word])).toEqual(['axe', canonical])
})

test('a single letter at the start is no Roman number', () => {
  expect(inOneSpelling(['x', 'v'])).toEqual(['x', '5'])
  expect(inOneSpelling(['axe', 'bolt'])).toEqual(['axe', 'bolt'])
})

test.each(['the', 'a', 'an', 'le', 'la', 'el', 'der', 'die', 'das'])('%s is an article', (word) => {
  expect(isArticle(word)).toBe(true)
})

test('digits are the letters that they look like', () => {
  expect(unleet('0134579')).toBe('oieast9')
})

test.each([
  ...[
    ['phase', 'fase'],
    ['schema', 'skema'],
    ['scar', 'skar'],
    ['scene', 'ssene'],
    ['sack', 'sak'],
  ],
  ...[
    ['city', 'sity'],
    ['cell', 'sell'],
    ['cycle', 'sycle'],
    ['cat', 'kat'],
    ['quad', 'kwad'],
  ],
  ...[
    ['iraq', 'irak'],
    ['axe', 'akse'],
    ['zap', 'sap'],
    ['night', 'nit'],
    ['ghost', 'gost'],
  ],
  ...[
    ['whip', 'wip'],
    ['feed', 'fid'],
    ['beat', 'bit'],
    ['field', 'fild'],
    ['vein', 'vin'],
  ],
  ...[
    ['gym', 'gim'],
    ['moon', 'mun'],
    ['soup', 'sup'],
    ['stew', 'stu'],
    ['blue', 'blu'],
  ],
  ...[
    ['butter', 'buter'],
    ['arc', 'ark'],
  ],
])('%s sounds like %s', (one = '', other = '') => {
  expect(phoneticKey(one)).toBe(phoneticKey(other))
})

test('consonants of words have digits for numbers, and no letters that look like digits', () => {
  expect(consonantsOfWords(['axe', 'xiii', 'r0b0t', '42'])).toBe('x13rbt42')
})

test.each([
  ['Jäger', 'Jaeger'],
  ['ÖL', 'oeL'],
  ['Mu\u0308ll', 'Muell'],
  ['Blåde', 'Blåde'],
])('%s without umlauts is %s', (name, plain) => {
  expect(withoutUmlauts(name)).toBe(plain)
})

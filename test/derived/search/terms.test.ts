import { describe, expect, test } from 'bun:test'
import { cleanName } from '../../../src/data/league/cleanName.ts'
import { nameWords } from '../../../src/derived/search/nameWords.ts'
import { readQuery } from '../../../src/derived/search/query.ts'
import { nameTerms, queryTerms, termWeight } from '../../../src/derived/search/terms.ts'

/** Terms of a name and of a query that weigh more than a few letters in common. */
const sharedTerms = (mark: '-' | '=' | '~' | '^', name: string, text: string): string[] => {
  const query = readQuery(text, new Set())
  const terms = nameTerms(nameWords(name, cleanName(name)))
  return (query ? queryTerms(query) : []).flatMap((group) =>
    [...group].filter((term) => term.startsWith(mark) && terms.has(term)),
  )
}

describe('terms', () => {
  test.each([
    ['Concrete Meerkat', 'merekat'],
    ['Atomic Plumber', 'atmoic'],
    ['Atomic Plumber', 'atmic'],
    ['Atomic Plumber', 'atoomic'],
    ['Atomic Plumber', 'plumver atomic'],
    ['Atomic Saw', 'swa'],
  ])('%s is found by %s, one edit from a word of at most 7 letters', (name, text) => {
    expect(sharedTerms('-', name, text)).not.toEqual([])
  })

  test.each([
    ['Zebeetrix', 'zeebet'],
    ['Morskazoid 2', 'mroska'],
    ['Atomic Plumber', 'pulmbe'],
    ['Atomic Mock', 'mcok'],
  ])('%s is found by the beginning %s, with swapped letters', (name, text) => {
    expect(sharedTerms('=', name, text)).not.toEqual([])
  })

  test('three consonants, three first letters and other spellings are terms', () => {
    expect(sharedTerms('~', 'Tank', 'tnk')).toEqual(['~tnk'])
    expect(sharedTerms('^', 'Zebeetrix', 'zebx')).toEqual(['^se', '^seb'])
    expect([...nameTerms(nameWords('Jäger', 'jager'))]).toContain('aeg')
  })

  test('stop words in a longer text have no terms', () => {
    const query = readQuery('team brisk axe', new Set())
    expect(query && queryTerms(query).map((group) => group.has('-team'))).toEqual([
      false,
      false,
      false,
    ])
  })

  test('words with a deleted letter, consonants and initials weigh most of all terms', () => {
    expect(['-a', '~a', '!a', '=a', '^ab', 'ab'].map(termWeight)).toEqual([6, 6, 6, 3, 1, 1])
  })

  test('words that are two edits apart share no such term', () => {
    expect(sharedTerms('-', 'Concrete Meerkat', 'meertak')).toEqual([])
  })
})

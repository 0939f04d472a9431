import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cleanName } from '../../../src/data/league/cleanName.ts'
import { rangesIn } from '../../../src/derived/search/highlight.ts'
import { cleanWords, nameWords } from '../../../src/derived/search/nameWords.ts'
import { phoneticKey } from '../../../src/derived/search/spelling.ts'

const partsOf = (name: string): string[] => {
  const [{ text, starts, ends }] = nameWords(name, cleanName(name)).forms
  return starts.map((start, at) => text.slice(start, ends[at]))
}

describe('nameWords', () => {
  test.each([
    ['JawGlaze', 'jaw glaze'],
    ['RIPpling', 'ri ppling'],
    ['HyperSOCKWave', 'hyper sock wave'],
    ['K1', 'k 1'],
    ['2Fast', '2 fast'],
    ["Don't Panic", 'dont panic'],
    ["a'b’c`d´e", 'abcde'],
    ['OʼBot', 'o bot'],
    ['Mk.4', 'mk 4'],
    ['ドリル Mk 2', 'doriru mk 2'],
    ['Żółw-Prime', 'zolw prime'],
    ['🔥Ember', 'fire ember'],
    ['X', 'x'],
    // The cut at 64 letters leaves no empty word.
    [`${'x'.repeat(64)} y`, 'x'.repeat(64)],
  ])('the name %s has the words %s', (name, words) => {
    expect(partsOf(name).join(' ')).toBe(words)
  })

  test('nameWords reads numbers in words and Roman numerals as digits', () => {
    const formsOf = (name: string) => nameWords(name, cleanName(name)).forms.map(({ text }) => text)
    expect(formsOf('Turnip II')).toEqual(['turnipii', 'turnip2'])
    expect(formsOf('Seven Spoons')).toEqual(['sevenspoons', '7spoons'])
    expect(formsOf('X Ray')).toEqual(['xray'])
    expect(formsOf('R0b0t')).toEqual(['r0b0t', 'robot'])
  })

  test('initials leave out articles and small words, too', () => {
    expect(nameWords('Son of Wolfgang', 'sonofwolfgang').initials).toEqual(['sow', 'sw'])
    expect(nameWords('The Bent Spoon', 'thebentspoon').initials).toEqual(['tbs', 'bs'])
    expect(nameWords('Brisk', 'brisk').initials).toEqual([])
  })

  test('the words of any name make up its clean name', () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', "'", '-', 'ß', 'é', '½', 'ボ') }),
    )
    fc.assert(
      fc.property(name, (text) => {
        const clean = cleanName(text)
        fc.pre(clean.length > 0)
        expect(partsOf(text).join('')).toBe(clean.slice(0, 64))
        expect(cleanWords(text).every((word) => /^[a-z0-9]+$/.test(word))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

test('words that sound alike have one spelling', () => {
  for (const [one, other] of [
    ['phoenix', 'foenics'],
    ['kraker', 'cracker'],
    ['switch', 'swytch'],
    ['ghoul', 'goul'],
    ['beetle', 'beatle'],
  ] as const) {
    expect(phoneticKey(one)).toBe(phoneticKey(other))
  }
})

describe('rangesIn', () => {
  test.each([
    ['Jaw Glaze', [[0, 8]], [[0, 9]]],
    ['Jaw Glaze', [[3, 8]], [[4, 9]]],
    [
      'Norma L. Kurv',
      [
        [0, 5],
        [6, 10],
      ],
      [
        [0, 5],
        [9, 13],
      ],
    ],
    ['Ångström', [[0, 2]], [[0, 2]]],
    [
      'A\u030angstro\u0308m',
      [
        [0, 2],
        [6, 8],
      ],
      [
        [0, 3],
        [7, 10],
      ],
    ],
    ['ドリル', [[0, 2]], [[0, 1]]],
    ['🔥Ember', [[0, 4]], [[0, 2]]],
    ['🔥Ember', [[4, 9]], [[2, 7]]],
    ['Straße', [[0, 7]], [[0, 6]]],
    [
      'Saw',
      [
        [0, 2],
        [1, 3],
      ],
      [[0, 3]],
    ],
    [
      'Saw',
      [
        [0, 3],
        [1, 2],
      ],
      [[0, 3]],
    ],
  ] as const)('the ranges in %s of %j are right', (name, spans, ranges) => {
    expect(rangesIn(name, cleanName(name), spans)).toEqual(ranges.map(([from, to]) => [from, to]))
  })

  test('ranges are sorted, separate and within the name', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    const span = fc
      .tuple(fc.nat(12), fc.nat(12))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    fc.assert(
      fc.property(name, fc.array(span, { maxLength: 3 }), (text, spans) => {
        const sorted = spans.toSorted(([a], [b]) => a - b)
        let end = -1
        for (const [from, to] of rangesIn(text, cleanName(text), sorted)) {
          expect(from).toBeGreaterThan(end)
          expect(to).toBeGreaterThan(from)
          end = to
        }
        expect(end).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})

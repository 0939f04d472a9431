import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { editDistances } from '../../../src/derived/search/editDistance.ts'

const costOf = (text: string, name: string): number => editDistances(text, name, 1000).whole

/** The whole table of edits, with the costs of single edits in `editDistances`. */
const tableOf = (text: string, name: string): number[] => {
  const insertion = (i: number): number =>
    i > 1 && text[i - 1] === text[i - 2] ? 25 : i === 1 ? 80 : 55
  const deletion = (j: number): number =>
    j > 1 && name[j - 1] === name[j - 2] ? 25 : j === 1 ? 75 : 50
  const table = [[0]]
  for (let j = 1; j <= name.length; j += 1) table[0]?.push((table[0][j - 1] ?? 0) + deletion(j))
  for (let i = 1; i <= text.length; i += 1) {
    const row = [(table[i - 1]?.[0] ?? 0) + insertion(i)]
    for (let j = 1; j <= name.length; j += 1) {
      const at = (up: number, left: number) => (up === 0 ? row : table[i - up])?.[j - left] ?? 9999
      const [one, other] = [text[i - 1] ?? '', name[j - 1] ?? '']
      const isSwap = i > 1 && j > 1 && one === name[j - 2] && text[i - 2] === other
      // A single letter against another costs as much as its substitution, and more as the first letter.
      const substitution = one === other ? 0 : costOf(`e${one}`, `e${other}`)
      row.push(
        Math.min(
          at(1, 1) + substitution + (one !== other && i === 1 && j === 1 ? 25 : 0),
          at(1, 0) + insertion(i),
          at(0, 1) + deletion(j),
          isSwap ? at(2, 2) + 45 : 9999,
        ),
      )
    }
    table.push(row)
  }
  return table[text.length] ?? []
}

describe('editDistances', () => {
  test('slips of the finger and similar sounds cost less than other edits', () => {
    const other = costOf('hailstpne', 'hailstxne')
    for (const [text, name] of [
      ['hailstine', 'hailstone'],
      ['haistone', 'hailstone'],
      ['hailllstone', 'hailstone'],
      ['haisltone', 'hailstone'],
      ['kabbage', 'cabbage'],
      ['cabbage', 'kabbage'],
      ['b0t', 'bot'],
    ] as const) {
      expect(costOf(text, name)).toBeLessThan(other + 1)
      expect(costOf(text, name)).toBeGreaterThan(0)
    }
    expect(costOf('dailstone', 'hailstone')).toBeGreaterThan(costOf('hailstome', 'hailstone'))
    expect(costOf('bot2', 'bot3')).toBeGreaterThan(other)
  })

  test('substitutions cost the same in both directions, by the similarity of the letters', () => {
    const alphabet = [...'abcdefghijklmnopqrstuvwxyz0123456789']
    const byCost: Readonly<Record<number, string>> = {
      0: 'aa zz 00 99',
      20: '0o 1i 1l 3e 4a 5s 7t 8b 9g',
      35: 'ck cs kq sz iy fv gj vw mn',
      45: 'ae ou qw op qa wa ws sd zx as za xs nj lk pl',
      65: 'af bz tx qz ks',
      90: '01 19 45 2a z2 7a b4 9z',
    }
    for (const [cost, pairs] of Object.entries(byCost)) {
      for (const [one = '', other = ''] of pairs.split(' ')) {
        expect([one, other, costOf(`e${one}`, `e${other}`)]).toEqual([one, other, Number(cost)])
      }
    }
    for (const one of alphabet) {
      const costs = alphabet.map((other) => costOf(`e${one}`, `e${other}`))
      expect([one, costs]).toEqual([one, alphabet.map((other) => costOf(`e${other}`, `e${one}`))])
      expect(costs.filter((cost) => cost < 20)).toEqual([0])
    }
  })

  test('editDistances finds the closest beginning', () => {
    expect(editDistances('cbab', 'cabbage', 60)).toEqual({
      whole: Number.POSITIVE_INFINITY,
      beginning: 45,
      beginningLength: 4,
    })
    expect(editDistances('cabb', 'cabbage', 0)).toMatchObject({ beginning: 0, beginningLength: 4 })
    expect(editDistances('wnyk', 'wynk', 45)).toMatchObject({ whole: 45, beginning: 45 })
    expect(editDistances('ywnk', 'wynk', 45)).toMatchObject({ whole: 45 })
    expect(editDistances('abcdef', 'uvwxyz', 100)).toMatchObject({
      whole: Number.POSITIVE_INFINITY,
      beginning: Number.POSITIVE_INFINITY,
    })
  })

  test('editDistances equals the whole table up to its limit', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 't', 'z'), maxLength: 10 })
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 200 }), (text, name, most) => {
        const last = tableOf(text, name)
        const within = (cost: number) => (cost <= most ? cost : Number.POSITIVE_INFINITY)
        const { whole, beginning } = editDistances(text, name, most)
        expect(whole).toBe(within(last[name.length] ?? 9999))
        expect(beginning).toBe(within(Math.min(...last)))
      }),
      { numRuns: 2000 },
    )
  })
})

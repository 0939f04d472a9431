import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createTermIndex } from '../../../src/derived/search/termIndex.ts'

const terms = fc.uniqueArray(fc.constantFrom('^ab', 'abc', '-b', '~bc', '!ab', '=abc'), {
  minLength: 1,
})

test('names with a term are counted in any order of adding, retiring and removing', () => {
  const step = fc.record({ name: terms, retired: fc.nat(5), removed: fc.nat(5) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const index = createTermIndex()
      const names = new Map<number, { readonly own: Set<string>; isRetired: boolean }>()
      for (const [number, { name, retired, removed }] of steps.entries()) {
        const own = new Set(name)
        index.add(number, own)
        names.set(number, { own, isRetired: false })
        const leaving = names.get(retired)
        if (leaving && !leaving.isRetired) {
          index.retire(retired, leaving.own)
          leaving.isRetired = true
        }
        if (names.get(removed)?.isRetired) {
          index.remove(removed)
          names.delete(removed)
        }
        for (const term of own) {
          const having = [...names.values()].filter((each) => each.own.has(term))
          expect([index.has(term), index.count(term)]).toEqual([
            having.length > 0,
            having.filter(({ isRetired }) => !isRetired).length,
          ])
        }
      }
      const retired = [...names].flatMap(([number, { isRetired }]) => (isRetired ? [number] : []))
      expect(index.retired().toSorted((a, b) => a - b)).toEqual(retired)
    }),
  )
})

describe('a retired name', () => {
  test('a retired name is found until it is removed, but not counted', () => {
    const index = createTermIndex()
    index.add(0, new Set(['ab', 'bc']))
    index.add(1, new Set(['ab', 'cd']))
    index.retire(0, new Set(['ab', 'bc']))
    index.retire(1, new Set(['ab', 'cd']))
    expect(index.retired()).toEqual([0, 1])
    expect(['ab', 'bc', 'cd'].map(index.count)).toEqual([0, 0, 0])
    expect(index.find('ab')).toEqual([0, 1])
    index.remove(0)
    expect(index.retired()).toEqual([1])
    expect(index.find('ab')).toEqual([1])
    expect([index.count('ab'), index.has('ab'), index.has('bc')]).toEqual([0, true, false])
  })
})

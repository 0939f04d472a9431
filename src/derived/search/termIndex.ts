import { Index } from 'flexsearch'

/** An inverted index: for each term the numbers of the names that have it. */
export type TermIndex = ReturnType<typeof createTermIndex>

const noLimit = { limit: Number.MAX_SAFE_INTEGER }

const change = (counts: Map<string, number>, terms: ReadonlySet<string>, by: 1 | -1): void => {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + by)
}

/**
 * FlexSearch stores the terms of every name and finds the names that have a term: it generates the
 * candidates. Terms, ranking and the comparison letter by letter are this project's. The index changes in place
 * and is shared by all versions of an archive.
 */
export const createTermIndex = () => {
  // `fastupdate` removes a name at the cost of its own terms; without it, the whole index is scanned.
  const index = new Index({
    tokenize: 'strict',
    resolution: 1,
    fastupdate: true,
    encode: (terms) => terms.split(' '),
  })
  /** Terms of removed names by number: they are found until the version before is replaced, too. */
  const retired = new Map<number, ReadonlySet<string>>()
  /** Names with each term, with and without retired ones. */
  const found = new Map<string, number>()
  const counted = new Map<string, number>()
  return {
    add: (number: number, terms: ReadonlySet<string>): void => {
      index.add(number, [...terms].join(' '))
      change(found, terms, 1)
      change(counted, terms, 1)
    },
    /** Excludes a name from the counts; its number is still found until it is removed. */
    retire: (number: number, terms: ReadonlySet<string>): void => {
      retired.set(number, terms)
      change(counted, terms, -1)
    },
    retired: (): readonly number[] => [...retired.keys()],
    /** Removes a retired name. */
    remove: (number: number): void => {
      index.remove(number)
      const terms = retired.get(number) ?? new Set()
      change(found, terms, -1)
      for (const term of terms) {
        if (found.get(term) !== 0) continue
        found.delete(term)
        counted.delete(term)
      }
      retired.delete(number)
    },
    /** Number of names with a term, retired ones left out. */
    count: (term: string): number => counted.get(term) ?? 0,
    /** True if any name has the term, retired ones included. */
    has: (term: string): boolean => found.has(term),
    find: (term: string): readonly (number | string)[] => index.search(term, noLimit),
  }
}

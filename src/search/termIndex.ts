import { Index } from 'flexsearch'

/** An inverted index: for each term the numbers of the names that have it. */
export interface TermIndex {
  readonly add: (number: number, terms: ReadonlySet<string>) => void
  /** Excludes a name's terms from the counts; its number is still found until it is removed. */
  readonly retire: (terms: ReadonlySet<string>) => void
  /** All retired names are removed before others are retired. */
  readonly remove: (number: number) => void
  /** Number of names with a term, retired ones left out. */
  readonly count: (term: string) => number
  /** Whether any name has the term, retired ones included. */
  readonly has: (term: string) => boolean
  readonly find: (term: string) => readonly (number | string)[]
}

const noLimit = { limit: Number.MAX_SAFE_INTEGER }

/**
 * FlexSearch stores the terms of every name and finds the names that have a term: it generates the
 * candidates. Terms, ranking and the comparison letter by letter are this project's. `fastupdate` removes
 * a name at the cost of its own terms; without it, the whole index is scanned. The index changes in place
 * and is shared by all versions of an archive.
 */
export const createTermIndex = (): TermIndex => {
  const index = new Index({
    tokenize: 'strict',
    resolution: 1,
    fastupdate: true,
    encode: (terms) => terms.split(' '),
  })
  const counts = new Map<string, number>()
  /** Terms of retired names alone. */
  const retired = new Set<string>()
  return {
    add: (number, terms) => {
      index.add(number, [...terms].join(' '))
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    },
    retire: (terms) => {
      for (const term of terms) {
        const count = (counts.get(term) ?? 0) - 1
        if (count > 0) counts.set(term, count)
        else {
          counts.delete(term)
          retired.add(term)
        }
      }
    },
    remove: (number) => {
      index.remove(number)
      retired.clear()
    },
    count: (term) => counts.get(term) ?? 0,
    has: (term) => counts.has(term) || retired.has(term),
    find: (term) => index.search(term, noLimit),
  }
}

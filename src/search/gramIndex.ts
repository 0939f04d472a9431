import { Index } from 'flexsearch'

/** An inverted index of terms, each with the numbers of the names that have it. */
export interface GramIndex {
  readonly add: (number: number, terms: ReadonlySet<string>) => void
  /** Terms of a name count no more; its number is still found until it is removed. */
  readonly retire: (terms: ReadonlySet<string>) => void
  readonly remove: (number: number) => void
  /** How many names have a term, those retired left out. */
  readonly count: (term: string) => number
  readonly find: (term: string) => readonly (number | string)[]
}

/**
 * FlexSearch keeps the terms of every name and finds the names that share some with a query: it proposes
 * candidates, however misspelt. Which terms there are and how candidates rank is decided elsewhere.
 * `fastupdate` removes a name at the cost of its own terms; without it the whole index is scanned. The
 * index changes in place and is shared by all versions of an archive, hence closed over.
 */
export const createGramIndex = (): GramIndex => {
  const index = new Index({
    tokenize: 'strict',
    resolution: 1,
    fastupdate: true,
    encode: (terms) => terms.split(' '),
  })
  const counts = new Map<string, number>()
  return {
    add: (number, terms) => {
      index.add(number, [...terms].join(' '))
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    },
    retire: (terms) => {
      for (const term of terms) {
        const count = (counts.get(term) ?? 0) - 1
        if (count > 0) counts.set(term, count)
        else counts.delete(term)
      }
    },
    remove: (number) => {
      index.remove(number)
    },
    count: (term) => counts.get(term) ?? 0,
    find: (term) => index.search(term, { limit: Number.MAX_SAFE_INTEGER }),
  }
}

import { Index } from 'flexsearch'

declare module 'flexsearch' {
  /** Internals of version 0.8.212, held by a test against what `add` makes of them. */
  interface Index<
    W extends WorkerType = false,
    S extends StorageInterface | boolean = false,
    r extends boolean = true,
  > {
    /** The numbers of each term, in one list for each resolution. */
    readonly map: Map<string, number[][]>
    /** The lists that have each number. */
    readonly reg: Map<number, number[][]>
  }
}

/** An inverted index: for each term the numbers of the names that have it. */
export type TermIndex = ReturnType<typeof createTermIndex>

const noLimit = { limit: Number.MAX_SAFE_INTEGER }

/** `fastupdate` removes a name at the cost of its own terms; without it, the whole index is scanned. */
export const createFlexSearch = (): Index =>
  new Index({
    tokenize: 'strict',
    resolution: 1,
    fastupdate: true,
    encode: (terms) => terms.split(' '),
  })

/** `add` without encoding and options: takes a fifth of its time. */
export const fillFlexSearch = (
  { map, reg }: Index,
  number: number,
  terms: ReadonlySet<string>,
): void => {
  const lists: number[][] = []
  for (const term of terms) {
    let list = map.get(term)?.[0]
    if (list) list.push(number)
    else {
      list = [number]
      map.set(term, [list])
    }
    lists.push(list)
  }
  reg.set(number, lists)
}

/**
 * FlexSearch stores the terms of every name and finds the names that have a term: it generates the
 * candidates. Terms, ranking and the comparison letter by letter are this project's. The index changes in place
 * and is shared by all versions of an archive.
 */
export const createTermIndex = () => {
  const index = createFlexSearch()
  /** Terms of removed names by number: they are found until the version before is replaced, too. */
  const retired = new Map<number, ReadonlySet<string>>()
  const retiredCounts = new Map<string, number>()
  const numbersOf = (term: string): readonly number[] => index.map.get(term)?.[0] ?? []
  return {
    add: (number: number, terms: ReadonlySet<string>): void => fillFlexSearch(index, number, terms),
    /** Excludes a name from the counts; its number is still found until it is removed. */
    retire: (number: number, terms: ReadonlySet<string>): void => {
      retired.set(number, terms)
      for (const term of terms) retiredCounts.set(term, (retiredCounts.get(term) ?? 0) + 1)
    },
    retired: (): readonly number[] => [...retired.keys()],
    /** Removes a retired name. */
    remove: (number: number): void => {
      index.remove(number)
      for (const term of retired.get(number) ?? []) {
        const left = (retiredCounts.get(term) ?? 0) - 1
        if (left > 0) retiredCounts.set(term, left)
        else retiredCounts.delete(term)
      }
      retired.delete(number)
    },
    /** Number of names with a term, retired ones left out. */
    count: (term: string): number => numbersOf(term).length - (retiredCounts.get(term) ?? 0),
    /** Whether any name has the term, retired ones included. */
    has: (term: string): boolean => numbersOf(term).length > 0,
    find: (term: string): readonly (number | string)[] => index.search(term, noLimit),
  }
}

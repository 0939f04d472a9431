/** Numbers of the bots in the shared index of terms, and the version it was last updated to. */
export interface Numbering<Version> {
  readonly isLatest: (search: Version) => boolean
  /** Undefined while an update runs. */
  readonly setLatest: (search: Version | undefined) => void
  readonly take: (cleanName: string) => number
  /** The number of a bot in the latest version. */
  readonly numberOf: (cleanName: string) => number | undefined
  /** All numbers are smaller. */
  readonly capacity: () => number
  /** Numbers that the version before the latest has a bot for, and the latest has not. */
  readonly retired: () => readonly number[]
  readonly retire: (cleanName: string, number: number) => void
  readonly free: (number: number) => void
}

/** Mutable, because the index of terms is; numbers of removed bots are used again. */
export const createNumbering = <Version>(): Numbering<Version> => {
  let latest: Version | undefined
  let next = 0
  const free: number[] = []
  const retired = new Set<number>()
  const numbers = new Map<string, number>()
  return {
    isLatest: (search) => search === latest,
    setLatest: (search) => {
      latest = search
    },
    take: (cleanName) => {
      const number = free.pop() ?? next
      if (number === next) next += 1
      numbers.set(cleanName, number)
      return number
    },
    numberOf: (cleanName) => numbers.get(cleanName),
    capacity: () => next,
    retired: () => [...retired],
    retire: (cleanName, number) => {
      retired.add(number)
      if (numbers.get(cleanName) === number) numbers.delete(cleanName)
    },
    free: (number) => {
      retired.delete(number)
      free.push(number)
    },
  }
}

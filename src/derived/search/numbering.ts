/** Numbers of the bots in the shared index of terms, and the version it was last updated to. */
export type Numbering<Version> = ReturnType<typeof createNumbering<Version>>

/** Mutable, because the index of terms is; numbers of removed bots are used again. */
export const createNumbering = <Version>() => {
  let latest: Version | undefined
  let capacity = 0
  const free: number[] = []
  const numbers = new Map<string, number>()
  return {
    isLatest: (search: Version): boolean => search === latest,
    /** Sets the latest version; undefined while an update runs. */
    setLatest: (search: Version | undefined): void => {
      latest = search
    },
    take: (cleanName: string): number => {
      const number = free.pop() ?? capacity
      capacity = Math.max(capacity, number + 1)
      numbers.set(cleanName, number)
      return number
    },
    /** The number of a bot in the latest version. */
    numberOf: (cleanName: string): number | undefined => numbers.get(cleanName),
    /** Forgets a bot; its number stays taken until it is freed. */
    leave: (cleanName: string): void => {
      numbers.delete(cleanName)
    },
    free: (number: number): void => {
      free.push(number)
    },
  }
}

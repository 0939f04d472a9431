/** Versions are kept for this long after they were served, and the last ones however old. */
const keptSeconds = 600
const keptCount = 1000

/** The versions of the data that a process has served. */
export const createServedVersions = (now: () => number) => {
  /** Unix seconds at which each was served last, oldest first. */
  const servedAt = new Map<string, number>()
  return {
    has: (version: string): boolean => servedAt.has(version),
    add: (version: string): void => {
      servedAt.delete(version)
      servedAt.set(version, now())
      for (const [oldest, at] of servedAt) {
        if (servedAt.size <= keptCount || now() - at <= keptSeconds) break
        servedAt.delete(oldest)
      }
    },
  }
}

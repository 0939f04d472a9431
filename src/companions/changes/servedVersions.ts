/** Versions are remembered for this long after they were served; the newest ones are never forgotten. */
const keptSeconds = 600
const keptCount = 1000

/** Data versions that this process has served. */
export const createServedVersions = (now: () => number) => {
  /** Unix seconds at which each version was last served, oldest first. */
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

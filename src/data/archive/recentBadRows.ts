import type { BadRow } from '../source/check.ts'
import { maxBadRowsKept } from './load.ts'

/** A bad row and the time at which it was last read, in Unix seconds. */
export interface RecentBadRow extends BadRow {
  readonly at: number
}

/**
 * The last {@link maxBadRowsKept} distinct bad rows. A row that is read again, like the rows of cages at each refresh,
 * is listed once.
 */
export const createRecentBadRows = () => {
  const rows = new Map<string, RecentBadRow>()
  return {
    add: (found: readonly BadRow[], at: number): void => {
      for (const bad of found) {
        const name = JSON.stringify([bad.tournament, bad.table, bad.key, bad.problem])
        rows.delete(name)
        rows.set(name, { at, ...bad })
      }
      for (const name of rows.keys()) {
        if (rows.size <= maxBadRowsKept) return
        rows.delete(name)
      }
    },
    /** Bad rows, newest first. */
    list: (): readonly RecentBadRow[] => [...rows.values()].reverse(),
  }
}

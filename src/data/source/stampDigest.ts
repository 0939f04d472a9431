import type { TournamentTable } from './rows.ts'
import { childTables } from './tables.ts'

/** The number of rows of a table and the sum of their `xmin`. */
export interface Part {
  rows: number
  stamps: number
}

/** Counts and sums of each child table. */
export type Parts = Map<TournamentTable, Part>

/** Stamp digest of these numbers; empty for a tournament without child rows. */
export const stampDigestOf = (parts: Parts): string => {
  const text = childTables
    .flatMap((table) => {
      const part = parts.get(table)
      return part && part.rows > 0 ? [`${table}:${part.rows}:${part.stamps}`] : []
    })
    .join(' ')
  return text && Bun.hash.xxHash64(text).toString(36)
}

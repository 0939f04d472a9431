import { buildTournament } from '../league/build.ts'
import type { Tournament } from '../league/types.ts'
import { type BadRow, checkTournament, type OnBadRow, type Unchecked } from '../source/check.ts'
import type { TournamentRows } from '../source/rows.ts'
import { isPublic } from '../source/visibility.ts'

/** One tournament: its checked rows and its domain value. */
export interface LoadedTournament {
  readonly rows: TournamentRows
  readonly tournament: Tournament
}

/** Checks and builds one tournament; undefined if it is not public or its own row is bad. */
export const loadTournament = (
  unchecked: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): LoadedTournament | undefined => {
  const rows = checkTournament(unchecked, onBadRow)
  return rows && isPublic(rows.tournament) ? { rows, tournament: buildTournament(rows) } : undefined
}

/** Counts bad rows, and keeps the first few for the log. */
export interface BadRowCounter {
  readonly onBadRow: OnBadRow
  readonly count: () => number
  readonly examples: readonly BadRow[]
}

export const countBadRows = (): BadRowCounter => {
  const examples: BadRow[] = []
  let count = 0
  return {
    onBadRow: (bad) => {
      count += 1
      if (examples.length < 5) examples.push(bad)
    },
    count: () => count,
    examples,
  }
}

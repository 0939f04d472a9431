import type { Log } from '../../runtime/log.ts'
import { buildTournament } from '../league/build.ts'
import type { Tournament } from '../league/types.ts'
import { type BadRow, checkPacked, type OnBadRow, type Unchecked } from '../source/check.ts'
import type { PackedRows } from '../source/recordingTable.ts'
import type { TournamentRows } from '../source/rows.ts'
import { isPublic } from '../source/visibility.ts'

/** One tournament: its checked rows and its domain value. */
export interface LoadedTournament {
  readonly rows: PackedRows
  readonly tournament: Tournament
}

/** The valid rows of one tournament; undefined if it is not public or its own row is bad. */
export const checkPublic = (
  unchecked: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): PackedRows | undefined => {
  const rows = checkPacked(unchecked, onBadRow)
  return rows && isPublic(rows.tournament) ? rows : undefined
}

/** Checks and builds one tournament, see {@link checkPublic}. */
export const loadTournament = (
  unchecked: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): LoadedTournament | undefined => {
  const rows = checkPublic(unchecked, onBadRow)
  return rows && { rows, tournament: buildTournament(rows) }
}

/** Max bad rows kept with their reasons. */
export const maxBadRowsKept = 50
const maxBadRowsLogged = 5

/** Counts bad rows, and keeps the last {@link maxBadRowsKept}. */
export interface BadRowCounter {
  readonly onBadRow: OnBadRow
  readonly count: () => number
  /** Last bad rows, oldest first. */
  readonly last: readonly BadRow[]
}

export const countBadRows = (): BadRowCounter => {
  const last: BadRow[] = []
  let count = 0
  return {
    onBadRow: (bad) => {
      count += 1
      if (last.length >= maxBadRowsKept) last.shift()
      last.push(bad)
    },
    count: () => count,
    last,
  }
}

/** Logs the number of bad rows with a few of them. */
export const logBadRows = (log: Log, { count, last }: BadRowCounter): void => {
  if (count() === 0) return
  const examples = last.slice(-maxBadRowsLogged)
  log('warn', 'rows left out', { badRows: count(), examples })
}

import type { Archive } from '../../data/archive/archive.ts'
import { applyToTournament, leaveTournament, movedFrom } from './apply.ts'
import { cageRows, diffArchives } from './diff.ts'
import { type TournamentRows, tournamentRows } from './rows.ts'
import type { Change, ChangedBot } from './schema.ts'

/** State left by the previous process: an archive, and the changes since it was saved, in order. */
export interface Left {
  readonly archive: Archive
  readonly changes: readonly Change[]
}

/**
 * Changes since the last state that the previous process published; undefined if that state is not known whole, because
 * a tournament had to be read again since.
 */
export const diffSince = (
  { archive, changes }: Left,
  after: Archive,
  now: number,
): readonly Change[] | undefined => {
  const { tournamentsByID } = archive.dataset
  /** Rows by tournament id; undefined for a tournament that is gone. */
  const states = new Map<string, TournamentRows | undefined>()
  const cages = new Map(cageRows(archive.cages, now))
  const renamed = new Map<string, ChangedBot>()
  const rowsOf = (id: string): TournamentRows | undefined => {
    const saved = tournamentsByID.get(id)
    return states.has(id) ? states.get(id) : saved && tournamentRows(saved)
  }
  for (const change of changes) {
    if (change.type === 'bot.renamed') renamed.set(change.after.cleanName, change.after)
    else if (change.type === 'cage.changed') {
      if (change.after) cages.set(change.cageNumber, change.after)
      else cages.delete(change.cageNumber)
    } else if (change.type === 'tournament.removed') states.set(change.tournamentID, undefined)
    else {
      const { tournamentID } = change
      const origin = movedFrom(change) ?? tournamentID
      const left = rowsOf(origin)
      if (left && origin !== tournamentID) states.set(origin, leaveTournament(left, change))
      const known = rowsOf(tournamentID)
      const rows = known && applyToTournament(known, change)
      if (!rows) return undefined
      states.set(tournamentID, rows)
    }
  }
  return diffArchives({ archive, tournaments: states, cages, renamed }, after, now)
}

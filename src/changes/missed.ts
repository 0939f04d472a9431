import type { Archive } from '../archive/archive.ts'
import { applyToTournament } from './apply.ts'
import {
  cageRows,
  diffBots,
  diffCages,
  differingTournaments,
  diffTournament,
  playerNames,
  tournamentAdded,
  tournamentRemoved,
} from './diff.ts'
import { botRow, differingRows, type TournamentRows, tournamentRows } from './rows.ts'
import type { Change, ChangedBot } from './schema.ts'

/** What a process before has left: an archive, and what happened since it was saved, in order. */
export interface Left {
  readonly archive: Archive
  readonly changes: readonly Change[]
}

/**
 * Changes since the last state that the previous process published; undefined where that state is not
 * known whole, as a tournament was to be read again since.
 */
export const diffSince = (
  { archive, changes }: Left,
  after: Archive,
  now: number,
): readonly Change[] | undefined => {
  const { tournamentsByID } = archive.dataset
  /** Undefined is gone. */
  const states = new Map<string, TournamentRows | undefined>()
  const cages = new Map(cageRows(archive.cages, now))
  const renamed = new Map<string, ChangedBot>()
  for (const change of changes) {
    if (change.type === 'bot.renamed') renamed.set(change.after.cleanName, change.after)
    else if (change.type === 'cage.changed') {
      if (change.after) cages.set(change.cageNumber, change.after)
      else cages.delete(change.cageNumber)
    } else if (change.type === 'tournament.removed') states.set(change.tournamentID, undefined)
    else {
      const { tournamentID } = change
      const saved = tournamentsByID.get(tournamentID)
      const known = states.has(tournamentID)
        ? states.get(tournamentID)
        : saved && tournamentRows(saved)
      const rows = known && applyToTournament(known, change)
      if (!rows) return undefined
      states.set(tournamentID, rows)
    }
  }
  const ids = [...new Set([...differingTournaments(archive, after), ...states.keys()])]
  const found = ids.flatMap((id) => {
    const fresh = after.dataset.tournamentsByID.get(id)
    const saved = tournamentsByID.get(id)
    const rows = states.get(id)
    const isThere = states.has(id) ? rows !== undefined : saved !== undefined
    if (!fresh) return isThere ? [tournamentRemoved(id)] : []
    if (!isThere) return [tournamentAdded(tournamentRows(fresh))]
    if (rows) return diffTournament(rows, tournamentRows(fresh))
    return saved ? diffTournament(...differingRows(saved, fresh)) : []
  })
  const names = [
    ...ids.flatMap((id) => [...playerNames(archive, id), ...playerNames(after, id)]),
    ...renamed.keys(),
  ]
  return [
    ...found,
    ...diffBots(names, (name) => renamed.get(name) ?? botRow(archive, name), after),
    ...diffCages(cages, cageRows(after.cages, now)),
  ]
}

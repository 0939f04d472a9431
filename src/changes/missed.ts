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
  tournamentReload,
  tournamentRemoved,
} from './diff.ts'
import { isReload } from './entry.ts'
import { botRow, differingRows, type TournamentRows, tournamentRows } from './rows.ts'
import type { Change, ChangedBot } from './schema.ts'

/** What a process before has left: an archive, and what happened since it was saved. */
export interface Left {
  readonly archive: Archive
  /** In order. */
  readonly changes: readonly Change[]
  /** Tournaments of the archive as saved whose rows are not all in `archive`: they are hidden by now. */
  readonly withheld: ReadonlySet<string>
}

/** What changed since then. */
export interface Missed {
  readonly changes: readonly Change[]
  /** Tournaments that are read again, as their state then is not known whole: no earlier change counts. */
  readonly superseded: readonly string[]
}

/**
 * Changes since the last state that the previous process published. A tournament whose state then is
 * not known whole is one change that asks for it to be read again.
 */
export const diffSince = (
  { archive, changes, withheld }: Left,
  after: Archive,
  now: number,
): Missed => {
  /** Undefined is gone, null is not known. */
  const states = new Map<string, TournamentRows | null | undefined>(
    [...withheld].map((id) => [id, null]),
  )
  const cages = new Map(cageRows(archive.cages, now))
  const renamed = new Map<string, ChangedBot>()
  for (const change of changes) {
    if (change.type === 'bot.renamed') renamed.set(change.after.cleanName, change.after)
    else if (change.type === 'cage.changed') {
      if (change.after) cages.set(change.cageNumber, change.after)
      else cages.delete(change.cageNumber)
    } else if (change.type === 'tournament.removed') states.set(change.tournamentID, undefined)
    else if (isReload(change)) states.set(change.tournamentID, null)
    else {
      const { tournamentID } = change
      const saved = archive.dataset.tournamentsByID.get(tournamentID)
      const rows = states.has(tournamentID)
        ? states.get(tournamentID)
        : saved && tournamentRows(saved)
      states.set(tournamentID, rows ? applyToTournament(rows, change) : null)
    }
  }
  const ids = [...new Set([...differingTournaments(archive, after), ...states.keys()])]
  const found = ids.flatMap((id) => {
    const fresh = after.dataset.tournamentsByID.get(id)
    const saved = archive.dataset.tournamentsByID.get(id)
    const isKnown = states.has(id)
    const rows = states.get(id)
    const isThere = isKnown ? rows !== undefined : saved !== undefined
    if (!fresh) return isThere ? [tournamentRemoved(id)] : []
    if (!isThere) return [tournamentAdded(tournamentRows(fresh))]
    if (isKnown) {
      return rows
        ? diffTournament(rows, tournamentRows(fresh))
        : [tournamentReload(tournamentRows(fresh))]
    }
    return saved ? diffTournament(...differingRows(saved, fresh)) : []
  })
  const names = [
    ...ids.flatMap((id) => [...playerNames(archive, id), ...playerNames(after, id)]),
    ...renamed.keys(),
  ]
  return {
    changes: [
      ...found,
      ...diffBots(names, (name) => renamed.get(name) ?? botRow(archive, name), after),
      // `archive` shows a cage with a withheld fight as idle, which readers do not know.
      ...diffCages(cages, cageRows(after.cages, now), withheld.size > 0 ? new Map() : cages),
    ],
    superseded: [...states].flatMap(([id, rows]) =>
      rows === null && after.dataset.tournamentsByID.has(id) ? id : [],
    ),
  }
}

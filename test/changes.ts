import { applyToTournament, leaveTournament, movedFrom } from '../src/companions/changes/apply.ts'
import { cageRows } from '../src/companions/changes/diff.ts'
import { botRow, type TournamentRows, tournamentRows } from '../src/companions/changes/rows.ts'
import type { Change, ChangedBot, ChangedCage } from '../src/companions/changes/schema.ts'
import type { Archive } from '../src/data/archive/archive.ts'

/** State of a reader of the feed. */
export interface State {
  readonly tournaments: ReadonlyMap<string, TournamentRows>
  readonly cages: ReadonlyMap<number, ChangedCage>
  readonly bots: ReadonlyMap<string, ChangedBot>
}

export const stateOf = (archive: Archive): State => ({
  tournaments: new Map(
    archive.dataset.tournaments.map((each) => [each.info.id, tournamentRows(each)]),
  ),
  cages: cageRows(archive.cages, 0),
  bots: new Map(
    archive.bots.flatMap(({ cleanName }) => {
      const row = botRow(archive, cleanName)
      return row ? [[cleanName, row] as const] : []
    }),
  ),
})

/** The state after a change. `read` reads a tournament again for the reader. */
export const apply = (
  state: State,
  change: Change,
  read: (tournamentID: string) => TournamentRows | undefined,
): State => {
  const tournaments = new Map(state.tournaments)
  if (change.type === 'cage.changed') {
    const cages = new Map(state.cages)
    if (change.after) cages.set(change.cageNumber, change.after)
    else cages.delete(change.cageNumber)
    return { ...state, cages }
  }
  if (change.type === 'bot.renamed') {
    return { ...state, bots: new Map(state.bots).set(change.after.cleanName, change.after) }
  }
  const { tournamentID } = change
  const origin = movedFrom(change) ?? tournamentID
  const left = tournaments.get(origin)
  if (left && origin !== tournamentID) tournaments.set(origin, leaveTournament(left, change))
  const known = tournaments.get(tournamentID)
  const next = known && change.type !== 'tournament.removed' && applyToTournament(known, change)
  const rows = next || (change.type.startsWith('tournament.') && read(tournamentID))
  if (rows && change.type !== 'tournament.removed') tournaments.set(tournamentID, rows)
  else if (change.type === 'tournament.removed') tournaments.delete(tournamentID)
  return { ...state, tournaments }
}

/** A state without values derived from the clock, counts or other rows, and only with bots that both states have. */
export const comparable = (state: State, other: State) => {
  const byKey = ([a]: readonly [unknown, unknown], [b]: readonly [unknown, unknown]) =>
    String(a) < String(b) ? -1 : 1
  const list = <Key, Row>(rows: ReadonlyMap<Key, Row>, of: (row: Row) => unknown) =>
    [...rows].map(([key, row]) => [key, of(row)] as const).sort(byKey)
  return {
    tournaments: list(state.tournaments, ({ row, games, fights, recordings, clips, stills }) => ({
      row: { ...row, updateTime: '' },
      games: list(games, (game) => game),
      fights: list(
        fights,
        ({ cams: _cams, expectedStart, expectedFrom, expectedTo, paused, ...fight }) => ({
          ...fight,
          tournamentName: row.tournamentName,
          weightClass: row.WeightClass,
          corners: fight.corners.map((corner) => ({ ...corner, wins: '', losses: '' })),
          cams: [...recordings.values()].filter(({ gameID }) => gameID === fight.gameID).length,
        }),
      ),
      recordings: list(recordings, (film) => ({ ...film, fightStartOffset: '' })),
      clips: list(clips, (clip) => ({ ...clip, views: 0, likes: 0 })),
      stills: list(stills, (still) => ({ ...still, event: row.tournamentName })),
    })),
    cages: list(state.cages, (cage) => ({ ...cage, matchTime: 0, updatedTime: 0 })),
    bots: list(state.bots, ({ name }) => name).filter(([name]) => other.bots.has(name)),
  }
}

import { checkTournament, type OnBadRow, type Unchecked } from '../../../src/data/source/check.ts'
import type { CageRows, TournamentRows } from '../../../src/data/source/rows.ts'
import type { Changes } from './difference.ts'
import { withReferences } from './references.ts'

/** A tournament after its update. */
export interface Updated {
  readonly rows: TournamentRows
  readonly changes: Changes
}

export interface UpdateOptions {
  readonly onBadRow: OnBadRow
  /**
   * True if another tournament belongs to the same source: its recordings, clips and stills can move to this one. Those
   * of other sources are not touched.
   */
  readonly isOfSource: (tournamentId: string) => boolean
}

/** Target of an import: a database or a snapshot file. */
export interface Target {
  /** All tournaments by id, with the file import that wrote each; null for others. */
  sources(): Promise<ReadonlyMap<string, string | null>>
  /** The rows of a tournament, as they are. */
  read(tournamentId: string): Promise<Unchecked<TournamentRows> | undefined>
  /**
   * Replaces the rows of a tournament in one transaction that writes only differences. Invalid rows are left out and
   * reported; undefined if the tournament's own row is invalid, or `change` gives none.
   */
  update(
    tournamentId: string,
    change: (
      existing: Unchecked<TournamentRows> | undefined,
    ) => Unchecked<TournamentRows> | undefined,
    options: UpdateOptions,
  ): Promise<Updated | undefined>
  remove(tournamentId: string): Promise<Changes>
  updateCages(change: (existing: CageRows) => CageRows): Promise<Changes>
  /** Ends the import; a snapshot file is written here. */
  close(): Promise<void>
  /** Ends a failed import: committed changes stay, a snapshot file is not written. */
  abandon(): Promise<void>
}

/** Keys of rows that are unique in the whole league: `recordings 5`, `clips abc`, and both keys of a still. */
export const leagueKeys = ({ recordings, clips, stills }: TournamentRows): readonly string[] => [
  ...recordings.map(({ id }) => `recordings ${id}`),
  ...clips.map(({ token }) => `clips ${token}`),
  ...stills.flatMap(({ id, token }) => [`stills ${id}`, `stills ${token}`]),
]

/** The rows without any that has one of these {@link leagueKeys}; such rows are reported. */
export const withoutKeys = (
  rows: TournamentRows,
  keys: ReadonlySet<string>,
  onBadRow: OnBadRow = () => undefined,
): TournamentRows => {
  if (keys.size === 0) return rows
  const isFree = (table: string, ...own: readonly (string | number)[]): boolean => {
    const isTaken = own.some((key) => keys.has(`${table} ${key}`))
    if (isTaken) onBadRow({ table, problem: `${own.join(' or ')} is used by another league` })
    return !isTaken
  }
  const stills = rows.stills.filter(({ id, token }) => isFree('stills', id, token))
  const stillIds = new Set(stills.map(({ id }) => id))
  return {
    ...rows,
    recordings: rows.recordings.filter(({ id }) => isFree('recordings', id)),
    clips: rows.clips.filter(({ token }) => isFree('clips', token)),
    stills,
    stillTags: rows.stillTags.filter(({ stillId }) => stillIds.has(stillId)),
  }
}

/** Valid rows with intact references. */
export const validRows = (
  rows: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): TournamentRows | undefined => {
  const checked = checkTournament(rows, onBadRow)
  return checked && withReferences(checked, onBadRow)
}

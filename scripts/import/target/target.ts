import { checkTournament, type OnBadRow, type Unchecked } from '../../../src/source/check.ts'
import type { CageRows, TournamentRows } from '../../../src/source/rows.ts'
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
   * Whether another tournament belongs to the same source: its recordings, clips and stills can move to
   * this one. Those of other sources are not touched.
   */
  readonly isOfSource: (tournamentId: string) => boolean
}

/** What an import writes to: a database or a snapshot file. */
export interface Target {
  /** All tournaments by id, with the import of files that wrote each; null for others. */
  sources(): Promise<ReadonlyMap<string, string | null>>
  /** The rows of a tournament, as they are. */
  read(tournamentId: string): Promise<Unchecked<TournamentRows> | undefined>
  /**
   * Replaces the rows of a tournament in one transaction that writes only what differs. Invalid rows are
   * left out and reported; undefined if the tournament's own row is invalid.
   */
  update(
    tournamentId: string,
    change: (existing: Unchecked<TournamentRows> | undefined) => Unchecked<TournamentRows>,
    options: UpdateOptions,
  ): Promise<Updated | undefined>
  remove(tournamentId: string): Promise<Changes>
  updateCages(change: (existing: CageRows) => CageRows): Promise<Changes>
  /** Ends the import; a snapshot file is written here. */
  close(): Promise<void>
  /** Ends a failed import: what is committed stays, a snapshot file is not written. */
  abandon(): Promise<void>
}

/** Tables with keys that are unique in the whole league. */
export const leagueTables = ['recordings', 'clips', 'stills'] as const
export type LeagueTable = (typeof leagueTables)[number]

/** Keys of rows that belong to another source, as text: `5`, `abc`, and of a still both. */
export type Taken = { readonly [Table in LeagueTable]: ReadonlySet<string> }

/** Valid rows with intact references, without rows whose keys are taken. */
export const validRows = (
  rows: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
  taken?: Taken,
): TournamentRows | undefined => {
  const checked = checkTournament(rows, onBadRow)
  if (!checked) return undefined
  const isFree = (table: LeagueTable, ...keys: readonly (string | number)[]): boolean => {
    const isTaken = keys.some((key) => taken?.[table].has(String(key)))
    if (isTaken) onBadRow({ table, problem: `${keys.join(' or ')} is used by another league` })
    return !isTaken
  }
  const stills = checked.stills.filter(({ id, token }) => isFree('stills', id, token))
  const stillIds = new Set(stills.map(({ id }) => id))
  return withReferences(
    {
      ...checked,
      recordings: checked.recordings.filter(({ id }) => isFree('recordings', id)),
      clips: checked.clips.filter(({ token }) => isFree('clips', token)),
      stills,
      stillTags: taken
        ? checked.stillTags.filter(({ stillId }) => stillIds.has(stillId))
        : checked.stillTags,
    },
    onBadRow,
  )
}

import type { PackedRows } from './recordingTable.ts'
import type { ClipRow, TournamentRow, TournamentRows } from './rows.ts'

/** True if a tournament is served, with everything that belongs to it. */
export const isPublic = (row: TournamentRow): boolean => row.privacy === 'public' && !row.isTest

/** True if a clip is served: completed and public. */
export const isShownClip = ({ state, isPublic }: ClipRow): boolean =>
  isPublic && state === 'completed'

/** The served rows, without hidden clips and the source; the same value if there are none. */
export const shownRows = <Rows extends TournamentRows | PackedRows>(rows: Rows): Rows =>
  rows.tournament.source === null && rows.clips.every(isShownClip)
    ? rows
    : {
        ...rows,
        tournament: { ...rows.tournament, source: null },
        clips: rows.clips.filter(isShownClip),
      }

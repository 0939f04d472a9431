import type { PackedRows } from './recordingTable.ts'
import type { ClipRow, TournamentRow, TournamentRows } from './rows.ts'

/** Whether a tournament, with everything that belongs to it, is served. */
export const isPublic = (row: TournamentRow): boolean => row.privacy === 'public' && !row.isTest

/** Whether a clip is served: completed and public. */
export const isShownClip = ({ state, isPublic }: ClipRow): boolean =>
  isPublic && state === 'completed'

/** The rows that are served, without hidden clips and the source; the same value if there are none. */
export const shownRows = <Rows extends TournamentRows | PackedRows>(rows: Rows): Rows =>
  rows.tournament.source === null && rows.clips.every(isShownClip)
    ? rows
    : {
        ...rows,
        tournament: { ...rows.tournament, source: null },
        clips: rows.clips.filter(isShownClip),
      }

import type { ClipRow, TournamentRow } from './rows.ts'

/** Whether a tournament, with everything that belongs to it, is served. */
export const isPublic = (row: TournamentRow): boolean => row.privacy === 'public' && !row.isTest

/** Whether a clip is served: completed and public. */
export const isShownClip = ({ state, isPublic }: ClipRow): boolean =>
  isPublic && state === 'completed'

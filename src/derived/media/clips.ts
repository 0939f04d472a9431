import type { TournamentChange } from '../../data/league/merge.ts'
import { newestClipFirst } from '../../data/league/order.ts'
import type { Clip, Tournament } from '../../data/league/types.ts'

/** Every shown clip of the league. */
export interface Clips {
  readonly newestFirst: readonly Clip[]
  readonly byToken: ReadonlyMap<string, Clip>
  /** Curated clips, newest first. */
  readonly curated: readonly Clip[]
}

export const buildClips = (tournaments: readonly Tournament[]): Clips => {
  const newestFirst = tournaments.flatMap(({ clips }) => clips).sort(newestClipFirst)
  return {
    newestFirst,
    byToken: new Map(newestFirst.map((clip) => [clip.token, clip])),
    curated: newestFirst.filter(({ isCurated }) => isCurated),
  }
}

/** True if a change adds and removes no clip. */
export const keepsClips = ({ removed, added }: TournamentChange): boolean =>
  [...removed, ...added].every(({ clips }) => clips.length === 0)

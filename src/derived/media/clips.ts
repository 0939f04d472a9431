import { newestClipFirst } from '../../data/league/order.ts'
import { positionAfter, replaceSorted } from '../../data/league/sortedList.ts'
import type { Clip, Tournament } from '../../data/league/types.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'

/** Every shown clip of the league. */
export interface Clips {
  readonly newestFirst: readonly Clip[]
  readonly byToken: readonly Clip[]
  /** Curated clips, newest first. */
  readonly curated: readonly Clip[]
}

const isCurated = (clip: Clip): boolean => clip.isCurated
const byToken = (a: Clip, b: Clip): number => compareTexts(a.token, b.token)

export const buildClips = (tournaments: readonly Tournament[]): Clips => {
  const clips = tournaments.flatMap((tournament) => tournament.clips)
  const newestFirst = clips.toSorted(newestClipFirst)
  return {
    newestFirst,
    byToken: clips.toSorted(byToken),
    curated: newestFirst.filter(isCurated),
  }
}

/** The clips after a change, equal to {@link buildClips} of all tournaments. */
export const updateClips = (
  clips: Clips,
  removed: readonly Tournament[],
  added: readonly Tournament[],
): Clips => {
  const gone = removed.flatMap((tournament) => tournament.clips)
  const come = added.flatMap((tournament) => tournament.clips)
  if (gone.length === 0 && come.length === 0) return clips
  return {
    newestFirst: replaceSorted(clips.newestFirst, gone, come, newestClipFirst),
    byToken: replaceSorted(clips.byToken, gone, come, byToken),
    curated: replaceSorted(
      clips.curated,
      gone.filter(isCurated),
      come.filter(isCurated),
      newestClipFirst,
    ),
  }
}

/** The clip with exactly this token. */
export const findClip = (clips: Clips, token: string): Clip | undefined => {
  const at = positionAfter(clips.byToken, (clip) => clip.token < token)
  const clip = clips.byToken[at]
  return clip?.token === token ? clip : undefined
}

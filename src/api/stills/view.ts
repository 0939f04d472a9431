import type { Still as Photo } from '../../league/types.ts'
import type { PictureSize } from '../../media/pictureSize.ts'
import type { Stills } from '../../media/stills.ts'
import { toFlag } from '../fields.ts'
import type { Still, StillTags } from './schema.ts'

/** The size that the source has; undefined where it has none or half of one. */
export const sourceSize = ({ width, height }: Photo): PictureSize | undefined =>
  width && height ? { width, height } : undefined

/** `size` is the source's, unless given. */
export const stillView = (still: Photo, size = sourceSize(still)): Still => ({
  stillID: still.id,
  token: still.token,
  url: still.url,
  width: size?.width ?? null,
  height: size?.height ?? null,
  tags: [...still.tags],
  bot: still.bot && { ...still.bot },
  tournamentID: still.tournamentID,
  event: still.tournamentName,
  source: still.source,
  isHero: toFlag(still.isHero),
  takenTime: still.takenUnix,
})

/** The most used first, then by code unit. */
export const stillTags = ({ byTag }: Stills): StillTags => {
  const labels = Map.groupBy(byTag, ({ stills }) => stills.length)
  const counts = [...labels.keys()].sort((a, b) => b - a)
  // Sorting the texts of each count takes a fifth of the time of comparing entries.
  return {
    tags: counts.flatMap((count) =>
      (labels.get(count) ?? [])
        .map(({ label }) => label)
        .sort()
        .map((tag) => ({ tag, count })),
    ),
  }
}

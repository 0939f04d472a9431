import type { Still as Photo } from '../../dataset/types.ts'
import type { Stills } from '../../derived/stills.ts'
import { compareTexts } from '../../source/rows.ts'
import { toFlag } from '../fields.ts'
import type { ListedStill, Still, StillTags } from './schema.ts'

export const listedStill = (still: Photo): ListedStill => ({
  stillID: still.id,
  token: still.token,
  url: still.url,
  width: still.width,
  height: still.height,
  tags: [...still.tags],
  bot: still.bot && { ...still.bot },
  tournamentID: still.tournamentID,
  event: still.tournamentName,
  source: still.source,
  isHero: toFlag(still.isHero),
  takenTime: still.takenUnix,
})

export const stillView = (still: Photo): Still => ({
  ...listedStill(still),
  width: still.width ?? 0,
  height: still.height ?? 0,
})

/** The most used first, then by code unit. */
export const stillTags = ({ byTag }: Stills): StillTags => ({
  tags: byTag
    .map(({ label, stills }) => ({ tag: label, count: stills.length }))
    .sort((a, b) => b.count - a.count || compareTexts(a.tag, b.tag)),
})

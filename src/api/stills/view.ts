import type { Still as DomainStill } from '../../data/league/types.ts'
import type { PictureSize } from '../../derived/media/pictureSize.ts'
import { toFlag } from '../fields.ts'
import type { Still } from './schema.ts'

/** Size known to the source; undefined if incomplete. */
export const sourceSize = ({ width, height }: DomainStill): PictureSize | undefined =>
  width && height ? { width, height } : undefined

/** `size` defaults to the size in the source. */
export const stillView = (still: DomainStill, size = sourceSize(still)): Still => ({
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

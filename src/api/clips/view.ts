import type { Clip as Highlight } from '../../data/league/types.ts'
import { fightNames } from '../fights/view.ts'
import type { Clip } from './schema.ts'

export const clipView = (clip: Highlight): Clip => {
  const { id: _id, ...names } = fightNames(clip.fight)
  return {
    token: clip.token,
    name: clip.name,
    ...names,
    duration: clip.durationMs / 1000,
    views: clip.views,
    likes: clip.likes,
    createdTime: clip.createdUnix,
    video720p: clip.video720Url ?? '',
    video360p: clip.video360Url ?? '',
    video72p: clip.video72Url ?? '',
  }
}

import { type Static, Type } from '@sinclair/typebox'
import { Pagination } from '../../http/paging.ts'
import { named, timestamp, total } from '../fields.ts'

const video = (quality: string) =>
  Type.String({ description: `${quality} video; empty without one` })

export const Clip = named('Clip', {
  token: Type.String({ description: 'public share token' }),
  name: Type.String({ description: 'title' }),
  tournamentID: Type.String({ description: 'tournament id' }),
  gameID: Type.String({ description: 'game id' }),
  player1: Type.String({ description: 'red corner' }),
  player1clean: Type.String({ description: 'red corner, clean name' }),
  player2: Type.String({ description: 'blue corner' }),
  player2clean: Type.String({ description: 'blue corner, clean name' }),
  duration: Type.Number({ minimum: 0, description: 'seconds, to the millisecond' }),
  views: total('times viewed'),
  likes: total('times liked'),
  createdTime: timestamp('creation'),
  video720p: video('720p'),
  video360p: video('360p'),
  video72p: video('72p'),
})
export type Clip = Static<typeof Clip>

export const ClipPage = named('ClipPage', { clips: Type.Array(Clip), pagination: Pagination })
export const ClipBody = named('ClipBody', { clip: Clip })

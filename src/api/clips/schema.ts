import { type Static, Type } from '@sinclair/typebox'
import { Pagination } from '../../http/paging.ts'
import { named, timestamp, total } from '../fields.ts'

const video = (quality: string) =>
  Type.String({ description: `${quality} video; empty without one` })

/** A highlight of one fight. */
export const Clip = Type.Object(
  {
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
  },
  named('Clip'),
)
export type Clip = Static<typeof Clip>

export const ClipPage = Type.Object(
  { clips: Type.Array(Clip), pagination: Pagination },
  named('ClipPage'),
)
export const ClipBody = Type.Object({ clip: Clip }, named('ClipBody'))

import { type Static, Type } from '@sinclair/typebox'
import { named, timestamp } from '../fields.ts'

/** One camera or programme that is broadcasting. */
export const LiveStream = Type.Object(
  {
    name: Type.String({ description: 'what it shows, such as "overhead"' }),
    location: Type.String({ description: 'where it is, such as "Cage 1"' }),
    path: Type.String({ description: 'what the streaming server calls it' }),
    hlsUrl: Type.String({ description: 'address of the HLS playlist, ready to play' }),
    readyTime: timestamp('start of the broadcast'),
    viewers: Type.Integer({
      minimum: 0,
      description: 'connections that the streaming server counts as watching',
    }),
    tracks: Type.Array(Type.String(), { description: 'codecs, such as "H264"' }),
  },
  named('LiveStream'),
)
export type LiveStream = Static<typeof LiveStream>

/** All that is broadcasting, by location, then by name. */
export const LiveStreamGroups = Type.Object(
  { groups: Type.Record(Type.String(), Type.Array(LiveStream)) },
  named('LiveStreamGroups'),
)
export type LiveStreamGroups = Static<typeof LiveStreamGroups>

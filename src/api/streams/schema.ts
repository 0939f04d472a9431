import { type Static, Type } from '@sinclair/typebox'
import { named, timestamp } from '../fields.ts'

/** One live stream. */
export const LiveStream = Type.Object(
  {
    name: Type.String({ description: 'name, such as "overhead"' }),
    location: Type.String({ description: 'location, such as "Cage 1"' }),
    path: Type.String({ description: 'path on the streaming server' }),
    hlsUrl: Type.String({ description: 'URL of the HLS playlist' }),
    readyTime: timestamp('start of the broadcast'),
    viewers: Type.Integer({
      minimum: 0,
      description: 'viewers as counted by the streaming server',
    }),
    tracks: Type.Array(Type.String(), { description: 'codecs, such as "H264"' }),
  },
  named('LiveStream'),
)
export type LiveStream = Static<typeof LiveStream>

/** All live streams, by location, then by name. */
export const LiveStreamGroups = Type.Object(
  { groups: Type.Record(Type.String(), Type.Array(LiveStream)) },
  named('LiveStreamGroups'),
)
export type LiveStreamGroups = Static<typeof LiveStreamGroups>

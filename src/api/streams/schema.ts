import { type Static, Type } from '@sinclair/typebox'
import { named, timestamp, total } from '../fields.ts'

export const LiveStream = named('LiveStream', {
  name: Type.String({ description: 'name, such as "overhead"' }),
  location: Type.String({ description: 'location, such as "Cage 1"' }),
  path: Type.String({ description: 'path on the streaming server' }),
  hlsUrl: Type.String({ description: 'URL of the HLS playlist' }),
  readyTime: timestamp('start of the broadcast'),
  viewers: total('viewers as counted by the streaming server'),
  tracks: Type.Array(Type.String(), { description: 'codecs, such as "H264"' }),
})
export type LiveStream = Static<typeof LiveStream>

/** All live streams, by location, then by name. */
export const LiveStreamGroups = named('LiveStreamGroups', {
  groups: Type.Record(Type.String(), Type.Array(LiveStream)),
})
export type LiveStreamGroups = Static<typeof LiveStreamGroups>

import { type Static, Type } from '@sinclair/typebox'
import { closed, named, orNull, timestamp } from '../fields.ts'
import { offsetDescription, Recording } from '../fights/schema.ts'

/** One recording of a fight, with its corners and result. */
export const VideoFeed = named('VideoFeed', {
  recordingID: Type.Integer(),
  gameID: Type.String(),
  tournamentID: Type.String(),
  cage: Type.String(),
  camera: Type.String({ description: 'camera angle' }),
  kind: Recording.properties.kind,
  page: Recording.properties.page,
  s3path: Type.String({ description: 'original video; empty without a file' }),
  s3http: Type.Integer({ description: 'HTTP status of the original video, 0 when unknown' }),
  red: Type.String({ description: 'red corner' }),
  blue: Type.String({ description: 'blue corner' }),
  result: Type.String({ description: 'such as "Axe wins by KO"; empty until decided' }),
  matchStart: timestamp('start of the fight'),
  fightStartOffset: orNull(
    Type.Number(),
    'offset of the start of the fight in seconds; negative if this recording starts later, null when unknown',
  ),
  videoQualities: closed(
    {
      original: Type.String(),
      proxy720: Type.String(),
      proxy360: Type.String(),
      proxy72: Type.String(),
    },
    { description: 'video URLs; empty for a missing quality' },
  ),
})
export type VideoFeed = Static<typeof VideoFeed>

export const FightVideoFeeds = named('FightVideoFeeds', {
  gameID: Type.String(),
  tournamentID: Type.String(),
  fightStartOffset: orNull(Type.Number(), offsetDescription),
  recordings: Type.Array(Recording),
})
export type FightVideoFeeds = Static<typeof FightVideoFeeds>

export const VideoFeedBody = named('VideoFeedBody', { videoFeed: VideoFeed })

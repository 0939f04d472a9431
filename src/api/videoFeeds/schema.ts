import { type Static, Type } from '@sinclair/typebox'
import { closed, named, timestamp } from '../fields.ts'
import { offsetDescription, Recording } from '../fights/schema.ts'

/** One camera's recording of a fight, with who fought and how it ended. */
export const VideoFeed = Type.Object(
  {
    recordingID: Type.Integer(),
    gameID: Type.String(),
    tournamentID: Type.String(),
    cage: Type.String(),
    camera: Type.String({ description: 'camera angle' }),
    s3path: Type.String({ description: 'original video' }),
    s3http: Type.Integer({ description: 'HTTP status of the original video, 0 when unknown' }),
    red: Type.String({ description: 'red corner' }),
    blue: Type.String({ description: 'blue corner' }),
    result: Type.String({ description: 'such as "Axe wins by KO"; empty until decided' }),
    matchStart: timestamp('start of the fight'),
    fightStartOffset: Type.Union([Type.Number(), Type.Null()], {
      description:
        'seconds into this recording at which the fight starts; negative when the camera began after it, null when unknown',
    }),
    videoQualities: Type.Object(
      {
        original: Type.String(),
        proxy720: Type.String(),
        proxy360: Type.String(),
        proxy72: Type.String(),
      },
      { ...closed, description: 'video addresses, empty where a quality does not exist' },
    ),
  },
  named('VideoFeed'),
)
export type VideoFeed = Static<typeof VideoFeed>

/** All recordings of one fight. */
export const FightVideoFeeds = Type.Object(
  {
    gameID: Type.String(),
    tournamentID: Type.String(),
    fightStartOffset: Type.Union([Type.Number(), Type.Null()], {
      description: offsetDescription,
    }),
    recordings: Type.Array(Recording),
  },
  named('FightVideoFeeds'),
)
export type FightVideoFeeds = Static<typeof FightVideoFeeds>

export const VideoFeedBody = Type.Object({ videoFeed: VideoFeed }, named('VideoFeedBody'))

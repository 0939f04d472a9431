import { Elysia } from 'elysia'
import { findRecording } from '../../data/league/build.ts'
import { recordingsOf } from '../../data/league/recordings.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { archived } from '../../http/requestContext.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { findFight } from '../tournaments/lookup.ts'
import { FightVideoFeeds, VideoFeedBody } from './schema.ts'
import { fightVideoFeeds, videoFeed } from './view.ts'

/** The fight of a recording; undefined if unknown or not a number. */
const recordedFight = ({ dataset }: Data, recordingID: string) =>
  /^[1-9]\d{0,15}$/.test(recordingID)
    ? findRecording(dataset, Number(recordingID))?.fight
    : undefined

export const videoFeedRoutes = () =>
  new Elysia({ prefix: '/video-feeds', tags: ['video feeds'] })
    .use(archived)
    .get(
      '/:recordingID',
      ({ archive, cached, params: { recordingID } }) => {
        const fight = archive.lookup(recordedFight, recordingID)
        const recording =
          fight && recordingsOf(fight.recordings).find(({ id }) => id === Number(recordingID))
        return fight && recording
          ? cached({ videoFeed: videoFeed(fight, recording) })
          : notFound('recording')
      },
      {
        response: { 200: VideoFeedBody, 404: ErrorBody },
        detail: {
          operationId: 'getVideoFeed',
          summary: 'One recording',
          description: 'The recording of one fight by one camera, in all its qualities.',
        },
      },
    )
    .get(
      '/fight/:tournamentID/:gameID',
      ({ archive, cached, params }) => {
        const found = findFight(archive, params)
        return found ? cached(fightVideoFeeds(found.fight)) : notFound('fight')
      },
      {
        response: { 200: FightVideoFeeds, 404: ErrorBody },
        detail: {
          operationId: 'getFightVideoFeeds',
          summary: 'All recordings of one fight',
          description:
            'One recording per camera, each with the offset of the start of the fight. `kind` tells files, which all other fields are about, from films on pages of YouTube, Vimeo and Twitch: these have a `page`, no addresses of files, and in `fightStartOffset` the start that is part of the address.',
        },
      },
    )

import { Elysia } from 'elysia'
import { findRecording } from '../../dataset/build.ts'
import { recordingsOf } from '../../dataset/recordings.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { archived } from '../../http/requestContext.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { findFight } from '../tournaments/find.ts'
import { FightVideoFeeds, VideoFeedBody } from './schema.ts'
import { fightVideoFeeds, videoFeed } from './view.ts'

/** The game that a recording is of; undefined also for text that is no id. */
const recordedGame = ({ dataset }: Data, recordingID: string) =>
  /^[1-9]\d{0,15}$/.test(recordingID)
    ? findRecording(dataset, Number(recordingID))?.game
    : undefined

export const videoFeedRoutes = () =>
  new Elysia({ prefix: '/video-feeds', tags: ['video feeds'] })
    .use(archived)
    .get(
      '/:recordingID',
      ({ archive, cached, params: { recordingID } }) => {
        const game = archive.lookup(recordedGame, recordingID)
        const recording =
          game && recordingsOf(game.recordings).find(({ id }) => id === Number(recordingID))
        return game && recording
          ? cached({ videoFeed: videoFeed(game, recording) })
          : notFound('recording')
      },
      {
        response: { 200: VideoFeedBody, 404: ErrorBody },
        detail: {
          operationId: 'getVideoFeed',
          summary: 'One recording',
          description: "One camera's film of one fight in all its qualities.",
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
          description: 'One recording per camera, and where in each of them the fight begins.',
        },
      },
    )

import { Elysia } from 'elysia'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { archived } from '../../http/exchange.ts'
import { findRecording } from '../../league/build.ts'
import { dependsOn, findFight } from '../tournaments/lookup.ts'
import { FightVideoFeeds, VideoFeedBody } from './schema.ts'
import { fightVideoFeeds, videoFeed } from './view.ts'

export const videoFeedRoutes = () =>
  new Elysia({ prefix: '/video-feeds', tags: ['video feeds'] })
    .use(archived)
    .get(
      '/:recordingID',
      ({ archive, exchange, params: { recordingID } }) => {
        const found = /^[1-9]\d{0,15}$/.test(recordingID)
          ? findRecording(archive.dataset, Number(recordingID))
          : undefined
        if (found) dependsOn({ archive, exchange }, found.game.tournament)
        return found ? { videoFeed: videoFeed(found.game, found.recording) } : notFound('recording')
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
      ({ archive, exchange, params }) => {
        const found = findFight({ archive, exchange }, params)
        return found ? fightVideoFeeds(found.fight) : notFound('fight')
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

import { Elysia } from 'elysia'
import { findRecording } from '../../dataset/build.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { archived } from '../../http/exchange.ts'
import { FightVideoFeeds, VideoFeedBody } from './schema.ts'
import { fightVideoFeeds, videoFeed } from './view.ts'

export const videoFeedRoutes = () =>
  new Elysia({ prefix: '/video-feeds', tags: ['video feeds'] })
    .use(archived)
    .get(
      '/:recordingID',
      ({ archive, params: { recordingID } }) => {
        const found = /^\d{1,16}$/.test(recordingID)
          ? findRecording(archive.dataset, Number(recordingID))
          : undefined
        return found ? { videoFeed: videoFeed(found.game, found.recording) } : notFound('recording')
      },
      {
        response: { 200: VideoFeedBody, 404: ErrorBody },
        detail: { summary: 'One recording' },
      },
    )
    .get(
      '/fight/:tournamentID/:gameID',
      ({ archive, params: { tournamentID, gameID } }) => {
        const game = archive.dataset.tournamentsByID.get(tournamentID)?.games.get(gameID)
        return game?.isFight ? fightVideoFeeds(game) : notFound('fight')
      },
      {
        response: { 200: FightVideoFeeds, 404: ErrorBody },
        detail: { summary: 'All recordings of one fight' },
      },
    )

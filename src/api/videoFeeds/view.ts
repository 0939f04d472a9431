import { recordingsOf } from '../../dataset/recordings.ts'
import type { Fight, Recording as Film } from '../../dataset/types.ts'
import { toText, toTimestamp } from '../fields.ts'
import type { Recording } from '../fights/schema.ts'
import type { FightVideoFeeds, VideoFeed } from './schema.ts'

/** The address of a proxy: its height before the extension of the original's. */
const proxyUrl = (videoUrl: string | null, height: number, exists: boolean): string =>
  videoUrl === null || !exists ? '' : videoUrl.replace(/(\.[^./]*)?$/, `_${height}p$1`)

const qualities = ({ videoUrl, has720, has360, has72 }: Film) => ({
  proxy720: proxyUrl(videoUrl, 720, has720),
  proxy360: proxyUrl(videoUrl, 360, has360),
  proxy72: proxyUrl(videoUrl, 72, has72),
})

const isUsable = ({ httpStatus, startMs }: Film): boolean => httpStatus === 200 && startMs !== null

/**
 * Seconds, to the millisecond, into each recording at which the fight starts. The recording that
 * started first among those that can be fetched decides; null when there is none, when the fight
 * has not started, or when that recording started after the fight did.
 */
export const fightStartOffset = ({ startUnix, recordings }: Fight): number | null => {
  if (startUnix === null) return null
  let firstMs = Number.POSITIVE_INFINITY
  for (const recording of recordingsOf(recordings)) {
    if (isUsable(recording)) firstMs = Math.min(firstMs, recording.startMs ?? firstMs)
  }
  const offsetMs = startUnix * 1000 - firstMs
  return Number.isFinite(offsetMs) && offsetMs >= 0 ? offsetMs / 1000 : null
}

/** The 72p film of the first camera that has one. */
export const previewUrl = ({ recordings }: Fight): string | null => {
  const film = recordingsOf(recordings).find(({ has72, videoUrl }) => has72 && videoUrl !== null)
  return film ? qualities(film).proxy72 : null
}

export const recordingView = (fight: Fight, film: Film): Recording => ({
  recordingID: toText(film.id),
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  cage: film.cage,
  camera: film.camera,
  s3path: film.videoUrl ?? '',
  s3http: toText(film.httpStatus),
  ...qualities(film),
  startTime: toText(film.startMs),
})

/** The outcome in words: who won and how, a draw, or nobody's win; empty until decided. */
const result = ({ state, red, blue, winAnnotation }: Fight): string => {
  if (state !== 'done') return ''
  const how = winAnnotation ? ` by ${winAnnotation}` : ''
  const winner = [red, blue].find(({ isWinner }) => isWinner)
  if (winner) return `${winner.player?.name ?? ''} wins${how}`
  return red.state === 'tie' ? 'Draw' : `No winner${how}`
}

export const videoFeed = (fight: Fight, film: Film): VideoFeed => ({
  recordingID: film.id,
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  cage: film.cage,
  camera: film.camera,
  s3path: film.videoUrl ?? '',
  s3http: film.httpStatus ?? 0,
  red: fight.red.player?.name ?? '',
  blue: fight.blue.player?.name ?? '',
  result: result(fight),
  matchStart: toTimestamp(fight.startUnix),
  videoQualities: { original: film.videoUrl ?? '', ...qualities(film) },
})

export const fightVideoFeeds = (fight: Fight): FightVideoFeeds => ({
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  fightStartOffset: fightStartOffset(fight),
  recordings: recordingsOf(fight.recordings).map((film) => recordingView(fight, film)),
})

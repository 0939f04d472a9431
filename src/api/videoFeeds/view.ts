import { recordingsOf } from '../../dataset/recordings.ts'
import type { Fight, Recording as Film } from '../../dataset/types.ts'
import { toText, toTimestamp } from '../fields.ts'
import type { Recording } from '../fights/schema.ts'
import type { FightVideoFeeds, VideoFeed } from './schema.ts'

const qualities = ({ proxy720Url, proxy360Url, proxy72Url }: Film) => ({
  proxy720: proxy720Url ?? '',
  proxy360: proxy360Url ?? '',
  proxy72: proxy72Url ?? '',
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
export const previewUrl = ({ recordings }: Fight): string | null =>
  recordingsOf(recordings).find(({ proxy72Url }) => proxy72Url !== null)?.proxy72Url ?? null

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

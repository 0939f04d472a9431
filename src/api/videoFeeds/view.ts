import { recordingsOf } from '../../league/recordings.ts'
import type { Fight, Recording as Film } from '../../league/types.ts'
import { toText, toTimestamp } from '../fields.ts'
import type { Recording } from '../fights/schema.ts'
import type { FightVideoFeeds, VideoFeed } from './schema.ts'

const qualities = ({ proxy720Url, proxy360Url, proxy72Url }: Film) => ({
  proxy720: proxy720Url ?? '',
  proxy360: proxy360Url ?? '',
  proxy72: proxy72Url ?? '',
})

/** A recording counts unless its file was asked for and could not be had. */
const isAvailable = ({ httpStatus }: Film): boolean =>
  httpStatus === null || (httpStatus >= 200 && httpStatus < 300)

/**
 * Seconds, to the millisecond, into one recording at which the fight starts; negative when the camera
 * began after it. Null when a start is unknown.
 */
const recordingOffset = ({ startMs: fightMs }: Fight, { startMs }: Film): number | null =>
  fightMs === null || startMs === null ? null : (fightMs - startMs) / 1000

/**
 * Seconds into the recordings at which the fight starts, by the one that started first of those
 * available. Null when no start is known or that recording started after the fight.
 */
export const fightStartOffset = (fight: Fight): number | null => {
  let longest = Number.NEGATIVE_INFINITY
  for (const film of recordingsOf(fight.recordings)) {
    if (isAvailable(film)) longest = Math.max(longest, recordingOffset(fight, film) ?? longest)
  }
  return longest >= 0 ? longest : null
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
  fightStartOffset: toText(recordingOffset(fight, film)),
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
  fightStartOffset: recordingOffset(fight, film),
  videoQualities: { original: film.videoUrl ?? '', ...qualities(film) },
})

export const fightVideoFeeds = (fight: Fight): FightVideoFeeds => ({
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  fightStartOffset: fightStartOffset(fight),
  recordings: recordingsOf(fight.recordings).map((film) => recordingView(fight, film)),
})

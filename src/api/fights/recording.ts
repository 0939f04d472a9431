import { providedFilm } from '../../data/league/films.ts'
import { areFarApart } from '../../data/league/mistypedYears.ts'
import { recordingsOf } from '../../data/league/recordings.ts'
import type { Recording as DomainRecording, Fight } from '../../data/league/types.ts'
import { toText } from '../fields.ts'
import type { Recording } from './schema.ts'

/** Addresses of the smaller versions of a recording. */
export const qualities = ({ proxy720Url, proxy360Url, proxy72Url }: DomainRecording) => ({
  proxy720: proxy720Url ?? '',
  proxy360: proxy360Url ?? '',
  proxy72: proxy72Url ?? '',
})

/** True if there is an available file: its last HTTP status is unknown or a success. */
export const isAvailable = ({ httpStatus, videoUrl }: DomainRecording): boolean =>
  (httpStatus === null || (httpStatus >= 200 && httpStatus < 300)) && !providedFilm(videoUrl)

/** File of a recording, or page of a film at a provider. */
export const filmFields = ({
  videoUrl,
}: DomainRecording): Pick<Recording, 'kind' | 's3path' | 'page'> => {
  const kind = providedFilm(videoUrl)?.kind ?? 'file'
  const address = videoUrl ?? ''
  return kind === 'file' ? { kind, s3path: address, page: '' } : { kind, s3path: '', page: address }
}

/**
 * Offset of the start of the fight within one recording, in seconds to the millisecond; an offset in its URL wins over
 * the difference of both starts. Negative if the recording starts later, null if it is unknown or a year is mistyped.
 */
export const recordingOffset = (
  { startMs: fightMs }: Fight,
  { startMs, videoUrl }: DomainRecording,
): number | null =>
  providedFilm(videoUrl)?.startSeconds ??
  (fightMs === null || startMs === null || areFarApart(fightMs / 1000, startMs / 1000)
    ? null
    : (fightMs - startMs) / 1000)

/**
 * Offset of the start of the fight within the available recording that started first, in seconds;
 * null if no start is known or that recording started after the fight.
 */
export const fightStartOffset = (fight: Fight): number | null => {
  let maxOffset = Number.NEGATIVE_INFINITY
  for (const recording of recordingsOf(fight.recordings)) {
    if (isAvailable(recording))
      maxOffset = Math.max(maxOffset, recordingOffset(fight, recording) ?? maxOffset)
  }
  return maxOffset >= 0 ? maxOffset : null
}

/** Address of the 72p version of the first recording that has one. */
export const previewUrl = ({ recordings }: Fight): string | null =>
  recordingsOf(recordings).find(({ proxy72Url }) => proxy72Url !== null)?.proxy72Url ?? null

export const recordingView = (fight: Fight, recording: DomainRecording): Recording => ({
  recordingID: toText(recording.id),
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  cage: recording.cage,
  camera: recording.camera,
  ...filmFields(recording),
  s3http: toText(recording.httpStatus),
  ...qualities(recording),
  startTime: toText(recording.startMs),
  fightStartOffset: toText(recordingOffset(fight, recording)),
})

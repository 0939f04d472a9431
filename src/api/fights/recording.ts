import { recordingsOf } from '../../league/recordings.ts'
import type { Recording as DomainRecording, Fight } from '../../league/types.ts'
import { toText } from '../fields.ts'
import type { Recording } from './schema.ts'

/** The addresses of its smaller files. */
export const qualities = ({ proxy720Url, proxy360Url, proxy72Url }: DomainRecording) => ({
  proxy720: proxy720Url ?? '',
  proxy360: proxy360Url ?? '',
  proxy72: proxy72Url ?? '',
})

/** A recording counts unless its file was asked for and could not be had. */
const isAvailable = ({ httpStatus }: DomainRecording): boolean =>
  httpStatus === null || (httpStatus >= 200 && httpStatus < 300)

/**
 * Seconds, to the millisecond, into one recording at which the fight starts; negative when the camera
 * began after it. Null when a start is unknown.
 */
export const recordingOffset = (
  { startMs: fightMs }: Fight,
  { startMs }: DomainRecording,
): number | null => (fightMs === null || startMs === null ? null : (fightMs - startMs) / 1000)

/**
 * Seconds into the recordings at which the fight starts, by the one that started first of those
 * available. Null when no start is known or that recording started after the fight.
 */
export const fightStartOffset = (fight: Fight): number | null => {
  let maxOffset = Number.NEGATIVE_INFINITY
  for (const recording of recordingsOf(fight.recordings)) {
    if (isAvailable(recording))
      maxOffset = Math.max(maxOffset, recordingOffset(fight, recording) ?? maxOffset)
  }
  return maxOffset >= 0 ? maxOffset : null
}

/** The 72p file of the first camera that has one. */
export const previewUrl = ({ recordings }: Fight): string | null =>
  recordingsOf(recordings).find(({ proxy72Url }) => proxy72Url !== null)?.proxy72Url ?? null

export const recordingView = (fight: Fight, recording: DomainRecording): Recording => ({
  recordingID: toText(recording.id),
  gameID: fight.id,
  tournamentID: fight.tournament.id,
  cage: recording.cage,
  camera: recording.camera,
  s3path: recording.videoUrl ?? '',
  s3http: toText(recording.httpStatus),
  ...qualities(recording),
  startTime: toText(recording.startMs),
  fightStartOffset: toText(recordingOffset(fight, recording)),
})

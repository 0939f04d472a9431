import { proxyAddress } from '../../../src/data/source/proxies.ts'
import type { PauseRow, RecordingRow } from '../../../src/data/source/rows.ts'
import {
  address,
  count,
  integer,
  type Loose,
  number,
  record,
  records,
  stableNumber,
  text,
  unixSeconds,
} from '../values.ts'
import type { FightResponses } from './responses.ts'

const epochMs = (value: unknown): number | null => {
  const found = integer(value)
  return found !== null && found > 0 ? found : null
}

/** Start of each recording and of the fight, in milliseconds. */
export interface RecordedTimes {
  readonly fightMs: number | null
  /** Start of a recording. */
  readonly startOf: (recording: Loose) => number | null
}

/**
 * Start of the fight to the millisecond: start of a recording plus its offset. A server without starts of recordings
 * has one offset for all.
 */
export const recordedTimes = (
  { details }: FightResponses,
  startTime: number | null,
): RecordedTimes => {
  const exact = records(details?.recordings).flatMap((recording) => {
    const [startMs, offset] = [epochMs(recording.startTime), number(recording.fightStartOffset)]
    if (startMs === null || offset === null) return []
    const fightMs = startMs + Math.round(offset * 1000)
    return Math.floor(fightMs / 1000) === startTime ? [fightMs] : []
  })
  const fightMs = exact[0] ?? (startTime === null ? null : startTime * 1000)
  const shared = number(details?.fightStartOffset)
  const sharedMs = fightMs === null || shared === null ? null : fightMs - Math.round(shared * 1000)
  return {
    fightMs,
    startOf: (recording) =>
      epochMs(recording.startTime) ?? (recording.startTime === undefined ? sharedMs : null),
  }
}

const httpStatus = (value: unknown): number | null => {
  const found = integer(value)
  return found !== null && found >= 100 && found <= 599 ? found : null
}

/** Recordings of one fight. */
export const recordingRows = (
  { tournamentId, gameId }: { readonly tournamentId: string; readonly gameId: string },
  { details }: FightResponses,
  { startOf }: RecordedTimes,
): readonly RecordingRow[] =>
  records(details?.recordings).map((recording) => {
    const videoUrl = address(recording.s3path) ?? address(recording.page)
    const camera = text(recording.camera)
    const id = integer(recording.recordingID)
    const proxy = (height: 720 | 360 | 72, url: unknown) =>
      proxyAddress(videoUrl, height, address(url))
    return {
      id:
        id !== null && id > 0
          ? id
          : stableNumber(JSON.stringify([tournamentId, gameId, camera, videoUrl])),
      gameId,
      cage: text(recording.cage),
      camera,
      videoUrl,
      httpStatus: httpStatus(recording.s3http),
      startMs: startOf(recording),
      proxy720Url: proxy(720, recording.proxy720),
      proxy360Url: proxy(360, recording.proxy360),
      proxy72Url: proxy(72, recording.proxy72),
    }
  })

/** Pauses of a fight; the last one of an active fight lasts if it has no duration yet. */
export const pauseRows = (
  gameId: string,
  stats: Loose | undefined,
  isActive: boolean,
): readonly PauseRow[] => {
  const pauses = records(stats?.pauses)
  return pauses.flatMap((pause, idx) => {
    const startTime = unixSeconds(pause.startTime)
    const seconds = count(pause.seconds) ?? 0
    if (startTime === null) return []
    const isOpen = isActive && seconds === 0 && idx === pauses.length - 1
    return { gameId, idx, startTime, stopTime: isOpen ? null : startTime + seconds }
  })
}

/** Judges' lines of a fight; both corners have them joined by `<br>`. */
export const judgeLines = (gameId: string, details: Loose | undefined) => {
  const joined =
    text(record(details?.player1).judgesString) || text(record(details?.player2).judgesString)
  return joined === '' ? [] : joined.split(/<br\s*\/?>/).map((line, idx) => ({ gameId, idx, line }))
}

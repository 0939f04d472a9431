import type { ClipRow, RecordingRow, TournamentRows } from '../source/rows.ts'
import type { GameTimes } from './gameTimes.ts'

type Times = ReadonlyMap<string, GameTimes>
type Media = Pick<TournamentRows, 'recordings' | 'clips' | 'stills' | 'stillTags'>

/** Time at which the game of a film is over, if it is; otherwise the film's own time decides. */
const overAt = (times: Times, gameId: string): number => {
  const finish = times.get(gameId)?.finishesAt ?? Number.POSITIVE_INFINITY
  return Number.isFinite(finish) ? finish : Number.NEGATIVE_INFINITY
}

/** A recording is a whole file, which exists once the fight is over. */
const recordedAt = ({ gameId, startMs }: RecordingRow, times: Times): number => {
  const startsAt = startMs === null ? Number.NEGATIVE_INFINITY : Math.ceil(startMs / 1000)
  return Math.max(overAt(times, gameId), startsAt)
}

const clippedAt = ({ gameId, createdTime }: ClipRow, times: Times): number =>
  Math.max(overAt(times, gameId), createdTime)

/** The recordings, clips and stills that existed at a moment. */
export const mediaAt = (
  rows: TournamentRows,
  times: Times,
  { unix, capturedAt }: { readonly unix: number; readonly capturedAt: number },
): Media => {
  const isMade = (time: number): boolean => Math.min(time, capturedAt) <= unix
  const stills = rows.stills.filter(({ takenTime }) => isMade(takenTime))
  const shown = new Set(stills.map(({ id }) => id))
  const all = new Set(rows.stills.map(({ id }) => id))
  return {
    recordings: rows.recordings.filter((row) => isMade(recordedAt(row, times))),
    clips: rows.clips.filter((row) => isMade(clippedAt(row, times))),
    stills,
    stillTags: rows.stillTags.filter(({ stillId }) => shown.has(stillId) || !all.has(stillId)),
  }
}

/** Every moment at which {@link mediaAt} changes, in any order. */
export const mediaInstants = (rows: TournamentRows, times: Times): readonly number[] => [
  ...rows.recordings.map((row) => recordedAt(row, times)),
  ...rows.clips.map((row) => clippedAt(row, times)),
  ...rows.stills.map(({ takenTime }) => takenTime),
]

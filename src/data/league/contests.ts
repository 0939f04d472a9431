import type { GameRow, PauseRow, TournamentRow, TournamentRows } from '../source/rows.ts'
import type { Corners, EnteredTimes, Game, Pause } from './types.ts'

/** A game before the times of its tournament are known, which derive from its fights. */
export interface Contest {
  readonly state: Game['state']
  readonly corners: Corners
  readonly row: GameRow
  /** Seconds to the millisecond. */
  readonly startTime: number | null
  readonly stopUnix: number | null
  readonly endUnix: number | null
  readonly scheduledUnix: number | null
  /** The contest with its mistyped years; null if it has none. */
  readonly entered: Contest | null
}

const wholeSeconds = (time: number | null): number | null =>
  time === null ? null : Math.floor(time)

/** Time at which a game was over, or began if it is under way; null without times. */
export const ownMoment = ({ stopUnix, endUnix, startTime }: Contest): number | null =>
  stopUnix ?? endUnix ?? wholeSeconds(startTime)

/** A game's own finish; null if it is not done or has no times. */
export const ownFinish = (contest: Contest): number | null =>
  contest.state === 'done' ? ownMoment(contest) : null

export const timesOf = ({
  startTime,
  stopUnix,
  endUnix,
  scheduledUnix,
}: Contest): EnteredTimes => ({
  startMs: startTime === null ? null : Math.round(startTime * 1000),
  startUnix: wholeSeconds(startTime),
  stopUnix,
  endUnix,
  scheduledUnix,
})

/** Unsets the mistyped years of a game. */
export const withoutMistyped = (
  contest: Contest,
  isMistyped: (unix: number | null) => boolean,
): Contest => {
  const own = (unix: number | null): number | null => (isMistyped(unix) ? null : unix)
  const { startTime, stopUnix, endUnix, scheduledUnix } = contest
  if (![startTime, stopUnix, endUnix, scheduledUnix].some(isMistyped)) return contest
  return {
    ...contest,
    startTime: own(startTime),
    stopUnix: own(stopUnix),
    endUnix: own(endUnix),
    scheduledUnix: own(scheduledUnix),
    entered: contest,
  }
}

/** One sentence for each mistyped year of a tournament and its games. */
export const doubtsOf = (
  { tournament: row, pauses }: Pick<TournamentRows, 'tournament' | 'pauses'>,
  contests: readonly Contest[],
  isMistyped: (unix: number | null) => boolean,
): readonly string[] => {
  const doubts: string[] = []
  const add = (of: string, times: Readonly<Record<string, number | null>>): void => {
    for (const [name, unix] of Object.entries(times)) {
      if (unix === null || !isMistyped(unix)) continue
      const date = new Date(unix * 1000).toISOString().slice(0, 10)
      doubts.push(`${name} of ${of} is ${date}, far from the other times: it counts as unset`)
    }
  }
  const { startTime, scheduledStartTime, endTime } = row
  add(row.id, { startTime, scheduledStartTime, endTime })
  for (const { row: game, entered } of contests) {
    if (!entered) continue
    const { startTime, stopUnix: stopTime, endUnix: endTime, scheduledUnix } = entered
    add(`${game.id} in ${row.id}`, { startTime, stopTime, endTime, scheduledTime: scheduledUnix })
  }
  for (const { gameId, idx, startTime, stopTime } of pauses) {
    add(`pause ${idx} of ${gameId} in ${row.id}`, { startTime, stopTime })
  }
  return doubts
}

/** Start and end of a tournament: as its row says, else from its fights; the first finish if no start is known. */
export const playedTimes = (
  row: Pick<TournamentRow, 'startTime' | 'endTime' | 'active'>,
  contests: Iterable<Contest>,
): { startUnix: number | null; endUnix: number | null } => {
  let start: number | null = null
  let firstFinish: number | null = null
  let end: number | null = null
  for (const contest of contests) {
    if (!contest.corners.isFight) continue
    const { startTime } = contest
    const finish = ownFinish(contest)
    if (startTime !== null && (start === null || startTime < start)) start = startTime
    if (finish === null) continue
    if (firstFinish === null || finish < firstFinish) firstFinish = finish
    if (end === null || finish > end) end = finish
  }
  return {
    startUnix: row.startTime ?? (start === null ? firstFinish : Math.floor(start)),
    endUnix: row.active ? null : (row.endTime ?? end),
  }
}

/** Unsets mistyped years of pauses and drops pauses without a start. */
export const withoutMistypedPauses = (
  pauses: readonly PauseRow[],
  isMistyped: (unix: number | null) => boolean,
): readonly PauseRow[] =>
  pauses
    .filter(({ startTime }) => !isMistyped(startTime))
    .map((pause) => (isMistyped(pause.stopTime) ? { ...pause, stopTime: null } : pause))

/** A pause ends with its fight at the latest. */
export const pauseOf = (row: PauseRow, { startTime, stopUnix }: Contest): Pause => {
  const isWithin = startTime !== null && row.startTime >= Math.floor(startTime)
  const limit = isWithin ? stopUnix : null
  const stop = limit === null ? row.stopTime : Math.min(row.stopTime ?? limit, limit)
  return {
    startUnix: row.startTime,
    stopUnix: stop === null ? null : Math.max(row.startTime, stop),
  }
}

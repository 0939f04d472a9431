import { positionAfter } from '../league/sortedList.ts'
import type { TournamentRows } from '../source/rows.ts'
import { gameInstants, gamesAt } from './games.ts'
import { type GameTimes, gameTimes } from './gameTimes.ts'
import { mediaAt, mediaInstants } from './media.ts'
import { playersAt, tournamentAt, tournamentInstants, tournamentTimes } from './tournament.ts'

/** A tournament over time, derived from its rows in a snapshot. */
export interface History {
  readonly times: ReadonlyMap<string, GameTimes>
  /** Every moment at which its rows change, ascending, in Unix seconds; none is after the capture. */
  readonly instants: readonly number[]
  /**
   * The rows as they were at a moment, undefined before the tournament was created; from the last instant
   * on they equal those of the snapshot.
   */
  readonly rowsAt: (unix: number) => TournamentRows | undefined
}

export const historyOf = (rows: TournamentRows, capturedAt: number): History => {
  const times = gameTimes(rows, capturedAt)
  const own = tournamentTimes(rows, times, capturedAt)
  const changes = [
    ...gameInstants(rows, times, capturedAt),
    ...mediaInstants(rows, times),
    ...tournamentInstants(rows.tournament, own),
  ]
  const instants = [
    ...new Set(
      changes
        .filter(Number.isFinite)
        .map((time) => Math.max(own.createdAt, Math.min(Math.ceil(time), capturedAt))),
    ),
  ].sort((a, b) => a - b)
  const instantBefore = (unix: number): number =>
    instants[positionAfter(instants, (instant) => instant <= unix) - 1] ?? own.createdAt
  const rowsAt = (unix: number): TournamentRows | undefined => {
    if (unix < own.createdAt) return undefined
    const moment = { unix, capturedAt, changedAt: instantBefore(unix) }
    return {
      ...rows,
      tournament: tournamentAt(rows.tournament, own, moment),
      players: playersAt(rows, own, unix),
      ...gamesAt(rows, times, moment),
      ...mediaAt(rows, times, moment),
    }
  }
  return { times, instants, rowsAt }
}

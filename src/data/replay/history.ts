import { findMistypedYears } from '../league/mistypedYears.ts'
import { positionAfter } from '../league/sortedList.ts'
import type { TournamentRows } from '../source/rows.ts'
import { gameInstants, gamesAt } from './games.ts'
import { gameTimes } from './gameTimes.ts'
import { mediaAt, mediaInstants } from './media.ts'
import { playersAt, tournamentAt, tournamentInstants, tournamentTimes } from './tournament.ts'

/** Rows whose times drive the replay; mistyped years are unset. */
const withoutMistypedYears = (rows: TournamentRows): TournamentRows => {
  const { tournament, games, pauses } = rows
  const isMistyped = findMistypedYears(
    tournament,
    games.map(({ state, stopTime, endTime, startTime }) =>
      state === 'done' ? (stopTime ?? endTime ?? startTime) : null,
    ),
  )
  const known = (time: number | null): number | null => (isMistyped(time) ? null : time)
  return {
    ...rows,
    tournament: {
      ...tournament,
      startTime: known(tournament.startTime),
      endTime: known(tournament.endTime),
    },
    games: games.map((game) => ({
      ...game,
      availableSince: known(game.availableSince),
      calledSince: known(game.calledSince),
      startTime: known(game.startTime),
      stopTime: known(game.stopTime),
      endTime: known(game.endTime),
    })),
    pauses: pauses.filter(({ startTime, stopTime }) => ![startTime, stopTime].some(isMistyped)),
  }
}

/** A tournament over time, derived from its rows in a snapshot. */
export const historyOf = (rows: TournamentRows, capturedAt: number) => {
  const timed = withoutMistypedYears(rows)
  const times = gameTimes(timed, capturedAt)
  const own = tournamentTimes(timed, times, capturedAt)
  const changes = [
    ...gameInstants(rows, times, capturedAt),
    ...mediaInstants(rows, times),
    ...tournamentInstants(rows.tournament, own),
  ]
  /** Every moment at which its rows change, ascending, in Unix seconds; none is after the capture. */
  const instants: readonly number[] = [
    ...new Set(
      changes
        .filter(Number.isFinite)
        .map((time) => Math.max(own.createdAt, Math.min(Math.ceil(time), capturedAt))),
    ),
  ].sort((a, b) => a - b)
  const instantBefore = (unix: number): number =>
    instants[positionAfter(instants, (instant) => instant <= unix) - 1] ?? own.createdAt
  /**
   * The rows as they were at a moment; undefined before the tournament was created. From the last moment on they equal
   * the rows of the snapshot.
   */
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
export type History = ReturnType<typeof historyOf>

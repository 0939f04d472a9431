import type { TournamentRow } from '../source/rows.ts'
import type { EnteredTimes, Game } from './types.ts'

/** Maximum distance of a valid time from the median of its tournament. */
const maxDistanceSeconds = 400 * 86_400
/** Minimum number of times; with fewer, no year counts as mistyped. */
const minTimes = 3
/** All times are valid if a larger share, and more than one, is far from the median: the tournament was long. */
const maxShare = 0.25

/** True if two times of one fight are so far apart that one of them is a mistyped year. */
export const areFarApart = (unix: number, other: number): boolean =>
  Math.abs(unix - other) > maxDistanceSeconds

/**
 * Returns a test for mistyped years, which count as unset; it takes Unix seconds. `finishes` has one time of each done
 * fight: its stop, else its end, else its start.
 */
export const findMistypedYears = (
  { startTime, scheduledStartTime }: Pick<TournamentRow, 'startTime' | 'scheduledStartTime'>,
  finishes: Iterable<number | null>,
): ((unix: number | null) => boolean) => {
  const times = [startTime, scheduledStartTime, ...finishes].filter((time) => time !== null)
  const median = times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)]
  if (median === undefined || times.length < minTimes) return () => false
  const isFar = (unix: number | null): boolean => unix !== null && areFarApart(unix, median)
  const far = times.filter(isFar).length
  return far >= 2 && far > maxShare * times.length ? () => false : isFar
}

/** Times of a game for its own fields, which also show mistyped years. */
export const asEntered = (game: Game): EnteredTimes => game.entered ?? game

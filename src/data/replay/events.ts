import { positionAfter } from '../league/sortedList.ts'
import type { GameTimes } from './gameTimes.ts'

/** Fights further apart belong to different events; the nights of one event are shorter. */
const eventGapSeconds = 36 * 3600
const hour = 3600

/** Times of the fights of one event, in Unix seconds. */
export interface LeagueEvent {
  /** First and last moment at which a fight was called, began or finished. */
  readonly from: number
  readonly to: number
  /** Starts of fights, ascending. */
  readonly starts: readonly number[]
}

/** The events of a league by time, from the times of all its games. */
export const eventsOf = (games: Iterable<GameTimes>): readonly LeagueEvent[] => {
  const moments: { readonly time: number; readonly isStart: boolean }[] = []
  for (const { calledAt, beginsAt, finishesAt } of games) {
    // A forfeit begins and finishes in one moment: that is one start.
    for (const [time, isStart] of [
      [calledAt, false],
      [beginsAt, true],
      [finishesAt, false],
    ] as const) {
      if (Number.isFinite(time)) moments.push({ time, isStart })
    }
  }
  moments.sort((a, b) => a.time - b.time)
  const events: { from: number; to: number; starts: number[] }[] = []
  for (const { time, isStart } of moments) {
    let event = events.at(-1)
    if (!event || time - event.to > eventGapSeconds) {
      event = { from: time, to: time, starts: [] }
      events.push(event)
    }
    event.to = time
    if (isStart) event.starts.push(time)
  }
  return events
}

/** Start of the hour with most starts of fights; the earliest of several. */
export const busiestHour = ({ from, starts }: LeagueEvent): number => {
  let [best, most] = [from, 0]
  for (const [index, start] of starts.entries()) {
    const end = positionAfter(starts, (other) => other < start + hour, index)
    if (end - index > most) [best, most] = [start, end - index]
  }
  return best
}

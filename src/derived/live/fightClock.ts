import type { Fight } from '../../data/league/types.ts'

/** The fight clock at one time. */
export interface FightClock {
  /** Seconds fought, without pauses. */
  readonly seconds: number
  readonly isRunning: boolean
}

/**
 * The clock of a fight at a time, in Unix seconds. It stops in a pause (`pausedUnix` is the
 * start of the current one), at the end of the fight, and at the end of the countdown.
 */
export const fightClock = (fight: Fight, pausedUnix: number | null, now: number): FightClock => {
  const { state, startUnix, stopUnix, timerSeconds, countdownSeconds, pauses } = fight
  if (startUnix === null || state === 'pending') return { seconds: 0, isRunning: false }
  if (timerSeconds !== null) return { seconds: timerSeconds, isRunning: false }
  const stoppedUnix = stopUnix ?? pausedUnix
  const paused = pauses.reduce(
    (sum, pause) => sum + (pause.stopUnix === null ? 0 : pause.stopUnix - pause.startUnix),
    0,
  )
  // Done without a stop time: the duration is unknown.
  const until = stoppedUnix ?? (state === 'done' ? startUnix : now)
  const fought = Math.max(0, until - startUnix - paused)
  const seconds = Math.min(fought, countdownSeconds ?? Number.POSITIVE_INFINITY)
  return { seconds, isRunning: state === 'active' && stoppedUnix === null && seconds === fought }
}

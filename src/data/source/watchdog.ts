/**
 * Calls `onTimeout` if a pending query is not answered within `ms`. Time without a pending query
 * does not count.
 */
export const createWatchdog = (ms: number, onTimeout: () => void) => {
  let unanswered = 0
  let stopped = false
  let timer: Timer | undefined
  const restart = (): void => {
    clearTimeout(timer)
    if (unanswered > 0 && !stopped) timer = setTimeout(onTimeout, ms)
  }
  return {
    /** Starts the timer unless it is running: a further query does not extend it. */
    started: (): void => {
      unanswered += 1
      if (unanswered === 1) restart()
    },
    /** Restarts the timer for the next query: a connection runs them one at a time. */
    finished: (): void => {
      unanswered -= 1
      restart()
    },
    stop: (): void => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
export type Watchdog = ReturnType<typeof createWatchdog>

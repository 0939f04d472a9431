import { setImmediate } from 'node:timers/promises'

/** Duration of a slice: longer than most requests take, not noticeable as a delay. */
const sliceMs = 1

/** Divides long work into time slices, between which requests are answered. */
export interface TimeSlice {
  readonly isOver: () => boolean
  /** Yields to the event loop and starts the next slice. */
  readonly next: () => Promise<void>
}

export const createTimeSlice = (): TimeSlice => {
  let startedMs = performance.now()
  return {
    isOver: () => performance.now() - startedMs >= sliceMs,
    next: async () => {
      await setImmediate()
      startedMs = performance.now()
    },
  }
}

import { setImmediate } from 'node:timers/promises'

/** Longer than most requests take, and shorter than anybody notices. */
const sliceMs = 1

/** Divides long work into slices, between which requests are answered. */
export interface TimeSlice {
  readonly isOver: () => boolean
  /** Leaves the event loop to others for a turn. */
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

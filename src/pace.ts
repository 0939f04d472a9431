import { setImmediate } from 'node:timers/promises'

/** Longer than most requests take, and shorter than anybody notices. */
const sliceMs = 1

/** Divides long work into slices, between which requests are answered. */
export interface Pace {
  readonly isSliceOver: () => boolean
  /** Leaves the event loop to others for a turn. */
  readonly rest: () => Promise<void>
}

export const createPace = (): Pace => {
  let startedMs = performance.now()
  return {
    isSliceOver: () => performance.now() - startedMs >= sliceMs,
    rest: async () => {
      await setImmediate()
      startedMs = performance.now()
    },
  }
}

import { setImmediate } from 'node:timers/promises'

/** Duration of a slice: longer than most requests take, and too short to be felt. */
const sliceMs = 1

export type TimeSlice = ReturnType<typeof createTimeSlice>

/** Divides long work into time slices, between which requests are answered. */
export const createTimeSlice = () => {
  let startedMs = performance.now()
  return {
    isOver: (): boolean => performance.now() - startedMs >= sliceMs,
    /** Yields to the event loop and starts the next slice. */
    next: async (): Promise<void> => {
      await setImmediate()
      startedMs = performance.now()
    },
  }
}

/** Long work that can pause at each `yield`. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Takes steps to their result, yielding to the event loop whenever a slice is over. */
export const inSlices = async <Result>(steps: Steps<Result>): Promise<Result> => {
  const slice = createTimeSlice()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (slice.isOver()) await slice.next()
  }
}

/** Takes steps to their result without a pause. */
export const atOnce = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

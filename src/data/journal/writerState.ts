/** Max wait for another process to release the folder. */
const maxWaitMs = 15_000

/** Result of an attempt to write the whole queue. */
export type Attempt =
  | { readonly kind: 'written' }
  | { readonly kind: 'locked' }
  | {
      readonly kind: 'failed'
      readonly reason: string
      /** The queue is empty, or the disk hangs and the queue is kept until it answers. */
      readonly isKept: boolean
    }

/** State of a journal for the process that writes it. */
export type WriterState =
  | { readonly kind: 'writing' }
  | { readonly kind: 'waiting'; readonly sinceMs: number; readonly isLost: boolean }
  | { readonly kind: 'failing'; readonly reason: string; readonly isLost: boolean }

/** The state after an attempt. With `isLost`, the rest of the queue must be dropped. */
export const step = (state: WriterState, attempt: Attempt, nowMs: number): WriterState => {
  if (attempt.kind === 'written') return { kind: 'writing' }
  if (attempt.kind === 'locked') {
    const sinceMs = state.kind === 'waiting' ? state.sinceMs : nowMs
    return { kind: 'waiting', sinceMs, isLost: nowMs - sinceMs > maxWaitMs }
  }
  const isLost = state.kind === 'failing' && !attempt.isKept
  return { kind: 'failing', reason: attempt.reason, isLost }
}

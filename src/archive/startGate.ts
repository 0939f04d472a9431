/** Max time for the first refresh before a start serves the last good archive as it is. */
const maxWaitMs = 1000

/**
 * Holds the last good archive of a start back until it is refreshed: data older than before the restart
 * would be served otherwise.
 */
export interface StartGate {
  /** Resolves when something is served; rejects with the error of `fail`. */
  readonly opened: Promise<void>
  readonly isOpen: () => boolean
  /** Opens it, if there is an archive. */
  readonly open: () => void
  /** Opens it when the first refresh takes too long. */
  readonly openInTime: () => void
  /** Nothing can be served, and waiting does not mend it. */
  readonly fail: (error: Error) => void
}

export const createStartGate = (hasArchive: () => boolean): StartGate => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Not everybody waits for it.
  promise.catch(() => undefined)
  let isOpen = false
  const open = (): void => {
    if (!hasArchive()) return
    isOpen = true
    resolve()
  }
  return {
    opened: promise,
    isOpen: () => isOpen,
    open,
    openInTime: () => void setTimeout(open, maxWaitMs).unref(),
    fail: reject,
  }
}

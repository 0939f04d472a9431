const defaultMaxWaitMs = 1000

/**
 * Holds the last good archive of a start back until it is refreshed: data older than before the restart
 * would be served otherwise.
 */
export const createStartGate = (hasArchive: () => boolean, maxWaitMs = defaultMaxWaitMs) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Not every caller waits for it.
  promise.catch(() => undefined)
  let isOpen = false
  const open = (): void => {
    if (!hasArchive()) return
    isOpen = true
    resolve()
  }
  return {
    /** Resolves when something is served; rejects with the error of `fail`. */
    opened: promise,
    isOpen: () => isOpen,
    /** Opens the gate if there is an archive. */
    open,
    /** Opens the gate when the first refresh takes longer than `maxWaitMs`, unless newer data was published. */
    openInTime: (isAhead: Promise<boolean> | undefined) =>
      void setTimeout(async () => (await isAhead) || open(), maxWaitMs).unref(),
    /** Called if nothing can be served and waiting does not help. */
    fail: reject,
  }
}

/** How long after a refused stream to try again. */
const retryMs = 3000

/**
 * Calls back after each change that a stream of the service tells of, and whenever changes may have been missed: when the
 * stream begins, and begins again. An `EventSource` reconnects by itself, but not after an error answer.
 */
export const openStream = (address: string, onChange: () => void): void => {
  const source = new EventSource(address)
  for (const type of ['open', 'message', 'reset']) source.addEventListener(type, onChange)
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED)
      setTimeout(() => openStream(address, onChange), retryMs)
  })
}

/** How long after a refused stream to try again. */
const retryMs = 3000

const versionIn = (event: Event): string | undefined =>
  event instanceof MessageEvent ? JSON.parse(event.data).version : undefined

/**
 * Calls back with the version of the data after each change that a stream of the service tells of, and without one whenever changes may have
 * been missed: when the stream begins, and begins again. An `EventSource` reconnects by itself, but not after an error answer.
 */
export const openStream = (
  address: string,
  onChange: (version: string | undefined) => void,
): void => {
  const source = new EventSource(address)
  for (const type of ['open', 'message', 'reset'])
    source.addEventListener(type, (event) => onChange(versionIn(event)))
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED)
      setTimeout(() => openStream(address, onChange), retryMs)
  })
}

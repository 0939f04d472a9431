/** How long after a refused stream to try again. */
const retryMs = 3000

const versionIn = (event: Event): string | undefined => {
  if (!(event instanceof MessageEvent)) return undefined
  const { version }: { version?: unknown } = JSON.parse(event.data)
  return typeof version === 'string' ? version : undefined
}

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

/**
 * Calls back after each change, with the version of the data where it is known. One stream serves all tabs of a browser, as it opens no more than six connections to a
 * host: a shared worker has it, else the tab that holds a lock, which the next one takes over when it closes, else each
 * tab. A channel brings the changes to all.
 */
export const follow = (
  address: string,
  worker: string,
  onChange: (version: string | undefined) => void,
): void => {
  if (!('BroadcastChannel' in globalThis)) {
    openStream(address, onChange)
    return
  }
  const channel = new BroadcastChannel(address)
  channel.addEventListener('message', ({ data }) => onChange(data))
  const share = (): void =>
    openStream(address, (version) => {
      channel.postMessage(version)
      onChange(version)
    })
  if ('SharedWorker' in globalThis) new SharedWorker(worker, { name: address })
  else if ('locks' in navigator)
    void navigator.locks.request(address, () => new Promise<never>(share))
  else openStream(address, onChange)
}

import { openStream } from './changeStream.ts'

/** One tab holds the lock and has the stream; it tells the others. The next one takes over when it closes. */
const shareByLock = (address: string, onChange: () => void): void => {
  const channel = new BroadcastChannel(address)
  channel.addEventListener('message', onChange)
  void navigator.locks.request(
    address,
    () =>
      new Promise<never>(() => {
        openStream(address, () => {
          channel.postMessage('changed')
          onChange()
        })
      }),
  )
}

/**
 * Calls back after each change. One stream serves all tabs of a browser, as it opens no more than six
 * connections to a host: by a shared worker, else by a lock, else each tab has its own.
 */
export const follow = (address: string, worker: string, onChange: () => void): void => {
  if ('SharedWorker' in globalThis) {
    const { port } = new SharedWorker(worker, { name: address })
    port.onmessage = onChange
  } else if ('locks' in navigator && 'BroadcastChannel' in globalThis) {
    shareByLock(address, onChange)
  } else {
    openStream(address, onChange)
  }
}

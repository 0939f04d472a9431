/**
 * Delay of the first retry of a refused stream, at least the `Retry-After` of a refusal, which an `EventSource` does not
 * show. Random, because a restarted service refuses all readers at once.
 */
const retryMs = (): number => 2000 + Math.random() * 2000
/** Delay between polls in place of a stream that is refused again, because there are too many readers. */
const pollMs = (): number => 5000 + Math.random() * 5000
/** Maximum number of polls between two attempts to open the stream: a minute. */
const maxPolls = 8

/** A change of the data, or the start of a stream or a poll, before which changes may have been missed. */
export interface Change {
  /** Data version after the change, if known. */
  readonly version: string | undefined
  /**
   * Number of readers of the stream, who all read after a change; a resumed stream starts with the last known number.
   */
  readonly readers: number
}

const dataOf = (event: Event): { readonly version?: unknown; readonly readers?: unknown } =>
  event instanceof MessageEvent ? JSON.parse(event.data) : {}

/**
 * Calls back after each change on a stream and whenever the stream begins; while the stream is refused, from time to
 * time instead. An `EventSource` reconnects by itself, but not after an error status. `polls` is the number of polls
 * before the next attempt.
 */
export const openStream = (
  address: string,
  onChange: (change: Change) => void,
  readersBefore = 1,
  pollsBefore = 0,
): void => {
  const source = new EventSource(address)
  let readers = readersBefore
  let polls = pollsBefore
  source.addEventListener('open', () => {
    polls = 0
  })
  source.addEventListener('readers', (event) => {
    readers = Number(dataOf(event).readers) || readers
  })
  for (const type of ['open', 'message', 'reset'])
    source.addEventListener(type, (event) => {
      const { version } = dataOf(event)
      onChange({ version: typeof version === 'string' ? version : undefined, readers })
    })
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) return
    const reopen = (): void =>
      openStream(address, onChange, readers, Math.min(Math.max(1, 2 * polls), maxPolls))
    const poll = (left: number): void => {
      if (left === 0) reopen()
      else {
        onChange({ version: undefined, readers })
        setTimeout(() => poll(left - 1), pollMs())
      }
    }
    setTimeout(() => poll(polls), retryMs())
  })
}

/** Follows the stream that all tabs share; throws or rejects if the browser cannot share one. */
const followShared = async (
  address: string,
  worker: string,
  onChange: (change: Change) => void,
): Promise<void> => {
  const channel = new BroadcastChannel(address)
  channel.addEventListener('message', ({ data }) => onChange(data))
  if ('SharedWorker' in globalThis) {
    const shared = new SharedWorker(worker, { name: address })
    return new Promise((_, reject) => shared.addEventListener('error', reject))
  }
  const share = (): void =>
    openStream(address, (change) => {
      channel.postMessage(change)
      onChange(change)
    })
  return navigator.locks.request(address, () => new Promise<never>(share))
}

/**
 * Calls back after each change. One stream serves all tabs of a browser, because a browser opens no more than six
 * connections to a host. A shared worker holds it; without one, the tab that holds a lock does, and the next tab takes
 * over when it closes. A channel brings the changes to all tabs. Each tab has its own stream if one of these is missing
 * or refused, as they are where a page cannot store anything.
 */
export const follow = (
  address: string,
  worker: string,
  onChange: (change: Change) => void,
): void => {
  followShared(address, worker, onChange).catch(() => openStream(address, onChange))
}

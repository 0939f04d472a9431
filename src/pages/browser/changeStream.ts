/** How long after a refused stream to try again. */
const retryMs = 3000

/**
 * Calls back after each change that a stream of the service tells of, and whenever changes may have been
 * missed. An `EventSource` reconnects by itself, but not after an error answer.
 */
export const openStream = (address: string, onChange: () => void): void => {
  let last = ''
  let wasLost = false
  const connect = (): void => {
    const url = new URL(address, location.href)
    if (last !== '') url.searchParams.set('since', last)
    const source = new EventSource(url)
    const onEvent = ({ lastEventId }: MessageEvent): void => {
      last = lastEventId
      onChange()
    }
    source.addEventListener('message', onEvent)
    source.addEventListener('reset', onEvent)
    source.addEventListener('open', () => {
      if (wasLost) onChange()
      wasLost = false
    })
    source.addEventListener('error', () => {
      wasLost = true
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, retryMs)
    })
  }
  connect()
}

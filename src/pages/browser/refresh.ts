/** A connection can be dead without an error. */
const timeoutMs = 8000

/**
 * The page as the server sends it now; undefined where it does not answer in time, or with an error. A version
 * that the service ignores is part of the address, so that no cache answers with the page before it. In a template, as
 * Chromium never frees a document of `DOMParser` that has a video.
 */
const fetchPage = async (version: string | undefined): Promise<DocumentFragment | undefined> => {
  const address = new URL(location.href)
  if (version !== undefined) address.searchParams.set('v', version)
  const response = await fetch(address, {
    cache: 'no-cache',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) return undefined
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  return template.content
}

/**
 * Shows what the server sends now, with a version in the address where one is known; calls that come during a
 * request are answered by one more.
 */
export const createRefresh = (
  show: (page: DocumentFragment) => void,
): ((version?: string) => void) => {
  let wanted: string | undefined
  let isAsking = false
  let isWanted = false
  const ask = async (): Promise<void> => {
    const page = await fetchPage(wanted)
    if (page) show(page)
  }
  const refresh = (version?: string): void => {
    wanted = version
    isWanted = true
    if (isAsking) return
    isAsking = true
    isWanted = false
    ask()
      .catch(() => undefined)
      .finally(() => {
        isAsking = false
        if (isWanted) refresh(wanted)
      })
  }
  return refresh
}

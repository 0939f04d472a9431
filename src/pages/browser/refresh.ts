/** A connection can be dead without an error. */
const timeoutMs = 8000

/**
 * The page as the server sends it now; undefined where it does not answer in time, or with an error. In a template, as
 * Chromium never frees a document of `DOMParser` that has a video.
 */
const fetchPage = async (): Promise<DocumentFragment | undefined> => {
  const response = await fetch(location.href, {
    cache: 'no-cache',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) return undefined
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  return template.content
}

/** Shows what the server sends now; calls that come during a request are answered by one more. */
export const createRefresh = (show: (page: DocumentFragment) => void): (() => void) => {
  let isAsking = false
  let isWanted = false
  const ask = async (): Promise<void> => {
    const page = await fetchPage()
    if (page) show(page)
  }
  const refresh = (): void => {
    isWanted = true
    if (isAsking) return
    isAsking = true
    isWanted = false
    ask()
      .catch(() => undefined)
      .finally(() => {
        isAsking = false
        if (isWanted) refresh()
      })
  }
  return refresh
}

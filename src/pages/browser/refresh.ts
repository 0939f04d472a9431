import { make } from './dom.ts'

/** A connection can be dead without an error. */
const timeoutMs = 8000

/** The page as the server sends it now, and how old its data is. */
export interface Answer {
  readonly page: DocumentFragment
  readonly ageSeconds: number
}

/**
 * Undefined for an error. A version that the service ignores is part of the address, so that no cache answers with the
 * page before it. In a template, as Chromium never frees a document of `DOMParser` that has a video.
 */
export const readPage = async (path: string, version?: string): Promise<Answer | undefined> => {
  const address = new URL(path, location.href)
  if (version !== undefined) address.searchParams.set('v', version)
  const response = await fetch(address, {
    cache: 'no-cache',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) return undefined
  const { content: page } = make('template', { innerHTML: await response.text() })
  return { page, ageSeconds: Number(response.headers.get('x-data-age') ?? 0) }
}

/**
 * Calls back with what the server sends now, and with undefined where it does not answer in time, or with an error.
 * Asks with a version in the address where one is known; calls that come during a request are answered by one more.
 */
export const createRefresh = (
  onAnswer: (answer: Answer | undefined) => void,
): ((version?: string) => void) => {
  let wanted: string | undefined
  let isAsking = false
  let isWanted = false
  const refresh = (version?: string): void => {
    wanted = version
    isWanted = true
    if (isAsking) return
    isAsking = true
    isWanted = false
    void readPage(location.href, wanted)
      .catch(() => undefined)
      .then(onAnswer)
      .finally(() => {
        isAsking = false
        if (isWanted) refresh(wanted)
      })
  }
  return refresh
}

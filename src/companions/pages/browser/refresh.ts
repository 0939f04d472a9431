import { abortAfter } from './abortAfter.ts'
import { make } from './dom.ts'

/** A connection can be dead without an error. */
const timeoutMs = 8000

/** The page as the server sends it now, and how old its data is. */
export interface Answer {
  readonly page: DocumentFragment
  readonly ageSeconds: number
}

/** A refusal, and the time when it allows the next request. */
interface Refusal {
  readonly page?: undefined
  readonly retrySeconds: number | undefined
}

/**
 * A version is part of the URL, although the service ignores it, so that no cache answers with the page before. Parsed
 * in a template, because Chromium never frees a document of `DOMParser` with a video.
 */
export const readPage = async (path: string, version?: string): Promise<Answer | Refusal> => {
  const address = new URL(path, location.href)
  if (version !== undefined) address.searchParams.set('v', version)
  const response = await fetch(address, {
    cache: 'no-cache',
    headers: { accept: 'text/html' },
    signal: abortAfter(timeoutMs).signal,
  })
  // Only the service sends the age: a 404 of its own means that the page was removed, e.g. its tournament turned
  // private.
  const isGone = response.status === 404 && response.headers.has('x-data-age')
  if (!response.ok && !isGone) {
    const seconds = response.headers.get('retry-after')
    return { retrySeconds: seconds === null ? undefined : Number(seconds) }
  }
  const { content: page } = make('template', { innerHTML: await response.text() })
  return { page, ageSeconds: Number(response.headers.get('x-data-age') ?? 0) }
}

const maxRetrySeconds = 60

/**
 * Resolves when a refusal allows the next request, or up to twice as late: random, so that the thousands of pages refused
 * at the same time do not retry at the same time.
 */
const retryTime = (seconds: number): Promise<void> =>
  new Promise((resolve) => {
    const ms = Math.min(seconds, maxRetrySeconds) * 1000 * (1 + Math.random())
    setTimeout(resolve, ms)
  })

/**
 * Calls back with the current page, or with undefined if the server does not answer in time or answers with an error.
 * Requests the page, with the version in the URL if it is known. Calls during a request, or before a refusal allows the
 * next one, are joined into one more request.
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
      .catch((): Refusal => ({ retrySeconds: undefined }))
      .then(async (answer) => {
        onAnswer(answer.page && answer)
        if (answer.page || !answer.retrySeconds) return
        isWanted = true
        await retryTime(answer.retrySeconds)
      })
      .finally(() => {
        isAsking = false
        if (isWanted) refresh(wanted)
      })
  }
  return refresh
}

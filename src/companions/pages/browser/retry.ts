/**
 * Script of a page in place of one that could not be sent, also in the files of `scripts/deploy`: reloads it once its
 * URL answers. The delays are random, because many readers get such a page at the same moment, and at least
 * `Retry-After`. The URL is requested first, because a failed reload would leave the browser's own error page for ever.
 */
const maxSeconds = 8
const maxRetrySeconds = 60
/** A connection can be dead without an error. */
const timeoutMs = 8000

const retry = (seconds: number): void => {
  const wait = seconds * 1000 * (1 + Math.random())
  setTimeout(async () => {
    // Browsers in older stream software lack `AbortSignal.timeout`.
    const controller = new AbortController()
    setTimeout(() => controller.abort(), timeoutMs)
    const answer = await fetch(location.href, {
      method: 'HEAD',
      cache: 'no-store',
      headers: { accept: 'text/html' },
      signal: controller.signal,
    }).catch(() => undefined)
    if (answer && answer.status !== 429 && answer.status < 502) {
      location.reload()
      return
    }
    const wanted = Number(answer?.headers.get('retry-after')) || 0
    retry(Math.max(Math.min(wanted, maxRetrySeconds), Math.min(2 * seconds, maxSeconds)))
  }, wait)
}
retry(2)

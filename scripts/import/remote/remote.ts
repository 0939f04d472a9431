import pLimit from 'p-limit'
import { RequestError, readText, request as requestOf } from '../../../src/data/remote/request.ts'
import { CommandError } from '../../command.ts'

/** A request that failed for good; the message is one line. */
export class RemoteError extends Error {
  readonly path: string
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined
  constructor(path: string, reason: string, status?: number) {
    super(reason)
    this.path = path
    this.status = status
  }
}

export interface RemoteOptions {
  /** http(s) URL before every path. */
  readonly base: string
  readonly headers?: Readonly<Record<string, string>>
  /** Requests per second. */
  readonly rate: number
  readonly signal?: AbortSignal
  /** Delay before the first retry; it doubles with each further one. */
  readonly retryMs?: number
  readonly timeoutMs?: number
  /** Receives one line about a long wait that the server demands. */
  readonly note?: (text: string) => void
}

export interface Remote {
  /** URL before every path. */
  readonly base: string
  /** Body of a GET. Throws a {@link RemoteError}, or a {@link CommandError} once the server is out of order. */
  readonly get: (path: string) => Promise<unknown>
  readonly requests: () => number
}

/** Source name of a server; it does not show the URL, which can be internal. */
export const sourceName = (kind: string, base: string): string =>
  `${kind} ${new Bun.CryptoHasher('sha256').update(base).digest('hex').slice(0, 16)}`

const maxConcurrent = 4
const maxAttempts = 7
const maxBytes = 64 * 1024 * 1024
/** A longer `Retry-After` ends the request instead. */
export const maxWaitMs = 15 * 60_000
const maxRetryMs = 30_000
/** Number of waits demanded by the server that do not count as attempts. */
const maxDemandedWaits = 30
/** Shorter waits are not worth a note. */
const minNotedWaitMs = 5000
/** A server that fails this many paths in a row, with all their attempts, is out of order. */
const maxFailuresInRow = 20

/** Milliseconds of a `Retry-After` header, given in seconds or as a date. `nowMs` in Unix milliseconds. */
export const retryAfterMs = (header: string | null, nowMs = Date.now()): number | undefined => {
  if (!header) return undefined
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : undefined
  const ms = seconds === undefined ? Date.parse(header) - nowMs : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/**
 * Milliseconds until the reset of a used-up quota, from `X-RateLimit-Remaining` and `-Reset` (or without `X-`). The
 * reset is a number of seconds or a moment in Unix seconds.
 */
const quotaWaitMs = (headers: Headers): number | undefined => {
  const find = (name: string): number =>
    Number(headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`) ?? Number.NaN)
  const reset = find('reset')
  if (!(find('remaining') <= 0) || !(reset >= 0)) return undefined
  const ms = reset > 1_000_000_000 ? reset * 1000 - Date.now() : reset * 1000
  return Math.min(Math.max(0, ms), maxWaitMs)
}

const isTransient = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500

const failureOf = (path: string, error: unknown): RemoteError => {
  if (error instanceof SyntaxError) return new RemoteError(path, 'did not send JSON')
  if (!(error instanceof RequestError)) throw error
  return new RemoteError(path, error.message, error.status)
}

/** Outcome of one request: a body, a redirect, or a failure that may be worth another attempt. */
type Attempt =
  | { readonly body: unknown }
  | { readonly failure: RemoteError; readonly retry: boolean; readonly waitMs?: number | undefined }

/**
 * Client of a JSON API: at most 4 requests at a time, evenly spaced by the rate. Network errors, bodies that are cut or
 * not JSON, and transient statuses are retried with exponential backoff; `Retry-After` and used-up quotas delay all
 * requests.
 */
export const createRemote = ({
  base,
  headers = {},
  rate,
  signal,
  retryMs = 250,
  timeoutMs = 30_000,
  note = () => undefined,
}: RemoteOptions): Remote => {
  const limit = pLimit(maxConcurrent)
  let requests = 0
  let nextAt = 0
  let failuresInRow = 0

  const takeTurn = async (): Promise<void> => {
    for (;;) {
      const now = performance.now()
      if (now >= nextAt) {
        nextAt = Math.max(nextAt + 1000 / rate, now)
        return
      }
      await Bun.sleep(Math.min(nextAt - now, 1000))
      signal?.throwIfAborted()
    }
  }
  const delayAll = (ms: number): void => {
    nextAt = Math.max(nextAt, performance.now() + ms)
  }

  const attempt = async (path: string): Promise<Attempt> => {
    requests += 1
    let waitMs: number | undefined
    try {
      const text = await requestOf(
        base + path,
        {
          headers: { 'user-agent': 'cageside-import', ...headers },
          openHeaders: { accept: 'application/json' },
          isTrusted: true,
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
        },
        (answer) => {
          const quotaMs = quotaWaitMs(answer.headers)
          if (quotaMs !== undefined) delayAll(quotaMs)
          waitMs = retryAfterMs(answer.headers.get('retry-after'))
          return readText(answer, { maxBytes })
        },
      )
      return { body: JSON.parse(text) }
    } catch (error) {
      signal?.throwIfAborted()
      const failure = failureOf(path, error)
      const { status } = failure
      if (status === undefined) return { failure, retry: true }
      return { failure, retry: isTransient(status), waitMs }
    }
  }

  const repeat = async (path: string): Promise<unknown> => {
    let demanded = 0
    for (let attempts = 1; ; ) {
      signal?.throwIfAborted()
      await takeTurn()
      const result = await attempt(path)
      if (!('failure' in result)) return result.body
      const { failure, retry, waitMs } = result
      if (!retry || (waitMs ?? 0) > maxWaitMs) throw failure
      if (waitMs !== undefined && demanded < maxDemandedWaits) {
        demanded += 1
        if (waitMs >= minNotedWaitMs) {
          note(
            `${base}${path}: ${failure.message}; waiting ${Math.ceil(waitMs / 1000)} s as it asks`,
          )
        }
        delayAll(waitMs)
      } else if (attempts < maxAttempts) {
        const backoff = Math.min(maxRetryMs, retryMs * 2 ** (attempts - 1))
        await Bun.sleep(backoff * (0.5 + Math.random() / 2))
        attempts += 1
      } else throw failure
    }
  }

  const request = async (path: string): Promise<unknown> => {
    if (failuresInRow >= maxFailuresInRow) {
      throw new CommandError(
        `${base} is out of order: ${maxFailuresInRow} requests failed in a row`,
      )
    }
    try {
      const found = await repeat(path)
      failuresInRow = 0
      return found
    } catch (error) {
      const { status = 500 } = error instanceof RemoteError ? error : {}
      failuresInRow = isTransient(status) ? failuresInRow + 1 : 0
      throw error
    }
  }

  return {
    base,
    get: (path) => limit(request, path),
    requests: () => requests,
  }
}

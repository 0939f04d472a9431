import { isUtf8 } from 'node:buffer'
import type { OnSent } from './arrival.ts'
import type { Origin } from './requestContext.ts'
import { maxTargetLength } from './target.ts'
import { type Counted, unmatched } from './usage/event.ts'
import type { AnsweredRequest, Usage } from './usage/usage.ts'

/** Longer than any published name in its longest encoding. */
const maxKeyBytes = 1024

/** Name that a caller gives itself: the `X-API-Key` header, else the last `key` of the query. */
const keyOf = ({ headers, url }: Request): string | null => {
  const header = headers.get('x-api-key')?.slice(0, maxKeyBytes)
  // Each byte of a header arrives as one character.
  if (header) {
    const bytes = Buffer.from(header, 'latin1')
    return isUtf8(bytes) ? bytes.toString() : header
  }
  const queryStart = url.indexOf('?')
  if (queryStart < 0 || !url.includes('key=', queryStart)) return null
  // A request with a longer query is refused: reading 240 KB takes up to 7 ms.
  const query = url.slice(queryStart + 1, queryStart + 1 + maxTargetLength)
  return new URLSearchParams(query).getAll('key').at(-1) ?? null
}

/** Template of a route as it is counted: without the base path and a trailing slash. */
export const routeName = (template: string, basePath: string): string => {
  if (template === basePath) return '/'
  const relative = template.startsWith(`${basePath}/`) ? template.slice(basePath.length) : template
  return relative.length > 1 ? relative.replace(/\/$/, '') : relative
}

/** A response as observers see it: nothing in it identifies a caller. */
export interface Answered extends Counted {
  readonly requestId: string
  readonly method: string
  /** True if it came from the cache. */
  readonly isCached: boolean
}

/** Called once for each response, when it is ready to be sent or its stream has ended. */
export type Observer = (answered: Answered) => void

/**
 * Records each response in `usage` once: when it is ready to be sent, and a stream when it has ended. The
 * duration is the time since the request arrived; bytes are the sent ones.
 */
export const createRecorder = (
  usage: Pick<Usage, 'record'>,
  basePath: string,
  observers: readonly Observer[] = [],
): OnSent => {
  const names = new Map<string, string>()
  const nameOf = (template: string | undefined): string => {
    if (template === undefined) return unmatched
    return names.getOrInsertComputed(template, () => routeName(template, basePath))
  }
  const record = (
    { request: { method }, requestId }: Pick<Origin, 'request' | 'requestId'>,
    answered: AnsweredRequest,
    isCached: boolean,
  ): void => {
    usage.record(answered)
    if (observers.length === 0) return
    const { route, status, durationUs, bytes, openMs } = answered
    const observed = { requestId, method, route, status, durationUs, bytes, openMs, isCached }
    for (const observe of observers) observe(observed)
  }
  return (origin, sender, { response, sentBytes, isMade, waitedMs, end }, template) => {
    const { request, requestId, startedMs } = origin
    const { status } = response
    const isCached = !isMade && (status === 200 || status === 304)
    const durationMs = performance.now() - startedMs - (waitedMs ?? 0)
    const answered: AnsweredRequest = {
      route: nameOf(template),
      status,
      durationUs: Math.round(Math.max(0, durationMs) * 1000),
      bytes: sentBytes,
      sender,
      userAgent: request.headers.get('user-agent'),
      key: keyOf(request),
    }
    const source = { request, requestId }
    if (end) {
      const openedMs = performance.now()
      void end.then((bytes) => {
        const openMs = Math.round(performance.now() - openedMs)
        record(source, { ...answered, bytes, openMs }, false)
      })
    } else if (waitedMs === undefined) record(source, answered, isCached)
    else record(source, { ...answered, openMs: Math.round(waitedMs) }, isCached)
  }
}

import { isUtf8 } from 'node:buffer'
import { Memoirist } from 'memoirist'
import { unmatched } from '../usage/event.ts'
import type { AnsweredRequest, Usage } from '../usage/usage.ts'
import type { OnSent, Sent } from './pipeline.ts'

/** Longer than any published name in its longest encoding. */
const maxKeyBytes = 1024

/** Name a caller gives itself: the `X-API-Key` header, else the last `key` of the query. */
const keyOf = ({ headers, url }: Request): string | null => {
  const header = headers.get('x-api-key')?.slice(0, maxKeyBytes)
  // The bytes of a header come as one character each.
  if (header) {
    const bytes = Buffer.from(header, 'latin1')
    return isUtf8(bytes) ? bytes.toString() : header
  }
  const queryStart = url.indexOf('?')
  if (queryStart < 0 || !url.includes('key=', queryStart)) return null
  return new URLSearchParams(url.slice(queryStart + 1)).getAll('key').at(-1) ?? null
}

/** The template of a route as it is counted: without the base path and a trailing slash. */
export const routeName = (template: string, basePath: string): string => {
  if (template === basePath) return '/'
  const relative = template.startsWith(`${basePath}/`) ? template.slice(basePath.length) : template
  return relative.length > 1 ? relative.replace(/\/$/, '') : relative
}

/** A response as it is observed: nothing in it identifies a caller. */
export interface Answered {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationUs: number
  readonly bytes: number
  /** Duration of a stream, or of the wait for a change. */
  readonly openMs?: number
  /** Whether no handler ran. */
  readonly isCached: boolean
}

/** Called once for each response, when it is ready to be sent or its stream has ended. */
export type Observer = (answered: Answered) => void

/**
 * Records each response in `usage` once: when it is ready to be sent, and a stream when it has ended. The
 * duration is the time since the request arrived; bytes are those sent. `routes` are those of the router,
 * which does not say which of them a preflight or a wrong method was for.
 */
export const createRecorder = (
  usage: Pick<Usage, 'record'>,
  basePath: string,
  routes: readonly { readonly method: string; readonly path: string }[],
  observers: readonly Observer[] = [],
): OnSent => {
  const templates = new Memoirist<string>()
  const names = new Map<string, string>()
  for (const { method, path } of routes) {
    if (method !== 'GET') continue
    const name = routeName(path, basePath)
    names.set(path, name)
    templates.add('GET', path.replace(/(.)\/$/, '$1'), name)
  }
  const routeOf = (method: string, { route, path }: Sent): string => {
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && route) return names.get(route) ?? unmatched
    return (path && templates.find('GET', path)?.store) || unmatched
  }
  const record = (answered: AnsweredRequest, { method }: Request, sent: Sent): void => {
    usage.record(answered)
    if (observers.length === 0) return
    const { requestId, isCached } = sent
    const { route, status, durationUs, bytes, openMs } = answered
    const observed = { requestId, method, route, status, durationUs, bytes, isCached }
    for (const observe of observers)
      observe(openMs === undefined ? observed : { ...observed, openMs })
  }
  return (request, sender, sent, isStream = false) => {
    const { method, headers } = request
    const { waitedMs = 0 } = sent
    const answeredMs = performance.now()
    const answered = {
      route: routeOf(method, sent),
      status: sent.status,
      durationUs: Math.round(Math.max(0, answeredMs - sent.startedMs - waitedMs) * 1000),
      bytes: sent.sentBytes,
      sender,
      userAgent: headers.get('user-agent'),
      key: keyOf(request),
    }
    if (!isStream) {
      const openMs = Math.round(waitedMs)
      record(waitedMs > 0 ? { ...answered, openMs } : answered, request, sent)
    }
    return (bytes) => {
      const openMs = Math.round(performance.now() - answeredMs)
      record({ ...answered, bytes, openMs }, request, sent)
    }
  }
}

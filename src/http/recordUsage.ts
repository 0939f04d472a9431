import { isUtf8 } from 'node:buffer'
import { Memoirist } from 'memoirist'
import { unmatched } from '../usage/event.ts'
import type { Usage } from '../usage/usage.ts'
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

/**
 * Records each response in `usage` once, when it is ready to be sent, or, of a stream, when that has ended: the time since the arrival of the
 * request, and the bytes of the body as sent. `routes` are those of the router, which does not say which of
 * them a preflight or a wrong method was for.
 */
export const createRecorder = (
  usage: Pick<Usage, 'record'>,
  basePath: string,
  routes: readonly { readonly method: string; readonly path: string }[],
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
  return (request, sender, sent, isStream = false) => {
    const { method, headers } = request
    const { waitedMs = 0 } = sent
    const answeredMs = performance.now()
    const told = {
      route: routeOf(method, sent),
      status: sent.status,
      durationUs: Math.round(Math.max(0, answeredMs - sent.startedMs - waitedMs) * 1000),
      bytes: sent.sentBytes,
      sender,
      userAgent: headers.get('user-agent'),
      key: keyOf(request),
    }
    if (!isStream) usage.record(waitedMs > 0 ? { ...told, openMs: Math.round(waitedMs) } : told)
    return (bytes) => {
      usage.record({ ...told, bytes, openMs: Math.round(performance.now() - answeredMs) })
    }
  }
}

import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { type Coding, encodings } from './encoding.ts'

const maxHeaderLength = 500
const known = new LRUCache<string, Coding>({ max: 256 })

/** Clients that send `*` can all read gzip; some proxies among them can read neither br nor zstd. */
const byDefault = 'gzip'

const negotiate = (accepted: string): Coding => {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } })
  const named = new Set(negotiator.encodings().map((coding) => coding.toLowerCase()))
  const offered = encodings.filter((coding) => coding === byDefault || named.has(coding))
  const choice = negotiator.encoding([...offered, 'identity'], { preferred: offered })
  // Not even the plain body is accepted: gzip, unless it is named, which here means refused.
  if (choice === undefined) return /gzip|\*/i.test(accepted) ? 'identity' : byDefault
  return encodings.find((coding) => coding === choice) ?? 'identity'
}

/**
 * The content coding for an `Accept-Encoding` header, by q-values, then by our order; br and zstd only
 * where they are named. Clients send a handful of different headers, so each choice is cached.
 */
export const chooseEncoding = (accepted: string | null): Coding => {
  if (!accepted) return 'identity'
  // Bounds the cost of parsing; no known client sends a longer one.
  if (accepted.length > maxHeaderLength) return 'identity'
  const before = known.get(accepted)
  if (before) return before
  const choice = negotiate(accepted)
  known.set(accepted, choice)
  return choice
}

/** Whether an `Accept` header prefers HTML to JSON, by q-values; programs that accept anything do not. */
export const prefersHtml = (accepted: string | null): boolean => {
  if (!accepted || accepted.length > maxHeaderLength) return false
  const negotiator = new Negotiator({ headers: { accept: accepted } })
  return negotiator.mediaType(['application/json', 'text/html']) === 'text/html'
}

/** Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, 13.1.2). */
export const matchesTag = (ifNoneMatch: string | null, etag: string): boolean => {
  if (ifNoneMatch === null) return false
  // As it was sent, as a rule.
  if (ifNoneMatch === etag) return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || tag.replace(/^W\//, '') === opaque)
}

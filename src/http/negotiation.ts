import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { type Coding, encodings } from './body.ts'

const longestAccepted = 500
const known = new LRUCache<string, Coding>({ max: 256 })

const negotiate = (accepted: string): Coding => {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } })
  const choice = negotiator.encoding([...encodings, 'identity'], { preferred: [...encodings] })
  return encodings.find((encoding) => encoding === choice) ?? 'identity'
}

/**
 * The content coding that an `Accept-Encoding` header asks for, by q-values, then by our order.
 * Clients send a handful of different headers, so the choice for each is kept.
 */
export const chooseEncoding = (accepted: string | null): Coding => {
  if (!accepted) return 'identity'
  // Reading what nobody sends takes long.
  if (accepted.length > longestAccepted) return 'identity'
  const before = known.get(accepted)
  if (before) return before
  const choice = negotiate(accepted)
  known.set(accepted, choice)
  return choice
}

/** Whether an `Accept` header prefers HTML to JSON, by q-values; programs that accept anything do not. */
export const prefersHtml = (accepted: string | null): boolean => {
  if (!accepted || accepted.length > longestAccepted) return false
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

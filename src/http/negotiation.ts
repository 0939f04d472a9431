import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import {
  type Body,
  type Coding,
  type Encoding,
  encodings,
  type Form,
  isCompressed,
} from './encoding.ts'

const maxHeaderLength = 500

/** Encoding for `*`: all such clients read gzip; some proxies cannot read br or zstd. */
const byDefault = 'gzip'

const negotiate = (accepted: string): Coding => {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } })
  const named = new Set(negotiator.encodings().map((coding) => coding.toLowerCase()))
  const offered = encodings.filter((coding) => coding === byDefault || named.has(coding))
  const choice = negotiator.encoding([...offered, 'identity'], { preferred: offered })
  // Identity is refused: gzip, unless it is named, which here means refused too.
  if (choice === undefined) return /gzip|\*/i.test(accepted) ? 'identity' : byDefault
  return encodings.find((coding) => coding === choice) ?? 'identity'
}

/** Choices by header; clients send few different ones. */
const known = new LRUCache<string, Coding>({ max: 256 })

/**
 * Content coding for an `Accept-Encoding` header, by q-values, then by our order; br and zstd only
 * if named.
 */
export const chooseEncoding = (accepted: string | null): Coding => {
  // Bounds the cost of parsing; no known client sends a longer one.
  if (!accepted || accepted.length > maxHeaderLength) return 'identity'
  const before = known.get(accepted)
  if (before) return before
  const choice = negotiate(accepted)
  known.set(accepted, choice)
  return choice
}

/** The content coding in which a body is cached: that of its first client, if that saves memory. */
export const cachedCoding = ({ headers }: Pick<Request, 'headers'>): Encoding => {
  const coding = chooseEncoding(headers.get('accept-encoding'))
  return coding === 'identity' ? 'zstd' : coding
}

const knownPreferences = new LRUCache<string, boolean>({ max: 256 })

/** Whether an `Accept` header prefers HTML to JSON by q-values; false if anything is accepted. */
export const prefersHtml = (accepted: string | null): boolean => {
  if (!accepted || accepted.length > maxHeaderLength) return false
  const before = knownPreferences.get(accepted)
  if (before !== undefined) return before
  const negotiator = new Negotiator({ headers: { accept: accepted } })
  const preferred = negotiator.mediaType(['application/json', 'text/html']) === 'text/html'
  knownPreferences.set(accepted, preferred)
  return preferred
}

/** Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, 13.1.2). */
export const matchesTag = (ifNoneMatch: string | null, etag: string): boolean => {
  if (ifNoneMatch === null) return false
  // The common case.
  if (ifNoneMatch === etag) return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || tag.replace(/^W\//, '') === opaque)
}

/** Max length of a list of tags; a longer one matches nothing. */
const maxTagsLength = 8 * 1024

/** Form of the body for a request: 304, identity, or a content coding. */
export const formFor = (
  { headers }: Request,
  { etag, size }: Pick<Body, 'etag' | 'size'>,
): Form => {
  const tags = headers.get('if-none-match')
  if (tags !== null && tags.length <= maxTagsLength && matchesTag(tags, etag)) return 'unmodified'
  if (!isCompressed(size)) return 'identity'
  return chooseEncoding(headers.get('accept-encoding'))
}

/** Longer than any target of this API's clients; reading one of 250 KB takes up to 58 ms. */
export const maxTargetLength = 8 * 1024

/**
 * Path and query of a URL, whatever its host part contains. Repeated slashes count as one, and a trailing one is
 * dropped.
 */
export const targetOf = (url: string): string => {
  const scheme = url.indexOf('://')
  const start = scheme < 0 ? 0 : url.indexOf('/', scheme + 3)
  // CONNECT has a host in the place of a path.
  const target = url[start] === '/' ? url.slice(start) : '/'
  const queryStart = target.indexOf('?')
  const path = queryStart < 0 ? target : target.slice(0, queryStart)
  const plain = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
  const end = plain.length > 1 && plain.endsWith('/') ? -1 : plain.length
  return plain.slice(0, end) + target.slice(path.length)
}

/** A path with nothing to decode, and without a segment that begins with a dot. */
const isCanonical = /^(?:\/[\w\-!~*'()][\w\-.!~*'()]*)*\/?$/

/** The one spelling for every percent-encoding of a path; undefined if it does not decode or has dot segments. */
export const canonicalPath = (target: string): string | undefined => {
  const path = target.split('?', 1)[0] ?? ''
  if (isCanonical.test(path)) return path
  try {
    const segments = path.split('/').map(decodeURIComponent)
    if (segments.some((segment) => segment === '.' || segment === '..')) return undefined
    return segments.map(encodeURIComponent).join('/')
  } catch {
    return undefined
  }
}

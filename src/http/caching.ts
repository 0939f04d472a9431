/** `Cache-Control` by how fast a kind of response changes. */
export const caching = {
  archive: 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400',
  /** A browser must revalidate: after a change event its own cache is stale. */
  live: 'public, max-age=0, s-maxage=2, stale-if-error=60',
  usage: 'max-age=10',
  /** For an address with several representations, which `Vary` does not name. */
  negotiated: 'private, no-cache',
  /** For bodies with the address at which the client found the service. */
  perHost: 'private, max-age=60',
  /** For an address that has the hash of its content. */
  immutable: 'public, max-age=31536000, immutable',
  /** For the films of a sample, which only a new sample replaces. */
  film: 'public, max-age=604800',
  none: 'no-store',
} as const

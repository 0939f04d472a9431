/** `Cache-Control` by how fast a kind of response changes. */
export const caching = {
  archive: 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400',
  /** A browser must revalidate: after a change event its own cache is stale. */
  live: 'public, max-age=0, s-maxage=2, stale-if-error=60',
  usage: 'max-age=10',
  /** Header of a URL with several representations that `Vary` does not name. */
  negotiated: 'private, no-cache',
  /** Header of bodies that contain the host by which the client reached the service. */
  perHost: 'private, max-age=60',
  /** Header of a URL with the hash of its content. */
  immutable: 'public, max-age=31536000, immutable',
  /** Header of the films of a sample; only a new sample replaces them. */
  film: 'public, max-age=604800',
  none: 'no-store',
} as const

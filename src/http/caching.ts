/** How long caches may keep an answer, by how fast its kind changes. */
export const caching = {
  archive: 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400',
  live: 'public, max-age=2, stale-if-error=60',
  usage: 'max-age=10',
  /** Where an address has several representations, which `Vary` does not tell. */
  negotiated: 'private, no-cache',
  none: 'no-store',
} as const

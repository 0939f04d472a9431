import { LRUCache } from 'lru-cache'

const maxAddresses = 1000

/**
 * Dates for `Last-Modified`, for feed readers that send back no ETag. No source dates a corrected result, so the date of a
 * text is when this process first made it for its URL. A later text has a later date, even within a second and after the
 * clock went back.
 */
export const createModified = (nowMs: () => number = Date.now) => {
  const known = new LRUCache<string, { readonly digest: number | bigint; readonly unix: number }>({
    max: maxAddresses,
  })
  return (url: string, text: string): string => {
    const digest = Bun.hash(text)
    const before = known.get(url)
    const unix =
      before?.digest === digest
        ? before.unix
        : Math.max(Math.floor(nowMs() / 1000), (before?.unix ?? 0) + 1)
    known.set(url, { digest, unix })
    return new Date(unix * 1000).toUTCString()
  }
}

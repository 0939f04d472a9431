/**
 * The address of a smaller file of a recording. `true` is the usual one, beside the original with its
 * height before the extension; null is none. The usual ones are most of them: spelling them out makes
 * reading a snapshot a third slower.
 */
export type ProxyAddress = true | string | null

const heights = { 720: '_720p', 360: '_360p', 72: '_72p' } as const
export type ProxyHeight = keyof typeof heights

/** Where the extension of an address begins; its length where it has none. */
const extensionOf = (url: string): number => {
  const dot = url.lastIndexOf('.')
  return dot > url.lastIndexOf('/') ? dot : url.length
}

/** The usual address: `film.mp4` has `film_720p.mp4`. */
export const standardProxyUrl = (videoUrl: string, height: ProxyHeight): string => {
  const end = extensionOf(videoUrl)
  return videoUrl.slice(0, end) + heights[height] + videoUrl.slice(end)
}

/** The address written out. Without an original there is no usual one. */
export const proxyUrl = (
  videoUrl: string | null,
  height: ProxyHeight,
  address: ProxyAddress,
): string | null => {
  if (address !== true) return address
  return videoUrl === null ? null : standardProxyUrl(videoUrl, height)
}

/** The short form of an address that is written out. */
export const proxyAddress = (
  videoUrl: string | null,
  height: ProxyHeight,
  url: string | null,
): ProxyAddress => {
  if (url === null || videoUrl === null) return url
  if (url.length !== videoUrl.length + heights[height].length) return url
  const end = extensionOf(videoUrl)
  const isStandard =
    url.startsWith(heights[height], end) &&
    url.startsWith(videoUrl.slice(0, end)) &&
    url.endsWith(videoUrl.slice(end))
  return isStandard || url
}

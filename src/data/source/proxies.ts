/**
 * Address of a smaller version of a recording. `true` is the standard address: beside the original, with the height
 * before the extension; null means there is none. The short form makes reading a snapshot a third faster.
 */
export type ProxyAddress = true | string | null

const heights = { 720: '_720p', 360: '_360p', 72: '_72p' } as const
export type ProxyHeight = keyof typeof heights

/** Index of the extension; the length of the address if it has none. */
const extensionOf = (url: string): number => {
  const dot = url.lastIndexOf('.')
  return dot > url.lastIndexOf('/') ? dot : url.length
}

/** Standard address: `recording_720p.mp4` for `recording.mp4`. */
export const standardProxyUrl = (videoUrl: string, height: ProxyHeight): string => {
  const end = extensionOf(videoUrl)
  return videoUrl.slice(0, end) + heights[height] + videoUrl.slice(end)
}

/** Full address; null for the standard address of a recording without an original. */
export const proxyUrl = (
  videoUrl: string | null,
  height: ProxyHeight,
  address: ProxyAddress,
): string | null => {
  if (address !== true) return address
  return videoUrl === null ? null : standardProxyUrl(videoUrl, height)
}

/** Short form of a full address. */
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

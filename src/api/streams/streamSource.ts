import { readText, request } from '../../data/remote/request.ts'

/** A stream that somebody is publishing to the streaming server right now. */
export interface Broadcast {
  /** Name of the stream on the streaming server, such as `cage-1/overhead`. */
  readonly path: string
  readonly hlsUrl: string
  /** Time of publication; null if unknown. */
  readonly readyUnix: number | null
  /** Connections that the server counts as watching. */
  readonly viewers: number
  /** Codecs, in the server's own spelling. */
  readonly tracks: readonly string[]
}

/** Current broadcasts of a streaming server, each path once; throws a RequestError. */
export type StreamSource = (signal: AbortSignal) => Promise<readonly Broadcast[]>

/** Maximum size of an answer: ten times the answer of a server with a hundred streams. */
const maxBytes = 2 ** 20

/** Fetches a text of one of these media types from the streaming server. Throws a RequestError. */
export const fetchText = (
  address: URL,
  mediaTypes: readonly string[],
  signal: AbortSignal,
): Promise<string> =>
  request(
    address,
    { signal, openHeaders: { accept: mediaTypes.join(', ') }, isTrusted: true, maxRedirects: 0 },
    (answer) => readText(answer, { maxBytes, mediaTypes }),
  )

/** Lone surrogates, control characters, line ends, and the replacement character of invalid bytes. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{fffd}]/u

/**
 * Address of a stream's playlist below `base`: each part of its path encoded, then `ending`. Undefined if no address
 * leads to the path, such as `a//b` and `a/../b`.
 */
export const playlistUrl = (base: string, path: string, ending: string): string | undefined => {
  const parts = path.split('/')
  if (unprintable.test(path) || parts.some((part) => /^\.{0,2}$/.test(part))) return undefined
  return `${base.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}${ending}`
}

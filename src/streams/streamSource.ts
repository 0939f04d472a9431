/** A stream that somebody is publishing to the streaming server right now. */
export interface Broadcast {
  /** Its name on the streaming server, such as `cage-1/overhead`. */
  readonly path: string
  readonly hlsUrl: string
  /** When it was published; null when unknown. */
  readonly readyUnix: number | null
  /** Connections that the server counts as watching. */
  readonly viewers: number
  /** Codecs, in the server's own spelling. */
  readonly tracks: readonly string[]
}

/** A kind of streaming server. */
export interface StreamSource {
  /** What is published now, each path once; throws a {@link StreamSourceError}. */
  readonly list: (signal: AbortSignal) => Promise<readonly Broadcast[]>
}

/** Why a request to the streaming server failed. Safe to log: no address, no secret. */
export class StreamSourceError extends Error {}

/** Ten times the response of a server with a hundred streams. */
const maxBytes = 2 ** 20

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError') return 'no answer in time'
  return 'code' in error ? `no answer (${error.code})` : `no answer (${error.name})`
}

const readBounded = async (body: ReadableStream<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new StreamSourceError('the answer is too large')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const read = async (
  address: URL,
  mediaTypes: readonly string[],
  signal: AbortSignal,
): Promise<string> => {
  const response = await fetch(address, {
    signal,
    headers: { accept: mediaTypes.join(', '), 'accept-encoding': 'identity' },
    redirect: 'manual',
    // A compressed response could unpack to any size.
    decompress: false,
    // A kept connection from before a restart of the server would fail once.
    keepalive: false,
  })
  if (response.status !== 200) throw new StreamSourceError(`it answered ${response.status}`)
  const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!mediaTypes.includes(mediaType)) {
    throw new StreamSourceError(`the answer is not ${mediaTypes.join(' or ')}`)
  }
  if (Number(response.headers.get('content-length')) > maxBytes) {
    throw new StreamSourceError('the answer is too large')
  }
  return response.body ? readBounded(response.body) : ''
}

/**
 * Fetches a text of status 200, one of these media types and at most {@link maxBytes}. Throws a
 * {@link StreamSourceError} otherwise. The signal ends an unread body.
 */
export const fetchText = async (
  address: URL,
  mediaTypes: readonly string[],
  signal: AbortSignal,
): Promise<string> => {
  try {
    return await read(address, mediaTypes, signal)
  } catch (error) {
    throw error instanceof StreamSourceError ? error : new StreamSourceError(reasonOf(error))
  }
}

/** Lone surrogates, control characters, line ends, and the replacement character of invalid bytes. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{fffd}]/u

/**
 * The address below `base` of a stream's playlist: each part of its path encoded, then `ending`.
 * Undefined for a path that no address leads to, such as `a//b` and `a/../b`.
 */
export const playlistUrl = (base: string, path: string, ending: string): string | undefined => {
  const parts = path.split('/')
  if (unprintable.test(path) || parts.some((part) => /^\.{0,2}$/.test(part))) return undefined
  return `${base.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}${ending}`
}

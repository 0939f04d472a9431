/** Why a snapshot could not be fetched. Safe to log and to show: no address. */
export class MirrorError extends Error {
  /** HTTP status of the answer that was none of 200, 206 and 304. */
  readonly status: number | undefined
  constructor(reason: string, status?: number) {
    super(reason)
    this.status = status
  }
}

const maxRedirects = 3
/** Without a byte for this long, a request has failed. */
const idleMs = 15_000
/** A body may not come slower on average. */
const minBytesPerMs = 4

/** Why a request got no answer, in few words without the address. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time'
  return 'code' in error ? `no answer (${error.code})` : `no answer (${error.name})`
}

/** An answer of status 200, 206 or 304. */
export interface RemoteAnswer {
  readonly headers: Headers
  readonly isUnchanged: boolean
  /** Where the bytes begin in the file. */
  readonly start: number
  /** Size of the file; undefined where the server does not tell. */
  readonly total: number | undefined
  readonly bytes: Buffer
}

export interface RemoteOptions {
  readonly signal: AbortSignal
  /** A body may not be larger. */
  readonly maxBytes: number
  readonly idleMs?: number
  /** Size of the whole file, from at least `headerBytes` at its start; throws for another kind of file. */
  readonly sizeOf: (start: Buffer) => number
  readonly headerBytes: number
  /** Sent to the origin of the address, and not where that redirects to another one. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A signal that is aborted with `outer`, or after a time in which nothing was received. */
const watch = (outer: AbortSignal, ms: number) => {
  const idle = new AbortController()
  const startedMs = performance.now()
  let timer: Timer | undefined
  const restart = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => idle.abort(new DOMException('idle', 'TimeoutError')), ms)
  }
  restart()
  return {
    signal: AbortSignal.any([outer, idle.signal]),
    /** More of the body has come, `size` bytes in all. */
    received: (size: number): void => {
      if (performance.now() - startedMs > ms + size / minBytesPerMs) {
        throw new MirrorError('the file comes too slowly')
      }
      restart()
    },
    /** Ends the request, read or not. */
    end: (): void => {
      clearTimeout(timer)
      idle.abort()
    },
  }
}

/** Where a redirect leads; undefined for another scheme, and for `http` after `https`. */
export const redirectTarget = (from: URL, location: string | null): URL | undefined => {
  const to = location === null ? null : URL.parse(location, from.href)
  const isAllowed =
    to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  return to && isAllowed ? to : undefined
}

/**
 * Reads a body of bounded size. The start of a file says how large that is, and whether it is one of the kind that
 * is wanted, before more of it is read.
 */
const readBody = async (
  response: Response,
  position: { readonly start: number; readonly length: number } | undefined,
  { maxBytes, headerBytes, sizeOf }: RemoteOptions,
  received: (size: number) => void,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let size = 0
  let limit = position?.length ?? maxBytes
  let isKnown = (position?.start ?? 0) > 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    received(size)
    chunks.push(chunk)
    if (!isKnown && size >= headerBytes) {
      isKnown = true
      const total = sizeOf(Buffer.concat(chunks))
      if (total > maxBytes) throw new MirrorError('the file is too large')
      limit = Math.min(limit, total)
    }
    if (size > limit) throw new MirrorError('the body is longer than it should be')
  }
  return Buffer.concat(chunks)
}

/** Position and total of a `Content-Range`. */
const positionOf = (response: Response): { start: number; total: number; length: number } => {
  const text = response.headers.get('content-range') ?? ''
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(text) ?? []
  const start = Number(first)
  const length = Number(last) + 1 - start
  if (!(length > 0) || !(Number(total) >= start + length)) {
    throw new MirrorError('it answered with a range that makes no sense')
  }
  return { start, total: Number(total), length }
}

const request = async (
  address: URL,
  headers: Readonly<Record<string, string>>,
  options: RemoteOptions,
): Promise<RemoteAnswer> => {
  const { maxBytes } = options
  let url = address
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const { signal, received, end } = watch(options.signal, options.idleMs ?? idleMs)
    try {
      const response = await fetch(url.href, {
        signal,
        // A compressed body could unpack to any size, and has other ranges.
        headers: {
          ...(url.origin === address.origin && options.headers),
          ...headers,
          'accept-encoding': 'identity',
        },
        decompress: false,
        redirect: 'manual',
        // A kept connection from before a restart of the server would fail once.
        keepalive: false,
      })
      const { status } = response
      if (status >= 301 && status <= 308 && status !== 304) {
        const next = redirectTarget(url, response.headers.get('location'))
        if (!next) throw new MirrorError('it redirects to an address that is not allowed')
        url = next
        continue
      }
      if (status !== 200 && status !== 206 && status !== 304) {
        throw new MirrorError(`it answered ${status}`, status)
      }
      const coding = response.headers.get('content-encoding') ?? 'identity'
      if (coding !== 'identity') throw new MirrorError('the file is compressed on the way')
      if (Number(response.headers.get('content-length')) > maxBytes) {
        throw new MirrorError('the file is too large')
      }
      const isUnchanged = status === 304
      const position = status === 206 ? positionOf(response) : undefined
      const bytes = isUnchanged
        ? Buffer.alloc(0)
        : await readBody(response, position, options, received)
      if (position && bytes.length !== position.length) throw new MirrorError('the body is cut off')
      return {
        headers: response.headers,
        isUnchanged,
        start: position?.start ?? 0,
        total: position?.total ?? (isUnchanged ? undefined : bytes.length),
        bytes,
      }
    } finally {
      end()
    }
  }
  throw new MirrorError('there are too many redirects')
}

/** Requests a file, or a part of it. Throws a {@link MirrorError}. */
export const requestFile = async (
  address: URL,
  headers: Readonly<Record<string, string>>,
  options: RemoteOptions,
): Promise<RemoteAnswer> => {
  try {
    return await request(address, headers, options)
  } catch (error) {
    throw error instanceof MirrorError ? error : new MirrorError(reasonOf(error))
  }
}

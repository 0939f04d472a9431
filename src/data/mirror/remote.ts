import { type Answer, RequestError, request } from '../remote/request.ts'

/** Failure to fetch a snapshot. The message holds no address, so it is safe to log and to show. */
export class MirrorError extends Error {
  /** HTTP status of the answer, if it was none of 200, 206 and 304. */
  readonly status: number | undefined
  /** `Retry-After` of that answer. */
  readonly retryAfter: string | null
  constructor(reason: string, status?: number, retryAfter: string | null = null) {
    super(reason)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** A request that receives no byte for this long has failed. */
const idleMs = 15_000
/** Minimum average speed of a body. */
const minBytesPerMs = 4

/** An answer of status 200, 206 or 304. */
export interface RemoteAnswer {
  readonly headers: Headers
  readonly isUnchanged: boolean
  /** Offset of the bytes in the file. */
  readonly start: number
  /** Size of the file; undefined if the server does not send it. */
  readonly total: number | undefined
  readonly bytes: Buffer
}

export interface RemoteOptions {
  readonly signal: AbortSignal
  /** Maximum size of a body. */
  readonly maxBytes: number
  readonly idleMs?: number
  /** Size of the whole file, from at least `headerBytes` at its start; throws for any other kind of file. */
  readonly sizeOf: (start: Buffer) => number
  readonly headerBytes: number
  /** Headers for the origin of the address; a redirect to another origin does not get them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A signal that is aborted with `outer`, or if nothing is received for a time. */
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
    /** Notes that `size` bytes of the body have come, in all. */
    received: (size: number): void => {
      if (performance.now() - startedMs > ms + size / minBytesPerMs) {
        throw new MirrorError('the file arrives too slowly')
      }
      restart()
    },
    end: (): void => clearTimeout(timer),
  }
}

/**
 * Reads a body of bounded size. The first bytes of a file are enough to refuse it, if they announce another kind or too
 * large a size.
 */
const readBody = async (
  { chunks: body }: Answer,
  position: { readonly start: number; readonly length: number } | undefined,
  { maxBytes, headerBytes, sizeOf }: RemoteOptions,
  received: (size: number) => void,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let size = 0
  let limit = position?.length ?? maxBytes
  let isKnown = (position?.start ?? 0) > 0
  for await (const chunk of body) {
    size += chunk.length
    received(size)
    chunks.push(chunk)
    if (!isKnown && size >= headerBytes) {
      isKnown = true
      const total = sizeOf(Buffer.concat(chunks))
      if (total > maxBytes) throw new MirrorError('the file is too large')
      limit = Math.min(limit, total)
    }
    if (size > limit) throw new MirrorError('the body is longer than announced')
  }
  return Buffer.concat(chunks)
}

/** Position and total of a `Content-Range`. */
const positionOf = ({ headers }: Answer): { start: number; total: number; length: number } => {
  const text = headers.get('content-range') ?? ''
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(text) ?? []
  const start = Number(first)
  const length = Number(last) + 1 - start
  if (!(length > 0) || !(Number(total) >= start + length)) {
    throw new MirrorError('the server answered with an invalid range')
  }
  return { start, total: Number(total), length }
}

const readAnswer = async (
  answer: Answer,
  options: RemoteOptions,
  received: (size: number) => void,
): Promise<RemoteAnswer> => {
  const { status, headers } = answer
  if (status !== 200 && status !== 206 && status !== 304) {
    throw new MirrorError(`the server answered ${status}`, status, headers.get('retry-after'))
  }
  if (Number(headers.get('content-length')) > options.maxBytes) {
    throw new MirrorError('the file is too large')
  }
  const isUnchanged = status === 304
  const position = status === 206 ? positionOf(answer) : undefined
  const bytes = isUnchanged ? Buffer.alloc(0) : await readBody(answer, position, options, received)
  if (position && bytes.length !== position.length) throw new MirrorError('the body is cut off')
  return {
    headers,
    isUnchanged,
    start: position?.start ?? 0,
    total: position?.total ?? (isUnchanged ? undefined : bytes.length),
    bytes,
  }
}

/** Requests a file, or a part of it. Throws a {@link MirrorError}. */
export const requestFile = async (
  address: URL,
  openHeaders: Readonly<Record<string, string>>,
  options: RemoteOptions,
): Promise<RemoteAnswer> => {
  const { signal, received, end } = watch(options.signal, options.idleMs ?? idleMs)
  try {
    const { headers = {} } = options
    return await request(
      address,
      { signal, headers, openHeaders, isTrusted: true },
      async (answer) => readAnswer(answer, options, received),
    )
  } catch (error) {
    if (error instanceof RequestError) throw new MirrorError(error.message, error.status)
    throw error
  } finally {
    end()
  }
}

import { status } from 'elysia'
import { caching } from './caching.ts'
import { matchesTag } from './negotiation.ts'
import { type ByteRange, rangeOf } from './ranges.ts'
import type { BodyStream, Connection } from './requestContext.ts'

/** A stretch of a file, which is read when it is sent. */
export interface Piece {
  readonly size: number
  readonly read: () => Iterable<Uint8Array> | Promise<Iterable<Uint8Array>>
}

/** Bytes that are sent as they are, in whole or in part. */
export interface ServedFile {
  /** Strong ETag: equal tags mean equal bytes. */
  readonly etag: string
  /** The bytes in their order. */
  readonly pieces: readonly Piece[]
  readonly contentType: string
  readonly name?: string
  readonly cacheControl: string
  readonly version: string
}

/** The bytes of a range, without a copy. */
const bytesIn = async function* (
  pieces: readonly Piece[],
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const { size, read } of pieces) {
    if (at >= end) return
    const after = at + size
    if (after > start) {
      for (const part of await read()) {
        const wanted = part.subarray(Math.max(0, start - at), Math.max(0, end - at))
        if (wanted.length > 0) yield wanted
        at += part.length
      }
    }
    at = after
  }
}

/** Calls back with the number of bytes once they are sent, cannot be read, or the reader left. */
const streamOf = (
  parts: AsyncGenerator<Uint8Array>,
  connection: Pick<Connection, 'ended' | 'failed'>,
): ReadableStream<Uint8Array> => {
  let sent = 0
  let isLeft = false
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { value, done } = await parts.next()
          if (isLeft) return
          if (done) {
            controller.close()
            return connection.ended(sent)
          }
          sent += value.length
          controller.enqueue(value)
        } catch (error) {
          if (isLeft) return
          connection.failed(error)
          connection.ended(sent)
          // Closes the connection. Bun 1.4.5 prints an error that is given here.
          controller.error()
        }
      },
      cancel: () => {
        isLeft = true
        connection.ended(sent)
      },
    },
    { highWaterMark: 0 },
  )
}

interface Setter {
  readonly headers: Record<string, string | number>
}

/** True if a request needs to know the whole file: its ETag or its size. */
export const needsWhole = ({ method, headers }: Request): boolean =>
  method === 'HEAD' || headers.has('range') || headers.has('if-none-match')

/** Sends a body while it is made, without `ETag` and with `no-store`; `name` makes it a download. */
export const sendUnfinished = (
  set: Setter,
  {
    contentType,
    name,
    version,
  }: Pick<ServedFile, 'contentType' | 'version'> & { readonly name?: string },
  read: () => AsyncGenerator<Uint8Array>,
): BodyStream => {
  Object.assign(set.headers, {
    'cache-control': caching.none,
    'content-type': contentType,
    ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
  })
  return { version, open: (connection) => streamOf(read(), connection) }
}

/** Answers with a file: 200, 206 for a range, 304, or 416. */
export const sendFile = (request: Request, set: Setter, file: ServedFile) => {
  const { etag, pieces, contentType, name, cacheControl, version } = file
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0)
  const tagged = { etag, 'accept-ranges': 'bytes', 'cache-control': cacheControl }
  const streamed = (status: number, open: () => AsyncGenerator<Uint8Array>): BodyStream => ({
    status,
    version,
    open: (connection) => streamOf(open(), connection),
  })
  if (matchesTag(request.headers.get('if-none-match'), etag)) {
    Object.assign(set.headers, tagged)
    return streamed(304, () => bytesIn([], { start: 0, end: 0 }))
  }
  const asked = request.method === 'HEAD' ? 'whole' : rangeOf(request.headers, { etag, size })
  if (asked === 'none') {
    Object.assign(set.headers, { 'accept-ranges': 'bytes', 'content-range': `bytes */${size}` })
    return status(416, { error: 'the range begins after the end of the file' })
  }
  const range = asked === 'whole' ? { start: 0, end: size } : asked
  const isPart = asked !== 'whole'
  Object.assign(set.headers, {
    ...tagged,
    'content-type': contentType,
    ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
    'content-length': String(range.end - range.start),
  })
  if (isPart) set.headers['content-range'] = `bytes ${range.start}-${range.end - 1}/${size}`
  return streamed(isPart ? 206 : 200, () => bytesIn(pieces, range))
}

import { status } from 'elysia'
import { matchesTag } from './negotiation.ts'
import { rangeOf } from './ranges.ts'
import { contextOf } from './requestContext.ts'

/** Bytes that are sent as they are, in whole or in part. */
export interface ServedFile {
  /** Strong: equal tags are equal bytes. */
  readonly etag: string
  readonly size: number
  readonly contentType: string
  /** Suggested name. */
  readonly name: string
  readonly cacheControl: string
  /** Version of the data in it. */
  readonly version: string
  /** The bytes from `start` to `end`; calls back with their number when they are sent or the reader left. */
  readonly open: (
    range: { readonly start: number; readonly end: number },
    ended: (sentBytes: number) => void,
  ) => ReadableStream<Uint8Array> | Blob
}

interface Setter {
  status?: number | string
  readonly headers: Record<string, string | number>
}

/** Answers with a file: 200, 206 for a range, 304, or 416. */
export const sendFile = (request: Request, set: Setter, file: ServedFile) => {
  const context = contextOf(request)
  const { etag, size, contentType, name, cacheControl, version } = file
  Object.assign(set.headers, {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': cacheControl,
    'x-data-version': version,
  })
  if (matchesTag(request.headers.get('if-none-match'), etag)) {
    set.status = 304
    return ''
  }
  const isHead = context.method === 'HEAD'
  const asked = isHead ? 'whole' : rangeOf(request.headers, { etag, size })
  if (asked === 'none') {
    set.headers['content-range'] = `bytes */${size}`
    return status(416, { error: 'the range begins after the end of the file' })
  }
  const range = asked === 'whole' ? { start: 0, end: size } : asked
  const isPart = asked !== 'whole'
  Object.assign(set.headers, {
    'content-type': contentType,
    'content-disposition': `attachment; filename="${name}"`,
    'content-length': String(range.end - range.start),
  })
  if (isPart) set.headers['content-range'] = `bytes ${range.start}-${range.end - 1}/${size}`
  set.status = isPart ? 206 : 200
  context.stream = {
    status: isPart ? 206 : 200,
    version,
    open: (ended) => file.open(range, ended),
    leave: () => undefined,
  }
  return ''
}

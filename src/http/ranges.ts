/** Range of bytes; `end` is exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const maxHeaderLength = 200

/**
 * Part of a body that a GET asks for (RFC 9110, 14.2). `whole` if `Range` is missing or ignored, because of another
 * unit, a syntax error, several ranges, or an `If-Range` that is not exactly the ETag. `none` if it begins after the
 * end.
 */
export const rangeOf = (
  headers: Headers,
  { etag, size }: { readonly etag: string; readonly size: number },
): ByteRange | 'whole' | 'none' => {
  const asked = headers.get('range')
  if (asked === null || asked.length > maxHeaderLength) return 'whole'
  const condition = headers.get('if-range')
  if (condition !== null && condition !== etag) return 'whole'
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(asked) ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size }
  }
  const [start, end] = [Number(first), last === '' ? size : Math.min(Number(last) + 1, size)]
  if (last !== '' && Number(last) < start) return 'whole'
  return start < size ? { start, end } : 'none'
}

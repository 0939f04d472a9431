/** Positions of bytes; `end` is the first one after them. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const maxHeaderLength = 200

/**
 * The part of a body that a GET asks for (RFC 9110, 14.2): `whole` where `Range` is missing or ignored, as
 * it is with another unit, a syntax error, several ranges, or an `If-Range` that is not exactly the tag.
 * `none` where it begins after the end.
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

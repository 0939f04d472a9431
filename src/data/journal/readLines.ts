import type { DiskFile } from '../../runtime/disk.ts'

/** Bytes of a group; parsing it takes some 3 ms. */
const chunkBytes = 128 * 1024
/** Maximum length; a longer line is damage, and its end is left out. */
const maxLineBytes = 64 * 2 ** 20
const lineFeed = 10

/** A line in a file, without its line feed. */
export interface FileLine {
  readonly bytes: Uint8Array
  readonly start: number
  /** Position after the line feed. */
  readonly end: number
}

/**
 * The complete lines between two positions; the first position must be the start of a line. The lines come in groups,
 * with a turn of the event loop between them: an iteration for each line would cost as much as parsing it. The bytes
 * are valid until the next group.
 */
export async function* readLines(
  file: DiskFile,
  from: number,
  to: number,
): AsyncGenerator<readonly FileLine[]> {
  let [start, position] = [from, from]
  let rest: Uint8Array[] = []
  const chunk = Buffer.alloc(Math.min(chunkBytes, to - from))
  while (position < to) {
    const size = Math.min(chunk.length, to - position)
    const bytesRead = await file.read(chunk, size, position)
    if (bytesRead === 0) return
    const read = chunk.subarray(0, bytesRead)
    const lines: FileLine[] = []
    let next = 0
    for (let stop = read.indexOf(lineFeed); stop >= 0; stop = read.indexOf(lineFeed, next)) {
      const last = read.subarray(next, stop)
      const end = position + stop + 1
      lines.push({ bytes: rest.length === 0 ? last : Buffer.concat([...rest, last]), start, end })
      rest = []
      next = stop + 1
      start = end
    }
    position += bytesRead
    if (next < bytesRead && position - start <= maxLineBytes) {
      rest.push(Buffer.from(read.subarray(next)))
    }
    if (lines.length > 0) yield lines
  }
}

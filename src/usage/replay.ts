import type { FileHandle } from 'node:fs/promises'
import { dayOf, parseEvent, type UsageEvent } from './event.ts'

const chunkBytes = 1 << 20
/** Longer lines are counted as bad without parsing. */
const maxLineBytes = 1 << 16
const lineFeed = 10

export interface Replayed {
  /** Length of the file up to the end of its last complete line. */
  readonly length: number
  /** Lines that are no event of this day. */
  readonly badLines: number
  /** Bytes of an incomplete last line. */
  readonly tornBytes: number
}

/**
 * Replays a day's log from a position at the start of a line. Yields to the event loop between
 * chunks.
 */
export const replay = async (
  file: FileHandle,
  day: number,
  from: number,
  onEvent: (event: UsageEvent) => void,
): Promise<Replayed> => {
  let badLines = 0
  const readLine = (line: Uint8Array): void => {
    if (line.length === 0) return
    const event = line.length > maxLineBytes ? undefined : parseEvent(decoder.decode(line))
    if (event && dayOf(event.timeMs) === day) onEvent(event)
    else badLines += 1
  }
  const decoder = new TextDecoder()
  let position = from
  let rest = Buffer.alloc(0)
  let restLength = 0
  const chunk = Buffer.alloc(chunkBytes)
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, position)
    if (bytesRead === 0) break
    position += bytesRead
    const read = chunk.subarray(0, bytesRead)
    const firstEnd = read.indexOf(lineFeed)
    if (firstEnd < 0) {
      restLength += bytesRead
      // Keep only the beginning of an overlong line.
      if (rest.length <= maxLineBytes) rest = Buffer.concat([rest, read])
      continue
    }
    readLine(Buffer.concat([rest, read.subarray(0, firstEnd)]))
    let start = firstEnd + 1
    for (let end = read.indexOf(lineFeed, start); end >= 0; end = read.indexOf(lineFeed, start)) {
      readLine(read.subarray(start, end))
      start = end + 1
    }
    rest = Buffer.from(read.subarray(start))
    restLength = rest.length
  }
  return { length: position - restLength, badLines, tornBytes: restLength }
}

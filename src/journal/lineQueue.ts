/** Lines of one day, as written to its file. */
export interface QueuedLines {
  /** Number of lines. */
  readonly count: number
  readonly bytes: Uint8Array
}

const initialBytes = 64 * 1024
/** Max buffer kept for reuse, so that a burst does not hold memory. */
const maxSpareBytes = 2 ** 20

interface Waiting {
  count: number
  buffer: Buffer
  length: number
}

/**
 * Queue of lines to write, one byte buffer per day: tens of thousands of strings would burden the
 * garbage collector. Buffers are reused.
 */
export const createLineQueue = () => {
  let waiting = new Map<number, Waiting>()
  let size = 0
  let spare: Buffer | undefined

  const waitingOf = (day: number): Waiting => {
    const known = waiting.get(day)
    if (known) return known
    const made = { count: 0, buffer: spare ?? Buffer.allocUnsafeSlow(initialBytes), length: 0 }
    spare = undefined
    waiting.set(day, made)
    return made
  }

  const reserve = (lines: Waiting, bytes: number): void => {
    const needed = lines.length + bytes
    if (needed <= lines.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * lines.buffer.length))
    lines.buffer.copy(larger, 0, 0, lines.length)
    lines.buffer = larger
  }

  /** Empties the queue. The bytes are valid until returned by `giveBack` or `putBack`. */
  const take = (): ReadonlyMap<number, QueuedLines> => {
    const taken = new Map(
      [...waiting].map(([day, { count, buffer, length }]) => [
        day,
        { count, bytes: buffer.subarray(0, length) },
      ]),
    )
    waiting = new Map()
    size = 0
    return taken
  }

  return {
    /** Number of queued lines. */
    size: (): number => size,
    days: (): ReadonlySet<number> => new Set(waiting.keys()),
    add: (day: number, line: string): void => {
      const lines = waitingOf(day)
      // A UTF-16 code unit takes at most three bytes of UTF-8.
      reserve(lines, 3 * line.length)
      lines.length += lines.buffer.write(line, lines.length)
      lines.count += 1
      size += 1
    },
    take,
    /** Releases the buffer of taken lines for reuse. */
    giveBack: ({ bytes: { buffer } }: QueuedLines): void => {
      if (buffer.byteLength <= maxSpareBytes) spare = Buffer.from(buffer)
    },
    /** Requeues taken lines before newer ones. */
    putBack: (day: number, { count, bytes }: QueuedLines): void => {
      const lines = waitingOf(day)
      const all = Buffer.concat([bytes, lines.buffer.subarray(0, lines.length)])
      waiting.set(day, { count: count + lines.count, buffer: all, length: all.length })
      size += count
    },
  }
}

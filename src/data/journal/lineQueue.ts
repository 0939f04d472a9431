/** Lines of one day, as written to its file. */
export interface QueuedLines {
  /** Number of lines. */
  readonly count: number
  readonly bytes: Uint8Array
}

/** Number of characters that become bytes at once: a runtime call for each line took a twentieth of a response. */
const chunkLength = 16 * 1024

interface Waiting {
  count: number
  /** All lines but the last ones: tens of thousands of strings would burden the garbage collector. */
  readonly chunks: Uint8Array[]
  last: string
}

/** Queue of lines to write, by day. */
export const createLineQueue = () => {
  let waiting = new Map<number, Waiting>()
  let size = 0

  const waitingOf = (day: number): Waiting =>
    waiting.getOrInsertComputed(day, () => ({ count: 0, chunks: [], last: '' }))

  return {
    /** Number of queued lines. */
    size: (): number => size,
    days: (): ReadonlySet<number> => new Set(waiting.keys()),
    add: (day: number, line: string): void => {
      const lines = waitingOf(day)
      lines.last += line
      lines.count += 1
      size += 1
      if (lines.last.length < chunkLength) return
      lines.chunks.push(Buffer.from(lines.last))
      lines.last = ''
    },
    /** Empties the queue. */
    take: (): ReadonlyMap<number, QueuedLines> => {
      const taken = new Map(
        [...waiting].map(([day, { count, chunks, last }]) => [
          day,
          { count, bytes: Buffer.concat([...chunks, Buffer.from(last)]) },
        ]),
      )
      waiting = new Map()
      size = 0
      return taken
    },
    /** Requeues taken lines before newer ones. */
    putBack: (day: number, { count, bytes }: QueuedLines): void => {
      const lines = waitingOf(day)
      lines.chunks.unshift(bytes)
      lines.count += count
      size += count
    },
  }
}

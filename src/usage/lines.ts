import { dayOf, formatEvent, type UsageEvent } from './event.ts'

/** Lines of one day, as written to its log. */
export interface Lines {
  /** Number of lines. */
  readonly events: number
  readonly bytes: Uint8Array
}

/**
 * Queue of lines to write, one byte buffer per day: tens of thousands of strings would burden the
 * garbage collector. Buffers are reused.
 */
export interface LineQueue {
  /** Number of queued lines. */
  readonly size: () => number
  readonly days: () => ReadonlySet<number>
  readonly add: (event: UsageEvent) => void
  /** Empties the queue. The bytes are valid until returned by `giveBack` or `putBack`. */
  readonly take: () => ReadonlyMap<number, Lines>
  /** Releases the buffer of taken lines for reuse. */
  readonly giveBack: (lines: Lines) => void
  /** Requeues taken lines before newer ones. */
  readonly putBack: (day: number, lines: Lines) => void
  readonly clear: () => void
}

const initialBytes = 64 * 1024
/** Max buffer kept for reuse, so that a burst does not hold memory. */
const maxSpareBytes = 2 ** 20

interface Waiting {
  events: number
  buffer: Buffer
  length: number
}

export const createLineQueue = (): LineQueue => {
  let waiting = new Map<number, Waiting>()
  let size = 0
  let spare: Buffer | undefined

  const waitingOf = (day: number): Waiting => {
    const known = waiting.get(day)
    if (known) return known
    const made = { events: 0, buffer: spare ?? Buffer.allocUnsafeSlow(initialBytes), length: 0 }
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

  return {
    size: () => size,
    days: () => new Set(waiting.keys()),
    add: (event) => {
      const line = formatEvent(event)
      const lines = waitingOf(dayOf(event.timeMs))
      // A UTF-16 code unit takes at most three bytes of UTF-8.
      reserve(lines, 3 * line.length)
      lines.length += lines.buffer.write(line, lines.length)
      lines.events += 1
      size += 1
    },
    take: () => {
      const taken = new Map(
        [...waiting].map(([day, { events, buffer, length }]) => [
          day,
          { events, bytes: buffer.subarray(0, length) },
        ]),
      )
      waiting = new Map()
      size = 0
      return taken
    },
    giveBack: ({ bytes: { buffer } }) => {
      if (buffer.byteLength <= maxSpareBytes) spare = Buffer.from(buffer)
    },
    putBack: (day, { events, bytes }) => {
      const lines = waitingOf(day)
      const all = Buffer.concat([bytes, lines.buffer.subarray(0, lines.length)])
      waiting.set(day, { events: events + lines.events, buffer: all, length: all.length })
      size += events
    },
    clear: () => {
      waiting = new Map()
      size = 0
    },
  }
}

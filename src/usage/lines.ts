import { dayOf, formatEvent, type UsageEvent } from './event.ts'

/** Lines of one day, as they will stand in its log. */
export interface Lines {
  /** How many. */
  readonly events: number
  readonly bytes: Uint8Array
}

/**
 * Lines that wait for the disk: as bytes in a buffer for each day, so that tens of thousands of them are
 * no work for the garbage collector. The buffer of one batch serves the next.
 */
export interface LineQueue {
  /** Lines that wait. */
  readonly size: () => number
  readonly days: () => ReadonlySet<number>
  readonly add: (event: UsageEvent) => void
  /** Empties the queue. Each day's bytes are good until they are given back or put back. */
  readonly take: () => ReadonlyMap<number, Lines>
  /** The memory of lines that were taken is not needed any more. */
  readonly giveBack: (lines: Lines) => void
  /** Lines that were taken wait again, before those that came since. */
  readonly putBack: (day: number, lines: Lines) => void
  readonly clear: () => void
}

const initialBytes = 64 * 1024
/** What a busy moment took is not kept for ever. */
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
      // A character of a string takes three bytes at most.
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

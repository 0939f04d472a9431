import type { Bytes } from '../../http/encoding.ts'
import type { LateResponse } from '../../http/requestContext.ts'
import { cursorOf, type Place, readCursor } from './entry.ts'
import type { Page } from './history.ts'

/** Maximum length of a chunk with more than one change. */
const maxChunkLength = 64 * 1024

const encoder = new TextEncoder()

/** Bytes for a stream, and the place reached with them. */
export interface Chunk {
  readonly place: Place
  readonly bytes: Bytes
}

/** Number of readers; pages derive from it a random delay of their requests after a change. */
const readersEvent = (readers: number): string =>
  `event: readers\ndata: ${JSON.stringify({ readers })}\n\n`

/** First bytes of a stream. */
export const beginningOf = (readers: number): Bytes =>
  encoder.encode(`retry: 2000\n: changes as they happen\n${readersEvent(readers)}`)

/** A chunk preceded by the number of readers. */
export const withReaders = ({ place, bytes }: Chunk, readers: number): Chunk => ({
  place,
  bytes: Buffer.concat([encoder.encode(readersEvent(readers)), bytes]),
})

/** The first changes of a page as events; the last id is the place reached. */
export const chunkOf = ({ entries, place }: Page): Chunk => {
  const frames: string[] = []
  let length = 0
  let last: string | undefined
  for (const { id, text } of entries) {
    const frame = `id: ${id}\ndata: ${text}\n\n`
    length += frame.length
    if (last !== undefined && length > maxChunkLength) {
      return { place: readCursor(last) ?? place, bytes: encoder.encode(frames.join('')) }
    }
    frames.push(frame)
    last = id
  }
  const cursor = cursorOf(place)
  if (last !== cursor) frames.push(`id: ${cursor}\n\n`)
  return { place, bytes: encoder.encode(frames.join('')) }
}

export const resetChunk = (place: Place, data: string): Chunk => ({
  place,
  bytes: encoder.encode(`id: ${cursorOf(place)}\nevent: reset\ndata: ${data}\n\n`),
})

/** A chunk preceded by the unknown bots of a filter. */
export const withUnknownBots = (
  { place, bytes }: Chunk,
  unknownBots: readonly string[],
): Chunk => ({
  place,
  bytes: Buffer.concat([
    encoder.encode(`event: unknownBots\ndata: ${JSON.stringify({ unknownBots })}\n\n`),
    bytes,
  ]),
})

/** The response to a long poll; the texts of entries are JSON already. */
export const pageResponse = (
  { entries, place, more, version }: Page,
  unknownBots: readonly string[],
): LateResponse => {
  const changes = entries.map(({ text }) => text).join(',')
  const unknown = unknownBots.length > 0 ? { unknownBots } : {}
  const rest = JSON.stringify({ cursor: cursorOf(place), more, version, ...unknown }).slice(1)
  return { status: 200, bytes: encoder.encode(`{"changes":[${changes}],${rest}`) }
}

export const goneResponse = (data: string): LateResponse => ({
  status: 410,
  bytes: encoder.encode(data),
})

/** The readers that have waited longest for room: as few as hold this much unread data, or all. */
export const slowest = <Reader extends { readonly unreadBytes: number; readonly sentMs: number }>(
  readers: Iterable<Reader>,
  bytes: number,
): readonly Reader[] => {
  const waiting = [...readers].filter(({ unreadBytes }) => unreadBytes > 0)
  waiting.sort((a, b) => a.sentMs - b.sentMs)
  let sum = 0
  const enough = waiting.findIndex(({ unreadBytes }) => {
    sum += unreadBytes
    return sum >= bytes
  })
  return enough < 0 ? waiting : waiting.slice(0, enough + 1)
}

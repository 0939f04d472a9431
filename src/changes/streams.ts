import { setImmediate } from 'node:timers/promises'
import { networkOf } from '../usage/address.ts'
import { cursorOf, type Entry, type Filter, matches, type Place } from './entry.ts'
import type { ChangeFeed } from './feed.ts'

const usualHeartbeatMs = 15_000
const maxUnreadBytes = 2 ** 20
const maxUnreadFrames = 256
/** A frame counts as at least this much, so that one sum bounds both frames and bytes. */
const minFrameWeight = maxUnreadBytes / maxUnreadFrames
/** Read from the feed at a time while a reader catches up. */
const pageEntries = 50
/** Written to in one turn of the event loop, some 5 ms of work. */
const streamsPerTurn = 500

const encoder = new TextEncoder()
const frame = (text: string): Uint8Array => encoder.encode(text)
const eventFrame = ({ id, text }: Entry): Uint8Array => frame(`id: ${id}\ndata: ${text}\n\n`)
const cursorFrame = (place: Place): Uint8Array => frame(`id: ${cursorOf(place)}\n\n`)
const beginFrame = frame('retry: 2000\n: changes as they happen\n\n')
const waitFrame = frame(':\n\n')

/** What is unread weighs at most this; one value for all streams. */
const unreadFrames: QueuingStrategy<Uint8Array> = {
  highWaterMark: maxUnreadBytes,
  size: (bytes) => Math.max(bytes?.length ?? 0, minFrameWeight),
}

/** One reader. */
interface Stream {
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  readonly filter: Filter
  /** How far it is; what is not after it was sent. */
  seq: number
  /** It gets what is published, and has everything before. */
  isLive: boolean
  sentBytes: number
  readonly resetText: OpenOptions['resetText']
  readonly finish: () => void
}

export interface OpenOptions {
  /** A cursor; undefined from now on. */
  readonly since: string | undefined
  readonly filter: Filter
  /** The body of `reset` events, with the cursor to go on from. */
  readonly resetText: (cursor: string) => string
  /** Hears once that the stream has ended. */
  readonly onEnd: (sentBytes: number) => void
}

export interface ChangeStreams {
  /**
   * Takes a place for a client by its address; undefined when all are taken. The returned function gives
   * it back, and may be called twice.
   */
  readonly enter: (address: string | undefined) => (() => void) | undefined
  readonly open: (options: OpenOptions) => ReadableStream<Uint8Array>
  /** Streams open, and requests that wait for a change. */
  readonly count: () => number
  /** Aborted when the process ends. */
  readonly stopped: AbortSignal
  readonly stop: () => void
}

/**
 * Server-Sent Events of a feed. A frame is encoded once for all readers. Readers who are behind read
 * page by page at their own speed, and go live in the same tick in which nothing is left to read. One
 * with more than 256 unread frames or 1 MiB is cut, and resumes by itself.
 */
export const createStreams = (
  feed: ChangeFeed,
  {
    maxStreams,
    maxStreamsPerClient,
    heartbeatMs = usualHeartbeatMs,
  }: { maxStreams: number; maxStreamsPerClient: number; heartbeatMs?: number },
): ChangeStreams => {
  const streams = new Set<Stream>()
  const clients = new Map<string, number>()
  let places = 0
  const stopping = new AbortController()

  const end = (stream: Stream): void => {
    if (!streams.delete(stream)) return
    stream.finish()
  }

  /** False for a reader that is cut. */
  const send = (stream: Stream, bytes: Uint8Array): boolean => {
    const { controller } = stream
    const room = controller.desiredSize
    if (room === null || room < Math.max(bytes.length, minFrameWeight)) {
      end(stream)
      // Closing would first wait for what is unread.
      if (room !== null) controller.error(new Error('the reader is too slow'))
      return false
    }
    controller.enqueue(bytes)
    stream.sentBytes += bytes.length
    return true
  }

  const inTurns = async (visit: (stream: Stream) => void): Promise<void> => {
    let count = 0
    for (const stream of streams) {
      visit(stream)
      count += 1
      if (count % streamsPerTurn === 0) await setImmediate()
    }
  }

  const unsent: { readonly entry: Entry; readonly bytes: Uint8Array }[] = []
  let isSending = false
  const sendAll = async (): Promise<void> => {
    isSending = true
    while (unsent.length > 0) {
      const batch = unsent.splice(0)
      const last = batch.at(-1)?.entry.seq ?? 0
      await inTurns((stream) => {
        if (!stream.isLive || stream.seq >= last) return
        for (const { entry, bytes } of batch) {
          if (entry.seq <= stream.seq || !matches(stream.filter, entry)) continue
          if (!send(stream, bytes)) return
        }
        stream.seq = Math.max(stream.seq, last)
      })
    }
    isSending = false
  }
  feed.subscribe((entries) => {
    for (const entry of entries) unsent.push({ entry, bytes: eventFrame(entry) })
    if (!isSending) void sendAll()
  })

  const heartbeat = setInterval(() => {
    const place = feed.end()
    const bytes = cursorFrame(place)
    void inTurns((stream) => {
      // One that has not got everything yet must not move on.
      send(stream, stream.isLive && stream.seq >= place.seq ? bytes : waitFrame)
    })
  }, heartbeatMs)
  heartbeat.unref()

  const reset = (stream: Stream): void => {
    const place = feed.end()
    const cursor = cursorOf(place)
    stream.seq = place.seq
    stream.isLive = true
    send(stream, frame(`id: ${cursor}\nevent: reset\ndata: ${stream.resetText(cursor)}\n\n`))
  }
  feed.onRestart(() => {
    for (const stream of streams) if (stream.isLive) reset(stream)
  })

  const hasRoom = ({ controller }: Stream): boolean =>
    (controller.desiredSize ?? 0) >= maxUnreadBytes / 2

  /** Sends what a reader has not got, as far as there is room. */
  const catchUp = async (stream: Stream, from: Place): Promise<Place> => {
    let place = from
    while (!stream.isLive && streams.has(stream)) {
      const read = feed.read(place, stream.filter, pageEntries)
      // What memory has comes at once, so that nothing is published in between.
      const page = read instanceof Promise ? await read : read
      if (!page) {
        reset(stream)
        break
      }
      for (const entry of page.entries) if (!send(stream, eventFrame(entry))) return place
      place = page.place
      const end = feed.end()
      if (!page.more && place.seq === end.seq) {
        stream.seq = place.seq
        stream.isLive = true
        send(stream, cursorFrame(place))
      } else if (!hasRoom(stream)) break
    }
    return place
  }

  return {
    enter: (address) => {
      const client = networkOf(address ?? '')
      const own = clients.get(client) ?? 0
      if (places >= maxStreams || own >= maxStreamsPerClient || stopping.signal.aborted) {
        return undefined
      }
      places += 1
      clients.set(client, own + 1)
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        places -= 1
        const left = (clients.get(client) ?? 1) - 1
        if (left > 0) clients.set(client, left)
        else clients.delete(client)
      }
    },
    open: (options) => {
      let stream: Stream | undefined
      let place: Place | undefined
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            const opened: Stream = {
              controller,
              filter: options.filter,
              seq: 0,
              isLive: false,
              sentBytes: 0,
              resetText: options.resetText,
              finish: () => options.onEnd(opened.sentBytes),
            }
            stream = opened
            streams.add(opened)
            send(opened, beginFrame)
          },
          pull: async () => {
            if (!stream || stream.isLive || !hasRoom(stream)) return
            await feed.ready
            if (!place) {
              const { since } = options
              place = since === undefined ? feed.end() : feed.find(since)
              if (!place) {
                reset(stream)
                return
              }
            }
            place = await catchUp(stream, place)
          },
          cancel: () => {
            if (stream) end(stream)
          },
        },
        unreadFrames,
      )
    },
    count: () => places,
    stopped: stopping.signal,
    stop: () => {
      stopping.abort()
      clearInterval(heartbeat)
      for (const stream of [...streams]) {
        end(stream)
        stream.controller.close()
      }
    },
  }
}

import type { Connection, LateResponse, Waiter } from '../../http/requestContext.ts'
import { createTrust, type Network } from '../../http/trustedNetworks.ts'
import {
  beginningOf,
  type Chunk,
  chunkOf,
  goneResponse,
  pageResponse,
  resetChunk,
  slowest,
  withReaders,
  withUnknownBots,
} from './delivery.ts'
import { cursorOf, type Filter, type Place, versioned } from './entry.ts'
import type { ChangeFeed } from './feed.ts'
import { createHub, filterKey, type Reader, type SharedPage } from './hub.ts'
import { type Client, createPlaces } from './places.ts'
import type { Gone } from './schema.ts'

const defaultHeartbeatMs = 15_000
const defaultMaxUnreadBytes = 64 * 2 ** 20
const defaultMaxUnreadBytesPerClient = 32 * 2 ** 20
/** A connection that reads none of its waiting data for this long is cut. */
const defaultMaxStalledMs = 30_000
/** Share of the budget that stays when readers are cut, so that not every chunk cuts another one. */
const keptShare = 7 / 8
/** Approximate number of entries per chunk. */
const entriesPerChunk = 64
const brokenResponse: LateResponse = {
  status: 500,
  bytes: new TextEncoder().encode('{"error":"internal error"}'),
}
/** Ends the wait of a client that has disconnected; never sent. */
const abandoned: LateResponse = { status: 200, bytes: new Uint8Array() }
const reloadPaths = ['/tournaments', '/fights', '/cages', '/schedule', '/clips', '/stills', '/bots']

interface ReaderOptions {
  /** A cursor; undefined starts at the newest change. */
  readonly since: string | undefined
  readonly filter: Filter
  /** Client as returned by `enter`; undefined for a reader without a place. */
  readonly client: Client | undefined
}
interface StreamOptions extends ReaderOptions {
  readonly connection: Connection
}
interface PollOptions extends ReaderOptions {
  readonly limit: number
  readonly waitMs: number
  /** Signal of the client's connection: aborted when it is closed. */
  readonly signal: AbortSignal
  readonly waiter: Waiter
}

export type ChangeStreams = ReturnType<typeof createStreams>

/**
 * Streams and long polls of a feed. A stream gets at most one chunk at a time, once the previous one has left for its
 * connection: a slow reader costs one chunk, however far behind it is. When all waiting chunks exceed `maxUnreadBytes`,
 * the readers that have waited longest are cut; they resume by themselves.
 */
export const createStreams = (
  feed: ChangeFeed,
  {
    maxStreams,
    maxStreamsPerClient,
    trustedNetworks = [],
    linkPath = '',
    heartbeatMs = defaultHeartbeatMs,
    maxUnreadBytes = defaultMaxUnreadBytes,
    maxUnreadBytesPerClient = defaultMaxUnreadBytesPerClient,
    maxStalledMs = defaultMaxStalledMs,
  }: {
    maxStreams: number
    maxStreamsPerClient: number
    /** Networks without the limits per client. */
    trustedNetworks?: readonly Network[]
    linkPath?: string
    heartbeatMs?: number
    maxUnreadBytes?: number
    maxUnreadBytesPerClient?: number
    maxStalledMs?: number
  },
) => {
  const places = createPlaces(maxStreams, maxStreamsPerClient, createTrust(trustedNetworks))
  const hub = createHub(feed)
  let unreadBytes = 0
  let isStopping = false

  const goneAt = (place: Place): string =>
    JSON.stringify({
      error: 'the cursor is unknown, too old, or from before a removal',
      cursor: cursorOf(place),
      reload: reloadPaths.map((path) => versioned(linkPath + path, feed.version())),
      version: feed.version(),
    } satisfies Gone)

  const unknownBots = ({ bots }: Filter): readonly string[] =>
    bots === undefined
      ? []
      : bots
          .slice(1, -1)
          .split(',')
          .filter((bot) => !feed.isBot(bot))

  /** A class, because closures took a third of the memory of a stream at rest: 10,000 readers feel it. */
  class Stream implements Reader {
    place: Place | undefined
    readonly since: string | undefined
    readonly filter: Filter
    readonly limit = entriesPerChunk
    readonly key: string
    readonly client: Client | undefined
    readonly connection: Connection
    controller: ReadableStreamDefaultController<Uint8Array> | undefined
    isReady = false
    isCut = false
    dueMs = 0
    /** Bytes of the last chunk, until there is room for the next one. */
    unreadBytes = 0
    sentMs = 0
    sentBytes = 0
    /** Number of readers last sent on this stream. */
    toldReaders = 0

    constructor({ since, filter, client, connection }: StreamOptions) {
      this.since = since
      this.filter = filter
      this.key = filterKey(filter)
      this.client = client
      this.connection = connection
    }
    start(controller: ReadableStreamDefaultController<Uint8Array>): void {
      this.controller = controller
      hub.add(this)
      this.toldReaders = hub.readers.size
      const beginning = beginningOf(this.toldReaders)
      controller.enqueue(beginning)
      this.sentBytes = beginning.length
      if (isStopping) this.stop()
    }
    /** Called with a high-water mark of 0: the last chunk has left, and there is room. */
    pull(): void {
      if (this.isCut) return
      this.setUnread(0)
      this.isReady = true
      const end = feed.end()
      if (this.place?.seq !== end.seq || this.place.epoch !== end.epoch) hub.wake(this)
    }
    /** The connection is gone. */
    cancel(): void {
      this.finish()
    }
    deliver(shared: SharedPage): void {
      shared.chunk ??= chunkOf(shared.page)
      this.send(shared.chunk)
    }
    charge(bytes: number): void {
      this.connection.charge(bytes)
    }
    reset(): void {
      const place = feed.end()
      this.send(resetChunk(place, goneAt(place)))
    }
    send(chunk: Chunk): void {
      const unknown = this.sentMs === 0 ? unknownBots(this.filter) : []
      const named = unknown.length > 0 ? withUnknownBots(chunk, unknown) : chunk
      const readers = hub.readers.size
      const isTold = readers < 2 * this.toldReaders && 2 * readers > this.toldReaders
      const { place, bytes } = isTold ? named : withReaders(named, readers)
      if (!isTold) this.toldReaders = readers
      this.place = place
      this.isReady = false
      this.sentMs = performance.now()
      this.dueMs = this.sentMs + heartbeatMs
      this.sentBytes += bytes.length
      this.setUnread(bytes.length)
      this.controller?.enqueue(bytes)
      if (unreadBytes > maxUnreadBytes) cutSlowest(unreadBytes - keptShare * maxUnreadBytes)
      const { client } = this
      if (client && !client.isTrusted && client.unreadBytes > maxUnreadBytesPerClient)
        cutSlowest(client.unreadBytes - keptShare * maxUnreadBytesPerClient, client)
    }
    stalled(nowMs: number): void {
      if (this.unreadBytes > 0 && nowMs - this.sentMs >= maxStalledMs) this.cut()
    }
    /**
     * Its place stays taken until the connection is gone; only a stream that is neither closed nor errored learns of
     * that.
     */
    cut(): void {
      this.isCut = true
      this.isReady = false
      this.setUnread(0)
      this.connection.cut()
    }
    setUnread(bytes: number): void {
      unreadBytes += bytes - this.unreadBytes
      if (this.client) this.client.unreadBytes += bytes - this.unreadBytes
      this.unreadBytes = bytes
    }
    finish(): void {
      if (!hub.remove(this)) return
      this.isReady = false
      this.setUnread(0)
      if (this.client !== undefined) places.giveBack(this.client)
      this.connection.ended(this.sentBytes)
    }
    failed(error: unknown): void {
      this.connection.failed(error)
      this.cut()
      if (this.client !== undefined) places.giveBack(this.client)
      this.connection.ended(this.sentBytes)
    }
    stop(): void {
      // Unread data would delay the end.
      if (!this.isReady) this.connection.cut()
      this.controller?.close()
      this.finish()
    }
  }

  /** Cuts the streams that have waited longest for their client to read, of all clients or of one. */
  const cutSlowest = (bytes: number, client?: Client): void => {
    const streams = [...hub.readers].flatMap((reader) =>
      reader instanceof Stream && (!client || reader.client === client) ? [reader] : [],
    )
    for (const stream of slowest(streams, bytes)) stream.cut()
  }

  /** A class for the same reason as a stream. */
  class Poll implements Reader, EventListenerObject {
    place: Place | undefined
    readonly since: string | undefined
    readonly filter: Filter
    readonly limit: number
    readonly key: string
    readonly client: Client | undefined
    readonly waiter: Waiter
    isReady = true
    dueMs: number

    constructor({ since, filter, limit, waitMs, client, signal, waiter }: PollOptions) {
      this.since = since
      this.filter = filter
      this.limit = limit
      this.key = filterKey(filter)
      this.client = client
      this.waiter = waiter
      this.dueMs = isStopping ? 0 : performance.now() + waitMs
      hub.add(this)
      signal.addEventListener('abort', this, { once: true })
      if (signal.aborted) this.handleEvent()
    }
    handleEvent(): void {
      this.finish(abandoned)
    }
    deliver(shared: SharedPage): void {
      shared.response ??= pageResponse(shared.page, unknownBots(this.filter))
      this.finish(shared.response)
    }
    charge(bytes: number): void {
      this.waiter.charge(bytes)
    }
    /** True while the stream waits for the log. */
    stalled(): void {}
    reset(): void {
      this.finish(goneResponse(goneAt(feed.end())))
    }
    finish(response: LateResponse): void {
      if (!hub.remove(this)) return
      this.isReady = false
      if (this.client !== undefined) places.giveBack(this.client)
      this.waiter.respond(response)
    }
    failed(): void {
      this.isReady = false
      if (this.client !== undefined) places.giveBack(this.client)
      this.waiter.respond(brokenResponse)
    }
    stop(): void {
      this.dueMs = 0
      hub.wake(this)
    }
  }

  return {
    /**
     * Takes a place for a client by its address; the end of its stream or poll gives it back. Undefined if all are
     * taken, or the process stops.
     */
    enter: (address: string | undefined): Client | undefined =>
      isStopping ? undefined : places.take(address),
    /** Gives an unused place back. */
    leave: places.giveBack,
    open: (options: StreamOptions): ReadableStream<Uint8Array> =>
      new ReadableStream(new Stream(options), { highWaterMark: 0 }),
    /**
     * Responds with the first page that is not empty, with the last page after a time, or with 410. Equal pages that
     * are due at the same time share one response.
     */
    poll: (options: PollOptions): void => void new Poll(options),
    /** Number of places taken: connected streams, and requests that wait for a change. */
    count: places.count,
    stop: (): void => {
      isStopping = true
      for (const reader of [...hub.readers]) reader.stop()
    },
  }
}

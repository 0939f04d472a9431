import type { LateResponse } from '../../http/requestContext.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'
import type { Chunk } from './delivery.ts'
import { cursorOf, everything, type Filter, type Place } from './entry.ts'
import type { ChangeFeed } from './feed.ts'
import type { Page } from './history.ts'

/** Resolution of `dueMs`. */
const tickMs = 100

/** A page for all readers with one place and key; encoded at most once per kind of reader. */
export interface SharedPage {
  readonly page: Page
  chunk?: Chunk
  response?: LateResponse
}

/** A place in the feed with a filter and a receiver. */
export interface Reader {
  /** Everything up to this place was delivered; undefined until `since` is found. */
  place: Place | undefined
  /** A cursor; undefined means from now on. */
  readonly since: string | undefined
  readonly filter: Filter
  /** {@link filterKey} of the filter. */
  readonly key: string
  readonly limit: number
  /** True if the reader can take data. */
  isReady: boolean
  /** Time at which it gets its place if there is nothing else, on the clock of `performance.now()`. */
  dueMs: number
  readonly deliver: (shared: SharedPage) => void
  /** Charges the client for reading bytes of the log. */
  readonly charge: (bytes: number) => void
  /** Called when a visit is due, but the reader cannot take data. */
  readonly stalled: (nowMs: number) => void
  /** Called when the place of the reader is after the newest known change. */
  readonly reset: () => void
  /** Called when the reader threw an error and gets no more visits. */
  readonly failed: (error: unknown) => void
  /** Called when the process stops. */
  readonly stop: () => void
}

/** Equal filters have equal keys. */
export const filterKey = (filter: Filter): string =>
  filter === everything
    ? ''
    : JSON.stringify(filter, (_, value) => (value instanceof Set ? [...value] : value))

/** True if a reader gets the page at its place: an empty page only once it is due. */
export const isDelivered = (
  { entries }: Page,
  { dueMs }: Pick<Reader, 'dueMs'>,
  nowMs: number,
): boolean => entries.length > 0 || nowMs >= dueMs

/**
 * Sends published changes to ready readers, and to others once they are ready. All share one timer, and one listener of
 * each kind at the feed.
 */
export const createHub = (feed: ChangeFeed) => {
  const readers = new Set<Reader>()
  /** Readers to visit, in order. */
  const queue = new Set<Reader>()
  /** Pages read since the last change, while there are readers to visit; by place and key. */
  const pages = new Map<string, SharedPage | undefined>()
  let isVisiting = false
  let ticking: ReturnType<typeof setInterval> | undefined

  const pageAt = (place: Place, reader: Reader) => {
    const { key, filter, limit } = reader
    const name = `${cursorOf(place)} ${limit} ${key}`
    if (pages.has(name)) return pages.get(name)
    const page = feed.read(place, filter, limit, (bytes) => reader.charge(bytes))
    // Pages from the log on disk.
    if (page instanceof Promise) return page.then((read) => read && { page: read })
    const shared = page && { page }
    pages.set(name, shared)
    return shared
  }

  /** A reader that throws must not end the visits to others. */
  const guarded = (reader: Reader, work: () => void): void => {
    try {
      work()
    } catch (error) {
      // A reader that has ended has already released its buffers.
      if (readers.delete(reader)) reader.failed(error)
    }
  }

  const give = (reader: Reader, shared: SharedPage | undefined): void => {
    if (!shared) reader.reset()
    else if (isDelivered(shared.page, reader, performance.now())) reader.deliver(shared)
    else reader.place = shared.page.place
  }

  const giveLater = async (
    reader: Reader,
    reading: Promise<SharedPage | undefined>,
  ): Promise<void> => {
    reader.isReady = false
    const shared = await reading.catch(() => undefined)
    if (!readers.has(reader)) return
    reader.isReady = true
    guarded(reader, () => give(reader, shared))
  }

  const locate = (reader: Reader): void => {
    reader.place ??= reader.since === undefined ? feed.end() : feed.find(reader.since)
  }

  const visit = (reader: Reader): void => {
    if (!reader.isReady || !(reader.place || feed.isReady())) return
    locate(reader)
    const shared = reader.place && pageAt(reader.place, reader)
    if (shared instanceof Promise) void giveLater(reader, shared)
    else give(reader, shared)
  }

  const visitAll = async (): Promise<void> => {
    isVisiting = true
    const slice = createTimeSlice()
    await slice.next()
    for (const reader of queue) {
      queue.delete(reader)
      guarded(reader, () => visit(reader))
      // Bytes written for earlier clients some microtasks later count, too.
      await undefined
      if (slice.isOver()) await slice.next()
    }
    pages.clear()
    isVisiting = false
  }

  /** Schedules a visit of a reader. */
  const wake = (reader: Reader): void => {
    if (!reader.isReady) return
    queue.add(reader)
    if (!isVisiting) void visitAll()
  }
  const wakeAll = (): void => {
    pages.clear()
    for (const reader of readers) wake(reader)
  }
  feed.subscribe(wakeAll)
  feed.onRestart(wakeAll)
  void feed.ready.then(() => {
    for (const reader of readers) locate(reader)
    wakeAll()
  })

  const tick = (): void => {
    const nowMs = performance.now()
    for (const reader of readers) {
      if (nowMs < reader.dueMs) continue
      if (reader.isReady) wake(reader)
      else reader.stalled(nowMs)
    }
  }

  const all: ReadonlySet<Reader> = readers
  return {
    readers: all,
    wake,
    add: (reader: Reader): void => {
      readers.add(reader)
      if (feed.isReady()) locate(reader)
      ticking ??= setInterval(tick, tickMs).unref()
      wake(reader)
    },
    /** False for one that is not there. */
    remove: (reader: Reader): boolean => {
      const wasThere = readers.delete(reader)
      if (readers.size === 0) {
        clearInterval(ticking)
        ticking = undefined
      }
      return wasThere
    },
  }
}

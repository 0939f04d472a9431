import { describe, expect, spyOn, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { cursorOf } from '../../../src/companions/changes/entry.ts'
import { type ChangeFeed, createFeed } from '../../../src/companions/changes/feed.ts'
import { createStreams } from '../../../src/companions/changes/streams.ts'
import type { LateResponse } from '../../../src/http/requestContext.ts'
import { parseNetworks } from '../../../src/http/trustedNetworks.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { archiveWithCages } from '../../fixtures.ts'
import { cageRow, fightRows, playersNamed, tournamentOf } from '../../rows.ts'
import { until } from '../../until.ts'

const filter = { types: undefined, bots: undefined, tournament: undefined }
const players = playersNamed('Axe', 'Bolt')
const fightNamed = (id: string) =>
  fightRows({ id, name: 'x'.repeat(4000), state: 'available' }, 'p0', 'p1', null)
/** One cage that changes with each step, and has a queue: each fight in it takes 4 KB of a change. */
const archiveAt = (step: number, queued: number) => {
  const queue = Array.from({ length: queued }, (_, position) => `W-${position + 1}`)
  return {
    ...archiveWithCages(
      {
        cages: [
          cageRow({
            number: 1,
            ...(step % 2 === 1 && { status: 'assigned', tournamentId: 'cup', gameId: 'W-0' }),
          }),
        ],
        cageQueue: queue.map((gameId, position) => ({
          cage: 1,
          position,
          tournamentId: 'cup',
          gameId,
        })),
      },
      tournamentOf({ id: 'cup' }, players, ['W-0', ...queue].map(fightNamed)),
    ),
    version: `version-${step}`,
  }
}

type Options = Partial<Parameters<typeof createStreams>[1]>

const newFeed = (over: { readonly maxEntries?: number } = {}) =>
  createFeed({
    changeLog: undefined,
    site: { linkPath: '', hasPages: true },
    now: () => 1_770_000_000,
    log: createLog('silent'),
    ...over,
  })
/** A feed with one change for each swap. */
const begin = async (options: Options = {}, queued = 0, logRead?: Promise<void>) => {
  const feed = newFeed()
  feed.begin(archiveAt(0, queued))
  await feed.ready
  const listeners = { now: 0, added: 0 }
  const counted =
    <Listener>(add: (listener: Listener) => () => void) =>
    (listener: Listener) => {
      listeners.now += 1
      listeners.added += 1
      const remove = add(listener)
      return () => {
        listeners.now -= 1
        remove()
      }
    }
  const countedFeed: ChangeFeed = {
    ...feed,
    subscribe: counted(feed.subscribe),
    onRestart: counted(feed.onRestart),
    // Delays pages as if they came from the log on disk.
    ...(logRead && { read: (...page) => logRead.then(() => feed.read(...page)) }),
  }
  const streams = createStreams(countedFeed, {
    maxStreams: 2000,
    maxStreamsPerClient: 2000,
    heartbeatMs: 5,
    ...options,
  })
  const since = cursorOf(feed.end())
  const connection = {
    ended: () => undefined,
    cut: () => undefined,
    failed: () => undefined,
    charge: () => undefined,
  }
  const open = (): ReadableStream<Uint8Array> =>
    streams.open({ since, filter, client: undefined, connection })
  const poll = (over: Partial<Parameters<typeof streams.poll>[0]> = {}): Promise<LateResponse> =>
    new Promise((respond) => {
      streams.poll({
        since,
        filter,
        limit: 1000,
        waitMs: 25_000,
        client: streams.enter('192.0.2.1'),
        signal: new AbortController().signal,
        waiter: { charge: () => undefined, respond },
        ...over,
      })
    })
  let step = 0
  const swap = async (): Promise<void> => {
    step += 1
    const published = Promise.withResolvers<unknown>()
    const unsubscribe = feed.subscribe(published.resolve)
    feed.swapped(archiveAt(step - 1, queued), archiveAt(step, queued))
    await published.promise
    unsubscribe()
  }
  return { feed, streams, open, poll, swap, since, listeners }
}

const numbersIn = (text: string, pattern: RegExp): readonly number[] =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number))
const changesIn = (text: string): readonly number[] => numbersIn(text, /^id: \w+-(\d+)\ndata/gm)
const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index + 1)

/** Reads a stream until its text meets a condition. */
const readUntil = async (
  stream: ReadableStream<Uint8Array>,
  isEnough: (text: string) => boolean,
): Promise<string> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!isEnough(text)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`ended after ${text.length} characters`)
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return text
}

describe('a stream of changes', () => {
  test('a stream that is behind by many changes gets ids in order, with heartbeats in between', async () => {
    const { open, swap } = await begin()
    const last = 250
    for (let each = 0; each < last; each += 1) await swap()
    const text = await readUntil(
      open(),
      (read) => (read.match(/\n\nid: \w+-250\n\n/g) ?? []).length > 2,
    )
    const ids = numbersIn(text, /^id: \w+-(\d+)$/gm)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(changesIn(text)).toEqual(range(last))
  })

  test('ids never go back while changes and heartbeats are sent to many readers', async () => {
    const { open, swap } = await begin({ heartbeatMs: 1 })
    const last = 60
    const reading = Array.from({ length: 300 }, () =>
      readUntil(open(), (text) => text.includes(`-${last}\ndata`)),
    )
    for (let each = 0; each < last; each += 1) {
      await swap()
      if (each % 7 === 0) await setImmediate()
    }
    for (const text of await Promise.all(reading)) {
      const ids = numbersIn(text, /^id: \w+-(\d+)$/gm)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      expect(changesIn(text)).toEqual(range(last))
    }
  })

  test('a stream that is behind by large changes gets all of them', async () => {
    const { open, swap } = await begin({}, 6)
    for (let each = 0; each < 130; each += 1) await swap()
    const text = await readUntil(open(), (read) => read.includes('-130\ndata'))
    expect(changesIn(text)).toEqual(range(130))
  })

  test('a stream opened while others are written to gets each change once', async () => {
    const { open, swap } = await begin()
    const hasAll = (text: string): boolean => text.includes('-3\ndata')
    const first = Array.from({ length: 600 }, () => readUntil(open(), hasAll))
    await swap()
    await setImmediate()
    await swap()
    const late = readUntil(open(), hasAll)
    await swap()
    for (const text of await Promise.all([late, ...first]))
      expect(changesIn(text)).toEqual([1, 2, 3])
  })

  test('an idle stream gets its place once, and again only after each heartbeat', async () => {
    const { open, swap } = await begin({ heartbeatMs: 60_000 })
    using clock = spyOn(performance, 'now').mockReturnValue(1000)
    const reader = open().getReader()
    const read = async () => `${Buffer.from((await reader.read()).value ?? [])}`
    await read()
    const place = await read()
    expect(place).toMatch(/^id: \w+-0\n\n$/)
    for (const ms of [61_000, 122_000]) {
      const next = read()
      // Wait for two ticks of the hub.
      expect(await Promise.race([next, Bun.sleep(250)])).toBeUndefined()
      clock.mockReturnValue(ms)
      expect(await next).toBe(place)
    }
    // One heartbeat after the last event, not one for each event.
    const change = read()
    clock.mockReturnValue(130_000)
    await swap()
    expect(await change).toContain('data: ')
    clock.mockReturnValue(190_000)
    expect(await Promise.race([read(), Bun.sleep(5000)])).toMatch(/^id: \w+-1\n\n$/)
    await reader.cancel()
  })

  test('a stream has a timer only while it is open', async () => {
    const { open } = await begin({ heartbeatMs: 60_000 })
    const timers = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')]
    const counts = () => timers.map(({ mock }) => mock.calls.length)
    for (const round of [1, 2]) {
      const readers = [open().getReader(), open().getReader()]
      await Promise.all(readers.map((reader) => reader.read()))
      expect(counts()).toEqual([round, round - 1])
      for (const reader of readers) await reader.cancel()
      expect(counts()).toEqual([round, round])
    }
    for (const timer of timers) timer.mockRestore()
  })

  test('a stream counts its bytes at its end', async () => {
    const { streams, swap, since } = await begin({ heartbeatMs: 60_000 })
    const ended = Promise.withResolvers<number>()
    const connection = {
      ended: ended.resolve,
      cut: () => undefined,
      failed: () => undefined,
      charge: () => undefined,
    }
    await swap()
    const reader = streams.open({ since, filter, client: undefined, connection }).getReader()
    let bytes = 0
    const read = async () => {
      bytes += (await reader.read()).value?.length ?? 0
    }
    await read()
    await read()
    await swap()
    await read()
    await reader.cancel()
    expect(await ended.promise).toBe(bytes)
  })

  test('a stream that is not read while an epoch begins is reset when it is read again', async () => {
    const { feed, open } = await begin({ heartbeatMs: 60_000 })
    const reader = open().getReader()
    await reader.read()
    await reader.read()
    const { epoch } = feed.end()
    feed.begin(archiveAt(0, 0))
    await until(() => feed.end().epoch !== epoch)
    await setImmediate()
    expect(`${Buffer.from((await reader.read()).value ?? [])}`).toContain('event: reset')
    await reader.cancel()
  })

  test('a stream without a cursor starts with the changes after its request', async () => {
    const { streams, swap } = await begin()
    const connection = {
      ended: () => undefined,
      cut: () => undefined,
      failed: () => undefined,
      charge: () => undefined,
    }
    const stream = streams.open({ since: undefined, filter, client: undefined, connection })
    await swap()
    expect(changesIn(await readUntil(stream, (text) => text.includes('data: {"id"')))).toEqual([1])
  })

  test('a stream opened before there is any data starts with the changes after the first', async () => {
    const feed = newFeed()
    const streams = createStreams(feed, { maxStreams: 1, maxStreamsPerClient: 1 })
    const connection = {
      ended: () => undefined,
      cut: () => undefined,
      failed: () => undefined,
      charge: () => undefined,
    }
    const stream = streams.open({ since: undefined, filter, client: undefined, connection })
    const reading = readUntil(stream, (text) => text.includes('data: {"id"'))
    await setImmediate()
    feed.begin(archiveAt(0, 0))
    await feed.ready
    feed.swapped(archiveAt(0, 0), archiveAt(1, 0))
    expect(changesIn(await reading)).toEqual([1])
  })
})

test.each([undefined, Promise.resolve()])(
  'a reader that throws gets no more changes, and others do %#',
  async (logRead) => {
    const { streams, poll, open, swap } = await begin({ heartbeatMs: 15_000 }, 0, logRead)
    const respond = (): never => {
      throw new Error('broken')
    }
    void poll({ waiter: { charge: () => undefined, respond } })
    const enqueue = spyOn(ReadableStreamDefaultController.prototype, 'enqueue')
    const failures: unknown[] = []
    const connection = {
      ended: () => undefined,
      cut: () => undefined,
      failed: (error: unknown) => void failures.push(error),
      charge: () => undefined,
    }
    const client = streams.enter('192.0.2.2')
    streams.open({ since: undefined, filter, client, connection }).getReader().read()
    const others = [open(), open()].map((stream) =>
      readUntil(stream, (text) => changesIn(text).length === 2),
    )
    await setImmediate()
    enqueue.mockImplementationOnce(() => {
      throw new TypeError('the stream is closed')
    })
    await swap()
    enqueue.mockRestore()
    await swap()
    const read = await Promise.race([Promise.all(others), Bun.sleep(2000)])
    expect(read?.map(changesIn) ?? failures).toEqual([
      [1, 2],
      [1, 2],
    ])
  },
)

test('a stream that ends while the log is read for it is written to no more', async () => {
  const logRead = Promise.withResolvers<void>()
  const { open, swap } = await begin({}, 0, logRead.promise)
  await swap()
  const reader = open().getReader()
  await reader.read()
  const next = reader.read()
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  await reader.cancel()
  expect(await next).toEqual({ done: true, value: undefined })
  logRead.resolve()
  // A write to a closed stream would be an unhandled rejection.
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
})

describe('unread bytes', () => {
  /** Readers that take one chunk of one change of 5 KB each, and then nothing until they are read again. */
  const beginWith = async (maxUnreadBytes: number, options: Options = {}) => {
    const limits = { heartbeatMs: 15_000, maxUnreadBytes, ...options }
    const { streams, swap, since } = await begin(limits)
    await swap()
    const cuts: string[] = []
    const openReader = async (name: string, address?: string) => {
      const client = address === undefined ? undefined : streams.enter(address)
      const connection = {
        ended: () => undefined,
        cut: () => cuts.push(name),
        failed: () => undefined,
        charge: () => undefined,
      }
      const reader = streams.open({ since, filter, client, connection }).getReader()
      await reader.read()
      expect((await reader.read()).value?.length).toBeGreaterThan(4000)
      return reader
    }
    return { openReader, cuts, swap, stop: streams.stop }
  }

  test('the stop of the process does not wait for unread bytes', async () => {
    const { openReader, cuts, stop } = await beginWith(1e9)
    const waiting = (await openReader('waits for more')).read()
    await openReader('reads nothing')
    stop()
    expect(cuts).toEqual(['reads nothing'])
    expect((await waiting).done).toBe(true)
  })

  test('unread bytes of a reader that left no longer count', async () => {
    const { openReader, cuts } = await beginWith(8000)
    for (const name of ['a', 'b', 'c']) await (await openReader(name)).cancel()
    expect(cuts).toEqual([])
  })

  test('streams are cut until an eighth of the limit is free', async () => {
    const { openReader, cuts } = await beginWith(30_000)
    const names = [...'abcdefgh']
    for (const name of names) {
      await openReader(name)
      if (cuts.length > 0) break
    }
    expect(cuts).toEqual(['a', 'b'])
  })

  test('only streams of an address above its limit are cut', async () => {
    const { openReader, cuts } = await beginWith(1e9, { maxUnreadBytesPerClient: 20_000 })
    const names = [...'abcdef']
    for (const name of names) {
      await openReader(name, '192.0.2.1')
      await openReader(name.toUpperCase(), `198.51.100.${name.charCodeAt(0)}`)
      if (cuts.length > 0) break
    }
    expect(cuts).toEqual(['a', 'b'])
  })

  test('streams of a trusted network are not cut at the limit of an address', async () => {
    const trustedNetworks = parseNetworks('192.0.2.0/24') ?? []
    const { openReader, cuts } = await beginWith(1e9, {
      maxUnreadBytesPerClient: 20_000,
      trustedNetworks,
    })
    for (const name of 'abcdef') await openReader(name, '192.0.2.1')
    expect(cuts).toEqual([])
  })

  test('a stream that reads nothing for a while is cut', async () => {
    const { openReader, cuts } = await beginWith(1e9, { heartbeatMs: 50, maxStalledMs: 300 })
    await openReader('stalled')
    const reading = await openReader('reads')
    let isOver = false
    const read = (async () => {
      while (!isOver) await reading.read()
    })()
    await until(() => cuts.length > 0)
    await Bun.sleep(200)
    expect(cuts).toEqual(['stalled'])
    isOver = true
    await read
    await reading.cancel()
  })

  test('unread bytes of a cut reader no longer count, and it gets nothing more', async () => {
    const { openReader, cuts, swap } = await beginWith(8000)
    const cut = await openReader('a')
    const other = await openReader('b')
    expect(cuts).toEqual(['a'])
    // The reader has taken its chunk.
    const next = other.read()
    const last = await openReader('c')
    expect(cuts).toEqual(['a'])
    await last.cancel()
    const more = cut.read().then(() => 'more')
    await swap()
    expect((await next).done).toBe(false)
    expect(await Promise.race([more, Bun.sleep(20)])).toBeUndefined()
  })
})

describe('connections of slow readers', () => {
  const serve = async (options: Options) => {
    const running = await begin({ heartbeatMs: 15_000, ...options }, 120)
    const { streams, since } = running
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const client = streams.enter('192.0.2.1')
        const connection = {
          ended: () => undefined,
          cut: () => server.timeout(request, 1),
          failed: () => undefined,
          charge: () => undefined,
        }
        return new Response(streams.open({ since, filter, client, connection }))
      },
    })
    const open = async (onData: (bytes: Buffer) => void): Promise<Socket> => {
      const before = streams.count()
      const socket = connect(Number(server.port), '127.0.0.1')
      socket.on('error', () => undefined).on('data', onData)
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await until(() => streams.count() > before)
      return socket
    }
    return { ...running, server, connectReader: open }
  }

  test('slow readers are cut when the budget is exceeded, then their places are free; others get everything', async () => {
    const { streams, server, swap, connectReader } = await serve({ maxUnreadBytes: 2_000_000 })
    const stalled: Socket[] = []
    for (let each = 0; each < 4; each += 1) {
      stalled.push((await connectReader(() => undefined)).pause())
    }
    let text = ''
    const reading = await connectReader((bytes) => {
      text += bytes.toString('latin1')
    })
    expect(streams.count()).toBe(5)
    // The kernel takes the first megabytes of each.
    let swaps = 0
    for (; swaps < 200 && streams.count() > 4; swaps += 1) {
      await swap()
      await until(() => text.includes(`-${swaps + 1}\ndata`))
    }
    expect(swaps).toBeLessThan(200)
    expect(changesIn(text)).toEqual(range(swaps))
    await until(() => server.pendingRequests === streams.count())
    reading.destroy()
    await until(() => streams.count() === server.pendingRequests)
    for (const socket of stalled) socket.destroy()
    await until(() => streams.count() === 0)
    await server.stop(true)
  })

  test('a stream opened during the stop of the process ends', async () => {
    const { streams, open } = await begin()
    streams.stop()
    await new Response(open()).arrayBuffer()
  })

  test('slow readers do not delay the stop of the process', async () => {
    const { streams, server, swap, connectReader } = await serve({})
    const stalled = await connectReader(() => undefined)
    stalled.pause()
    for (let each = 0; each < 30; each += 1) await swap()
    streams.stop()
    // The stop waits for every open response.
    await server.stop()
    stalled.destroy()
  })
})

describe('long polls', () => {
  const bodyOf = ({ bytes }: { readonly bytes: Uint8Array }) =>
    JSON.parse(new TextDecoder().decode(bytes))

  test('long polls with the same cursor and filter share one response', async () => {
    const { poll, swap, streams } = await begin()
    const waiting = Array.from({ length: 50 }, () => poll())
    const other = poll({ filter: { ...filter, types: new Set(['cage.changed']) } })
    await swap()
    const responses = await Promise.all(waiting)
    expect(new Set(responses).size).toBe(1)
    for (const response of [...responses.slice(0, 1), await other]) {
      expect(bodyOf(response)).toMatchObject({ changes: [{ id: expect.any(String) }], more: false })
    }
    expect(await other).not.toBe(responses[0])
    expect(streams.count()).toBe(0)
  })

  test('long polls with other types get other responses from the same cursor', async () => {
    const { poll, swap, streams } = await begin()
    const ofType = (type: string) => poll({ filter: { ...filter, types: new Set([type]) } })
    const [clips, cages] = [ofType('clip.added'), ofType('cage.changed')]
    await swap()
    expect(bodyOf(await cages).changes).toHaveLength(1)
    expect(streams.count()).toBe(1)
    streams.stop()
    expect(bodyOf(await clips).changes).toEqual([])
  })

  test('long polls with other limits get other parts after the same cursor', async () => {
    const { poll, swap } = await begin()
    for (let each = 0; each < 3; each += 1) await swap()
    const responses = await Promise.all([1, 1000, 2].map((limit) => poll({ limit })))
    expect(responses.map((response) => bodyOf(response).changes.length)).toEqual([1, 3, 2])
  })

  test('long polls are not behind when memory no longer has changes that they filter out', async () => {
    const feed = newFeed({ maxEntries: 5 })
    feed.begin(archiveAt(0, 0))
    await feed.ready
    const streams = createStreams(feed, { maxStreams: 1, maxStreamsPerClient: 1 })
    const { promise: response, resolve: respond } = Promise.withResolvers<LateResponse>()
    const started = feed.end()
    streams.poll({
      since: cursorOf(started),
      filter: { ...filter, types: new Set(['clip.added']) },
      limit: 1000,
      waitMs: 25_000,
      client: undefined,
      signal: new AbortController().signal,
      waiter: { charge: () => undefined, respond },
    })
    for (let step = 1; step <= 10; step += 1) {
      feed.swapped(archiveAt(step - 1, 0), archiveAt(step, 0))
      await until(() => feed.end().seq === started.seq + step)
      await setImmediate()
    }
    expect(feed.find(cursorOf(started))).toBeUndefined()
    streams.stop()
    expect(await response).toMatchObject({ status: 200 })
  })

  test('long polls get 410 if their part of the log cannot be read', async () => {
    const failing = Promise.reject(new Error('EIO'))
    failing.catch(() => undefined)
    const { poll, swap } = await begin({}, 0, failing)
    await swap()
    expect(await poll()).toMatchObject({ status: 410 })
  })

  test('long polls are woken in time slices, and others are answered between them', async () => {
    const { poll, swap } = await begin()
    let answered = 0
    const waiting = Array.from({ length: 200 }, async () => {
      await poll()
      answered += 1
      const untilMs = performance.now() + 1
      while (performance.now() < untilMs);
    })
    const swapping = swap()
    let most = 0
    while (answered < waiting.length) {
      const before = answered
      await setImmediate()
      most = Math.max(most, answered - before)
    }
    await swapping
    // Readers visited before the first write: its bytes are written some microtasks later.
    expect(most).toBeLessThanOrEqual(20)
  })

  test('long polls of a disconnected client give their place back at once', async () => {
    const { poll, streams } = await begin()
    const gone = new AbortController()
    const waiting = [poll({ signal: gone.signal }), poll({ signal: AbortSignal.abort() })]
    expect(streams.count()).toBe(1)
    gone.abort()
    expect(streams.count()).toBe(0)
    await Promise.all(waiting)
  })

  test('long polls that begin during the stop of the process are answered at once', async () => {
    const { streams, poll } = await begin()
    streams.stop()
    expect(await poll({ waitMs: 600_000 })).toMatchObject({ status: 200 })
  })

  test('long polls and streams add no listeners to the feed', async () => {
    const { poll, open, swap, listeners } = await begin()
    const before = { ...listeners }
    for (let round = 0; round < 20; round += 1) {
      const waiting = [poll(), poll({ waitMs: 0 })]
      const stream = readUntil(open(), (text) => text.includes('data: {"id"'))
      await swap()
      await Promise.all([...waiting, stream])
    }
    expect(listeners).toEqual(before)
    expect(before.now).toBeLessThanOrEqual(2)
  })
})

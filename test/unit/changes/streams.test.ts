import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { cursorOf } from '../../../src/changes/entry.ts'
import { createFeed } from '../../../src/changes/feed.ts'
import { createStreams } from '../../../src/changes/streams.ts'
import { createLog } from '../../../src/log.ts'
import { archiveOf } from '../../fixtures.ts'
import { fightRows, tournamentOf } from '../../rows.ts'
import { until } from '../../until.ts'

const filter = { types: undefined, bot: undefined, tournament: undefined }
const players = ['Axe', 'Bolt'].map((name, index) => ({ id: `p${index}`, name }))
const archiveAt = (step: number) => ({
  ...archiveOf(
    tournamentOf({ id: 'cup' }, players, [fightRows({ notice: `notice ${step}` }, 'p0', 'p1')]),
  ),
  version: `version-${step}`,
})

const begin = async () => {
  const feed = createFeed({
    changeLog: undefined,
    basePath: '',
    now: () => 1_770_000_000,
    log: createLog('silent'),
  })
  feed.begin(archiveAt(0))
  await feed.ready
  const streams = createStreams(feed, {
    maxStreams: 2000,
    maxStreamsPerClient: 2000,
    heartbeatMs: 5,
  })
  const start = cursorOf(feed.end())
  const open = (): ReadableStream<Uint8Array> =>
    streams.open({ since: start, filter, resetText: () => '{}', onEnd: () => undefined })
  let step = 0
  const swap = (): void => {
    step += 1
    feed.swapped(archiveAt(step - 1), archiveAt(step))
  }
  return { feed, streams, open, swap }
}

/** Runs what is due without a turn of the event loop. */
const settle = async (): Promise<void> => {
  for (let round = 0; round < 200; round += 1) await Promise.resolve()
}

const numbersIn = (text: string, pattern: RegExp): readonly number[] =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number))

describe('a stream of changes', () => {
  test('of a reader that is behind has cursors in order, heartbeats or not', async () => {
    const { feed, streams, open, swap } = await begin()
    // More than may be unread at once.
    const last = 200
    for (let each = 0; each < last; each += 1) swap()
    await until(() => feed.end().seq === last)
    const stream = open()
    await Bun.sleep(30)
    const reader = stream.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (!text.includes(`-${last}\ndata`)) {
      const { value } = await reader.read()
      text += decoder.decode(value, { stream: true })
    }
    expect(text).toContain('\n\n:\n\n')
    const numbers = numbersIn(text, /^id: \w+-(\d+)$/gm)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    streams.stop()
  })

  test('that catches up while others are written to gets each change once', async () => {
    const { feed, streams, open, swap } = await begin()
    const first = Array.from({ length: 600 }, open)
    await settle()
    // Some readers get the first change in this turn, the others in the next one.
    swap()
    await settle()
    swap()
    await settle()
    const late = open()
    await settle()
    swap()
    await until(() => feed.end().seq === 3)
    // Readers are written to in some turns of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    streams.stop()
    for (const stream of [late, ...first.slice(-1)]) {
      const text = await new Response(stream).text()
      expect(numbersIn(text, /^id: \w+-(\d+)\ndata/gm)).toEqual([1, 2, 3])
    }
  })
})

test('a place that is given back twice is given back once', async () => {
  const { streams } = await begin()
  const [first, second] = [streams.enter('192.0.2.1'), streams.enter('192.0.2.1')]
  first?.()
  first?.()
  expect(streams.count()).toBe(1)
  second?.()
  expect(streams.count()).toBe(0)
  streams.stop()
})

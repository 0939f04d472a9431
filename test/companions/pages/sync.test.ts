import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Camera,
  type Clock,
  direct,
  isInStep,
  type Order,
  rangeOf,
  seekClock,
  stoppedClock,
  timeAt,
} from '../../../src/companions/pages/browser/sync.ts'

const camera = (over: Partial<Camera> = {}): Camera => ({
  offset: 60,
  duration: 300,
  position: 60,
  rate: 1,
  isReady: true,
  isSeeking: false,
  isAwaited: true,
  ...over,
})
const running = (time: number): Clock => ({
  ...stoppedClock(time),
  isRunning: true,
  wantsPlay: true,
})

/** A video that obeys orders late, plays a little off speed, and may lose its data. */
class Video {
  position = 0
  plays = false
  rate = 1
  seekLeftMs = 0
  stalledMs = 0
  /** Delay between `play()` and the first frame. */
  readonly startMs: number
  startLeftMs = 0
  readonly offset: number
  readonly duration: number
  readonly speed: number
  readonly seekMs: number
  constructor({
    offset,
    speed,
    seekMs,
    startMs = 0,
  }: {
    offset: number
    speed: number
    seekMs: number
    startMs?: number
  }) {
    this.startMs = startMs
    this.offset = offset
    this.duration = 400
    this.speed = speed
    this.seekMs = seekMs
  }
  now(): Camera {
    const { offset, duration, position, rate } = this
    const isSeeking = this.seekLeftMs > 0
    const isReady = !isSeeking && this.stalledMs <= 0
    return { offset, duration, position, rate, isSeeking, isReady, isAwaited: true }
  }
  obey({ plays, seekTo, rate }: Order): void {
    if (plays && !this.plays) this.startLeftMs = this.startMs
    this.plays = plays
    this.rate = rate
    if (seekTo === undefined) return
    this.position = Math.min(seekTo, this.duration)
    this.seekLeftMs = this.seekMs
  }
  pass(ms: number): void {
    const isMoving = this.plays && this.seekLeftMs <= 0 && this.stalledMs <= 0
    const movingMs = isMoving ? Math.max(0, ms - Math.max(0, this.startLeftMs)) : 0
    this.position += (movingMs / 1000) * this.rate * this.speed
    this.position = Math.min(this.position, this.duration)
    this.startLeftMs -= ms
    this.seekLeftMs -= ms
    this.stalledMs -= ms
  }
}

const stepMs = 100
/** Plays videos for a time, and returns how far they are apart at its end. */
const play = (
  videos: readonly Video[],
  {
    seconds,
    from = 0,
    rate = 1,
    at,
  }: {
    seconds: number
    from?: number
    rate?: number
    at?: (ms: number) => void
  },
) => {
  let clock: Clock = { ...stoppedClock(from, rate), wantsPlay: true }
  for (let ms = 0; ms < seconds * 1000; ms += stepMs) {
    at?.(ms)
    const { orders, ...result } = direct(
      clock,
      videos.map((video) => video.now()),
      ms,
    )
    clock = result.clock
    for (const [index, order] of orders.entries()) videos[index]?.obey(order)
    for (const video of videos) video.pass(stepMs)
  }
  const times = videos.map(({ position, offset }) => position - offset)
  return {
    clock,
    apart: Math.max(...times) - Math.min(...times),
    time: timeAt(clock, seconds * 1000),
  }
}

describe('direct', () => {
  test('cameras seek if more than 0.25 s off, and change speed in proportion if less', () => {
    const at = (drift: number) =>
      direct(running(10), [camera({ position: 70 }), camera({ position: 70 + drift })], 0).orders[1]
    expect(at(0)).toEqual({ plays: true, seekTo: undefined, rate: 1 })
    expect(at(0.01)).toEqual({ plays: true, seekTo: undefined, rate: 1 })
    expect(at(0.1)?.rate).toBeCloseTo(0.8)
    expect(at(-0.1)?.rate).toBeCloseTo(1.2)
    expect(at(0.2)?.rate).toBe(0.7)
    expect(at(-0.2)?.rate).toBe(1.3)
    expect(at(0.3)).toEqual({ plays: true, seekTo: 70, rate: 1 })
    expect(at(-5)).toEqual({ plays: true, seekTo: 70, rate: 1 })
  })

  test('cameras at half speed are corrected by the same share', () => {
    const cameras = [70, 70.1].map((position) => camera({ position, rate: 0.5 }))
    const { orders } = direct({ ...running(10), rate: 0.5 }, cameras, 0)
    expect(orders.map(({ rate }) => rate)).toEqual([0.5, expect.closeTo(0.4)])
  })

  test('cameras are corrected until well within the tolerance', () => {
    const next = (rate: number) => {
      const off = camera({ position: 70.01, rate })
      return direct(running(10), [camera({ position: 70 }), off], 0).orders[1]?.rate
    }
    expect([next(0.96), next(1)]).toEqual([0.98, 1].map((rate) => expect.closeTo(rate)))
  })

  test('a single camera leads the clock and is never corrected', () => {
    const { clock, orders } = direct(running(10), [camera({ position: 69.8 })], 0)
    expect(clock.time).toBeCloseTo(9.8)
    expect(orders).toEqual([{ plays: true, seekTo: undefined, rate: 1 }])
  })

  test('cameras wait for the slowest, and go back to where it stopped', () => {
    const stalled = camera({ offset: 20, position: 29.6, isReady: false })
    const { clock, orders, waitsFor } = direct(running(10), [camera({ position: 70 }), stalled], 0)
    expect(clock).toMatchObject({ isRunning: false, wantsPlay: true })
    expect(clock.time).toBeCloseTo(9.6)
    expect(waitsFor).toEqual([1])
    expect(orders.map(({ plays }) => plays)).toEqual([false, false])
    expect(orders[0]?.seekTo).toBeCloseTo(69.6)
    expect(orders[1]?.seekTo).toBeUndefined()
  })

  test('cameras start together once all are there', () => {
    const clock: Clock = { ...stoppedClock(10), wantsPlay: true }
    const there = [camera({ position: 70 }), camera({ offset: 5, position: 15 })]
    expect(direct(clock, there, 500)).toMatchObject({
      clock: { isRunning: true, time: 10, atMs: 500 },
      orders: [{ plays: true }, { plays: true }],
    })
    const seeking = [camera({ position: 70 }), camera({ offset: 5, position: 15, isSeeking: true })]
    expect(direct(clock, seeking, 500).orders.map(({ plays }) => plays)).toEqual([false, false])
  })

  test('a camera that began later or has ended rests, and nobody waits for it', () => {
    const late = camera({ offset: -30, position: 0, isReady: false })
    const over = camera({ offset: 60, duration: 65, position: 65, isReady: false })
    const { clock, orders, waitsFor } = direct(
      running(10),
      [camera({ position: 70 }), late, over],
      0,
    )
    expect(clock.isRunning).toBe(true)
    expect(waitsFor).toEqual([])
    expect(orders.map(({ plays, seekTo }) => [plays, seekTo])).toEqual([
      [true, undefined],
      [false, undefined],
      [false, undefined],
    ])
    // A camera plays from its first picture on, and nobody waits at its last one.
    expect(direct(running(30), [late], 0).waitsFor).toEqual([0])
    const last = camera({ duration: 65, position: 64.95, isReady: false })
    expect(direct(running(4.95), [camera({ position: 64.95 }), last], 0).waitsFor).toEqual([])
  })

  test('playback stops at the end of the last camera', () => {
    const cameras = [camera({ position: 300 }), camera({ offset: 0, duration: 200, position: 200 })]
    const { clock, orders } = direct(running(241), cameras, 0)
    expect(clock).toMatchObject({ time: 240, isRunning: false, wantsPlay: false })
    expect(orders.every(({ plays }) => !plays)).toBe(true)
    // The last tenth of a second has no picture.
    const atLast = direct(running(239.95), [camera({ position: 299.95 })], 0)
    expect(atLast.clock).toMatchObject({ time: 239.95, wantsPlay: false })
  })

  test('a pause and a jump take all cameras to the same place', () => {
    const clock = seekClock({ ...running(10), wantsPlay: false }, 83.5)
    const { orders } = direct(clock, [camera({ position: 70 }), camera({ offset: 5 })], 0)
    expect(orders).toEqual([
      { plays: false, seekTo: 143.5, rate: 1 },
      { plays: false, seekTo: 88.5, rate: 1 },
    ])
  })

  test('a step of one frame seeks by exactly one frame', () => {
    const clock = seekClock(stoppedClock(10), 10 + 1 / 60)
    expect(direct(clock, [camera({ position: 70 })], 0).orders[0]?.seekTo).toBeCloseTo(70 + 1 / 60)
  })

  test('a camera within 40 ms of its place stays there before the start, but is moved at rest', () => {
    const near = [camera({ position: 70.03 }), camera({ position: 70, isReady: false })]
    const seekTo = (wantsPlay: boolean) =>
      direct({ ...stoppedClock(10), wantsPlay }, near, 0).orders[0]?.seekTo
    expect([seekTo(true), seekTo(false)]).toEqual([undefined, 70])
  })

  test('a camera that has no picture yet does not start with the others', () => {
    const clock: Clock = { ...stoppedClock(10), wantsPlay: true }
    const late = camera({ offset: -30, position: 0 })
    const { orders } = direct(clock, [camera({ position: 70 }), late], 0)
    expect(orders.map(({ plays }) => plays)).toEqual([true, false])
  })

  test('the clock does not go before the first picture, nor back with an earlier step', () => {
    expect(direct(stoppedClock(-100), [camera(), camera({ offset: 5 })], 0).clock.time).toBe(-60)
    expect(timeAt({ ...running(10), atMs: 500 }, 400)).toBe(10)
    expect(timeAt({ ...running(10), atMs: 500, rate: 0.5 }, 1500)).toBe(10.5)
    expect(seekClock(running(10), 20)).toMatchObject({ time: 20, isRunning: false })
  })

  test('playback waits for a camera of unknown length', () => {
    const clock: Clock = { ...stoppedClock(10), wantsPlay: true }
    const loading = camera({ duration: Number.NaN, position: 0, isReady: false })
    expect(direct(clock, [loading], 0)).toMatchObject({ waitsFor: [0], clock: { wantsPlay: true } })
  })
})

describe('direct, with cameras that fail or stall', () => {
  test('nobody waits for a camera that is not awaited, and it follows when it can', () => {
    const left = camera({ offset: 20, position: 25, isReady: false, isAwaited: false })
    const { clock, orders, waitsFor } = direct(running(10), [camera({ position: 70 }), left], 0)
    expect(clock).toMatchObject({ isRunning: true, time: 10 })
    expect(waitsFor).toEqual([])
    expect(orders[1]).toEqual({ plays: true, seekTo: 30, rate: 1 })
    expect(direct(running(10), [left, camera({ isReady: false })], 0).waitsFor).toEqual([1])
    const unknown = { ...left, duration: Number.NaN }
    const atEnd = direct(running(240), [camera({ position: 300 }), unknown], 0)
    expect(atEnd.clock).toMatchObject({ wantsPlay: false, time: 240 })
  })

  test('nothing plays without a camera, and the time stays', () => {
    const { clock } = direct(running(10), [], 0)
    expect(clock).toMatchObject({ wantsPlay: false, isRunning: false, time: 10 })
  })

  test('the others go back to a stopped camera by a second at most, but not to a seeking one', () => {
    const there = camera({ position: 70 })
    const timeWith = (other: Camera) => direct(running(10), [there, other], 0).clock.time
    expect(timeWith(camera({ position: 65, isReady: false }))).toBe(9)
    expect(timeWith(camera({ position: 65, isReady: false, isSeeking: true }))).toBe(10)
  })

  test('a camera that follows later is not moved again while it seeks', () => {
    const left = camera({ position: 25, isSeeking: true, isAwaited: false })
    const { orders } = direct(running(10), [camera({ position: 70 }), left], 0)
    expect(orders[1]).toEqual({ plays: true, seekTo: undefined, rate: 1 })
  })

  test.each([
    ['is ready within a quarter of a second', {}, true],
    ['is a quarter of a second off', { position: 70.25 }, true],
    ['is further off', { position: 70.26 }, false],
    ['seeks', { isSeeking: true }, false],
    ['has no data', { isReady: false }, false],
  ])('a camera that %s is in step: %p', (_, over, is) => {
    expect(isInStep(camera({ position: 70, ...over }), 10)).toBe(is)
  })

  test('the clock continues at the place of the videos after a sleep', () => {
    const hourMs = 3_600_000
    const cameras = [camera({ position: 70.1 }), camera({ offset: 5, position: 15.08 })]
    const left = camera({ position: 75, isAwaited: false })
    const { clock, orders } = direct(running(10), [...cameras, left], hourMs)
    expect(clock).toMatchObject({ isRunning: true, wantsPlay: true, atMs: hourMs })
    expect(clock.time).toBeCloseTo(10.1, 3)
    expect(orders.map(({ seekTo }) => seekTo)).toEqual([undefined, undefined, expect.closeTo(70.1)])
    // A paused clock stays.
    expect(direct(stoppedClock(10), cameras, hourMs).clock.time).toBe(10)
    // No video gives the time between two recordings.
    expect(direct(running(10), [camera({ offset: -30 })], 5000).clock.time).toBe(15)
  })
})

test('the range of playback covers all cameras', () => {
  expect(rangeOf([camera(), camera({ offset: -5, duration: 400 })])).toEqual({ from: -60, to: 405 })
  expect(rangeOf([camera({ duration: Number.NaN })])).toEqual({ from: -60, to: 0 })
})

const videoSetting = fc.record({
  offset: fc.double({ min: -5, max: 105, noNaN: true }),
  speed: fc.double({ min: 0.985, max: 1.015, noNaN: true }),
  seekMs: fc.integer({ min: 0, max: 900 }),
  stallAtMs: fc.integer({ min: 1000, max: 12_000 }),
  stallMs: fc.integer({ min: 0, max: 4000 }),
})

test('cameras are within 0.1 s of each other after 20 s, whichever stalled', () => {
  fc.assert(
    fc.property(
      fc.array(videoSetting, { minLength: 2, maxLength: 5 }),
      fc.constantFrom(1, 0.5),
      (settings, rate) => {
        const videos = settings.map((setting) => new Video(setting))
        const { apart, time } = play(videos, {
          from: 10,
          seconds: 20,
          rate,
          at: (ms) => {
            for (const [index, { stallAtMs, stallMs }] of settings.entries()) {
              const video = videos[index]
              if (video && ms === Math.round(stallAtMs / stepMs) * stepMs) video.stalledMs = stallMs
            }
          },
        })
        expect(apart).toBeLessThan(0.1)
        expect(time).toBeGreaterThan(10 + 1 * rate)
      },
    ),
    { numRuns: 300, seed: 23 },
  )
})

test.each([
  [1, 0.1],
  [3, 2 / 30],
])(
  'cameras are within the limit %d s after a stall that leaves them up to 0.23 s apart: %d s',
  (seconds, limit) => {
    const setting = fc.record({
      offset: fc.double({ min: -5, max: 105, noNaN: true }),
      speed: fc.double({ min: 0.995, max: 1.005, noNaN: true }),
      seekMs: fc.integer({ min: 0, max: 300 }),
      startMs: fc.integer({ min: 0, max: 230 }),
    })
    fc.assert(
      fc.property(
        fc.array(setting, { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 1, max: 30 }),
        (settings, stallSteps) => {
          const videos = settings.map((each) => new Video(each))
          let [sinceMs, apart] = [0, 0]
          play(videos, {
            from: 10,
            seconds: 20,
            at: (ms) => {
              const [first] = videos
              if (first && ms === 5000) first.stalledMs = stallSteps * stepMs
              if (ms > 5000 && videos.every(({ plays }) => plays)) sinceMs += stepMs
              if (sinceMs !== seconds * 1000) return
              const times = videos.map(({ position, offset }) => position - offset)
              apart = Math.max(...times) - Math.min(...times)
              sinceMs += stepMs
            },
          })
          expect(sinceMs).toBeGreaterThan(seconds * 1000)
          expect(apart).toBeLessThan(limit)
        },
      ),
      { numRuns: 200, seed: 29 },
    )
  },
)

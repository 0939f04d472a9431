/**
 * Keeps several videos of one fight in step. Pure: `direct` takes the state of the videos and returns an order for
 * each. Times are seconds; times of the clock count from the start of the fight.
 */

/** One video as it is now. */
export interface Camera {
  /** Position in the file at which the fight starts; negative if the camera began later. */
  readonly offset: number
  /** Length of the file; NaN until it is known. */
  readonly duration: number
  readonly position: number
  /** Speed of the video, which differs from the clock's while it corrects a drift. */
  readonly rate: number
  /** True if it could go on playing at once. */
  readonly isReady: boolean
  readonly isSeeking: boolean
  /** True if the others wait for it while it cannot play. */
  readonly isAwaited: boolean
}

/** The one clock of all videos. */
export interface Clock {
  readonly time: number
  /** Time of that position, in milliseconds of any steady clock. */
  readonly atMs: number
  /** True while it runs; it waits for videos that cannot play yet. */
  readonly isRunning: boolean
  readonly wantsPlay: boolean
  /** Speed of the film, 1 as it was filmed. */
  readonly rate: number
}

/** Next action of one video. */
export interface Order {
  readonly plays: boolean
  /** Position in the file to go to. */
  readonly seekTo: number | undefined
  readonly rate: number
}

/** A playing video with a larger drift seeks; with a smaller one it changes its speed. */
const maxSlewSeconds = 0.25
/** Maximum drift in step; a correction goes on to half of it. */
const toleranceSeconds = 0.015
/** Change of speed per second of drift, and its maximum: a drift is halved every 0.35 s. */
const slewGain = 2
const maxSlew = 0.3
/** Maximum distance from its place at which a camera may start. */
const startSeconds = 0.04
/** Maximum distance from its place of a camera at rest: less than a frame. */
const restSeconds = 0.005
/** The last frame of a file is not at its end. */
const tailSeconds = 0.1
/** Steps are a tenth of a second apart, in a hidden tab up to a second or a minute. */
const sleepMs = 1000
/** Distance by which the clock goes back to a video that has stopped. */
const maxWaitBackSeconds = 1

export const stoppedClock = (time: number, rate = 1): Clock => ({
  time,
  atMs: 0,
  isRunning: false,
  wantsPlay: false,
  rate,
})

/** The time of a clock at a moment. */
export const timeAt = ({ time, atMs, isRunning, rate }: Clock, nowMs: number): number =>
  isRunning ? time + (Math.max(0, nowMs - atMs) / 1000) * rate : time

/** The clock set to a time; it runs on once the videos are there. */
export const seekClock = (clock: Clock, time: number): Clock => ({
  ...clock,
  time,
  isRunning: false,
})

/** True if the file has a picture for a time; an unknown length counts as long enough. */
const covers = ({ offset, duration }: Camera, time: number): boolean => {
  const position = time + offset
  return position >= 0 && !(position > duration - tailSeconds)
}

const driftOf = ({ offset, position }: Camera, time: number): number => position - time - offset

/** First and last time that any of the cameras shows; unknown lengths are left out. */
export const rangeOf = (
  cameras: readonly Pick<Camera, 'offset' | 'duration'>[],
): { readonly from: number; readonly to: number } => {
  const known = cameras.filter(({ duration }) => !Number.isNaN(duration))
  return {
    from: Math.min(0, ...cameras.map(({ offset }) => -offset)),
    to: Math.max(0, ...known.map(({ offset, duration }) => duration - offset)),
  }
}

/** True if a camera can play on where the clock is. */
export const isInStep = (camera: Camera, time: number): boolean =>
  camera.isReady && !camera.isSeeking && Math.abs(driftOf(camera, time)) <= maxSlewSeconds

/** The part of their drift that all videos share. The clock takes it over, so that a single video never corrects. */
const commonDrift = (drifts: readonly number[]): number => {
  const [least, most] = [Math.min(...drifts), Math.max(...drifts)]
  const common = least > 0 ? least : Math.min(most, 0)
  return Math.abs(common) > maxSlewSeconds ? 0 : common
}

/**
 * The time of the clock, or of the videos if no step came for a while, because the browser or the machine slept, and
 * they may have slept, too.
 */
const timeAfterStep = (clock: Clock, cameras: readonly Camera[], nowMs: number): number => {
  const awake = cameras.filter((camera) => covers(camera, clock.time))
  const hasSlept = clock.isRunning && nowMs - clock.atMs > sleepMs && awake.length > 0
  return hasSlept
    ? Math.max(...awake.map(({ position, offset }) => position - offset))
    : timeAt(clock, nowMs)
}

const rest = (camera: Camera, time: number, rate: number, tolerance = restSeconds): Order => {
  const position = Math.max(0, time + camera.offset)
  const isBeyond = position > camera.duration - tailSeconds
  const isThere = Math.abs(camera.position - position) <= tolerance
  return { plays: false, seekTo: isBeyond || isThere ? undefined : position, rate }
}

const follow = (camera: Camera, time: number, rate: number): Order => {
  const drift = driftOf(camera, time)
  if (Math.abs(drift) > maxSlewSeconds)
    return { plays: true, seekTo: camera.isSeeking ? undefined : time + camera.offset, rate }
  const isOff = Math.abs(drift) > (camera.rate === rate ? toleranceSeconds : toleranceSeconds / 2)
  const correction = Math.min(Math.max(slewGain * drift, -maxSlew), maxSlew)
  return { plays: true, seekTo: undefined, rate: isOff ? rate * (1 - correction) : rate }
}

/**
 * One step: the clock, and an order for each camera. While an awaited camera that covers the time cannot play, all wait
 * at its place and then start together, each within 40 ms of its own place; the others follow when they can. Without an
 * awaited camera nothing plays.
 */
export const direct = (
  clock: Clock,
  cameras: readonly Camera[],
  nowMs: number,
): {
  readonly clock: Clock
  readonly orders: readonly Order[]
  readonly waitsFor: readonly number[]
} => {
  const { rate } = clock
  const { from, to } = rangeOf(cameras)
  const awaited = cameras.filter(({ isAwaited }) => isAwaited)
  const isKnown = awaited.some(({ duration }) => !Number.isNaN(duration))
  const raw = Math.max(timeAfterStep(clock, awaited, nowMs), from)
  const hasEnded =
    isKnown && awaited.every((each) => each.duration - each.offset <= raw + tailSeconds)
  const time = hasEnded ? Math.min(raw, to) : raw
  const wantsPlay = clock.wantsPlay && !hasEnded && awaited.length > 0
  const showing = awaited.filter((camera) => covers(camera, time))
  const blocked = showing.filter(({ isReady, isSeeking }) => !isReady || isSeeking)
  const waitsFor = wantsPlay ? blocked.map((camera) => cameras.indexOf(camera)) : []

  if (clock.isRunning && wantsPlay && blocked.length === 0) {
    const now = time + commonDrift(showing.map((camera) => driftOf(camera, time)))
    return {
      clock: { ...clock, time: now, atMs: nowMs },
      orders: cameras.map((camera) =>
        covers(camera, now) ? follow(camera, now, rate) : rest(camera, now, rate),
      ),
      waitsFor,
    }
  }

  // The others go back to the place of a camera that stopped by itself.
  const stalled = clock.isRunning && wantsPlay ? blocked.filter(({ isSeeking }) => !isSeeking) : []
  const slowest = Math.min(time, ...stalled.map(({ position, offset }) => position - offset))
  const held = Math.max(slowest, time - maxWaitBackSeconds)
  const isAligned = showing.every((camera) => Math.abs(driftOf(camera, held)) <= startSeconds)
  const isRunning = wantsPlay && blocked.length === 0 && isAligned
  return {
    clock: { ...clock, time: held, atMs: nowMs, isRunning, wantsPlay },
    orders: cameras.map((camera) => {
      const order = rest(camera, held, rate, wantsPlay ? startSeconds : restSeconds)
      return isRunning && covers(camera, held) ? { ...order, plays: true } : order
    }),
    waitsFor,
  }
}

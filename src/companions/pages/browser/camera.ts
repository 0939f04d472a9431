import { make, setText } from './dom.ts'
import { type Camera, isInStep, type Order } from './sync.ts'

/** Smallest files first, in the order of `watch/cameras.ts`. */
const qualities = ['72p', '360p', '720p', 'original'] as const
export type Quality = (typeof qualities)[number]
export const isQuality = (text: string): text is Quality =>
  qualities.some((quality) => quality === text)

const haveFutureData = 3
const networkIdle = 1
/** Time for which the others wait for a small picture that cannot go on. */
const maxWaitMs = 5000

interface Changing {
  isShown: boolean
  hasFailed: boolean
  /** True while it plays for a moment to load, see {@link prime}. */
  isPriming: boolean
  /** Time since which the others wait for it, in milliseconds; undefined if they do not. */
  waitsSinceMs: number | undefined
  /** True while the others go on without it until it is in step. */
  isLeft: boolean
}

/** Takes over one figure of the page: its caption becomes a button that makes it the large one. */
export const takeCamera = (figure: HTMLElement, isShown: boolean) => {
  const video = figure.querySelector('video')
  const caption = figure.querySelector('figcaption')
  if (!video || !caption) throw new Error('a camera has no video or no name')
  const name = caption.textContent ?? ''
  const button = make('button', { type: 'button' }, ...caption.childNodes)
  const note = make('p', { className: 'note' })
  caption.replaceWith(button, note)
  video.controls = false
  video.tabIndex = -1
  const changing: Changing = {
    isShown,
    hasFailed: false,
    isPriming: false,
    waitsSinceMs: undefined,
    isLeft: false,
  }
  /** Position in the file at which the fight starts. */
  const offset = Number(figure.dataset.offset)
  return { figure, video, button, note, name, offset, ...changing }
}

/** One recording of the page, and its state in the player. */
export type CameraBox = ReturnType<typeof takeCamera>

/** State of the video. */
export const readCamera = ({ video, offset, isLeft }: CameraBox): Camera => ({
  offset,
  duration: video.duration,
  position: video.currentTime,
  rate: video.playbackRate,
  isReady: video.readyState >= haveFutureData,
  isSeeking: video.seeking,
  isAwaited: !isLeft,
})

const addressesOf = (video: HTMLVideoElement): readonly string[] =>
  qualities.flatMap((quality) => video.getAttribute(`data-${quality}`) ?? [])

/** File of a quality, else the next larger one, else the largest. */
const addressOf = (video: HTMLVideoElement, wanted: Quality): string | undefined => {
  const larger = qualities.slice(qualities.indexOf(wanted))
  return (
    larger.flatMap((quality) => video.getAttribute(`data-${quality}`) ?? [])[0] ??
    addressesOf(video).at(-1)
  )
}

const loadFile = (camera: CameraBox, address: string): void => {
  const { video } = camera
  camera.hasFailed = false
  video.preload = 'auto'
  video.src = address
}

/** Makes a video load a quality, from the place where it will be needed; tries again if it failed. */
export const load = (camera: CameraBox, quality: Quality): void => {
  const { video, hasFailed } = camera
  const address = addressOf(video, quality)
  if (address === undefined) return
  const isLoaded = video.getAttribute('src') === address && video.preload !== 'none'
  if (!isLoaded || hasFailed) loadFile(camera, address)
}

/** Tries the next larger file if one cannot be loaded, or gives the camera up. */
export const loadLarger = (camera: CameraBox): void => {
  const addresses = addressesOf(camera.video)
  const larger = addresses[addresses.indexOf(camera.video.getAttribute('src') ?? '') + 1]
  if (larger === undefined) camera.hasFailed = true
  else loadFile(camera, larger)
}

/** Plays a video; if the browser waits for a press, an event says so. */
const play = (video: HTMLVideoElement): Promise<void> =>
  video.play().catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'NotAllowedError')
      video.dispatchEvent(new Event('refused'))
  })

/** Plays a video that does not load: some browsers fetch no picture before `play`. */
export const prime = (camera: CameraBox): void => {
  const { video, isPriming } = camera
  if (isPriming || video.readyState >= haveFutureData || video.networkState !== networkIdle) return
  camera.isPriming = true
  void play(video).then(() => {
    camera.isPriming = false
  })
}

export const obey = (camera: CameraBox, order: Order): void => {
  const { video } = camera
  if (video.playbackRate !== order.rate) video.playbackRate = order.rate
  if (order.seekTo !== undefined && video.readyState > 0) video.currentTime = order.seekTo
  if (order.plays && video.paused) void play(video)
  else if (!order.plays && !video.paused && !camera.isPriming) video.pause()
}

/**
 * Leaves a camera behind that the others wait for too long, unless it is required, and takes it back once it is in
 * step.
 */
export const leaveBehind = (
  camera: CameraBox,
  {
    isWaitedFor,
    mayBeLeft,
    time,
  }: { readonly isWaitedFor: boolean; readonly mayBeLeft: boolean; readonly time: number },
): void => {
  const now = performance.now()
  if (camera.isLeft) {
    camera.isLeft = mayBeLeft && !isInStep(readCamera(camera), time)
    return
  }
  camera.waitsSinceMs = isWaitedFor ? (camera.waitsSinceMs ?? now) : undefined
  camera.isLeft =
    mayBeLeft && camera.waitsSinceMs !== undefined && now - camera.waitsSinceMs > maxWaitMs
}

/** Says why there is no picture at a time of the fight. */
export const showNote = (camera: CameraBox, time: number): void => {
  const position = time + camera.offset
  const { hasFailed, isLeft, note, video } = camera
  if (hasFailed) setText(note, 'Cannot be loaded')
  else if (position < 0) setText(note, 'Not recording yet')
  else setText(note, position > video.duration ? 'Over' : isLeft ? 'Loading' : '')
}

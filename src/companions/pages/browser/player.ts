/** Several recordings of one fight on one clock. */
import {
  type CameraBox,
  leaveBehind,
  load,
  loadLarger,
  obey,
  prime,
  type Quality,
  readCamera,
  showNote,
  takeCamera,
} from './camera.ts'
import { type Clock, direct, rangeOf, seekClock, stoppedClock, timeAt } from './sync.ts'

const tickMs = 100
/** Films of most cameras have 30 pictures a second. */
const frameSeconds = 1 / 30
/** Smaller files are for the small pictures. */
const smallQuality: Quality = '72p'

/** State that the controls show. */
export interface Playing {
  readonly time: number
  /** First and last time that any camera shows. */
  readonly from: number
  readonly to: number
  readonly wantsPlay: boolean
  readonly hasSound: boolean
  /** Names of the cameras that the others wait for. */
  readonly waitsFor: readonly string[]
  /** True if no recording can be loaded. */
  readonly hasFailed: boolean
  /** True for each camera that is shown. */
  readonly shown: readonly boolean[]
}

interface Options {
  readonly figures: readonly HTMLElement[]
  /** True for each camera that is shown at first. */
  readonly shown: readonly boolean[]
  readonly quality: Quality
  readonly time: number
  readonly onChange: (playing: Playing) => void
}

/** The player as its controls use it; times are of the fight. */
export const createPlayer = ({ figures, quality, onChange, ...first }: Options) => {
  const cameras = figures.map((figure, index) => takeCamera(figure, first.shown[index] ?? false))
  let clock: Clock = stoppedClock(first.time)
  let main = 0
  let hasSound = false
  let largeQuality = quality

  const active = (): readonly CameraBox[] =>
    cameras.filter(({ isShown, hasFailed }) => isShown && !hasFailed)
  const range = () => rangeOf(active().map(readCamera))
  const now = (): number => timeAt(clock, performance.now())

  const tell = (waitsFor: readonly CameraBox[]): void => {
    const time = now()
    for (const camera of cameras) showNote(camera, time)
    onChange({
      time,
      ...range(),
      wantsPlay: clock.wantsPlay,
      hasSound,
      waitsFor: waitsFor.map(({ name }) => name),
      hasFailed: active().length === 0,
      shown: cameras.map(({ isShown }) => isShown),
    })
  }

  const tick = (): void => {
    const playing = active()
    if (clock.wantsPlay) for (const camera of playing) prime(camera)
    const result = direct(clock, playing.map(readCamera), performance.now())
    clock = result.clock
    for (const [index, camera] of playing.entries()) {
      const order = result.orders[index]
      if (order) obey(camera, order)
      leaveBehind(camera, {
        isWaitedFor: result.waitsFor.includes(index),
        mayBeLeft: clock.wantsPlay && camera !== cameras[main],
        time: clock.time,
      })
    }
    tell(result.waitsFor.flatMap((index) => playing[index] ?? []))
  }

  /** Shows the chosen cameras, one of them large. */
  const arrange = (): void => {
    for (const [index, camera] of cameras.entries()) {
      const isMain = index === main
      const { figure, video, button, isShown } = camera
      figure.classList.toggle('main', isMain)
      figure.hidden = !isShown
      video.muted = !(isMain && hasSound)
      button.setAttribute('aria-pressed', String(isMain))
      if (!isShown) video.pause()
      else if (isMain) load(camera, largeQuality)
      // A camera that was large keeps its file.
      else if (video.preload === 'none') load(camera, smallQuality)
    }
    tick()
  }

  const tryAgain = (): void => {
    for (const [index, camera] of cameras.entries())
      if (camera.isShown && camera.hasFailed)
        load(camera, index === main ? largeQuality : smallQuality)
  }
  const toggle = (): void => {
    const time = now()
    // Nothing has ended until the length of a film is known.
    const { to } = range()
    const hasEnded = !clock.wantsPlay && to > 0 && time >= to - 0.2
    if (!clock.wantsPlay) tryAgain()
    clock = hasEnded ? seekClock(clock, 0) : { ...clock, time, atMs: performance.now() }
    clock = { ...clock, wantsPlay: !clock.wantsPlay, isRunning: false }
    tick()
  }
  const goTo = (time: number): void => {
    clock = seekClock(clock, time)
    tick()
  }
  const jump = (seconds: number): void => goTo(now() + seconds)
  const choose = (index: number): void => {
    const camera = cameras[index]
    if (!camera) return
    camera.isShown = true
    main = index
    arrange()
  }
  /** Makes the first camera that has something to show the large one. */
  const chooseOther = (): void => {
    const other = cameras.findIndex(({ isShown, hasFailed }) => isShown && !hasFailed)
    if (other >= 0) choose(other)
  }

  for (const [index, camera] of cameras.entries()) {
    const { video, button } = camera
    button.addEventListener('click', () => choose(index))
    video.addEventListener('click', () => (index === main ? toggle() : choose(index)))
    video.addEventListener('error', () => {
      loadLarger(camera)
      const other = cameras.findIndex((each) => each.isShown && each.video.readyState > 0)
      if (camera.hasFailed && index === main && other >= 0) choose(other)
      tick()
    })
    // No camera replaces the large one before it has something to show, so that nothing moves.
    video.addEventListener('loadedmetadata', () => {
      if (cameras[main]?.hasFailed) choose(index)
    })
    video.addEventListener('refused', () => {
      if (clock.wantsPlay) toggle()
    })
    for (const type of ['seeked', 'canplay', 'waiting', 'loadedmetadata'])
      video.addEventListener(type, tick)
  }
  arrange()
  setInterval(tick, tickMs)

  return {
    /** Rounds to a tenth of a second. */
    moment: (): number => Math.round(now() * 10) / 10,
    isPlaying: (): boolean => clock.wantsPlay,
    toggle,
    goTo,
    jump,
    step: (frames: number): void => {
      if (clock.wantsPlay) toggle()
      jump(frames * frameSeconds)
    },
    setRate: (rate: number): void => {
      const atMs = performance.now()
      clock = { ...clock, time: timeAt(clock, atMs), atMs, rate }
      tick()
    },
    toggleSound: (): void => {
      hasSound = !hasSound
      arrange()
    },
    /** Shows or hides a camera; the last one stays. */
    showCamera: (index: number, isShown: boolean) => {
      const camera = cameras[index]
      const others = cameras.filter((each) => each.isShown && each !== camera)
      if (!camera || (!isShown && others.length === 0)) return tick()
      camera.isShown = isShown
      if (index === main && !isShown) chooseOther()
      arrange()
    },
    /** Sets the quality that the large camera loads. */
    setQuality: (chosen: Quality): void => {
      largeQuality = chosen
      arrange()
    },
  }
}
